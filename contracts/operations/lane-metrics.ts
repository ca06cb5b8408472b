import { DeviceHealth } from './diagnostics.ts'
import { CALL_OUTCOMES, CALLED_SERVICES, MILES_SERVICES, READ_SERVICES } from './kinds.ts'
import type { MetricTable } from '../core/metric-table.ts'
import { PrintState } from '../core/receipt.ts'
import { TenderKind } from '../payments/tenders/registry.ts'

/** Kinds of data that the lane discards without effect on a sale, as label values of a metric. */
export const DROPPED = [
  'log-digits',
  'event-windows',
  'event-replays',
  'events-malformed',
  'echo-history',
  'command-answers',
  'card-reads',
  'offers',
  'offer-pictures',
  'backups',
] as const
export type Dropped = (typeof DROPPED)[number]

export const TRANSACTION_KINDS = ['sale', 'sale-cancelled', 'return'] as const
export const REDEMPTION_OUTCOMES = [
  'approved',
  'declined',
  'escalated',
  'reversed',
  'reversal-expired',
  'reversal-escalated',
] as const
export const ISSUANCE_OUTCOMES = ['confirmed', 'accepted', 'rejected', 'dead', 'escalated'] as const

/** Metrics of `GET /metrics` of a lane (docs/observability.md). No label identifies a person, a card or a receipt. */
export const LANE_METRICS = {
  info: {
    name: 'milepost_lane_info',
    kind: 'gauge',
    help: 'Always 1: the version, the store, the lane and the mode',
    labels: { version: 'any', store_id: 'any', lane_id: 'any', mode: 'any' },
  },
  started: { name: 'milepost_start_time_seconds', kind: 'gauge', help: 'When the program started, Unix time' },
  stopped: {
    name: 'milepost_stopped',
    kind: 'gauge',
    help: '1 while the lane refuses payments because its storage failed',
  },
  transactions: {
    name: 'milepost_transactions',
    kind: 'counter',
    help: 'Closed sales and returns',
    labels: { kind: TRANSACTION_KINDS },
  },
  tenders: {
    name: 'milepost_tenders',
    kind: 'counter',
    help: 'Payments of completed sales',
    labels: { kind: TenderKind.options },
  },
  redemptions: {
    name: 'milepost_redemptions',
    kind: 'counter',
    help: 'Redemptions and reversals with a final outcome',
    labels: { outcome: REDEMPTION_OUTCOMES },
  },
  issuances: {
    name: 'milepost_issuances',
    kind: 'counter',
    help: 'Calls of the issuance service with a final outcome: miles given, taken back and recorded',
    labels: { outcome: ISSUANCE_OUTCOMES },
  },
  calls: {
    name: 'milepost_central_calls',
    kind: 'counter',
    help: 'Sends to the program’s services. error: 5xx; silent: no answer, may have arrived; unsent: did not arrive',
    labels: { service: CALLED_SERVICES, outcome: CALL_OUTCOMES },
  },
  latency: {
    name: 'milepost_central_call_seconds',
    kind: 'histogram',
    help: 'Time to the complete answer of the services that move miles',
    labels: { service: MILES_SERVICES },
    buckets: [0.25, 1, 4],
  },
  outbox: {
    name: 'milepost_outbox_operations',
    kind: 'gauge',
    help: 'Calls that move miles and are not final: waiting, sending, and those that need a manager',
    labels: { state: ['waiting', 'sending', 'attention'] },
  },
  oldest: {
    name: 'milepost_outbox_oldest_seconds',
    kind: 'gauge',
    help: 'Age of the oldest call that moves miles and is not final; 0 without one',
  },
  breakers: {
    name: 'milepost_breaker_open',
    kind: 'gauge',
    help: '1 while a read-only service is not called because it did not answer',
    labels: { service: READ_SERVICES },
  },
  devices: {
    name: 'milepost_device_state',
    kind: 'gauge',
    help: '3 ready, 2 connecting, 1 needs attention, 0 unavailable; left out for devices that the lane does not have',
    labels: { device: DeviceHealth.shape.role.options },
  },
  prints: {
    name: 'milepost_print_jobs',
    kind: 'counter',
    help: 'Print jobs by final state',
    labels: { state: PrintState.exclude(['queued']).options },
  },
  commits: {
    name: 'milepost_commit_seconds',
    kind: 'histogram',
    help: 'Duration of the commit of a transaction to disk',
    buckets: [0.01, 0.1],
  },
  eventLoop: {
    name: 'milepost_event_loop_delay_seconds',
    kind: 'gauge',
    help: 'Delay of timers since the previous scrape',
    labels: { quantile: ['0.99', '1'] },
  },
  memory: {
    name: 'milepost_memory_bytes',
    kind: 'gauge',
    help: 'Memory of the process: resident, and used heap',
    labels: { kind: ['resident', 'heap'] },
  },
  clock: {
    name: 'milepost_clock_ahead_seconds',
    kind: 'gauge',
    help: 'How far the clock is ahead of the program’s; 0 where it is right',
  },
  disk: { name: 'milepost_disk_free_bytes', kind: 'gauge', help: 'Free space on the disk of the data folder' },
  logLines: {
    name: 'milepost_log_lines',
    kind: 'counter',
    help: 'Lines of the log',
    labels: { level: ['info', 'warn', 'error', 'fatal'] },
  },
  dropped: {
    name: 'milepost_dropped',
    kind: 'counter',
    help: 'Data that was discarded',
    labels: { what: DROPPED },
  },
} as const satisfies MetricTable
