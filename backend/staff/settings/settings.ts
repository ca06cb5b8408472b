import { Temporal } from 'temporal-polyfill/implementation'
import type { ChangeSetting, Setting, SettingsExport, UndoSetting } from '../../../contracts/staff/settings.ts'
import type { Staff } from '../../../contracts/staff/session.ts'
import { SETTING_NAMES, SETTINGS, type SettingName } from '../../../contracts/staff/setting-names.ts'
import { isoOf } from '../../core/clock.ts'
import { type TakenChange, changesOf } from '../../store/changes.ts'
import { SettingChange } from '../../../contracts/store/changes.ts'
import type { Tx } from '../../core/db/transact.ts'
import { epochOf, zonedIso } from '../../core/zone.ts'
import { ProblemError } from '../../core/problem.ts'
import { fileMessages } from '../../core/i18n.ts'
import { checkProfile } from '../../core/profile/profile.ts'
import { resultingValue, differencesFile, jsonOf, givesMoreRights, settingsView } from './settings-views.ts'
import {
  inForceAt,
  issuesAt,
  latestInEffect,
  parsedValue,
  valueIn,
  withValue,
  effectiveProfileOf,
} from './effective-profile.ts'
import {
  type NewSettingRow,
  type SettingRow,
  equalsShared,
  sharedRows,
  isPlanned,
  settingRowsOf,
} from './settings.sql.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart, runLater } from '../../core/lifecycle.ts'
import type { App } from '../../core/http/app.ts'
import { settingsContract } from '../../../contracts/staff/staff.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'

interface Taken extends Pick<TakenChange<SettingChange>, 'byId' | 'detail'> {
  readonly name: SettingName
  readonly own: readonly SettingRow[]
  readonly rows: SettingChange['rows']
}

/**
 * Interval in ms at which the lane looks whether a planned change has taken effect; short, because the clock may be
 * set.
 */
const LOOK_MS = 30_000
const DAY_LENGTH = 10

export type Settings = ReturnType<typeof settingsOf>

const settingsStateOf = perLane((ctx: Ctx) => {
  const listeners = new Set<() => void>()
  changesOf(ctx).follow(
    'setting',
    SettingChange,
    (tx, one) => take(ctx, tx, one),
    (one) => raisesPermissions(ctx, one),
  )
  return {
    listeners,
    callOff: null as (() => void) | null,
  }
})

const list = (ctx: Ctx): Setting[] =>
  settingsView({
    base: effectiveProfileOf(ctx).base,
    effective: effectiveProfileOf(ctx).at(ctx.clock.now()),
    rows: settingRowsOf(ctx).uncancelled(),
    now: ctx.clock.now(),
    staffName: ctx.staffName,
    changedAt: (name) => changesOf(ctx).changedAt('setting', name),
  })

function announce(ctx: Ctx): void {
  ctx.publish({ type: 'settings-changed' })
  for (const listener of settingsStateOf(ctx).listeners) listener()
}

/** Notifies the windows when a planned change takes effect. Code that reads settings needs no event. */
function watch(ctx: Ctx): void {
  const state = settingsStateOf(ctx)
  state.callOff?.()
  const next = effectiveProfileOf(ctx).nextAt()
  if (next === null) {
    state.callOff = null
    return
  }
  state.callOff = runLater(ctx, Math.max(0, Math.min(next - ctx.clock.now(), LOOK_MS)), () => {
    if (ctx.clock.now() >= next) announce(ctx)
    watch(ctx)
  })
}

const rowsOf = (ctx: Ctx, name: string): SettingRow[] =>
  settingRowsOf(ctx)
    .uncancelled()
    .filter((row) => row.name === name)

function refuseStale(rows: readonly SettingRow[], seen: number): void {
  const newest = rows.reduce((id, row) => Math.max(id, row.id), 0)
  if (newest !== seen) throw new ProblemError('setting-stale')
}

/** Returns the instant at which a change takes effect. Throws ProblemError `setting-past`. */
function startOf(ctx: Ctx, from: ChangeSetting['from'], now: number): number {
  if (from === null) return now
  const at = epochOf(Temporal.PlainDateTime.from(`${from.day}T${from.time}`), effectiveProfileOf(ctx).base.timeZone)
  if (at <= now) throw new ProblemError('setting-past', [{ path: '/from', message: 'past' }])
  return at
}

/**
 * Returns the value parsed by the profile's schema. Throws ProblemError `setting-invalid` with a message for each
 * field.
 */
