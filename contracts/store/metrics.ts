import type { MetricTable } from '../core/metric-table.ts'
import { FACT_SCHEMAS } from './facts.ts'
import { z } from 'zod'

/** What is known by name is counted by it, anything else together. */
const OTHER = 'other'
export const COUNTED_FACTS = [...Object.keys(FACT_SCHEMAS), OTHER]
/** Parts of the server, as its features are named. */
export const SERVER_PARTS = [
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
/** What is decided for one lane alone, and who waits for it stands at a counter. */
export const DECISIONS = ['turn', 'draw', 'claim', 'hold'] as const
export type Decision = (typeof DECISIONS)[number]

/** What the server throws away, each by its name. */
export const SERVER_DROPPED = [
  'log-lines',
  'log-digits',
  'lane-series',
  'lane-metrics',
  'lanes',
  'unproven-streams',
] as const
export type ServerDropped = (typeof SERVER_DROPPED)[number]

/** So many series a store server may have. */
export const MOST_SERVER_SERIES = 156

/** What `GET /metrics` of a store server tells (docs/observability.md). No label comes from what a lane says. */
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
    help: 'When the certificate ends, Unix time',
  },
  authority: {
    name: 'milepost_store_authority_expiry_seconds',
    kind: 'gauge',
    help: "When the store's own authority ends, Unix time; missing where it has none",
  },
  requests: {
    name: 'milepost_store_requests',
    kind: 'counter',
    help: 'Calls by part of the server. refused: 4xx, or busy; failed: 5xx, also while the database is away',
    labels: { part: SERVER_PARTS, status: ['answered', 'refused', 'failed'] },
  },
  latency: {
    name: 'milepost_store_request_seconds',
    kind: 'histogram',
    help: 'Time to the answer; nobody waits 0.3 seconds at a counter. Without heartbeats, which are held back',
    labels: { waits: ['counter', 'nobody'] },
    buckets: [0.05, 0.3],
  },
  decisions: {
    name: 'milepost_store_decisions',
    kind: 'counter',
    help: 'What one lane alone may do: calls of a collector, cents of a voucher, goods that come back, held sales',
    labels: { what: DECISIONS, outcome: ['granted', 'refused'] },
  },
  facts: {
    name: 'milepost_store_facts',
    kind: 'counter',
    help: 'Facts of lanes that were taken, each once; what was set aside is among them',
    labels: { kind: COUNTED_FACTS },
  },
  aside: {
    name: 'milepost_store_facts_set_aside',
    kind: 'counter',
    help: 'Facts that the server could not read',
    labels: { kind: COUNTED_FACTS },
  },
  repeated: {
    name: 'milepost_store_facts_repeated',
    kind: 'counter',
    help: 'Facts that were told again, and were there',
  },
  pushesRefused: {
    name: 'milepost_store_pushes_refused',
    kind: 'counter',
    help: 'Pushes and greetings that were refused. busy: the lane comes again',
    labels: { reason: PUSH_REFUSALS },
  },
  pushes: {
    name: 'milepost_store_push_seconds',
    kind: 'histogram',
    help: 'Time of a push of facts, with its turn and its commit',
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
    help: 'Lanes of the last seven days. seen: heard of within 15 seconds',
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
    help: 'What waits for a connection to PostgreSQL',
  },
  listening: {
    name: 'milepost_store_listening',
    kind: 'gauge',
    help: '1 while the server hears of news at other servers; without it lanes hear of it later',
  },
  listenLosses: {
    name: 'milepost_store_listen_losses',
    kind: 'counter',
    help: 'Connections for such news that were lost',
  },
  queries: {
    name: 'milepost_store_query_seconds',
    kind: 'histogram',
    help: 'Time of a statement at PostgreSQL',
    buckets: [0.01, 0.1, 1],
  },
  retries: {
    name: 'milepost_store_transaction_retries',
    kind: 'counter',
    help: 'Transactions that were tried again, since another got in their way',
  },
  asideNow: {
    name: 'milepost_store_facts_aside',
    kind: 'gauge',
    help: 'Facts that lie set aside in the database, and nobody has settled',
  },
  awaited: {
    name: 'milepost_store_awaited_lanes',
    kind: 'gauge',
    help: 'Lanes that the store waits for since its database was put back: cards, returns and held sales wait with it',
  },
  turns: {
    name: 'milepost_store_turns',
    kind: 'gauge',
    help: 'Collectors whose call is in flight at one lane. expired: its lane did not end it',
    labels: { state: ['held', 'expired'] },
  },
  holds: {
    name: 'milepost_store_holds',
    kind: 'gauge',
    help: 'Sales on hold. claimed: a lane is resuming it',
    labels: { state: ['offered', 'waiting', 'claimed'] },
  },
  claims: {
    name: 'milepost_store_return_claims',
    kind: 'gauge',
    help: 'Goods that a lane may take back, and has not told of yet; of the last minute',
  },
  vouchers: {
    name: 'milepost_store_vouchers',
    kind: 'gauge',
    help: 'Gift cards and store credits of which the store holds something; of the last minute',
  },
  vouchersCents: {
    name: 'milepost_store_vouchers_cents',
    kind: 'gauge',
    help: 'What the store holds of them, in cents; of the last minute',
  },
  voucherWrong: {
    name: 'milepost_store_voucher_wrong',
    kind: 'gauge',
    help: 'Vouchers whose places do not add up: always 0; of the last minute',
  },
  checkAge: {
    name: 'milepost_store_check_age_seconds',
    kind: 'gauge',
    help: 'Age of what is looked at every minute: vouchers, claims, sizes, backup',
  },
  enrolments: {
    name: 'milepost_store_enrolments',
    kind: 'counter',
    help: 'Codes that became the secrets of a lane, and those that were refused',
    labels: { outcome: ['granted', 'refused'] },
  },
  updates: {
    name: 'milepost_store_updates_served',
    kind: 'counter',
    help: 'Versions of the program: what was given out, and reports that were taken',
    labels: { what: ['channel', 'files', 'reports'] },
  },
  memory: {
    name: 'milepost_store_memory_bytes',
    kind: 'gauge',
    help: 'Memory of the program: all of it, and what its heap holds',
    labels: { kind: ['resident', 'heap'] },
  },
  eventLoop: {
    name: 'milepost_store_event_loop_delay_seconds',
    kind: 'gauge',
    help: 'How late timers were since the scrape before',
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
    help: 'What was thrown away',
    labels: { what: SERVER_DROPPED },
  },
} as const satisfies MetricTable

