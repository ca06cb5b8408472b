import { z } from 'zod'
import { CASH_RESPONSE_CODES } from '../central/cash.ts'
import { ISSUANCE_ERROR_CODES } from '../central/issuance.ts'
import { BACKUP_KINDS, CALLED_SERVICES, COPY_STATES, SEND_OUTCOMES, STATISTICS } from './kinds.ts'
import { PROBLEMS } from '../core/errors.ts'
import { EntryMode } from '../core/ids.ts'
import { Locale } from '../core/locales.ts'
import { TraceId } from '../core/trace.ts'
import { LOG_MESSAGES } from '../core/log-messages.ts'
import { OFFER_CAUSES } from '../loyalty/kinds.ts'
import { SETTING_NAMES } from '../staff/setting-names.ts'
import { ERROR_TYPES, HARMLESS_SETTINGS, LOG_LEVELS, LOG_REASONS, SYSTEM_CODES } from './support-values.ts'
import { AuditBreakCause } from '../staff/audit.ts'
import { BackupProof, RestoreResult } from './backups.ts'
import { ConnectionStatus } from './connection.ts'
import {
  BackupResult,
  CentralState,
  ClockHealth,
  DeviceHealth,
  DiskSpace,
  EchoResult,
  TroubleKind,
} from './diagnostics.ts'
import { DeviceConnection } from './devices.ts'
import { StopReason } from '../staff/session.ts'
import { REGION_ZONES } from '../core/region-taxes.ts'

/*
 * Complete content of a support file: only declared fields of the declared form. A string is from a list of the
 * program's own texts, or of a form that cannot contain a name, a card number or a secret. Numbers of four and more
 * digits are rounded to two significant digits: the other digits are not needed and could be a PIN.
 */
/** Highest number in a support file: it has fewer digits than the number of a collector or of any card. */
export const MAX_COUNTED = 999_999_999
const Count = z.int().min(0).max(MAX_COUNTED)
const Seconds = z.int().min(-999_999_999).max(999_999_999)
const Instant = z.iso.datetime()
const keysOf = <Key extends string>(of: Readonly<Record<Key, unknown>>) => Object.keys(of) as [Key, ...Key[]]
const SystemCode = z.enum(SYSTEM_CODES)
const ResponseCode = z.enum([...keysOf(CASH_RESPONSE_CODES), ...keysOf(ISSUANCE_ERROR_CODES), 'other'])
const HttpStatus = z.int().min(100).max(599)
const Version = z.string().regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}(-[a-z]{1,8}(\.\d{1,4})?)?$/)
const Zone = z.enum([...new Set(Object.values(REGION_ZONES).flat())])

const Program = z.strictObject({
  version: Version,
  nodeVersion: Version,
  platform: z.enum(['linux', 'darwin', 'win32']),
  arch: z.enum(['x64', 'arm64', 'arm', 'ia32']),
  osVersion: z.string().regex(/^\d{1,5}(\.\d{1,5}){0,3}$/),
  store: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .nullable(),
  lane: z
    .string()
    .regex(/^\d{2}$/)
    .nullable(),
  mode: z.enum(['production', 'training']).nullable(),
  schema: Count.describe('of the database'),
  knownSchema: Count.describe('the newest that this program knows'),
  timeZone: Zone.nullable(),
  startedAt: Instant.nullable().describe('null: made while the terminal was closed, or by a CLI command while it ran'),
  uptimeSeconds: Seconds.nullable(),
  stopped: StopReason.nullable(),
})

const Room = z.strictObject({
  freeMb: Count,
  neededMb: Count,
  state: DiskSpace.shape.state,
  databaseMb: Count,
  logsMb: Count,
  clock: ClockHealth.shape.state.nullable(),
  aheadSeconds: Seconds.nullable(),
})

const Device = z.strictObject({
  role: DeviceHealth.shape.role,
  state: DeviceHealth.shape.state,
  position: z.enum(['open', 'closed']).nullable(),
  trouble: TroubleKind.nullable(),
  code: SystemCode.nullable(),
  connection: z.enum(DeviceConnection.options.map((option) => option.shape.kind.value)).nullable(),
  statistics: z.partialRecord(z.enum(STATISTICS), Count),
  jobs: z.strictObject({ confirmed: Count, sent: Count, unknown: Count, failed: Count }).nullable(),
})

/** Types and states of an operation, with the names of the journal (`operation` in the schema). */
const OPERATION_TYPES = [
  'redeem',
  'issue',
  'return',
  'record',
  'post',
  'post-event',
  'post-reverse',
  'reverse-event',
  'offer-state',
] as const
const OPERATION_STATES = [
  'intent',
  'retry',
  'approved',
  'declined',
  'escalated',
  'reversing',
  'reversed',
  'reversal-expired',
  'reversal-escalated',
  'queued',
  'sent',
  'confirmed',
  'accepted',
  'rejected',
  'dead',
  'refused',
  'lapsed',
] as const

const Queue = z.strictObject({
  central: CentralState.nullable(),
  waiting: Count,
  attention: Count,
  operations: z.array(
    z.strictObject({
      type: z.enum(OPERATION_TYPES),
      state: z.enum(OPERATION_STATES),
      count: Count,
      oldestSeconds: Seconds,
      newestSeconds: Seconds,
    }),
  ),
})

