import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { DeviceHealth } from '../../../contracts/operations/diagnostics.ts'
import { READ_SERVICES } from '../../../contracts/operations/kinds.ts'
import type { Sample } from '../../../contracts/store/metrics.ts'
import {
  type Dropped,
  ISSUANCE_OUTCOMES,
  LANE_METRICS,
  REDEMPTION_OUTCOMES,
} from '../../../contracts/operations/lane-metrics.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { Answer, Exchange } from '../../core/central/transport.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import { domainEventsOf } from '../../sales/sale/domain-events.ts'
import { METRICS_TYPE, createMetrics, isScraped, opensScrape } from '../../../packages/delivery/metrics-registry.ts'
import { z } from 'zod'
import type { App } from '../../core/http/app.ts'
import { ProblemError } from '../../core/problem.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { centralOf } from '../../core/central/services.ts'
import { maintenanceOf } from '../backups/maintenance.ts'
import { type Ctx, perLane, bound, provided } from '../../core/context.ts'
import { onStop } from '../../core/lifecycle.ts'
import { pushMetrics } from '../../store/push-health.ts'

const DEVICE_STATES = {
  ready: 3,
  connecting: 2,
  'needs-attention': 1,
  unavailable: 0,
} as const satisfies Record<Exclude<DeviceHealth['state'], 'not-configured'>, number>
/** Sampling interval of the event loop delay, in ms. */
const DELAY_MS = 50
const NANOSECONDS = 1e9
const MEGABYTE = 1e6
/** Time in ms for which counts from the database are reused, so that frequent scrapes do not query it more often. */
const OUTBOX_MS = 1_000

const laneMetricsStateOf = perLane((ctx: Ctx) => {
  const identity = {
    version: programOf(ctx).version,
    store: ctx.profile.store.id,
    lane: ctx.lane.id,
    mode: ctx.profile.mode,
  }
  const logged = new Map<string, number>()
  const { version, lane, mode, store } = identity
  countsOf(ctx).metrics.set('info', { version: version, store_id: store, lane_id: lane, mode: mode }, 1)
  countsOf(ctx).metrics.set('started', {}, programOf(ctx).startedAt / 1_000)
  return {
    identity,
    logged,
    delay: null as ReturnType<typeof monitorEventLoopDelay> | null,
    outboxAt: Number.NEGATIVE_INFINITY,
    version,
    lane,
    mode,
    store,
  }
})

const isStopped = (ctx: Ctx): boolean => ctx.outbox.failStop.reason !== null

function setLog(ctx: Ctx): void {
  const logCounts = programOf(ctx).logCounts
  const state = laneMetricsStateOf(ctx)
  if (!logCounts) return
  const more = (name: string, total: number): number => {
    const by = total - (state.logged.get(name) ?? 0)
    state.logged.set(name, total)
    return by
  }
  for (const level of LANE_METRICS.logLines.labels.level)
    countsOf(ctx).metrics.add('logLines', { level }, more(level, logCounts.byLevel.get(level) ?? 0))
  countsOf(ctx).dropped('log-digits', more('masked', logCounts.masked))
}

function setOutbox(ctx: Ctx): void {
  const state = laneMetricsStateOf(ctx)
  if (ctx.clock.monotonic() - state.outboxAt < OUTBOX_MS) return
  state.outboxAt = ctx.clock.monotonic()
  const { waiting, sending, attention } = ctx.outbox.journal.counts()
  countsOf(ctx).metrics.set('outbox', { state: 'waiting' }, waiting)
  countsOf(ctx).metrics.set('outbox', { state: 'sending' }, sending)
  countsOf(ctx).metrics.set('outbox', { state: 'attention' }, attention)
  const oldest = ctx.outbox.journal.oldestOpenAt()
  countsOf(ctx).metrics.set('oldest', {}, oldest === null ? 0 : Math.max(0, ctx.clock.now() - oldest) / 1_000)
}

/** Measures the delay of the event loop from the first scrape on: without scrapes, an idle lane is not woken. */
function setEventLoop(ctx: Ctx): void {
  const state = laneMetricsStateOf(ctx)
  if (state.delay === null) {
    state.delay = monitorEventLoopDelay({ resolution: DELAY_MS })
    state.delay.enable()
  }
  // The measured delay includes the sampling interval itself.
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS - DELAY_MS / 1_000)
  countsOf(ctx).metrics.set('eventLoop', { quantile: '0.99' }, late(state.delay.percentile(99)))
  countsOf(ctx).metrics.set('eventLoop', { quantile: '1' }, late(state.delay.max))
  state.delay.reset()
}

function setState(ctx: Ctx): void {
  for (const { role, state } of devicesOf(ctx).health())
    if (state !== 'not-configured') countsOf(ctx).metrics.set('devices', { device: role }, DEVICE_STATES[state])
  for (const service of READ_SERVICES)
    countsOf(ctx).metrics.set('breakers', { service }, centralOf(ctx).breakers.isOpen(service) ? 1 : 0)
  const { clock: found, room } = maintenanceOf(ctx).maintenance()
  countsOf(ctx).metrics.set('clock', {}, found.aheadSeconds ?? 0)
  countsOf(ctx).metrics.set('disk', {}, room.freeMb * MEGABYTE)
  countsOf(ctx).metrics.set('stopped', {}, isStopped(ctx) ? 1 : 0)
  countsOf(ctx).metrics.set('memory', { kind: 'resident' }, process.memoryUsage.rss())
  countsOf(ctx).metrics.set('memory', { kind: 'heap' }, process.memoryUsage().heapUsed)
}

