import type { Clock, Rng } from '../clock.ts'
import { gatewayState } from './wire.ts'
import { isRejectedForNow, retryAfterOf } from './waits.ts'
import { admits, answered, OPEN_THROTTLE, type Sheddable, type Throttle } from './throttle.ts'
import type { Answer, CentralService, Exchange } from './transport.ts'

export interface Load {
  around(exchange: Exchange): Exchange
  record(service: CentralService, answer: Answer): void
  admits(service: CentralService, kind: Sheddable): boolean
}

/**
 * Whether the service accepted a call. Null without an answer, or for an error of a gateway, which usually mean an
 * outage and not overload.
 */
export function isTaken(answer: Answer): boolean | null {
  if (answer.kind !== 'answer') return null
  if (isRejectedForNow(answer)) return false
  return gatewayState(answer.status) === null ? true : null
}

export function createLoad({
  clock,
  rng,
  hostOf,
}: {
  clock: Pick<Clock, 'now' | 'monotonic'>
  rng: Pick<Rng, 'fraction'>
  /** Services on one host share a throttle, because their answers show the load of the host. */
  hostOf: (service: CentralService) => string
}): Load {
  const throttles = new Map<string, Throttle>()
  const of = (service: CentralService): Throttle => throttles.get(hostOf(service)) ?? OPEN_THROTTLE
  function record(service: CentralService, answer: Answer): void {
    const taken = isTaken(answer)
    if (taken === null) return
    const outcome = { isTaken: taken, retryAfterMs: retryAfterOf(answer, clock.now()) }
    throttles.set(hostOf(service), answered(of(service), clock.monotonic(), outcome))
  }

  return {
    around: (exchange) => async (call, token) => {
      const answer = await exchange(call, token)
      record(call.service, answer)
      return answer
    },
    record: record,
    admits: (service, kind) => admits(of(service), clock.monotonic(), rng.fraction(), kind),
  }
}

export const HELD_BACK: Answer = { kind: 'never-sent', reason: 'throttled: the service has too many calls' }
