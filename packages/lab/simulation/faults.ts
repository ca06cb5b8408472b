import type { SeededRng } from './rng.ts'

/** What can go wrong with one exchange; each name is what the reference services call it, where they know it. */
export const NETWORK_FAULTS = {
  /** The connection is refused: no byte left. */
  'no-connection': 6,
  /** Lost on the way: the loyalty service never sees it, and no answer comes. */
  'drop-before': 6,
  /** The loyalty service does it, and the answer is lost. */
  'drop-after': 8,
  /** The connection breaks at once, before or after the loyalty service did it. */
  'reset-before': 4,
  'reset-after': 6,
  /** Held up in the network for longer than the terminal waits, and delivered then. */
  late: 6,
  /** The answer comes a little late, but in time. */
  slow: 6,
  /** The answer begins and does not end in time. */
  drip: 3,
  /** Delivered twice. */
  duplicate: 5,
  truncate: 4,
  garble: 4,
  'wrong-echo': 4,
  'wrong-amount': 3,
  /** A code that says nothing of what was done, after doing it or before. */
  'doubt-before': 4,
  'doubt-after': 4,
  /** A refusal without a look, e.g. 0067 or 0092. */
  refuse: 4,
  'server-error': 5,
  'server-error-after': 4,
  gateway: 4,
  /** The service undoes what it did, since it could not return the answer. */
  'cancel-after': 5,
  /**
   * Another transaction of the collector is being processed: an error that has no status and no code of its own (§4.2
   * rule 5).
   */
  busy: 4,
  /** The token has expired on the way. */
  'token-refused': 5,
  /** Refused by a status that says nothing and without a code, before the service did it or after. */
  'bare-refusal': 4,
  'bare-refusal-after': 4,
} as const satisfies Record<string, number>
export type NetworkFault = keyof typeof NETWORK_FAULTS

export const DISK_FAULTS = ['commit-lost', 'commit-kept'] as const

/** How bad the world of one seed is. Drawn once, so that some seeds are calm and some are storms. */
export interface Weather {
  /** An exchange goes wrong once in so many. */
  readonly network: number
  /** A crash falls on a step once in so many. */
  readonly crash: number
  /** A commit fails once in so many. */
  readonly disk: number
  /** The wall clock is set once in so many actions of the cashier. */
  readonly clock: number
  /** The identity provider gives no token once in so many. */
  readonly token: number
  /** The line is down for a while once in so many actions. */
  readonly outage: number
  readonly stubborn: Stubborn | null
}

/** A call that goes wrong in the same way so many times in a row: what makes a machine give up. */
export interface Stubborn {
  readonly path: string
  readonly fault: NetworkFault
  readonly times: number
}

const NEVER = 1_000_000_000
export const CALM: Weather = {
  network: NEVER,
  crash: NEVER,
  disk: NEVER,
  clock: NEVER,
  token: NEVER,
  outage: NEVER,
  stubborn: null,
}

export function drawWeather(rng: SeededRng): Weather {
  const often = (choices: readonly number[]): number => rng.pick(choices)
  return {
    network: often([2, 3, 4, 6, 12, NEVER]),
    crash: often([8, 15, 30, 60, NEVER]),
    disk: often([40, 150, NEVER, NEVER]),
    clock: often([6, 20, NEVER, NEVER]),
    token: often([5, 30, NEVER]),
    outage: often([10, 30, NEVER]),
    stubborn: rng.onceIn(4)
      ? {
          path: rng.pick(['/redeem', '/redeem', '/issuance/issue', '/loyaltycash/reverse']),
          fault: rng.pick([
            'server-error',
            'server-error-after',
            'doubt-before',
            'doubt-after',
            'reset-after',
            'drop-before',
            'garble',
            'cancel-after',
            'token-refused',
            'bare-refusal-after',
            'wrong-amount',
          ]),
          times: 1 + rng.below(10),
        }
      : null,
  }
}
