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
import { broughtBy, differencesFile, jsonOf, raisesRights, settingsView } from './settings-views.ts'
import {
  inForceAt,
  issuesAt,
  lastBegun,
  parsedValue,
  valueIn,
  withValue,
  effectiveProfileOf,
} from './effective-profile.ts'
import { type NewSettingRow, type SettingRow, saysTheSame, toldRows, isPlanned, settingRowsOf } from './settings.sql.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart, runLater } from '../../core/lifecycle.ts'
import type { App } from '../../core/http/app.ts'
import { settingsContract } from '../../../contracts/staff/staff.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'

interface Taken extends Pick<TakenChange<SettingChange>, 'byId' | 'detail'> {
  readonly name: SettingName
  /** What stood before. */
  readonly own: readonly SettingRow[]
  readonly rows: SettingChange['rows']
}

/** How often it is looked whether a planned change has come into force: the clock may be set meanwhile. */
const LOOK_MS = 30_000
const DAY_LENGTH = 10

export type Settings = ReturnType<typeof settingsOf>

const settingsStateOf = perLane((ctx: Ctx) => {
  const listeners = new Set<() => void>()
  changesOf(ctx).follow(
    'setting',
    SettingChange,
    (tx, one) => take(ctx, tx, one),
    (one) => raises(ctx, one),
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
    rows: settingRowsOf(ctx).standing(),
    now: ctx.clock.now(),
    staffName: ctx.staffName,
    changedAt: (name) => changesOf(ctx).changedAt('setting', name),
  })

function announce(ctx: Ctx): void {
  ctx.publish({ type: 'settings-changed' })
  for (const listener of settingsStateOf(ctx).listeners) listener()
}

/** Waits for what is planned next, and tells that it holds. What reads the settings needs no telling. */
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
    .standing()
    .filter((row) => row.name === name)

function refuseStale(rows: readonly SettingRow[], seen: number): void {
  const newest = rows.reduce((id, row) => Math.max(id, row.id), 0)
  if (newest !== seen) throw new ProblemError('setting-stale')
}

/** The instant at which a change begins. Throws ProblemError `setting-past`. */
function beginning(ctx: Ctx, from: ChangeSetting['from'], now: number): number {
  if (from === null) return now
  const at = epochOf(Temporal.PlainDateTime.from(`${from.day}T${from.time}`), effectiveProfileOf(ctx).base.timeZone)
  if (at <= now) throw new ProblemError('setting-past', [{ path: '/from', message: 'past' }])
  return at
}

/** The value as the profile's schema reads it. Throws ProblemError `setting-invalid` with words for each field. */
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
  const standing = (): SettingRow | undefined => inForceAt(repository.standing(), fromAt).get(name)
  const before = standing()
  repository.insert(tx, row)
  const after = standing()
  ctx.audit.record(tx, {
    kind: 'setting-changed',
    actorId,
    detail: {
      setting: name,
      before: factOf(broughtBy(before, effectiveProfileOf(ctx).base, name)),
      after: factOf(broughtBy(after, effectiveProfileOf(ctx).base, name)),
      ...(fromAt > at ? { from: isoOf(fromAt) } : {}),
      ...((after?.value ?? null) === null ? { asProfile: true } : {}),
    },
  })
  const value: SettingChange = { rows: toldRows(rowsOf(ctx, name), ctx.staffName) }
  changesOf(ctx).tell(tx, { kind: 'setting', subject: name, value, byId: actorId })
  holdAfterCommit(ctx)
}

/** Inside the transaction it is read by nobody: a change that is taken back was never there. */
function holdAfterCommit(ctx: Ctx): void {
  ctx.transact.afterCommit(() => {
    effectiveProfileOf(ctx).forget()
    announce(ctx)
    watch(ctx)
  })
}

