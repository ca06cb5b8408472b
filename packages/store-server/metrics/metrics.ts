import { statfsSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { STORE_METRICS } from '../../../contracts/store/metrics.ts'
import type { CertificateEnds, StoreContext } from '../context.ts'
import { OF_CHECK, type MinuteCheck } from './minute-check.ts'
import { readGauges, type StoreGauges } from './metrics.sql.ts'

const DELAY_MS = 50
const NANOSECONDS = 1e9
const DATABASE_MS = 2_000
/** Metrics that are left out of a scrape while the database does not answer. */
const OF_DATABASE = ['lanes', 'asideNow', 'awaited', 'turns', 'holds'] as const
const OF_CONNECTIONS = ['database', 'listening', 'connectionsWanted'] as const

export function createServerMetrics({ db, counts, settings }: StoreContext, check: MinuteCheck, startedAt: Date) {
  const { metrics } = counts
  const seen = new Map<string, number>()
  let delay: ReturnType<typeof monitorEventLoopDelay> | null = null
  let underWay: Promise<string> | null = null
  metrics.forget(...OF_DATABASE, ...OF_CHECK, 'checkAge', ...OF_CONNECTIONS)
  metrics.set('info', { version: settings.version }, 1)
  metrics.set('started', {}, startedAt.getTime() / 1_000)
  metrics.forget('authority')

  function more(name: string, total: number): number {
    const by = total - (seen.get(name) ?? 0)
    seen.set(name, total)
    return by
  }

  function setLog(): void {
    for (const level of STORE_METRICS.logLines.labels.level)
      metrics.add('logLines', { level }, more(level, counts.log.byLevel.get(level) ?? 0))
    counts.dropped('log-digits', more('masked', counts.log.masked))
  }

  /** The event loop's delay is measured, which needs a timer, only from the first scrape on. */
  function setProgram(): void {
    if (delay === null) {
      delay = monitorEventLoopDelay({ resolution: DELAY_MS })
      delay.enable()
    }
    const late = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS - DELAY_MS / 1_000)
    metrics.set('eventLoop', { quantile: '0.99' }, late(delay.percentile(99)))
    metrics.set('eventLoop', { quantile: '1' }, late(delay.max))
    delay.reset()
    metrics.set('memory', { kind: 'resident' }, process.memoryUsage.rss())
    metrics.set('memory', { kind: 'heap' }, process.memoryUsage().heapUsed)
    metrics.set('readers', {}, counts.readers())
    const { bavail, bsize } = statfsSync(settings.folder)
    metrics.set('disk', {}, bavail * bsize)
  }

  async function setDatabase(): Promise<void> {
    const { busy, idle, wanted, isListening, losses, retries } = db.poolState()
    metrics.set('connections', { state: 'busy' }, busy)
    metrics.set('connections', { state: 'idle' }, idle)
    metrics.set('connectionsWanted', {}, wanted)
    metrics.set('listening', {}, isListening ? 1 : 0)
    metrics.add('listenLosses', {}, more('losses', losses))
    metrics.add('retries', {}, more('retries', retries))
    const gauges = await Promise.race([readGauges(db), pause(DATABASE_MS, null, { ref: false })]).catch(() => null)
    metrics.set('database', {}, gauges === null ? 0 : 1)
    setGauges(metrics, gauges)
    check.show(gauges !== null)
  }

  async function text(): Promise<string> {
    setLog()
    setCertificates(metrics, settings.ends)
    setProgram()
    await setDatabase()
    return await metrics.text()
  }

  return {
    /** Returns OpenMetrics text. Concurrent callers share one answer and one set of queries. */
    text(): Promise<string> {
      underWay ??= text().finally(() => {
        underWay = null
      })
      return underWay
    },
    stop(): void {
      delay?.disable()
    },
  }
}

type Metrics = StoreContext['counts']['metrics']

function setCertificates(metrics: Metrics, { server, authority }: CertificateEnds): void {
  metrics.set('certificate', {}, server.getTime() / 1_000)
  if (authority !== null) metrics.set('authority', {}, authority.getTime() / 1_000)
}

/** Sets values from the database. Without a database the values are left out, not repeated. */
function setGauges(metrics: Metrics, gauges: StoreGauges | null): void {
  if (gauges === null) return metrics.forget(...OF_DATABASE)
  metrics.set('lanes', { state: 'seen' }, gauges.seen)
  metrics.set('lanes', { state: 'silent' }, gauges.silent)
  metrics.set('asideNow', {}, gauges.quarantined)
  metrics.set('awaited', {}, gauges.awaited)
  metrics.set('turns', { state: 'held' }, gauges.held)
  metrics.set('turns', { state: 'expired' }, gauges.expired)
  for (const state of STORE_METRICS.holds.labels.state) metrics.set('holds', { state }, gauges[state])
}