/**
 * What `GET /metrics/lanes` says of each lane beside the lane's own metrics, all with the labels `store` and `lane`.
 * Together they are at most a hundred series a lane.
 */
export const LANES_METRICS = {
  up: {
    name: 'milepost_lane_up',
    kind: 'gauge',
    help: '1 while the lane’s own metrics are here and fresh; else its other series are left out',
    labels: { store: 'any', lane: 'any' },
  },
  heard: {
    name: 'milepost_lane_heard_seconds',
    kind: 'gauge',
    help: 'How long ago the server heard of the lane',
    labels: { store: 'any', lane: 'any' },
  },
} as const satisfies MetricTable

/**
 * What a lane counts, told to its store for whoever scrapes that: a lane has no open port. Only when a heartbeat was
 * answered with `metrics: true`. Decision 28.
 */
export const LANE_METRICS_PATH = '/lane/metrics'

/** How often a lane tells, and after how long nobody is shown any more what it told, in milliseconds. */
export const METRICS_EVERY_MS = 15_000
export const METRICS_STALE_MS = 45_000
/** The largest body; a lane's hundred series are some ten kilobytes. */
export const METRICS_MOST_BYTES = 64 * 1024

/** One sample by the name that it has in the text: with `_total`, `_bucket`, `_sum` or `_count`. Finite. */
export const Sample = z.object({
  name: z.string().min(1).max(80),
  labels: z.record(z.string().max(40), z.string().max(80)),
  value: z.number(),
})
export type Sample = z.infer<typeof Sample>

export const MetricsRequest = z.object({ protocol: z.int(), samples: z.array(Sample) })
export type MetricsRequest = z.infer<typeof MetricsRequest>
/** `dropped`: samples that this server does not know. */
export const MetricsAnswer = z.object({ dropped: z.int().min(0) })
export type MetricsAnswer = z.infer<typeof MetricsAnswer>