/** A setting as another lane left it, with what is planned there: by its own clock this lane comes to it. */
function take(ctx: Ctx, tx: Tx, { subject: name, value: { rows }, byId, detail }: TakenChange<SettingChange>): void {
  const repository = settingRowsOf(ctx)
  const own = rowsOf(ctx, name)
  if (saysTheSame(own, rows)) return
  for (const { by } of rows) changesOf(ctx).addPerson(tx, by)
  for (const { id, fromAt, at, staffId } of own)
    repository.insert(tx, { name, value: null, fromAt, at, staffId, callsOff: id })
  for (const { by, ...row } of rows) repository.insert(tx, { ...row, name, staffId: by.id, callsOff: null })
  const known = SETTING_NAMES.find((one) => one === name)
  if (known !== undefined) recordTaken(ctx, tx, { name: known, own, rows, byId, detail })
  holdAfterCommit(ctx)
}

function recordTaken(ctx: Ctx, tx: Tx, taken: Taken): void {
  const { name, own, rows, byId: actorId, detail } = taken
  const now = ctx.clock.now()
  const [before, after] = [own, rowsOf(ctx, name)].map((of) =>
    factOf(broughtBy(lastBegun(of, now), effectiveProfileOf(ctx).base, name)),
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

/** Whether any value that the other lane's rows bring, now or later, gives more rights than the one in force. */
function raises(ctx: Ctx, { subject, value: { rows } }: TakenChange<SettingChange>): boolean {
  const name = SETTING_NAMES.find((one) => one === subject)
  if (name === undefined || saysTheSame(rowsOf(ctx, name), rows)) return false
  const now = valueIn(effectiveProfileOf(ctx).at(ctx.clock.now()), name)
  // Before the first planned row begins the profile's value comes back.
  const values = rows.some((row) => row.fromAt <= row.at) ? rows : [{ value: null }, ...rows]
  return values.some(({ value }) =>
    raisesRights(name, now, value === null ? valueIn(effectiveProfileOf(ctx).base, name) : parsedValue({ value })),
  )
}

/** Called whenever another value is in force, or is planned. */
function onChange(ctx: Ctx, listener: () => void): void {
  settingsStateOf(ctx).listeners.add(listener)
}

/**
 * Throws ProblemError `setting-stale`, `setting-past`, `setting-invalid`. Nothing is written where nothing changes.
 */
function change(ctx: Ctx, name: SettingName, { seen, to, from }: ChangeSetting, person: Staff): Setting[] {
  ctx.transact((tx) => {
    const rows = rowsOf(ctx, name)
    refuseStale(rows, seen)
    const at = ctx.clock.now()
    const fromAt = beginning(ctx, from, at)
    const value = to.kind === 'profile' ? null : JSON.stringify(jsonOf(checked(ctx, name, to.value, fromAt, person)))
    const before = inForceAt(rows, fromAt).get(name)
    if ((before?.value ?? null) === value) return
    write(ctx, tx, name, { value, fromAt, at, staffId: person.id, callsOff: null })
  })
  return list(ctx)
}

/**
 * What stood before the change in force stands again, or a planned one is called off. Throws ProblemError
 * `setting-stale`, `not-found`.
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
    // Another one came into force since: what is taken back is what the screen showed.
    if (lastBegun(rows, at) !== row) throw new ProblemError('setting-stale')
    const previous = lastBegun(
      rows.filter((one) => one !== row),
      at,
    )
    const value = previous?.value ?? null
    write(ctx, tx, name, { value, fromAt: at, at, staffId: person.id, callsOff: null })
  })
  return list(ctx)
}

/** How a setting is here becomes how it is at every lane. */
function tellAsHere(ctx: Ctx, tx: Tx, name: string, actorId: string): void {
  const value: SettingChange = { rows: toldRows(rowsOf(ctx, name), ctx.staffName) }
  changesOf(ctx).tell(tx, { kind: 'setting', subject: name, value, byId: actorId })
}

/**
 * What a manager sets at the lane in the place of the profile. A change is a row that is never changed: the one whose
 * time has come last is in force, and a planned one is called off by another row.
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
      tellAsHere,
    }),

    /** What differs from the profile, as a file; that it was taken away is an entry of the trail. */
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

/** What a profile may say for a trial, a manager may not: who is signed out at once sets nothing back. */
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

/** As one fact of the trail. */
const factOf = (value: unknown): string | number | boolean | null => {
  if (value === undefined || value === null) return null
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value)
}

/** The settings of the lane, for its manager. */
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
