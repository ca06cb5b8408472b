import { randomUUID } from 'node:crypto'
import {
  CONNECTION_STEPS,
  type ConnectionCause,
  type ConnectionCheck,
  type ConnectionHost,
  type ConnectionService,
  type ConnectionStep,
  type ConnectionStepId,
} from '../../../contracts/operations/connection.ts'
import { isoOf, type Clock } from '../../core/clock.ts'
import { connectionCallsOf } from './calls.ts'
import {
  type Place,
  type Probed,
  type ProbedTls,
  hostOf,
  probeConnection,
  probeName,
  probeTls,
  placesOf,
} from './probes.ts'
import type { Ctx } from '../../core/context.ts'
import { programOf } from '../../core/program/lane-program.ts'

/** Timeout of a name lookup, a connection or a handshake in ms. */
const PROBE_MS = 5_000
const READ_MS = 10_000
const MARGIN_MS = 2_000

/**
 * Deadline of a step in ms, after which the step has failed and the next one starts. For a call to cash or issuance, it
 * is longer than the call with its retry and one fresh token (specification 3 §4.5, §7.2).
 */
const deadlineOf = ({ profile: { limits } }: Ctx, step: ConnectionStepId): number =>
  ({
    dns: PROBE_MS,
    connect: PROBE_MS,
    tls: PROBE_MS,
    token: 2 * limits.cashTimeoutMs + MARGIN_MS,
    echo: 3 * limits.cashTimeoutMs + MARGIN_MS,
    issuance: limits.issuanceTimeoutMs + limits.cashTimeoutMs + MARGIN_MS,
    offers: READ_MS,
    'offer-state': READ_MS + limits.cashTimeoutMs,
    history: READ_MS + limits.cashTimeoutMs,
  })[step]

const WARNINGS: ReadonlySet<ConnectionCause> = new Set(['certificate-ends-soon', 'slow'])

const CALLED = {
  token: 'token',
  echo: 'cash',
  issuance: 'issuance',
  offers: 'offers',
  'offer-state': 'offer-state',
  history: 'history',
} as const satisfies Partial<Record<ConnectionStepId, ConnectionService>>
type CallStep = keyof typeof CALLED
const isCall = (step: ConnectionStepId): step is CallStep => step in CALLED
type ProbeStep = Exclude<ConnectionStepId, CallStep>

const WAITING = {
  state: 'waiting',
  ms: null,
  cause: null,
  code: null,
  skippedFor: null,
  trace: null,
  hosts: [],
} as const satisfies Omit<ConnectionStep, 'step'>

export const newCheck = (clock: Pick<Clock, 'now'>): ConnectionCheck => ({
  id: randomUUID(),
  startedAt: isoOf(clock.now()),
  endedAt: null,
  steps: CONNECTION_STEPS.map((step) => ({ ...WAITING, step })),
})

/**
 * Runs the steps of the check in order, and reports every change. A step that exceeds its deadline has failed; steps
 * that depend on a failed one are skipped with that reason; all others run. Never throws.
 */
