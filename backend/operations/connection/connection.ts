import type {
  ConnectionCheck,
  ConnectionHistory,
  ConnectionStatus,
  ConnectionOutage,
  ConnectionPeriod,
} from '../../../contracts/operations/connection.ts'
import { type CentralState, EchoResult } from '../../../contracts/operations/diagnostics.ts'
import { isoOf } from '../../core/clock.ts'
import { type EchoRepository, type OutageRow, echoRowsOf } from '../diagnostics/diagnostics.sql.ts'
import { edgesOf, hoursByInterval, sumsOf } from './calls.ts'
import { newCheck, runCheck } from './check.ts'
import type { App } from '../../core/http/app.ts'
import { diagnosticsContract } from '../../../contracts/operations/operations.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { centralOf } from '../../core/central/services.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { runLater } from '../../core/lifecycle.ts'

/** Maximum number of outages listed on the connection page; their total is a separate field. */
const LISTED = 200
/** Whether the program's services can be reached: now, step by step on request, and over a year. */
export const connectionOf = perLane((ctx: Ctx) => {
  const { profile, clock, publish } = ctx
  const results = echoRowsOf(ctx)
  let check: ConnectionCheck | null = null
  let running: Promise<ConnectionCheck> | null = null

  const changed = (now: ConnectionCheck): void => {
    check = now
    publish({ type: 'connection-check-changed' })
  }

  return {
    startCheck(): ConnectionCheck {
      if (running !== null && check !== null) return check
      const begun = newCheck(clock)
      check = begun
      running = runCheck(ctx, begun, changed).finally(() => {
        running = null
      })
      return check
    },
    finished: (): Promise<ConnectionCheck> | null => running,

    status(): ConnectionStatus {
      const [latest = null] = results.latest(1)
      const since = results.since()
      return {
        state: latest === null ? 'unknown' : STATES[latest.outcome],
        since: since === null ? null : isoOf(since.at),
        sinceAtLeast: since?.atLeast ?? false,
        latest,
        intervalMs: profile.limits.echoIntervalMs,
        support: profile.connection.support ?? null,
        check,
      }
    },

    history: (period: ConnectionPeriod): ConnectionHistory => historyAt(results, period, clock.now(), profile.timeZone),
  }
})

export function historyAt(
  results: Pick<EchoRepository, 'hours' | 'outages'>,
  period: ConnectionPeriod,
  nowMs: number,
  timeZone: string,
): ConnectionHistory {
  const edges = edgesOf(period, nowMs, timeZone)
  const [from = 0, to = 0] = [edges[0], edges.at(-1)]
  const hours = results.hours(from, to)
  const outages = results.outages(from, LISTED)
  return {
    period,
    from: isoOf(from),
    to: isoOf(to),
    sums: sumsOf(hours),
    points: hoursByInterval(hours, edges).map((interval, index) => ({
      from: isoOf(edges[index] ?? from),
      to: isoOf(edges[index + 1] ?? to),
      ...sumsOf(interval),
    })),
    outages: outages.rows.map(outageOf),
    outagesInAll: outages.total,
  }
}

/** `trouble`: the services answer, but with errors. */
const STATES = {
  approved: 'online',
  timeout: 'offline',
  unreachable: 'offline',
  'token-unreachable': 'offline',
  outage: 'outage',
  'no-token': 'secret-refused',
  refused: 'trouble',
  'server-error': 'trouble',
  malformed: 'trouble',
} as const satisfies Record<EchoResult['outcome'], ConnectionStatus['state']>

function outageOf({ fromAt, toAt, lastAt, checks, result }: OutageRow): ConnectionOutage {
  const first = EchoResult.parse(JSON.parse(result))
  return {
    from: isoOf(fromAt),
    to: toAt === null ? null : isoOf(toAt),
    lastAt: isoOf(lastAt),
    checks,
    outcome: first.outcome,
    responseCode: first.responseCode,
    httpStatus: first.httpStatus,
    // Passes on only error codes of the system, such as ECONNREFUSED, which are the same in every language.
    code: /^[A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*$/.test(first.message ?? '') ? first.message : null,
    trace: first.traceId,
  }
}

/**
 * Notifies the windows when the program's services have been unavailable for a while, and when they are available again
 * after such a notice. Shorter interruptions cause no notice.
 */
export const centralNoticesOf = perLane((ctx: Ctx) => {
  const { clock, publish } = ctx
  const settings = () => ctx.profile.connection
  const central = centralOf(ctx).central
  let goneSince: number | null = null
  let hasNotified = false
  let callOff: (() => void) | null = null
  let state: CentralState = 'unknown'

  const notify = (now: 'gone' | 'back', sinceMs: number): void => {
    publish({ type: 'central-turned', now, state, since: isoOf(sinceMs), sound: settings().sound })
  }

  central.onChange((next) => {
    state = next
    if (next === 'online') {
      callOff?.()
      callOff = null
      if (hasNotified) notify('back', goneSince ?? clock.now())
      goneSince = null
      hasNotified = false
      return
    }
    // A failure for another reason continues the same outage.
    if (goneSince !== null) return
    const since = clock.now()
    goneSince = since
    callOff = runLater(ctx, settings().noticeAfterMs, () => {
      callOff = null
      hasNotified = true
      notify('gone', since)
    })
  })
})

export function connectionRoutes(ctx: Ctx, app: App): void {
  const connection = connectionOf(ctx)
  serve(app, diagnosticsContract['GET /diagnostics/connection'], () => connection.status())

  serve(app, diagnosticsContract['POST /diagnostics/connection/check'], () => connection.startCheck())

  serve(app, diagnosticsContract['GET /diagnostics/connection/history'], (request) =>
    connection.history(request.query.period),
  )
}
