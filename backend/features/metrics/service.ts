import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { DeviceHealth, Maintenance } from '../../../contracts/api/diagnostics.ts'
import { READ_SERVICES } from '../../../contracts/called-services.ts'
import type { Terminal } from '../../../contracts/api/session.ts'
import type { Sample } from '../../../contracts/store/metrics.ts'
import { LANE_METRICS } from '../../../contracts/lane-metrics.ts'
import type { Breakers } from '../../central/breakers.ts'
import type { Clock } from '../../clock.ts'
import type { LogCounts } from '../../../contracts/log-counts.ts'
import type { Journal } from '../../outbox/journal.ts'
import type { LaneCounts } from './counts.ts'

export interface LaneMetricsOptions {
  readonly counts: LaneCounts
  /** Left out where nobody counts the lines of the log. */
  readonly logCounts?: LogCounts | undefined
  readonly journal: Pick<Journal, 'counts' | 'oldestOpenAt'>
  readonly breakers: Pick<Breakers, 'isOpen'>
  readonly health: () => readonly DeviceHealth[]
  readonly maintenance: () => Pick<Maintenance, 'clock' | 'room'>
  readonly isStopped: () => boolean
  readonly identity: Pick<Terminal, 'version' | 'lane' | 'mode'> & { readonly store: string }
  /** Epoch ms. */
  readonly startedAt: number
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

const DEVICE_STATES = {
  ready: 3,
  connecting: 2,
  'needs-attention': 1,
  unavailable: 0,
} as const satisfies Record<Exclude<DeviceHealth['state'], 'not-configured'>, number>
/** How often the delay of the event loop is looked at, in ms. */
const DELAY_MS = 50
const NANOSECONDS = 1e9
const MEGABYTE = 1e6
/** What the database is asked for is as old as this at most: whoever scrapes in a loop asks it no more often. */
const OUTBOX_MS = 1_000

/** What `GET /metrics` answers: the counts of the lane, and what stands at the moment. */
export function createLaneMetrics(options: LaneMetricsOptions) {
  const { counts, logCounts, journal, clock } = options
  const { metrics } = counts
  const logged = new Map<string, number>()
  let delay: ReturnType<typeof monitorEventLoopDelay> | null = null
  let outboxAt = Number.NEGATIVE_INFINITY
  const { version, lane, mode, store } = options.identity
  metrics.set('info', { version, store_id: store, lane_id: lane, mode }, 1)
  metrics.set('started', {}, options.startedAt / 1_000)

  /** The log counts from the start of the program, which is before anything else. */
  function setLog(): void {
    if (!logCounts) return
    const more = (name: string, total: number): number => {
      const by = total - (logged.get(name) ?? 0)
      logged.set(name, total)
      return by
    }
    for (const level of LANE_METRICS.logLines.labels.level)
      metrics.add('logLines', { level }, more(level, logCounts.byLevel.get(level) ?? 0))
    counts.dropped('log-digits', more('masked', logCounts.masked))
  }

  function setOutbox(): void {
    if (clock.monotonic() - outboxAt < OUTBOX_MS) return
    outboxAt = clock.monotonic()
    const { waiting, sending, attention } = journal.counts()
    metrics.set('outbox', { state: 'waiting' }, waiting)
    metrics.set('outbox', { state: 'sending' }, sending)
    metrics.set('outbox', { state: 'attention' }, attention)
    const oldest = journal.oldestOpenAt()
    metrics.set('oldest', {}, oldest === null ? 0 : Math.max(0, clock.now() - oldest) / 1_000)
  }

  /** Looked at from the first scrape on: a lane that nobody asks wakes for nobody. */
  function setEventLoop(): void {
    if (delay === null) {
      delay = monitorEventLoopDelay({ resolution: DELAY_MS })
      delay.enable()
    }
    // It tells of the time between two looks, of which the first part is meant.
    const late = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS - DELAY_MS / 1_000)
    metrics.set('eventLoop', { quantile: '0.99' }, late(delay.percentile(99)))
    metrics.set('eventLoop', { quantile: '1' }, late(delay.max))
    delay.reset()
  }

  function setState(): void {
    for (const { role, state } of options.health())
      if (state !== 'not-configured') metrics.set('devices', { device: role }, DEVICE_STATES[state])
    for (const service of READ_SERVICES) metrics.set('breakers', { service }, options.breakers.isOpen(service) ? 1 : 0)
    const { clock: found, room } = options.maintenance()
    metrics.set('clock', {}, found.aheadSeconds ?? 0)
    metrics.set('disk', {}, room.freeMb * MEGABYTE)
    metrics.set('stopped', {}, options.isStopped() ? 1 : 0)
    metrics.set('memory', { kind: 'resident' }, process.memoryUsage.rss())
    metrics.set('memory', { kind: 'heap' }, process.memoryUsage().heapUsed)
  }

  function look(): void {
    setLog()
    setOutbox()
    setEventLoop()
    setState()
  }

  return {
    /** OpenMetrics text. */
    text(): Promise<string> {
      look()
      return metrics.text()
    },
    /** The same for the store's server, sample by sample. */
    samples(): Promise<Sample[]> {
      look()
      return metrics.samples()
    },
    stop(): void {
      delay?.disable()
    },
  }
}
export type LaneMetrics = ReturnType<typeof createLaneMetrics>
