import { z } from 'zod'
import { scannedText } from '../core/text.ts'
import { STATISTICS } from './kinds.ts'

/** POST /api/diagnostics/echo runs ECHO now; GET lists the latest results, newest first. */
export const EchoResult = z.object({
  at: z.string(),
  outcome: z.enum([
    'approved',
    'timeout',
    'refused',
    'outage',
    'server-error',
    'unreachable',
    'no-token',
    'token-unreachable',
    'malformed',
  ]),
  responseCode: z.string().nullable(),
  httpStatus: z.int().nullable(),
  latencyMs: z.number().nullable(),
  message: z.string().nullable(),
  /** Names and values of the headers that were sent; the token is masked. */
  requestHeaders: z.record(z.string(), z.string()),
  traceId: z.string(),
})
export type EchoResult = z.infer<typeof EchoResult>
export const EchoHistory = z.object({ results: z.array(EchoResult) })
export type EchoHistory = z.infer<typeof EchoHistory>

/** What kind of trouble a device's detail tells of, for words that say what it is and what to do. */
export const TroubleKind = z.enum([
  'in-use',
  'not-there',
  'not-allowed',
  'unplugged',
  'not-open',
  'refused',
  'no-answer',
  'unreachable',
  'unknown-name',
  'closed',
  'stalled',
  'no-bench',
  'paper-out',
  'paper-low',
  'cover-open',
  'cutter-error',
  'too-hot',
  'printer-error',
  'printer-offline',
  'printer-silent',
  'not-confirmed',
  'other',
])
export type TroubleKind = z.infer<typeof TroubleKind>
/**
 * `holder`: who has the port, as "name (pid 123)", where it can be told. `code`: the system's own, e.g. ECONNREFUSED.
 */
export const Trouble = z.object({ kind: TroubleKind, holder: z.string().nullable(), code: z.string().nullable() })
export type Trouble = z.infer<typeof Trouble>

export const DeviceHealth = z.object({
  role: z.enum(['card-reader', 'scanner', 'printer', 'drawer', 'line-display', 'card-terminal']),
  state: z.enum(['ready', 'connecting', 'unavailable', 'needs-attention', 'not-configured']),
  /** A short technical reason in English; people read `trouble` in their language. */
  detail: z.string().nullable(),
  /** Of a detail; left out without one. */
  trouble: Trouble.optional(),
  /** Of a drawer whose switch is wired: how it stands, while the printer can say. */
  position: z.enum(['open', 'closed']).optional(),
})
export type DeviceHealth = z.infer<typeof DeviceHealth>
/** GET /api/devices */
export const DeviceList = z.object({ devices: z.array(DeviceHealth) })

/**
 * POST /api/devices/keys: a line that a scanner typed as a keyboard does, without its Enter. What it is comes as
 * events, as from any scanner; a collector's number from here is KEYED, for anybody can type.
 */
export const KeyedLine = z.object({ text: scannedText({ max: 512 }) })

/**
 * POST /api/devices/keyed-collector: a collector's number that the cashier typed, spaces and hyphens as written. It
 * becomes a card read with the entry mode KEYED, told as an event as any other; it earns and never redeems
 * (specification 3 §4.5 rule 1).
 */
export const KeyedCollector = z.object({ number: scannedText({ min: 0, max: 40 }) })

/**
 * What a device has done since the terminal started: each has those of its kind. Counts only: nothing that came over a
 * wire.
 */
export const DeviceStatistics = z.partialRecord(z.enum(STATISTICS), z.int().min(0))
export type DeviceStatistics = z.infer<typeof DeviceStatistics>

/**
 * The terminal's clock beside what it can be compared with. `aheadSeconds`: how far it is ahead of it (negative:
 * behind); null when right. Sales go on with a wrong clock: it changes the decisions about deadlines, and nothing else.
 */
export const ClockHealth = z.object({
  state: z.enum(['right', 'before-journal', 'off-central', 'off-store']),
  aheadSeconds: z.int().nullable(),
})
export type ClockHealth = z.infer<typeof ClockHealth>

/** What became of the last backup of the database, of this run or an earlier one. */
export const BackupResult = z.object({
  at: z.string(),
  outcome: z.enum(['kept', 'no-space', 'not-sound', 'failed']),
  /** Its name in the data folder's `backups`; null when none was kept. */
  file: z.string().nullable(),
  bytes: z.int().nullable(),
  /** A short technical reason for the diagnostics screen, in English. */
  detail: z.string().nullable(),
})
export type BackupResult = z.infer<typeof BackupResult>

/**
 * Room on the disk of the data folder, in millions of bytes. `low`: less than the lane needs; `short`: the next sales
 * may not fit.
 */
export const DiskSpace = z.object({ freeMb: z.int(), neededMb: z.int(), state: z.enum(['enough', 'low', 'short']) })
export type DiskSpace = z.infer<typeof DiskSpace>

/**
 * Why the lane sells by another bundle than it was last given. `refused`: no terminal starts by it; `damaged`: it is
 * not as it was signed any more; `recovered`: which one was in force was lost, and the newest was taken.
 */
export const BundleNotice = z.object({
  kind: z.enum(['refused', 'damaged', 'recovered']),
  number: z.int().nullable(),
  at: z.string(),
})
export type BundleNotice = z.infer<typeof BundleNotice>

/** GET /api/diagnostics/maintenance: what the terminal needs to stay right. */
export const Maintenance = z.object({
  clock: ClockHealth,
  backup: BackupResult.nullable(),
  room: DiskSpace,
  /** Left out where the lane sells by what it was last given. */
  bundle: BundleNotice.optional(),
})
export type Maintenance = z.infer<typeof Maintenance>

/**
 * What the last call to the program's cash and issuance services said of them. unknown: none was made since the start.
 * offline: no answer. outage: they announced one (0092). secret-refused: they, or whoever gives tokens, refuse this
 * lane.
 */
export const CentralState = z.enum(['unknown', 'online', 'offline', 'outage', 'secret-refused'])
export type CentralState = z.infer<typeof CentralState>

/** GET /api/queue/summary: calls that move miles and are not final yet, and those that a manager must see. */
export const QueueSummary = z.object({ waiting: z.int(), sending: z.int(), attention: z.int(), central: CentralState })
export type QueueSummary = z.infer<typeof QueueSummary>
