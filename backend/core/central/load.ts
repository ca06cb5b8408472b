import type { Clock, Rng } from '../clock.ts'
import { gatewaySays } from './wire.ts'
import { isTurnedAway, retryAfterOf } from './waits.ts'
import { admits, answered, OPEN_THROTTLE, type Sheddable, type Throttle } from './throttle.ts'
import type { Answer, CentralService, Exchange } from './transport.ts'

/** How far the services can take what the lane sends, as their answers tell. */
export interface Load {
  /** Hears what every exchange comes to. */
  around(exchange: Exchange): Exchange
  hear(service: CentralService, answer: Answer): void
  /** Whether a call that nobody misses may go to this service now. */
  admits(service: CentralService, what: Sheddable): boolean
}

/**
 * Of silence nothing is learnt here: it is an outage as a rule, and what goes out then finds its end. Null: says
 * nothing.
 */
export function isTaken(answer: Answer): boolean | null {
  if (answer.kind !== 'answer') return null
  if (isTurnedAway(answer)) return false
  return gatewaySays(answer.status) === null ? true : null
}

export function createLoad({
  clock,
  rng,
  hostOf,
}: {
  clock: Pick<Clock, 'now' | 'monotonic'>
  rng: Pick<Rng, 'fraction'>
  /** Services of one host share what is learnt of it: it is the host that has too many calls. */
  hostOf: (service: CentralService) => string
}): Load {
  const throttles = new Map<string, Throttle>()
  const of = (service: CentralService): Throttle => throttles.get(hostOf(service)) ?? OPEN_THROTTLE
  function hear(service: CentralService, answer: Answer): void {
    const taken = isTaken(answer)
    if (taken === null) return
    const heard = { isTaken: taken, retryAfterMs: retryAfterOf(answer, clock.now()) }
    throttles.set(hostOf(service), answered(of(service), clock.monotonic(), heard))
  }

  return {
    around: (exchange) => async (call, token) => {
      const answer = await exchange(call, token)
      hear(call.service, answer)
      return answer
    },
    hear,
    admits: (service, what) => admits(of(service), clock.monotonic(), rng.fraction(), what),
  }
}

/** What a call comes to that was not let out. */
export const HELD_BACK: Answer = { kind: 'never-sent', reason: 'held back: the service has too many calls' }
