import { z } from 'zod'
import { freeJson } from '../core/text.ts'
import { Elsewhere } from '../store/status.ts'
import { SETTING_NAMES } from './setting-names.ts'
import { Role } from './session.ts'

export const SettingName = z.enum(SETTING_NAMES)

const Value = z.json().meta({ id: 'Json' })

export const SettingChange = z.object({
  id: z.int(),
  from: z.string().describe('when it takes effect (ISO 8601)'),
  value: Value,
  asProfile: z.boolean().describe('the profile’s value applies from then on'),
  at: z.string().describe('when it was entered (ISO 8601)'),
  by: z.string().describe('name of the person who entered it'),
})
export type SettingChange = z.infer<typeof SettingChange>

export const Setting = z.object({
  name: SettingName,
  profile: Value.describe('the profile’s value, including its defaults'),
  value: Value.describe('the value in effect'),
  differs: z.boolean(),
  change: SettingChange.nullable().describe('the change in effect; null: never changed'),
  planned: z.array(SettingChange).describe('planned changes, the next first'),
  elsewhere: Elsewhere.optional().describe('other lane that changed it last; missing: none'),
  newest: z.int().describe('id of the newest change of this setting; 0 without one'),
})
export type Setting = z.infer<typeof Setting>

export const SettingList = z.object({ settings: z.array(Setting) })
export type SettingList = z.infer<typeof SettingList>

/**
 * PUT /api/settings/:name changes a setting. `seen` is `newest` as the screen shows it; the change is refused with
 * `setting-stale` if the setting has changed since.
 */
export const ChangeSetting = z.object({
  seen: z.int().min(0),
  to: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('value'), value: freeJson(Value) }),
    z.object({ kind: z.literal('profile') }),
  ]),
  from: z
    .object({ day: z.iso.date(), time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/) })
    .nullable()
    .describe('the store’s own day and time; null: at once'),
})
export type ChangeSetting = z.infer<typeof ChangeSetting>

/**
 * POST /api/settings/:name/undo cancels a planned change, or restores at once the value before the latest change in
 * effect.
 */
export const UndoSetting = z.object({ seen: z.int().min(0), id: z.int().min(1) })
export type UndoSetting = z.infer<typeof UndoSetting>

/**
 * POST /api/settings/exports returns the settings that differ from the profile as a file. The export is recorded in the
 * audit trail.
 */
export const SettingsExportRequest = z.object({ format: z.enum(['csv', 'json']) })
export const SettingsExport = z.object({ fileName: z.string(), text: z.string() })
export type SettingsExport = z.infer<typeof SettingsExport>

/**
 * Changes made at another lane that raise permissions, or replace a PIN or badge of a person with permissions. They
 * have no effect at this lane until a manager confirms them here, or the owner of the store at the store server.
 */
export const WAITING_KINDS = ['person', 'person-pin', 'person-badge', 'setting'] as const

/** Identifies one waiting change. A later change of the same person or setting has another clock or lane. */
export const WaitingChangeKey = z.object({
  kind: z.enum(WAITING_KINDS),
  subject: z
    .string()
    .max(80)
    .regex(/^[\w.:-]+$/),
  clock: z.int().positive(),
  lane: z
    .string()
    .max(20)
    .regex(/^[\w-]+$/),
})
export type WaitingChangeKey = z.infer<typeof WaitingChangeKey>

export const WaitingChange = WaitingChangeKey.extend({
  at: z.iso.datetime().describe('by the clock of the lane that made it'),
  by: z.string().nullable().describe('name of the person who made it; null: the store’s profile'),
  what: z.discriminatedUnion('of', [
    z.object({
      of: z.literal('person'),
      name: z.string(),
      role: Role,
      before: Role.nullable().describe('role in effect at this lane; null: does not work here'),
      pinFrom: z.string().nullable().describe('other lane at which the person’s PIN was set last'),
    }),
    z.object({ of: z.literal('pin'), name: z.string() }),
    z.object({ of: z.literal('badge'), name: z.string() }),
    z.object({ of: z.literal('setting'), name: z.string(), before: Value, after: z.array(Value) }),
  ]),
})
export type WaitingChange = z.infer<typeof WaitingChange>

/** GET /api/waiting-changes, for managers, returns the waiting changes, as do POST …/confirm and …/refuse. */
export const WaitingChanges = z.object({ changes: z.array(WaitingChange) })
export type WaitingChanges = z.infer<typeof WaitingChanges>