function checked(
  ctx: Ctx,
  name: SettingName,
  value: unknown,
  fromAt: number,
  { locale }: Pick<Staff, 'locale'>,
): unknown {
  refuseOutOfBounds(name, value, locale)
  const candidate = withValue(effectiveProfileOf(ctx).at(fromAt), name, value ?? undefined)
  const issues = issuesAt(candidate, name)
  if (issues.length > 0)
    throw new ProblemError(
      'setting-invalid',
      issues.map(({ path, messages }) => ({ path, message: messages[locale] })),
    )
  const parsed = checkProfile(candidate)
  return valueIn('profile' in parsed ? parsed.profile : candidate, name)
}

function write(ctx: Ctx, tx: Tx, name: SettingName, change: Omit<NewSettingRow, 'name'>): void {
  const repository = settingRowsOf(ctx)
  const row = { ...change, name }
  const { fromAt, at, staffId: actorId } = row
  const current = (): SettingRow | undefined => inForceAt(repository.uncancelled(), fromAt).get(name)
  const before = current()
  repository.insert(tx, row)
  const after = current()
  ctx.audit.record(tx, {
    kind: 'setting-changed',
    actorId,
    detail: {
      setting: name,
      before: factOf(resultingValue(before, effectiveProfileOf(ctx).base, name)),
      after: factOf(resultingValue(after, effectiveProfileOf(ctx).base, name)),
      ...(fromAt > at ? { from: isoOf(fromAt) } : {}),
      ...((after?.value ?? null) === null ? { asProfile: true } : {}),
    },
  })
  const value: SettingChange = { rows: sharedRows(rowsOf(ctx, name), ctx.staffName) }
  changesOf(ctx).recordLocal(tx, { kind: 'setting', subject: name, value, byId: actorId })
  holdAfterCommit(ctx)
}

/** Lets readers see a change after its commit: before that, it may still be rolled back. */
function holdAfterCommit(ctx: Ctx): void {
  ctx.transact.afterCommit(() => {
    effectiveProfileOf(ctx).forget()
    announce(ctx)
    watch(ctx)
  })
}

/** Applies a setting as another lane has it, with planned changes, which take effect by this lane's clock. */
function take(ctx: Ctx, tx: Tx, { subject: name, value: { rows }, byId, detail }: TakenChange<SettingChange>): void {
  const repository = settingRowsOf(ctx)
  const own = rowsOf(ctx, name)
  if (equalsShared(own, rows)) return
  for (const { by } of rows) changesOf(ctx).addPerson(tx, by)
  for (const { id, fromAt, at, staffId } of own)
    repository.insert(tx, { name, value: null, fromAt, at, staffId, callsOff: id })
  for (const { by, ...row } of rows) repository.insert(tx, { ...row, name, staffId: by.id, callsOff: null })
  const known = SETTING_NAMES.find((one) => one === name)
  if (known !== undefined) recordReceived(ctx, tx, { name: known, own, rows, byId, detail })
  holdAfterCommit(ctx)
}

function recordReceived(ctx: Ctx, tx: Tx, taken: Taken): void {
  const { name, own, rows, byId: actorId, detail } = taken
  const now = ctx.clock.now()
  const [before, after] = [own, rowsOf(ctx, name)].map((of) =>
    factOf(resultingValue(latestInEffect(of, now), effectiveProfileOf(ctx).base, name)),
  )
  const next = rows.find(({ fromAt }) => fromAt > now)
  ctx.audit.record(tx, {
    kind: 'setting-changed',
    actorId,
    detail: {
      setting: name,
      before: before ?? null,
      after: after ?? null,
      ...(next ? { from: isoOf(next.fromAt) } : {}),
      ...detail,
    },
  })
}

/** Whether any value that the other lane sent, for now or later, gives more permissions than the current one. */
function raisesPermissions(ctx: Ctx, { subject, value: { rows } }: TakenChange<SettingChange>): boolean {
  const name = SETTING_NAMES.find((one) => one === subject)
  if (name === undefined || equalsShared(rowsOf(ctx, name), rows)) return false
  const now = valueIn(effectiveProfileOf(ctx).at(ctx.clock.now()), name)
  // Until the first planned value takes effect, the profile's value counts.
  const values = rows.some((row) => row.fromAt <= row.at) ? rows : [{ value: null }, ...rows]
  return values.some(({ value }) =>
    givesMoreRights(name, now, value === null ? valueIn(effectiveProfileOf(ctx).base, name) : parsedValue({ value })),
  )
}

function onChange(ctx: Ctx, listener: () => void): void {
  settingsStateOf(ctx).listeners.add(listener)
}

/**
 * Changes a setting; writes nothing if its value stays the same. Throws ProblemError `setting-stale`, `setting-past`,
 * `setting-invalid`.
 */
