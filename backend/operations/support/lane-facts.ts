import { existsSync, statSync } from 'node:fs'
import { arch, platform, release } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { HARMLESS_SETTINGS, SYSTEM_CODES } from '../../../contracts/operations/support-values.ts'
import { SETTINGS, SETTING_NAMES, type SettingName } from '../../../contracts/staff/setting-names.ts'
import { isoOf } from '../../core/clock.ts'
import { type Database, epochOf } from '../../core/db/database.ts'
import { readMigrations } from '../../core/db/migrate.ts'
import { lastRestore } from '../restore/restore-files.ts'
import { createEchoRepository } from '../diagnostics/diagnostics.sql.ts'
import { diskSpace, lastBackup } from '../backups/backup.ts'
import { listBackups } from '../../core/program/backup-list.ts'
import { inForceAt, parsedValue } from '../../staff/settings/effective-profile.ts'
import { createSettingsRepository, isPlanned } from '../../staff/settings/settings.sql.ts'
import { LOG_FILES } from './log-lines.ts'
import { type OperationGroup, createSupportRepository } from './support.sql.ts'
import type { ConnectionStatus } from '../../../contracts/operations/connection.ts'
import type { DeviceDetails } from '../../../contracts/operations/devices.ts'
import type { CentralState, ClockHealth, DeviceHealth } from '../../../contracts/operations/diagnostics.ts'
import type { BackupCopies } from '../../../contracts/operations/backups.ts'
import type { OfferLists } from '../../../contracts/loyalty/offers.ts'
import type { StopReason } from '../../../contracts/staff/session.ts'
import type { Setting } from '../../../contracts/staff/settings.ts'

/*
 * State of a lane from its data folder, whether its terminal runs or not. The result is not validated here: the schema
 * of the support file validates it.
 */
export interface LaneFolder {
  readonly dataFolder: string
  readonly db: Database
  readonly now: number
}

const MB = 1_000_000
const HOUR_MS = 3_600_000
const WEEK_MS = 7 * 24 * HOUR_MS
const CHECKS = 20

/**
 * Returns the seconds since a time, limited to what a support file accepts: even a clock that shows 1970 must give a
 * valid file.
 */
const secondsSince = (at: number, now: number): number => boundedSeconds((now - at) / 1_000)
const sizeMb = (file: string): number => (existsSync(file) ? Math.ceil(statSync(file).size / MB) : 0)

export const programFacts = ({ db }: LaneFolder, version: string) => ({
  version,
  nodeVersion: process.versions.node,
  platform: platform(),
  arch: arch(),
  // Builders of kernels append text of their own to the version, so only its numbers are taken.
  osVersion: /^\d+(\.\d+){0,3}/.exec(release())?.[0] ?? '0',
  schema: db.pragma('user_version', { simple: true }),
  knownSchema: readMigrations().length,
})

export const diskFacts = ({ dataFolder, db }: LaneFolder) => ({
  ...diskSpace(dataFolder, db.name),
  databaseMb: sizeMb(db.name),
  logsMb: LOG_FILES.reduce((sum, name) => sum + sizeMb(join(dataFolder, 'logs', name)), 0),
})

export function queueFacts({ db, now }: LaneFolder) {
  const rows = createSupportRepository(db)
  const [open, attention] = [rows.open(), rows.attention()]
  const sum = (groups: readonly OperationGroup[]): number => groups.reduce((total, { count }) => total + count, 0)
  return {
    waiting: sum(open),
    attention: sum(attention),
    operations: [...open, ...attention].map(({ type, state, count, oldestAt, newestAt }) => ({
      type,
      state,
      count,
      oldestSeconds: secondsSince(oldestAt, now),
      newestSeconds: secondsSince(newestAt, now),
    })),
  }
}

/**
 * Returns the name if it is in the list, otherwise `other`: a support file must contain no values from outside the
 * program.
 */
export const nameOrOther = (names: readonly string[], name: string): string => (names.includes(name) ? name : 'other')
export const systemCode = (code: string | null | undefined): string | null =>
  code === null || code === undefined ? null : nameOrOther(SYSTEM_CODES, code)

export function connectionFacts({ db, now }: LaneFolder, responseCodes: readonly string[]) {
  const results = createEchoRepository(db)
  return {
    outagesInWeek: results.outages(now - WEEK_MS, 1).total,
    checks: results.latest(CHECKS).map(({ at, outcome, responseCode, httpStatus, latencyMs, traceId }) => ({
      at,
      outcome,
      responseCode: responseCode === null ? null : nameOrOther(responseCodes, responseCode),
      httpStatus,
      latencyMs: latencyMs === null ? null : Math.round(latencyMs),
      traceId,
    })),
  }
}

const Verified = z.object({ entries: z.int(), cause: z.unknown().optional() })

export function integrityFacts({ db }: LaneFolder) {
  const row = createSupportRepository(db).verified()
  if (row === undefined) return { verifiedAt: null, entries: null, broken: null }
  const { entries, cause } = Verified.parse(JSON.parse(row.detail))
  return { verifiedAt: isoOf(row.at), entries, broken: cause ?? null }
}

