import type { MetricTable } from '../core/metric-table.ts'
import { FACT_SCHEMAS } from './facts.ts'
import { z } from 'zod'

/**
 * Label value for all names that this release does not know. A name from a lane would make an unlimited number of
 * series.
 */
const OTHER = 'other'
export const COUNTED_FACTS = [...Object.keys(FACT_SCHEMAS), OTHER]
/** Features of the server that the label `part` names. */
export const SERVER_FEATURES = [
  'lanes',
  'vouchers',
  'turns',
  'holds',
  'receipts',
  'overview',
  'catalog',
  'enrolment',
  'updates',
  OTHER,
]
export const PUSH_REFUSALS = ['gap', 'other-history', 'unknown-stream', 'busy'] as const
export type PushRefusal = (typeof PUSH_REFUSALS)[number]
export const DECISIONS = ['turn', 'draw', 'claim', 'hold'] as const
export type Decision = (typeof DECISIONS)[number]

export const SERVER_DROPPED = [
  'log-lines',
  'log-digits',
  'lane-series',
  'lane-metrics',
  'lanes',
  'unproven-streams',
] as const
export type ServerDropped = (typeof SERVER_DROPPED)[number]

/** Maximum number of series that a store server exposes about itself. */
export const MAX_SERVER_SERIES = 164

/**
 * Metrics of `GET /metrics` of a store server (docs/observability.md). Label values never come from a lane's input.
 */
export const STORE_METRICS = {
  info: {
    name: 'milepost_store_info',
    kind: 'gauge',
    help: 'Always 1: the version of the server',
    labels: { version: 'any' },
  },
  started: { name: 'milepost_store_start_time_seconds', kind: 'gauge', help: 'When the program started, Unix time' },
  certificate: {
    name: 'milepost_store_certificate_expiry_seconds',
    kind: 'gauge',
    help: 'When the server certificate expires, Unix time',
  },
  authority: {
    name: 'milepost_store_authority_expiry_seconds',
    kind: 'gauge',
    help: "When the store's own authority expires, Unix time; missing without one",
  },
  requests: {
    name: 'milepost_store_requests',
    kind: 'counter',
    help: 'Calls by feature of the server. refused: 4xx, or busy; failed: 5xx, also while the database is unavailable',
    labels: { part: SERVER_FEATURES, status: ['answered', 'refused', 'failed'] },
  },
  latency: {
    name: 'milepost_store_request_seconds',
    kind: 'histogram',
    help: 'Response time; a checkout should wait less than 0.3 seconds. Without heartbeats, which are held open',
    labels: { waits: ['counter', 'nobody'] },
    buckets: [0.05, 0.3],
  },
  decisions: {
    name: 'milepost_store_decisions',
    kind: 'counter',
    help: 'Exclusive decisions: calls of a collector, value of a voucher, goods of a return, held sales',
    labels: { what: DECISIONS, outcome: ['granted', 'refused'] },
  },
  facts: {
    name: 'milepost_store_facts',
    kind: 'counter',
    help: 'Facts of lanes that were accepted, each counted once; includes facts in quarantine',
    labels: { kind: COUNTED_FACTS },
  },
  aside: {
    name: 'milepost_store_facts_set_aside',
    kind: 'counter',
    help: 'Facts that the server could not parse',
    labels: { kind: COUNTED_FACTS },
  },
  repeated: {
    name: 'milepost_store_facts_repeated',
    kind: 'counter',
    help: 'Facts that were sent again and were already stored',
  },
  pushesRefused: {
    name: 'milepost_store_pushes_refused',
    kind: 'counter',
    help: 'Rejected pushes and hello requests. busy: the lane retries',
    labels: { reason: PUSH_REFUSALS },
  },
  pushes: {
    name: 'milepost_store_push_seconds',
    kind: 'histogram',
    help: 'Duration of a push of facts, including lock and commit',
    buckets: [0.1, 1],
  },
  registersDiffered: {
    name: 'milepost_store_registers_differed',
    kind: 'counter',
    help: 'Registers (staff, settings, prices …) that differed at a lane when they were compared',
  },
  readers: { name: 'milepost_store_readers_waiting', kind: 'gauge', help: 'Heartbeats that wait for news' },
  lanes: {
    name: 'milepost_store_lanes',
    kind: 'gauge',
    help: 'Lanes of the last seven days. seen: last contact within 15 seconds',
    labels: { state: ['seen', 'silent'] },
  },
  database: { name: 'milepost_store_database_up', kind: 'gauge', help: '1 while PostgreSQL answers' },
  databaseBytes: { name: 'milepost_store_database_bytes', kind: 'gauge', help: 'Size of the database' },
  walBytes: {
    name: 'milepost_store_wal_bytes',
    kind: 'gauge',
    help: 'Size of the write-ahead log of PostgreSQL; missing where the server may not read it',
  },
  backupAge: {
    name: 'milepost_store_backup_age_seconds',
    kind: 'gauge',
    help: 'Age of the last recorded backup; before the first one, of the database',
  },
  connections: {
    name: 'milepost_store_connections',
    kind: 'gauge',
    help: 'Connections to PostgreSQL, at most ten',
    labels: { state: ['busy', 'idle'] },
  },
  connectionsWanted: {
    name: 'milepost_store_connections_wanted',
    kind: 'gauge',
    help: 'Requests that wait for a connection to PostgreSQL',
  },
  listening: {
    name: 'milepost_store_listening',
    kind: 'gauge',
    help: '1 while the server receives notifications of other servers; without them lanes get news later',
  },
  listenLosses: {
    name: 'milepost_store_listen_losses',
    kind: 'counter',
    help: 'Lost connections for such notifications',
  },
  queries: {
    name: 'milepost_store_query_seconds',
    kind: 'histogram',
    help: 'Duration of a statement at PostgreSQL',
    buckets: [0.01, 0.1, 1],
  },
  retries: {
    name: 'milepost_store_transaction_retries',
    kind: 'counter',
    help: 'Transactions that were retried after a conflict with another',
  },
  asideNow: {
    name: 'milepost_store_facts_aside',
    kind: 'gauge',
    help: 'Facts in quarantine that no one has resolved',
  },
  awaited: {
    name: 'milepost_store_awaited_lanes',
    kind: 'gauge',
    help: 'Lanes that the store waits for since its database was restored; vouchers, returns and held sales wait too',
  },
  turns: {
    name: 'milepost_store_turns',
    kind: 'gauge',
    help: 'Collectors with a call in flight at one lane. expired: the lane did not release its lock',
    labels: { state: ['held', 'expired'] },
  },
  holds: {
    name: 'milepost_store_holds',
    kind: 'gauge',
    help: 'Sales on hold. claimed: a lane is resuming it',
    labels: { state: ['offered', 'waiting', 'claimed'] },
  },
  returnReservations: {
    name: 'milepost_store_return_claims',
    kind: 'gauge',
    help: 'Reservations of goods for a return without a known outcome; updated every minute',
  },
  vouchers: {
    name: 'milepost_store_vouchers',
    kind: 'gauge',
    help: 'Gift cards and store credits with value in the store; updated every minute',
  },
  vouchersCents: {
    name: 'milepost_store_vouchers_cents',
    kind: 'gauge',
    help: 'Value of vouchers in the store, in cents; updated every minute',
  },
  voucherWrong: {
    name: 'milepost_store_voucher_wrong',
    kind: 'gauge',
    help: 'Vouchers whose balances do not add up: always 0; updated every minute',
  },
  checkAge: {
    name: 'milepost_store_check_age_seconds',
    kind: 'gauge',
    help: 'Age of the values that are updated every minute: vouchers, reservations, sizes, backup',
  },
  enrolments: {
    name: 'milepost_store_enrolments',
    kind: 'counter',
    help: 'Enrolment codes exchanged for the secrets of a lane, and those refused',
    labels: { outcome: ['granted', 'refused'] },
  },
  updates: {
    name: 'milepost_store_updates_served',
    kind: 'counter',
    help: 'Program versions: downloads served, and reports accepted',
    labels: { what: ['channel', 'files', 'reports'] },
  },
  memory: {
    name: 'milepost_store_memory_bytes',
    kind: 'gauge',
    help: 'Memory of the process: resident, and used heap',
    labels: { kind: ['resident', 'heap'] },
  },
  eventLoop: {
    name: 'milepost_store_event_loop_delay_seconds',
    kind: 'gauge',
    help: 'Delay of timers since the previous scrape',
    labels: { quantile: ['0.99', '1'] },
  },
  disk: {
    name: 'milepost_store_disk_free_bytes',
    kind: 'gauge',
    help: 'Free space on the disk of the server’s folder; PostgreSQL may be on another',
  },
  logLines: {
    name: 'milepost_store_log_lines',
    kind: 'counter',
    help: 'Lines of the log',
    labels: { level: ['info', 'warn', 'error', 'fatal'] },
  },
  dropped: {
    name: 'milepost_store_dropped',
    kind: 'counter',
    help: 'Data that was discarded',
    labels: { what: SERVER_DROPPED },
  },
} as const satisfies MetricTable

