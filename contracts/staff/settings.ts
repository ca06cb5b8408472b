import { z } from 'zod'
import { freeJson } from '../core/text.ts'
import { Elsewhere } from '../store/status.ts'
import { SETTING_NAMES } from './setting-names.ts'
import { Role } from './session.ts'

export const SettingName = z.enum(SETTING_NAMES)

/** A value as the profile would write it; null: left out. */
const Value = z.json().meta({ id: 'Json' })

/** One change of a setting: made or planned, and by whom. */
export const SettingChange = z.object({
  id: z.int(),
  from: z.string().describe('from when it holds (ISO 8601)'),
  value: Value,
  asProfile: z.boolean().describe('from then on the profile’s value, whatever that is'),
  at: z.string().describe('when it was entered (ISO 8601)'),
  by: z.string().describe('name of who entered it'),
})
export type SettingChange = z.infer<typeof SettingChange>

export const Setting = z.object({
  name: SettingName,
  profile: Value.describe('what the profile says, its own defaults included'),
  value: Value.describe('what is in force'),
  differs: z.boolean(),
  change: SettingChange.nullable().describe('the change that is in force; null: none was ever made'),
  planned: z.array(SettingChange).describe('what is to come, the next first'),
  elsewhere: Elsewhere.optional().describe('which other lane changed it last; left out: none'),
  newest: z.int().describe('id of the newest change of this setting; 0 without one'),
})
export type Setting = z.infer<typeof Setting>

/** GET /api/settings, for managers. */
export const SettingList = z.object({ settings: z.array(Setting) })
export type SettingList = z.infer<typeof SettingList>

/**
 * PUT /api/settings/:name. `seen`: `newest` as the screen has it; a setting that was changed since is refused with
 * `setting-stale`.
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

/** POST /api/settings/:name/undo: what stood before a change stands again, from when the change held or at once. */
export const UndoSetting = z.object({ seen: z.int().min(0), id: z.int().min(1) })
export type UndoSetting = z.infer<typeof UndoSetting>

/** POST /api/settings/exports: what differs from the profile, as a file. Stands in the audit trail. */
export const SettingsExportRequest = z.object({ format: z.enum(['csv', 'json']) })
export const SettingsExport = z.object({ fileName: z.string(), text: z.string() })
export type SettingsExport = z.infer<typeof SettingsExport>

/**
 * Changes made at another lane that raise a right, or replace a PIN or badge of a person with rights. They have no
 * effect at this lane until a manager confirms them here, or the owner at the store's server.
 */
export const WAITING_KINDS = ['person', 'person-pin', 'person-badge', 'setting'] as const

/** Names one change: a later change of the same thing has another clock or lane. */
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
  by: z.string().nullable().describe('name of who made it; null: the store’s profile'),
  what: z.discriminatedUnion('of', [
    z.object({
      of: z.literal('person'),
      name: z.string(),
      role: Role,
      before: Role.nullable().describe('role in force at this lane; null: does not work here'),
      pinFrom: z.string().nullable().describe('other lane at which the person’s PIN was set last'),
    }),
    z.object({ of: z.literal('pin'), name: z.string() }),
    z.object({ of: z.literal('badge'), name: z.string() }),
    z.object({ of: z.literal('setting'), name: z.string(), before: Value, after: z.array(Value) }),
  ]),
})
export type WaitingChange = z.infer<typeof WaitingChange>

/** GET /api/waiting-changes, for managers; POST …/confirm and …/refuse answer it too. */
export const WaitingChanges = z.object({ changes: z.array(WaitingChange) })
export type WaitingChanges = z.infer<typeof WaitingChanges>
