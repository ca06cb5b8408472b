import { z } from 'zod'

/**
 * What a lane counts, told to its store for whoever scrapes that: a lane has no open port. Only when a heartbeat was
 * answered with `metrics: true`. Decision 0099.
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