const Connection = z.strictObject({
  state: ConnectionStatus.shape.state.nullable(),
  since: Instant.nullable(),
  outagesInWeek: Count,
  checks: z.array(
    z.strictObject({
      at: Instant,
      outcome: EchoResult.shape.outcome,
      responseCode: ResponseCode.nullable(),
      httpStatus: HttpStatus.nullable(),
      latencyMs: Count.nullable(),
      traceId: z.uuid(),
    }),
  ),
})

const Integrity = z.strictObject({
  verifiedAt: Instant.nullable().describe('of the audit trail, the last one that a manager requested'),
  entries: Count.nullable(),
  broken: AuditBreakCause.nullable(),
})

const Backups = z.strictObject({
  lastAt: Instant.nullable(),
  lastOutcome: BackupResult.shape.outcome.nullable(),
  copies: z.enum(COPY_STATES).nullable(),
  /** Stored backups, by kind. */
  kept: z.array(
    z.strictObject({
      kind: z.enum(BACKUP_KINDS),
      count: Count,
      newestAt: Instant,
      newestHours: Count,
      newestProof: BackupProof.shape.state,
    }),
  ),
  restoredAt: Instant.nullable(),
  restoreOutcome: RestoreResult.shape.outcome.nullable(),
  epoch: z.int().min(1).max(999),
})

const Offers = z.strictObject({
  lists: z.array(
    z.strictObject({
      locale: Locale,
      count: Count,
      fetchedAt: Instant,
      ageSeconds: Seconds,
      failed: z.enum(OFFER_CAUSES).nullable(),
    }),
  ),
})

const Settings = z.strictObject({
  changed: z.array(
    z.strictObject({
      name: z.enum(SETTING_NAMES),
      value: z
        .union([z.boolean(), z.int().min(0).max(999)])
        .nullable()
        .describe(`in the unit of the settings page, of ${HARMLESS_SETTINGS.length} harmless ones; null: not included`),
    }),
  ),
  planned: Count,
})

const LogLevel = z.enum(Object.values(LOG_LEVELS))
const LogMessage = z.enum(LOG_MESSAGES)

const Errors = z.strictObject({
  since: Instant.nullable().describe('of the oldest line that was read'),
  counts: z.array(z.strictObject({ level: LogLevel, message: LogMessage.nullable(), count: Count, lastAt: Instant })),
})

/** Fields that the support file copies from a log line if they have this form. */
export const LOG_FIELDS = {
  code: z.enum([...keysOf(PROBLEMS), ...SYSTEM_CODES, ...ResponseCode.options.filter((code) => code !== 'other')]),
  reason: z.enum([...LOG_REASONS, ...StopReason.options, ...SYSTEM_CODES]),
  cause: z.enum(['refused', 'unreachable', ...OFFER_CAUSES]),
  outcome: z.enum([...BackupResult.shape.outcome.options, ...RestoreResult.shape.outcome.options, ...SEND_OUTCOMES]),
  state: z.enum([...DiskSpace.shape.state.options, ...ClockHealth.shape.state.options, ...COPY_STATES]),
  role: DeviceHealth.shape.role,
  entryMode: EntryMode,
  locale: Locale,
  errorType: z.enum(ERROR_TYPES),
  errorCode: z.enum([...SYSTEM_CODES, ...keysOf(PROBLEMS)]),
  correlationId: z.uuid(),
  operation: z.uuid(),
  traceId: z.uuid(),
  trace: TraceId,
  service: z.enum(CALLED_SERVICES),
  latencyMs: Count,
  aheadSeconds: Seconds,
  buffered: Count,
  bytes: Count,
  freeMb: Count,
  neededMb: Count,
  received: Count,
} as const
export type LogField = keyof typeof LOG_FIELDS

export const LogFacts = z.strictObject(LOG_FIELDS).partial()
export type LogFacts = z.infer<typeof LogFacts>

const LogEntry = LogFacts.extend({
  at: Instant,
  level: LogLevel,
  message: LogMessage.nullable().describe('null: not one of the program’s own'),
})
export type LogEntry = z.infer<typeof LogEntry>

const Log = z.strictObject({
  lines: Count.describe('number of lines read'),
  unreadable: Count.describe('lines without the program’s log format'),
  unknownMessages: Count.describe('messages that are not the program’s own: left out'),
  droppedFields: Count.describe('fields that were left out'),
  entries: z.array(LogEntry),
})

export const SupportFile = z.strictObject({
  format: z.literal(1),
  madeAt: Instant,
  program: Program,
  room: Room,
  devices: z.strictObject({ list: z.array(Device) }).nullable(),
  queue: Queue,
  connection: Connection,
  integrity: Integrity,
  backups: Backups,
  offers: Offers,
  settings: Settings,
  errors: Errors,
  log: Log,
})
export type SupportFile = z.infer<typeof SupportFile>

/**
 * Answer of POST /api/support-file/previews: the content of the support file, which is not yet stored and has not left
 * the lane.
 */
export const SupportPreview = z.object({
  id: z.uuid(),
  fileName: z.string(),
  bytes: z.int().describe('size of the compressed file'),
  file: SupportFile,
})
export type SupportPreview = z.infer<typeof SupportPreview>

/** Body of POST /api/support-file/exports: saves the previewed file, which is recorded in the audit trail. */
export const SupportExportRequest = z.object({ preview: z.uuid() })
/** Answer of the export; GET /api/support-file/exports/:number then returns the file, once. */
export const SupportExport = z.object({ number: z.int().min(1), fileName: z.string() })
export type SupportExport = z.infer<typeof SupportExport>