function change(ctx: Ctx, name: SettingName, { seen, to, from }: ChangeSetting, person: Staff): Setting[] {
  ctx.transact((tx) => {
    const rows = rowsOf(ctx, name)
    refuseStale(rows, seen)
    const at = ctx.clock.now()
    const fromAt = startOf(ctx, from, at)
    const value = to.kind === 'profile' ? null : JSON.stringify(jsonOf(checked(ctx, name, to.value, fromAt, person)))
    const before = inForceAt(rows, fromAt).get(name)
    if ((before?.value ?? null) === value) return
    write(ctx, tx, name, { value, fromAt, at, staffId: person.id, callsOff: null })
  })
  return list(ctx)
}

/**
 * Restores the value before the current change, or cancels a planned change. Throws ProblemError `setting-stale` if the
 * setting was changed since it was read, and `not-found` if no change has this id.
 */
function undo(ctx: Ctx, name: SettingName, { seen, id }: UndoSetting, person: Staff): Setting[] {
  ctx.transact((tx) => {
    const rows = rowsOf(ctx, name)
    refuseStale(rows, seen)
    const row = rows.find((one) => one.id === id)
    if (!row) throw new ProblemError('not-found')
    const at = ctx.clock.now()
    if (isPlanned(row) && row.fromAt > at) {
      write(ctx, tx, name, { value: null, fromAt: row.fromAt, at, staffId: person.id, callsOff: id })
      return
    }
    // Only the change that the screen showed may be undone, and another one took effect since.
    if (latestInEffect(rows, at) !== row) throw new ProblemError('setting-stale')
    const previous = latestInEffect(
      rows.filter((one) => one !== row),
      at,
    )
    const value = previous?.value ?? null
    write(ctx, tx, name, { value, fromAt: at, at, staffId: person.id, callsOff: null })
  })
  return list(ctx)
}

function sendCurrent(ctx: Ctx, tx: Tx, name: string, actorId: string): void {
  const value: SettingChange = { rows: sharedRows(rowsOf(ctx, name), ctx.staffName) }
  changesOf(ctx).recordLocal(tx, { kind: 'setting', subject: name, value, byId: actorId })
}

/**
 * Settings that a manager changes at the lane and that replace those of the profile. Each change is a row that is never
 * modified: the one that took effect last counts, and a planned one is cancelled by another row.
 */
export const settingsOf = perLane((ctx: Ctx) => {
  settingsStateOf(ctx)
  onStart(ctx, () => watch(ctx))
  return {
    ...bound(ctx, {
      list,
      onChange,
      change,
      undo,
      sendCurrent: sendCurrent,
    }),

    /**
     * Exports the settings that differ from the profile or have planned changes, as a file, and records the export in
     * the audit trail.
     */
    export(format: 'csv' | 'json', actorId: string): SettingsExport {
      const exportedAt = zonedIso(ctx.clock.now(), effectiveProfileOf(ctx).base.timeZone)
      const text = differencesFile(format, list(ctx), {
        store: effectiveProfileOf(ctx).base.store.id,
        lane: ctx.lane.id,
        exportedAt,
      })
      ctx.transact((tx) => {
        ctx.audit.record(tx, { kind: 'settings-export', actorId, detail: { format } })
      })
      const store = effectiveProfileOf(ctx).base.store.id.replaceAll(/[^\w-]/g, '_')
      return { fileName: `settings-${store}-${ctx.lane.id}-${exportedAt.slice(0, DAY_LENGTH)}.${format}`, text }
    },
  }
})

/**
 * Refuses values that a profile may have and a manager may not set. With some of them, the manager would be signed out
 * at once and could not change them back.
 */
function refuseOutOfBounds(name: SettingName, value: unknown, locale: Staff['locale']): void {
  const { form } = SETTINGS[name]
  if (form.as !== 'number' || typeof value !== 'number') return
  const { times, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = form
  const end = value < least * times ? 'least' : value > most * times ? 'most' : null
  if (end === null) return
  const expected = fileMessages('value.amount', { end, limit: String(end === 'least' ? least : most) })
  throw new ProblemError('setting-invalid', [
    { path: '/', message: fileMessages('setting.shouldBe', { expected })[locale] },
  ])
}

const factOf = (value: unknown): string | number | boolean | null => {
  if (value === undefined || value === null) return null
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value)
}

export function settingsRoutes(ctx: Ctx, app: App): void {
  const settings = settingsOf(ctx)
  serve(app, settingsContract['GET /settings'], () => ({ settings: settings.list() }))
  serve(app, settingsContract['PUT /settings/:name'], (request) => ({
    settings: settings.change(request.params.name, request.body, signedIn(request)),
  }))
  serve(app, settingsContract['POST /settings/:name/undo'], (request) => ({
    settings: settings.undo(request.params.name, request.body, signedIn(request)),
  }))
  serve(app, settingsContract['POST /settings/exports'], (request) =>
    settings.export(request.body.format, signedIn(request).id),
  )
}