/**
 * Metrics of `GET /metrics/lanes` about each lane, in addition to the lane's own metrics, all with the labels `store`
 * and `lane`. Together they are at most a hundred series per lane.
 */
export const LANES_METRICS = {
  up: {
    name: 'milepost_lane_up',
    kind: 'gauge',
    help: '1 while the lane’s own metrics are here and fresh; otherwise its other series are left out',
    labels: { store: 'any', lane: 'any' },
  },
  lastContact: {
    name: 'milepost_lane_heard_seconds',
    kind: 'gauge',
    help: 'Time since the last contact with the lane',
    labels: { store: 'any', lane: 'any' },
  },
} as const satisfies MetricTable

/**
 * Metrics of a lane, sent to its store server because a lane has no open port. They are sent only when a heartbeat was
 * answered with `metrics: true`. See docs/observability.md.
 */
export const LANE_METRICS_PATH = '/lane/metrics'

/** Interval at which a lane sends metrics, and age after which the server no longer exposes them, in milliseconds. */
export const METRICS_EVERY_MS = 15_000
export const METRICS_STALE_MS = 45_000
/** Maximum size of the body in bytes; the hundred series of a lane take some ten kilobytes. */
export const MAX_METRICS_BYTES = 64 * 1024

/**
 * One metric sample by its name in the exposition format, with `_total`, `_bucket`, `_sum` or `_count`. Its value is
 * finite.
 */
export const Sample = z.object({
  name: z.string().min(1).max(80),
  labels: z.record(z.string().max(40), z.string().max(80)),
  value: z.number(),
})
export type Sample = z.infer<typeof Sample>

export const MetricsRequest = z.object({ protocol: z.int(), samples: z.array(Sample) })
export type MetricsRequest = z.infer<typeof MetricsRequest>
/** `dropped`: number of samples that this server does not know. */
export const MetricsAnswer = z.object({ dropped: z.int().min(0) })
export type MetricsAnswer = z.infer<typeof MetricsAnswer>
