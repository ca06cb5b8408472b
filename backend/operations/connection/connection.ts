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
import { edgesOf, hoursByPart, sumsOf } from './calls.ts'
import { newCheck, runCheck } from './check.ts'
import type { App } from '../../core/http/app.ts'
import { diagnosticsContract } from '../../../contracts/operations/operations.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { centralOf } from '../../core/central/services.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { runLater } from '../../core/lifecycle.ts'

/** Outages that a page lists; how many there were is told beside them. */
const LISTED = 200
/** How the program's services are reached: now, by hand step by step, and over a year. */
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
    /** Starts a check, or joins the one that runs; how it stands at once. */
    startCheck(): ConnectionCheck {
      if (running !== null && check !== null) return check
      const begun = newCheck(clock)
      check = begun
      running = runCheck(ctx, begun, changed).finally(() => {
        running = null
      })
      return check
    },
    /** The check that runs, at its end; null where none does. */
    settled: (): Promise<ConnectionCheck> | null => running,

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

/** A period that ends now, as the page shows it: some nine thousand hours at most, read and added up. */
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
    points: hoursByPart(hours, edges).map((part, index) => ({
      from: isoOf(edges[index] ?? from),
      to: isoOf(edges[index + 1] ?? to),
      ...sumsOf(part),
    })),
    outages: outages.rows.map(outageOf),
    outagesInAll: outages.inAll,
  }
}

/** What a check says of the services; `trouble`: they answer, and not as they should. */
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
    // The system's own name alone is of every language.
    code: /^[A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*$/.test(first.message ?? '') ? first.message : null,
    trace: first.traceId,
  }
}

/**
 * Says that the program's services are gone, once they have been for a while, and that they are back, where it was said
 * that they are gone. A blip is neither.
 */
export const centralNoticesOf = perLane((ctx: Ctx) => {
  const { clock, publish } = ctx
  const settings = () => ctx.profile.connection
  const central = centralOf(ctx).central
  let goneSince: number | null = null
  let told = false
  let callOff: (() => void) | null = null
  let state: CentralState = 'unknown'

  const tell = (now: 'gone' | 'back', sinceMs: number): void => {
    publish({ type: 'central-turned', now, state, since: isoOf(sinceMs), sound: settings().sound })
  }

  central.onChange((next) => {
    state = next
    if (next === 'online') {
      callOff?.()
      callOff = null
      if (told) tell('back', goneSince ?? clock.now())
      goneSince = null
      told = false
      return
    }
    // Gone in another way is the same absence.
    if (goneSince !== null) return
    const since = clock.now()
    goneSince = since
    callOff = runLater(ctx, settings().noticeAfterMs, () => {
      callOff = null
      told = true
      tell('gone', since)
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
