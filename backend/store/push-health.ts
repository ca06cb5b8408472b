import { type LaneHealth, STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import { isoOf } from '../core/clock.ts'
import type { Database } from '../core/db/database.ts'
import { LANE_METRICS_PATH, METRICS_EVERY_MS, MetricsAnswer, type Sample } from '../../contracts/store/metrics.ts'
import { storeOf } from './store-link.ts'
import type { LaneSays } from './link-state.ts'
import { centralOf } from '../core/central/services.ts'
import { devicesOf } from '../core/devices/hub.ts'
import { programOf } from '../core/program/lane-program.ts'
import type { Ctx } from '../core/context.ts'

/** States in which a call waits for the machine, and those that wait for a person (`operation_attention`). */
export const QUEUE_OF_LANE = `SELECT
  (SELECT count(*) FROM operation WHERE open = 1) AS waiting,
  (SELECT min(created_at) FROM operation WHERE open = 1) AS oldest,
  (SELECT count(*) FROM operation WHERE state IN ('escalated', 'dead', 'rejected', 'reversal-expired',
    'reversal-escalated') AND NOT EXISTS (SELECT 1 FROM operation_resolution WHERE operation_id = operation.id))
    AS attention`
export const DRAWER_OF_LANE = 'SELECT min(opened_at) FROM shift WHERE lane = ? AND counted_at IS NULL'
export const LAST_SALE_OF_LANE = `SELECT closed_at FROM sale WHERE lane = ? AND state <> 'open'
  AND state = 'completed' ORDER BY closed_at DESC, sequence DESC LIMIT 1`

/** What of a lane's health stands in its database. */
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

/** States of a device that need attention. */
const TROUBLED: ReadonlySet<string> = new Set(['unavailable', 'needs-attention'])

/** The lane's own state, for the heartbeat to its store. */
export function laneSays(ctx: Ctx): LaneSays {
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
 * Tells the store what this lane counts, for whoever scrapes that: only while the server says that somebody does, and
 * every fifteen seconds at most. Nobody waits for it, and nothing of it is kept.
 */
export function tellMetrics(ctx: Ctx, samples: () => Promise<Sample[]>): void {
  const { clock, log } = ctx
  const link = storeOf(ctx)
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
