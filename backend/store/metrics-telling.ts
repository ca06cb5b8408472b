import { LANE_METRICS_PATH, METRICS_EVERY_MS, MetricsAnswer, type Sample } from '../../contracts/store/metrics.ts'
import { STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { StoreLink } from './store-link.ts'

export interface MetricsTellingOptions {
  readonly link: Pick<StoreLink, 'events' | 'tell'>
  /** What this lane counts, and how it stands. */
  readonly samples: () => Promise<Sample[]>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Tells the store what this lane counts, for whoever scrapes that: only while the server says that somebody does, and
 * every fifteen seconds at most. Nobody waits for it, and nothing of it is kept.
 */
export function tellMetrics({ link, samples, clock, log }: MetricsTellingOptions): void {
  let toldAt = Number.NEGATIVE_INFINITY
  let refused = false

  async function tell(): Promise<void> {
    const body = { protocol: STORE_PROTOCOL, samples: await samples() }
    const heard = await link.tell(LANE_METRICS_PATH, body, MetricsAnswer)
    // Once, and not every fifteen seconds.
    if (heard.kind === 'refused' && !refused) log.warn({ why: heard.why }, 'the store refuses the metrics of this lane')
    refused = heard.kind === 'refused'
  }

  link.events.on('scraped', () => {
    if (clock.monotonic() - toldAt < METRICS_EVERY_MS) return
    toldAt = clock.monotonic()
    tell().catch((error: unknown) => log.warn({ err: error }, 'the metrics of this lane were not told'))
  })
}