export function backupFacts({ dataFolder, db, now }: LaneFolder) {
  const folder = join(dataFolder, 'backups')
  const last = existsSync(folder) ? lastBackup(folder) : null
  const restored = lastRestore(dataFolder)
  const kinds = Map.groupBy(listBackups(folder), ({ kind }) => kind)
  return {
    lastAt: last?.at ?? null,
    lastOutcome: last?.outcome ?? null,
    // The newest backup of each kind comes first.
    kept: [...kinds].flatMap(([kind, [newest, ...others]]) =>
      newest === undefined
        ? []
        : [
            {
              kind,
              count: 1 + others.length,
              newestAt: newest.at,
              newestHours: Math.max(0, Math.round((now - Date.parse(newest.at)) / HOUR_MS)),
              newestProof: newest.proof.state,
            },
          ],
    ),
    restoredAt: restored?.at ?? null,
    restoreOutcome: restored?.outcome ?? null,
    epoch: epochOf(db),
  }
}

export const offerFacts = ({ db, now }: LaneFolder) =>
  createSupportRepository(db)
    .offers()
    .map(({ locale, count, fetchedAt }) => ({
      locale,
      count,
      fetchedAt: isoOf(fetchedAt),
      ageSeconds: secondsSince(fetchedAt, now),
    }))

export function settingFacts({ db, now }: LaneFolder) {
  const rows = createSettingsRepository(db).uncancelled()
  const changed = [...inForceAt(rows, now)].filter(([, { value }]) => value !== null)
  return {
    changed: changed.map(([name, row]) => ({ name, value: harmlessValue(name, parsedValue(row)) })),
    planned: rows.filter((row) => isPlanned(row) && row.fromAt > now && SETTING_NAMES.some((name) => name === row.name))
      .length,
  }
}

const MAX_REPORTED = 999

/** Returns the value of a setting if it cannot be personal: a switch, or a whole number of its unit; otherwise null. */
export function harmlessValue(name: SettingName, value: unknown): boolean | number | null {
  if (!HARMLESS_SETTINGS.some((harmless) => harmless === name)) return null
  const { form } = SETTINGS[name]
  if (form.as === 'switch') return typeof value === 'boolean' ? value : null
  if (form.as !== 'number' || typeof value !== 'number') return null
  const count = value / form.times
  return Number.isInteger(count) && count >= 0 && count <= MAX_REPORTED ? count : null
}

export interface RunningComponents {
  readonly startedAt: number
  readonly timeZone: string
  readonly stopped: () => StopReason | null
  readonly clock: () => ClockHealth
  readonly health: () => readonly DeviceHealth[]
  readonly details: () => readonly DeviceDetails[]
  readonly central: () => CentralState
  readonly connection: () => Pick<ConnectionStatus, 'state' | 'since'>
  readonly copies: () => Pick<BackupCopies, 'state'>
  readonly offers: () => OfferLists
  readonly settings: () => readonly Setting[]
}

export type RunningFacts = ReturnType<typeof runningFacts>

/** Returns the state that only a running terminal knows, without any data of sales, people or cards. */
export function runningFacts(lane: RunningComponents, now: number) {
  const details = lane.details()
  return {
    program: {
      timeZone: lane.timeZone,
      startedAt: isoOf(lane.startedAt),
      uptimeSeconds: boundedSeconds((now - lane.startedAt) / 1_000),
      stopped: lane.stopped(),
    },
    clock: lane.clock(),
    devices: lane.health().map((device) =>
      deviceFacts(
        device,
        details.find(({ role }) => role === device.role),
      ),
    ),
    central: lane.central(),
    connection: lane.connection(),
    copies: lane.copies().state,
    offersFailed: new Map<string, string | null>(
      lane.offers().lists.map(({ locale, failed }) => [locale, failed?.cause ?? null]),
    ),
    settings: lane
      .settings()
      .filter(({ differs }) => differs)
      .map(({ name, value }) => ({ name, value: harmlessValue(name, value) })),
  }
}

const deviceFacts = ({ role, state, position, trouble }: DeviceHealth, details: DeviceDetails | undefined) => ({
  role,
  state,
  position: position ?? null,
  trouble: trouble?.kind ?? null,
  code: systemCode(trouble?.code),
  connection: details?.connection.kind ?? null,
  statistics: Object.fromEntries(
    Object.entries(details?.statistics ?? {}).map(([name, count]) => [name, Math.min(count, MAX_ROUNDED)]),
  ),
  jobs: details?.jobs ?? null,
})

/** Numbers below this stay exact: an HTTP status must be readable, and every PIN is longer. */
const EXACT = 1_000

/**
 * Rounds numbers of four digits and more to two significant digits: the magnitude remains, and no PIN or part of a card
 * number.
 */
export function rounded(value: number): number {
  if (Math.abs(value) < EXACT) return value
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1)
  return Math.round(value / step) * step
}

export function withRounded(value: unknown): unknown {
  if (typeof value === 'number') return rounded(value)
  if (Array.isArray(value)) return value.map(withRounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withRounded(part)]))
}

/** Highest number that rounding keeps within the limit of a support file: 999,999,999 would be rounded up beyond it. */
export const MAX_ROUNDED = 990_000_000

export const boundedSeconds = (seconds: number): number =>
  Math.max(-MAX_ROUNDED, Math.min(MAX_ROUNDED, Math.round(seconds)))

/**
 * Returns an id of ASCII letters, digits and `_.-`, for a support file and its name; a store id may contain any
 * character.
 */
export const plainId = (id: string): string =>
  id
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w.-]+/g, '.')
    .slice(0, 64)