function updateGauges(ctx: Ctx): void {
  setLog(ctx)
  setOutbox(ctx)
  setEventLoop(ctx)
  setState(ctx)
}

function text(ctx: Ctx): Promise<string> {
  updateGauges(ctx)
  return countsOf(ctx).metrics.text()
}

function samples(ctx: Ctx): Promise<Sample[]> {
  updateGauges(ctx)
  return countsOf(ctx).metrics.samples()
}

export const laneMetricsOf = perLane((ctx: Ctx) => {
  const state = laneMetricsStateOf(ctx)
  onStop(ctx, () => state.delay?.disable())
  pushMetrics(ctx, () => samples(ctx))
  return bound(ctx, {
    text,
  })
})

function outcomeOf(answer: Answer): 'answer' | 'error' | 'silent' | 'unsent' {
  switch (answer.kind) {
    case 'answer':
      return answer.status >= 500 ? 'error' : 'answer'
    case 'unknown':
      return 'silent'
    case 'never-sent':
    case 'no-token':
      return 'unsent'
  }
}

const member = <Name extends string>(names: readonly Name[], text: string): Name | undefined =>
  names.find((name) => name === text)

export type LaneCounts = ReturnType<typeof createLaneCounts>

/** Counters of a lane. Work that was rolled back is not counted. */
export function createLaneCounts() {
  const metrics = createMetrics(LANE_METRICS)

  function onMoved({ kind, state }: Operation): void {
    const redeemed = kind === 'redemption' ? member(REDEMPTION_OUTCOMES, state) : undefined
    const issued = kind === 'issuance' ? member(ISSUANCE_OUTCOMES, state) : undefined
    if (redeemed !== undefined) metrics.add('redemptions', { outcome: redeemed })
    if (issued !== undefined) metrics.add('issuances', { outcome: issued })
  }

  return {
    metrics,

    dropped(kind: Dropped, count = 1): void {
      metrics.add('dropped', { what: kind }, count)
    },

    onCommit(seconds: number): void {
      metrics.observe('commits', {}, seconds)
    },

    around:
      (exchange: Exchange): Exchange =>
      async (call, token) => {
        const answer = await exchange(call, token)
        const { service } = call
        metrics.add('calls', { service, outcome: outcomeOf(answer) })
        if (answer.kind === 'answer' && (service === 'cash' || service === 'issuance'))
          metrics.observe('latency', { service }, answer.latencyMs / 1_000)
        return answer
      },

    onEvent(event: TerminalEvent): void {
      if (event.type === 'print-job' && event.state !== 'queued') metrics.add('prints', { state: event.state })
    },

    watch(ctx: Ctx): void {
      const domain = domainEventsOf(ctx)
      const count = (work: () => void): void => {
        ctx.transact.afterCommit(work)
      }
      domain.on('sale.completed', (_tx: Tx, { view }) => {
        count(() => {
          metrics.add('transactions', { kind: 'sale' })
          for (const { kind, amountCents } of view.tenders) if (amountCents > 0) metrics.add('tenders', { kind })
        })
      })
      domain.on('sale.cancelled', () => {
        count(() => metrics.add('transactions', { kind: 'sale-cancelled' }))
      })
      domain.on('return.committed', () => {
        count(() => metrics.add('transactions', { kind: 'return' }))
      })
      ctx.outbox.journal.events.on('operation.moved', (_tx: Tx, operation) => {
        count(() => onMoved(operation))
      })
    },
  }
}

const BEARER = /^Bearer ([\w-]{1,128})$/i

/**
 * Endpoint for Prometheus with a token of its own, which opens no other route. Answers not-found until there is such a
 * token.
 */
export function metricsRoutes(ctx: Ctx, app: App): void {
  const metrics = laneMetricsOf(ctx)
  const dataFolder = programOf(ctx).dataFolder
  app.get(
    '/metrics',
    {
      schema: {
        tags: ['metrics'],
        summary: 'Counters and state of the lane as OpenMetrics text: docs/observability.md',
        headers: z.looseObject({ authorization: z.string().max(200).optional().describe('Bearer, and the token') }),
        response: { 200: z.string() },
      },
      config: { access: 'public' },
    },
    async (request, reply) => {
      // The token is read for each call, because an installer may create or revoke it at any time.
      if (!isScraped(dataFolder)) throw new ProblemError('not-found')
      const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
      if (token === undefined || !opensScrape(dataFolder, token)) {
        void reply.header('www-authenticate', 'Bearer')
        throw new ProblemError('scrape-token-wrong')
      }
      return reply
        .header('cache-control', 'no-store')
        .type(METRICS_TYPE)
        .send(await metrics.text())
    },
  )
}

export const countsOf = provided<LaneCounts>('the counts')
