import { z } from 'zod'
import { scannedText } from '../core/text.ts'
import { STATISTICS } from './kinds.ts'

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
  requestHeaders: z.record(z.string(), z.string()),
  traceId: z.string(),
})
export type EchoResult = z.infer<typeof EchoResult>
export const EchoHistory = z.object({ results: z.array(EchoResult) })
export type EchoHistory = z.infer<typeof EchoHistory>

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
  'scale-unit',
  'scale-fault',
  'other',
])
export type TroubleKind = z.infer<typeof TroubleKind>
/**
 * Problem of a device. `holder`: the program that has the port, as "name (pid 123)", if known. `code`: the system's own
 * error code, e.g. ECONNREFUSED.
 */
export const Trouble = z.object({ kind: TroubleKind, holder: z.string().nullable(), code: z.string().nullable() })
export type Trouble = z.infer<typeof Trouble>

export const DeviceHealth = z.object({
  role: z.enum(['card-reader', 'scanner', 'printer', 'drawer', 'line-display', 'scale', 'card-terminal']),
  state: z.enum(['ready', 'connecting', 'unavailable', 'needs-attention', 'not-configured']),
  /** Short technical reason of the state in English; screens show `trouble` in the person's language. */
  detail: z.string().nullable(),
  trouble: Trouble.optional(),
  /** Position of a drawer with a wired switch, while the printer reports it. */
  position: z.enum(['open', 'closed']).optional(),
})
export type DeviceHealth = z.infer<typeof DeviceHealth>
export const DeviceList = z.object({ devices: z.array(DeviceHealth) })

/**
 * POST /api/devices/keys: a line typed by a scanner that acts as a keyboard, without its Enter. It is handled like any
 * other scan, by events; its collector number is KEYED, because a person could have typed it.
 */
export const KeyedLine = z.object({ text: scannedText({ max: 512 }) })

/**
 * POST /api/devices/keyed-collector: a collector number that the cashier typed, with any spaces and hyphens. It becomes
 * a card read with entry mode KEYED, sent as an event, which earns and never redeems (specification 3 §4.5 rule 1).
 */
export const KeyedCollector = z.object({ number: scannedText({ min: 0, max: 40 }) })

/** Counters of a device since the terminal started, by its kind. They never contain data from a wire. */
export const DeviceStatistics = z.partialRecord(z.enum(STATISTICS), z.int().min(0))
export type DeviceStatistics = z.infer<typeof DeviceStatistics>

/**
 * The terminal's clock compared with another clock. `aheadSeconds`: how far the terminal's clock is ahead (negative:
 * behind); null when it is right. Sales continue with a wrong clock, which makes only deadlines wrong.
 */
export const ClockHealth = z.object({
  state: z.enum(['right', 'before-journal', 'off-central', 'off-store']),
  aheadSeconds: z.int().nullable(),
})
export type ClockHealth = z.infer<typeof ClockHealth>

export const BackupResult = z.object({
  at: z.string(),
  /** `kept`: verified and stored. */
  outcome: z.enum(['kept', 'no-space', 'not-sound', 'failed']),
  file: z.string().nullable(),
  bytes: z.int().nullable(),
  detail: z.string().nullable(),
})
export type BackupResult = z.infer<typeof BackupResult>

/**
 * Free space on the disk of the data folder, in millions of bytes. `low`: less than the lane needs; `short`: the next
 * sales may not fit.
 */
export const DiskSpace = z.object({ freeMb: z.int(), neededMb: z.int(), state: z.enum(['enough', 'low', 'short']) })
export type DiskSpace = z.infer<typeof DiskSpace>

/**
 * Notice that the lane may use another bundle than expected. `refused`: the terminal does not start with it; `damaged`:
 * its signature does not match any more; `recovered`: the record of the current bundle was lost, and the newest bundle
 * was used.
 */
export const BundleNotice = z.object({
  kind: z.enum(['refused', 'damaged', 'recovered']),
  number: z.int().nullable(),
  at: z.string(),
})
export type BundleNotice = z.infer<typeof BundleNotice>

export const Maintenance = z.object({
  clock: ClockHealth,
  backup: BackupResult.nullable(),
  room: DiskSpace,
  bundle: BundleNotice.optional(),
})
export type Maintenance = z.infer<typeof Maintenance>

/**
 * State of the program's cash and issuance services by the last call. unknown: no call since the start. offline: no
 * answer. outage: announced by the service (0092). secret-refused: a service or the identity provider refuses this
 * lane.
 */
export const CentralState = z.enum(['unknown', 'online', 'offline', 'outage', 'secret-refused'])
export type CentralState = z.infer<typeof CentralState>

export const QueueSummary = z.object({ waiting: z.int(), sending: z.int(), attention: z.int(), central: CentralState })
export type QueueSummary = z.infer<typeof QueueSummary>
