import { z } from 'zod'
import { CentralState, EchoResult } from './diagnostics.ts'

/** The steps of a connection check, in the order in which they run; people know them by their numbers, from 1. */
export const CONNECTION_STEPS = [
  'dns',
  'connect',
  'tls',
  'token',
  'echo',
  'issuance',
  'offers',
  'offer-state',
  'history',
] as const
export const ConnectionStepId = z.enum(CONNECTION_STEPS)
export type ConnectionStepId = z.infer<typeof ConnectionStepId>

/** What a lane reaches: the identity provider, and the services. */
export const ConnectionService = z.enum(['token', 'cash', 'issuance', 'offers', 'offer-state', 'history'])
export type ConnectionService = z.infer<typeof ConnectionService>

/** Why a step did not end well, or what is to be seen to soon: words and what to do are in every language. */
export const ConnectionCause = z.enum([
  'name-unknown',
  'dns-no-answer',
  'refused',
  'unreachable',
  'no-answer',
  'closed',
  'proxy-refused',
  'certificate-expired',
  'certificate-ends-soon',
  'certificate-not-yet',
  'certificate-name',
  'certificate-untrusted',
  'tls-failed',
  'token-refused',
  'token-no-answer',
  'timeout',
  'request-refused',
  'maintenance',
  'server-error',
  'wrong-address',
  'malformed',
  'store-codes',
  'unhealthy',
  'slow',
])
export type ConnectionCause = z.infer<typeof ConnectionCause>

/** One address of the profile as a step met it: several services may be at one. */
export const ConnectionHost = z.object({
  /** `name:port` as the profile has it; no path, no query. */
  host: z.string(),
  services: z.array(ConnectionService),
  cause: ConnectionCause.nullable(),
  /** A system's own name of the cause, which is of no language: ECONNREFUSED. */
  code: z.string().nullable(),
  /** TLS: the last moment of the certificate; null without one. */
  validTo: z.string().nullable(),
  /** TLS: the address is http, as training's are: nothing is encrypted. */
  plain: z.boolean(),
  /** The name, or the connection, is the proxy's. */
  proxied: z.boolean(),
})
export type ConnectionHost = z.infer<typeof ConnectionHost>

export const ConnectionStep = z.object({
  step: ConnectionStepId,
  /** `warning`: it works, and something is to be seen to. `skipped`: `skippedFor` failed, and this builds on it. */
  state: z.enum(['waiting', 'running', 'ok', 'warning', 'failed', 'skipped', 'not-configured']),
  /** Milliseconds it took; null while it runs and where it did not. */
  ms: z.number().nullable(),
  cause: ConnectionCause.nullable(),
  /** A response code, an HTTP status, or a system's name of the cause. */
  code: z.string().nullable(),
  skippedFor: ConnectionStepId.nullable(),
  /** What to quote to the program's support: the trace of the call. */
  trace: z.string().nullable(),
  hosts: z.array(ConnectionHost),
})
export type ConnectionStep = z.infer<typeof ConnectionStep>

/** POST /api/diagnostics/connection/check starts one, or joins the one that runs, and answers as it stands. */
export const ConnectionCheck = z.object({
  id: z.uuid(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  steps: z.array(ConnectionStep),
})
export type ConnectionCheck = z.infer<typeof ConnectionCheck>

/** GET /api/diagnostics/connection: how the services are now. */
export const ConnectionStatus = z.object({
  /** By the last scheduled or asked ECHO; unknown where there was none. */
  state: CentralState.or(z.literal('trouble')),
  /** Since when it is so without a gap; null where nobody knows. `sinceAtLeast`: for longer than is kept in detail. */
  since: z.string().nullable(),
  sinceAtLeast: z.boolean(),
  latest: EchoResult.nullable(),
  /** How often the lane asks by itself, in milliseconds. */
  intervalMs: z.int(),
  /** Whom to call, from the profile. */
  support: z.object({ name: z.string(), phone: z.string() }).nullable(),
  /** The last check of this run of the program. */
  check: ConnectionCheck.nullable(),
})
export type ConnectionStatus = z.infer<typeof ConnectionStatus>

export const ConnectionPeriod = z.enum(['day', 'week', 'month', 'year'])
export type ConnectionPeriod = z.infer<typeof ConnectionPeriod>

/** What a span of time adds up to. Of its time, `onMs` is known: the lane was on. The rest is neither up nor down. */
const Sums = {
  checks: z.int(),
  failures: z.int(),
  onMs: z.int(),
  downMs: z.int(),
  latencyMeanMs: z.number().nullable(),
  latencyMinMs: z.number().nullable(),
  latencyMaxMs: z.number().nullable(),
}
export const ConnectionSums = z.object(Sums)
export type ConnectionSums = z.infer<typeof ConnectionSums>
export const ConnectionPoint = z.object({ from: z.string(), to: z.string(), ...Sums })
export type ConnectionPoint = z.infer<typeof ConnectionPoint>

/** Failed checks without a good one between them. */
export const ConnectionOutage = z.object({
  from: z.string(),
  /** The first good check after it; null while it lasts, and where the lane went off before there was one. */
  to: z.string().nullable(),
  /** The last check that failed. */
  lastAt: z.string(),
  checks: z.int(),
  outcome: EchoResult.shape.outcome,
  responseCode: z.string().nullable(),
  httpStatus: z.int().nullable(),
  code: z.string().nullable(),
  trace: z.string(),
})
export type ConnectionOutage = z.infer<typeof ConnectionOutage>

/** GET /api/diagnostics/connection/history?period= */
export const ConnectionHistoryQuery = z.object({ period: ConnectionPeriod })
export const ConnectionHistory = z.object({
  period: ConnectionPeriod,
  from: z.string(),
  to: z.string(),
  sums: ConnectionSums,
  /** Oldest first, one after another without a hole; on the hours and days of the store's clock. */
  points: z.array(ConnectionPoint),
  /** Newest first, the last of the period. `outagesInAll` may be more. */
  outages: z.array(ConnectionOutage),
  outagesInAll: z.int(),
})
export type ConnectionHistory = z.infer<typeof ConnectionHistory>
