import { randomUUID } from 'node:crypto'
import type { EchoResult } from '../../../contracts/operations/diagnostics.ts'
import { CASH_PATHS, CashResponse, type EchoRequest } from '../../../contracts/central/cash.ts'
import { sendWithRetry } from '../../core/central/retry.ts'
import type { Answer } from '../../core/central/transport.ts'
import { isoOf } from '../../core/clock.ts'
import { meaningOfEcho } from '../../loyalty/services/answers.ts'
import { centralMessage } from '../../core/central/response-codes.ts'
import { gatewayState } from '../../core/central/wire.ts'
import { offsetMinutesAt } from '../../core/zone.ts'
import { type EarlierCheck, isFailure, knownMs, echoRowsOf } from './diagnostics.sql.ts'
import type { App } from '../../core/http/app.ts'
import { diagnosticsContract } from '../../../contracts/operations/operations.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { centralOf } from '../../core/central/services.ts'
import { windowsOf } from '../../core/http/events.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export interface DiagnosticsService {
  /** Sends an ECHO to the cash service (specification 3 §4.5). Never throws; concurrent calls share one answer. */
  runEcho(): Promise<EchoResult>
  latest(): EchoResult[]
}

const DOUBTFUL: ReadonlySet<EchoResult['outcome']> = new Set(['timeout', 'server-error', 'malformed'])

export const diagnosticsOf = perLane((ctx: Ctx): DiagnosticsService => {
  const { clock, log, profile, lane } = ctx
  const results = echoRowsOf(ctx)
  const transport = centralOf(ctx).transport
  const events = windowsOf(ctx).events
  const onResponse = (answer: Answer) => centralOf(ctx).central.onResponse('cash', answer)
  // A longer time between two checks is a gap: a check was not made, or the lane was off.
  const longestMs = (): number => 2 * profile.limits.echoIntervalMs + 2 * profile.limits.cashTimeoutMs
  /**
   * Longest time without a gap by the interval at the previous check, because the profile may have another interval
   * now.
   */
  let allowedMs = longestMs()
  let before: EarlierCheck | null = results.before()
  let underWay: Promise<EchoResult> | null = null

  function record(result: EchoResult, at: number, monotonic: number): void {
    const apartMs = Math.max(allowedMs, longestMs())
    allowedMs = longestMs()
    results.add(result, {
      at,
      knownMs: knownMs(before, { at, monotonic }, apartMs),
      wasFailing: before?.failed ?? false,
      offsetMs: offsetMinutesAt(at, profile.timeZone) * 60_000,
    })
    before = { at, monotonic, failed: isFailure(result) }
  }

  async function ask(): Promise<EchoResult> {
    const traceId = randomUUID()
    const request: EchoRequest = {
      deviceId: lane.deviceId,
      sponsorCode: profile.program.sponsorCode,
      storeId: profile.store.id,
      traceId,
      vendorId: profile.program.vendorId,
    }
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache' }
    const [at, monotonic] = [clock.now(), clock.monotonic()]
    const body = new TextEncoder().encode(JSON.stringify(request))
    const call = {
      service: 'cash',
      method: 'POST',
      path: CASH_PATHS.echo,
      headers,
      body,
      timeoutMs: profile.limits.cashTimeoutMs,
      authenticate: true,
    } as const
    const answer = await sendWithRetry(
      (again) => transport.send({ ...call, ...again }),
      (received) => DOUBTFUL.has(readEcho(received, request).outcome),
    )
    const result: EchoResult = {
      at: isoOf(at),
      traceId,
      ...readEcho(answer, request),
      requestHeaders: masked(answer.kind === 'answer' ? answer.requestHeaders : headers),
    }
    try {
      record(result, at, monotonic)
    } catch (error) {
      // A result that cannot be stored is only logged: the person who requested the check still gets it.
      log.error({ err: error }, 'the result of an ECHO could not be stored')
    }
    onResponse(answer)
    events.publish({ type: 'echo-result', result })
    return result
  }

  return {
    runEcho() {
      underWay ??= ask().finally(() => {
        underWay = null
      })
      return underWay
    },
    latest: () => results.latest(),
  }
})

type Reading = Pick<EchoResult, 'outcome' | 'responseCode' | 'httpStatus' | 'latencyMs' | 'message'>

const NO_TOKEN = { refused: 'no-token', unreachable: 'token-unreachable' } as const

/** Parses the answer to an ECHO. The response code decides, not the HTTP status (specification 3 §7.2). */
export function readEcho(answer: Answer, request: EchoRequest): Reading {
  switch (answer.kind) {
    case 'never-sent':
      return { outcome: 'unreachable', responseCode: null, httpStatus: null, latencyMs: null, message: answer.reason }
    case 'unknown':
      return { outcome: 'timeout', responseCode: null, httpStatus: null, latencyMs: null, message: answer.reason }
    case 'no-token':
      return {
        outcome: NO_TOKEN[answer.cause],
        responseCode: null,
        httpStatus: null,
        latencyMs: null,
        message: answer.reason,
      }
    case 'answer': {
      const base = { httpStatus: answer.status, latencyMs: Math.round(answer.latencyMs * 10) / 10 }
      const body = parseBody(answer.bytes)
      if (!body) return { ...base, outcome: withoutCode(answer.status), responseCode: null, message: null }
      const read = { ...base, responseCode: body.responseCode, message: centralMessage(body) }
      const code = body.responseCode.trim()
      return { ...read, outcome: ECHO_CODES.has(code) ? meaningOfEcho(body, request).outcome : 'malformed' }
    }
  }
}

function withoutCode(status: number): EchoResult['outcome'] {
  switch (gatewayState(status)) {
    case 'outage':
      return 'outage'
    case 'offline':
      return 'timeout'
    case null:
      return status >= 500 ? 'server-error' : 'malformed'
  }
}

/** Response codes of ECHO: it "returns only 0000, 0008, 0035, 0092, 0096" (specification 3 §7.2). */
const ECHO_CODES: ReadonlySet<string> = new Set(['0000', '0008', '0035', '0092', '0096'])

function parseBody(bytes: Uint8Array): CashResponse | undefined {
  try {
    return CashResponse.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data
  } catch {
    return undefined
  }
}

/** Masks the token once more, in case the transport did not. */
const masked = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.toLowerCase() === 'authorization' ? 'Bearer •••' : value,
    ]),
  )

export function diagnosticsRoutes(ctx: Ctx, app: App): void {
  const diagnostics = diagnosticsOf(ctx)
  serve(app, diagnosticsContract['POST /diagnostics/echo'], async () => diagnostics.runEcho())

  serve(app, diagnosticsContract['GET /diagnostics/echo'], async () => ({ results: diagnostics.latest() }))
}
