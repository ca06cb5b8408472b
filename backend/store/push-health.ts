import { type LaneHealth, STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import { isoOf } from '../core/clock.ts'
import type { Database } from '../core/db/database.ts'
import { LANE_METRICS_PATH, METRICS_EVERY_MS, MetricsAnswer, type Sample } from '../../contracts/store/metrics.ts'
import { storeOf } from './store-link.ts'
import type { LaneHealthSource } from './link-state.ts'
import { centralOf } from '../core/central/services.ts'
import { devicesOf } from '../core/devices/hub.ts'
import { programOf } from '../core/program/lane-program.ts'
import type { Ctx } from '../core/context.ts'

/** SQL that counts operations that the lane repeats by itself, and those that need a person (`operation_attention`). */
export const QUEUE_OF_LANE = `SELECT
  (SELECT count(*) FROM operation WHERE open = 1) AS waiting,
  (SELECT min(created_at) FROM operation WHERE open = 1) AS oldest,
  (SELECT count(*) FROM operation WHERE state IN ('escalated', 'dead', 'rejected', 'reversal-expired',
    'reversal-escalated') AND NOT EXISTS (SELECT 1 FROM operation_resolution WHERE operation_id = operation.id))
    AS attention`
export const DRAWER_OF_LANE = 'SELECT min(opened_at) FROM shift WHERE lane = ? AND counted_at IS NULL'
export const LAST_SALE_OF_LANE = `SELECT closed_at FROM sale WHERE lane = ? AND state <> 'open'
  AND state = 'completed' ORDER BY closed_at DESC, sequence DESC LIMIT 1`

function createLaneHealth(db: Database, lane: string) {
  const queue = db.prepare<[], { waiting: number; oldest: number | null; attention: number }>(QUEUE_OF_LANE)
  const drawer = db.prepare<[string], number | null>(DRAWER_OF_LANE).pluck()
  const lastSale = db.prepare<[string], number>(LAST_SALE_OF_LANE).pluck()
  const iso = (ms: number | null | undefined): string | null => (ms === null || ms === undefined ? null : isoOf(ms))
  return (): Pick<LaneHealth, 'queue' | 'drawer' | 'lastSaleAt'> => {
    const { waiting, oldest, attention } = queue.get() ?? { waiting: 0, oldest: null, attention: 0 }
    const openedAt = drawer.get(lane) ?? null
    return {
      queue: { waiting, attention, oldestAt: iso(oldest) },
      drawer: { open: openedAt !== null, since: iso(openedAt) },
      lastSaleAt: iso(lastSale.get(lane)),
    }
  }
}

const TROUBLED: ReadonlySet<string> = new Set(['unavailable', 'needs-attention'])

export function laneHealthOf(ctx: Ctx): LaneHealthSource {
  const ofDatabase = createLaneHealth(ctx.db, ctx.lane.id)
  return () => ({
    ...ofDatabase(),
    version: programOf(ctx).version,
    mode: ctx.profile.mode,
    central: centralOf(ctx).central.state,
    troubles: devicesOf(ctx)
      .health()
      .flatMap(({ role, state }) => (TROUBLED.has(state) ? [role] : [])),
    stopped: ctx.outbox.failStop.reason,
  })
}

/**
 * Sends this lane's metrics to the store server while a client reads them there, at most every fifteen seconds. A
 * failed request is not repeated.
 */
export function pushMetrics(ctx: Ctx, samples: () => Promise<Sample[]>): void {
  const { clock, log } = ctx
  const link = storeOf(ctx)
  let pushedAt = Number.NEGATIVE_INFINITY
  let refused = false

  async function push(): Promise<void> {
    const body = { protocol: STORE_PROTOCOL, samples: await samples() }
    const result = await link.send(LANE_METRICS_PATH, body, MetricsAnswer)
    // A refusal is logged once, not every fifteen seconds.
    if (result.kind === 'refused' && !refused)
      log.warn({ why: result.why }, 'the store refuses the metrics of this lane')
    refused = result.kind === 'refused'
  }

  link.events.on('scraped', () => {
    if (clock.monotonic() - pushedAt < METRICS_EVERY_MS) return
    pushedAt = clock.monotonic()
    push().catch((error: unknown) => log.warn({ err: error }, 'the metrics of this lane could not be sent'))
  })
}
