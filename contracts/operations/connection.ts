import { z } from 'zod'
import { CentralState, EchoResult } from './diagnostics.ts'

/** Steps of a connection check in their order; people know them by number, from 1. */
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

export const ConnectionService = z.enum(['token', 'cash', 'issuance', 'offers', 'offer-state', 'history'])
export type ConnectionService = z.infer<typeof ConnectionService>

/** Why a step failed, or what needs attention soon. Each cause has an explanation and a remedy in every language. */
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

/** Result of a step for one address of the profile, which several services may share. */
export const ConnectionHost = z.object({
  host: z.string(),
  services: z.array(ConnectionService),
  cause: ConnectionCause.nullable(),
  /** The system's error code, for example ECONNREFUSED, which is the same in every language. */
  code: z.string().nullable(),
  validTo: z.string().nullable(),
  plain: z.boolean(),
  /** Whether the proxy was looked up or connected to instead of the host. */
  proxied: z.boolean(),
})
export type ConnectionHost = z.infer<typeof ConnectionHost>

export const ConnectionStep = z.object({
  step: ConnectionStepId,
  /**
   * State of a step. `warning`: the step works, but something needs attention. `skipped`: the step depends on
   * `skippedFor`, which failed.
   */
  state: z.enum(['waiting', 'running', 'ok', 'warning', 'failed', 'skipped', 'not-configured']),
  /** Duration of the step in milliseconds; null while it runs or when it was not run. */
  ms: z.number().nullable(),
  cause: ConnectionCause.nullable(),
  code: z.string().nullable(),
  skippedFor: ConnectionStepId.nullable(),
  trace: z.string().nullable(),
  hosts: z.array(ConnectionHost),
})
export type ConnectionStep = z.infer<typeof ConnectionStep>

/**
 * State of a connection check. POST /api/diagnostics/connection/check starts a check, or joins the running one, and
 * returns it.
 */
export const ConnectionCheck = z.object({
  id: z.uuid(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  steps: z.array(ConnectionStep),
})
export type ConnectionCheck = z.infer<typeof ConnectionCheck>

export const ConnectionStatus = z.object({
  /** State according to the last scheduled or requested ECHO; unknown before the first. */
  state: CentralState.or(z.literal('trouble')),
  /**
   * Since when the state lasts without interruption; null if unknown. `sinceAtLeast`: it began before the oldest
   * detailed record.
   */
  since: z.string().nullable(),
  sinceAtLeast: z.boolean(),
  latest: EchoResult.nullable(),
  /** Interval between the scheduled ECHO checks of the lane, in milliseconds. */
  intervalMs: z.int(),
  support: z.object({ name: z.string(), phone: z.string() }).nullable(),
  check: ConnectionCheck.nullable(),
})
export type ConnectionStatus = z.infer<typeof ConnectionStatus>

export const ConnectionPeriod = z.enum(['day', 'week', 'month', 'year'])
export type ConnectionPeriod = z.infer<typeof ConnectionPeriod>

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

export const ConnectionOutage = z.object({
  from: z.string(),
  /**
   * Time of the first successful check after the outage; null while the outage lasts, or if the lane was switched off
   * first.
   */
  to: z.string().nullable(),
  lastAt: z.string(),
  checks: z.int(),
  outcome: EchoResult.shape.outcome,
  responseCode: z.string().nullable(),
  httpStatus: z.int().nullable(),
  code: z.string().nullable(),
  trace: z.string(),
})
export type ConnectionOutage = z.infer<typeof ConnectionOutage>

export const ConnectionHistoryQuery = z.object({ period: ConnectionPeriod })
export const ConnectionHistory = z.object({
  period: ConnectionPeriod,
  from: z.string(),
  to: z.string(),
  sums: ConnectionSums,
  /** Consecutive intervals of the period, oldest first; they follow the hours and days of the store's clock. */
  points: z.array(ConnectionPoint),
  outages: z.array(ConnectionOutage),
  outagesInAll: z.int(),
})
export type ConnectionHistory = z.infer<typeof ConnectionHistory>