export async function runCheck(
  ctx: Ctx,
  begun: ConnectionCheck,
  onChange: (check: ConnectionCheck) => void,
): Promise<ConnectionCheck> {
  const { clock } = ctx
  const places = placesOf(programOf(ctx).endpoints)
  const calls = connectionCallsOf(ctx)
  let check = begun
  const change = (step: ConnectionStepId, now: Partial<ConnectionStep>): void => {
    check = { ...check, steps: check.steps.map((one) => (one.step === step ? { ...one, ...now } : one)) }
    onChange(check)
  }
  /** For each host that failed, the step at which it failed. */
  const lost = new Map<Place, ConnectionStepId>()
  let tokenLost: ConnectionStepId | null = null

  for (const step of CONNECTION_STEPS) {
    const startedAt = clock.monotonic()
    const took = (): number => Math.round((clock.monotonic() - startedAt) * 10) / 10
    if (!isCall(step)) {
      const left = places.filter((place) => !lost.has(place))
      const [firstLost] = lost.values()
      if (left.length === 0 && firstLost !== undefined) {
        change(step, { state: 'skipped', skippedFor: firstLost })
        continue
      }
      change(step, { state: 'running' })
      const hosts = await probeAll(ctx, step, left)
      for (const [place, { cause }] of hosts) if (cause !== null && !WARNINGS.has(cause)) lost.set(place, step)
      change(step, {
        ...worstHost(hosts),
        ms: took(),
        hosts: hosts.map(([place, probed]) => hostAs(step, place, probed)),
      })
      continue
    }
    const place = places.find(({ services }) => services.includes(CALLED[step]))
    if (!place) {
      change(step, { state: 'not-configured' })
      continue
    }
    const skippedFor: ConnectionStepId | null =
      lost.get(place) ?? (step === 'token' || step === 'offers' ? null : tokenLost)
    if (skippedFor !== null) {
      if (step === 'token') tokenLost = skippedFor
      change(step, { state: 'skipped', skippedFor })
      continue
    }
    change(step, { state: 'running' })
    const called = await within(deadlineOf(ctx, step), calls[step])
    if (step === 'token' && called.cause !== null) tokenLost = step
    change(step, { state: stateOf(called.cause), ...called, ms: took() })
  }
  check = { ...check, endedAt: isoOf(clock.now()) }
  onChange(check)
  return check
}

const stateOf = (cause: ConnectionCause | null): 'ok' | 'warning' | 'failed' =>
  cause === null ? 'ok' : WARNINGS.has(cause) ? 'warning' : 'failed'

type ProbedPlace = readonly [Place, Probed & Partial<ProbedTls>]

/** Hosts are checked in parallel, so that one that does not answer does not delay the others. */
const probeAll = (ctx: Ctx, step: ProbeStep, places: readonly Place[]): Promise<ProbedPlace[]> =>
  Promise.all(places.map(async (place) => [place, await probe(ctx, step, place)] as const))

async function probe(ctx: Ctx, step: ProbeStep, place: Place): Promise<ProbedPlace[1]> {
  const ending = new AbortController()
  const { signal } = ending
  const deadlineMs = deadlineOf(ctx, step)
  try {
    switch (step) {
      case 'dns':
        return await within(deadlineMs, () => probeName(place), 'dns-no-answer')
      case 'connect':
        return await within(deadlineMs, () => probeConnection(place, signal))
      case 'tls':
        // Plain http has no certificate to check: it is used in training, or for a gateway on the lane itself
        // (docs/certification.md).
        if (!place.encrypted) return { cause: null, code: null }
        return await within(deadlineMs, () =>
          probeTls(place, { signal, warnDays: ctx.profile.connection.certificateWarnDays, nowMs: ctx.clock.now() }),
        )
    }
  } finally {
    ending.abort()
  }
}

function worstHost(hosts: readonly ProbedPlace[]): Pick<ConnectionStep, 'state' | 'cause' | 'code'> {
  const failed = hosts.find(([, { cause }]) => stateOf(cause) === 'failed')
  const worst = (failed ?? hosts.find(([, { cause }]) => cause !== null))?.[1]
  return { state: stateOf(worst?.cause ?? null), cause: worst?.cause ?? null, code: worst?.code ?? null }
}

const hostAs = (step: ProbeStep, place: Place, probed: ProbedPlace[1]): ConnectionHost => ({
  host: hostOf(place),
  services: [...place.services],
  cause: probed.cause,
  code: probed.code,
  validTo: probed.validTo ?? null,
  plain: step === 'tls' && !place.encrypted,
  proxied: place.proxy !== null && step !== 'tls',
})

async function within<Result extends { readonly cause: ConnectionCause | null; readonly code: string | null }>(
  ms: number,
  work: () => Promise<Result>,
  late: ConnectionCause = 'no-answer',
): Promise<Result | { cause: ConnectionCause; code: null; trace: null }> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<{ cause: ConnectionCause; code: null; trace: null }>((resolve) => {
    timer = setTimeout(() => {
      resolve({ cause: late, code: null, trace: null })
    }, ms)
    // A closing terminal does not wait for this timer.
    timer.unref()
  })
  try {
    return await Promise.race([work(), deadline])
  } catch {
    return { cause: 'malformed', code: null, trace: null }
  } finally {
    clearTimeout(timer)
  }
}
