import type { SeededRng } from './rng.ts'

/**
 * Faults of one call with their weights. Their names are those of the reference services, where those have the fault.
 */
export const NETWORK_FAULTS = {
  /** The connection is refused, and no byte is sent. */
  'no-connection': 6,
  /** The request is lost: the loyalty service never receives it, and no response arrives. */
  'drop-before': 6,
  /** The loyalty service processes the request, and the response is lost. */
  'drop-after': 8,
  /** The connection is reset at once: `before` the loyalty service processes the request, or `after` it. */
  'reset-before': 4,
  'reset-after': 6,
  /** The request is delayed beyond the terminal’s timeout, but then delivered. */
  late: 6,
  /** The response is late, but within the timeout. */
  slow: 6,
  /** The response begins, but does not end within the timeout. */
  drip: 3,
  duplicate: 5,
  truncate: 4,
  garble: 4,
  'wrong-echo': 4,
  'wrong-amount': 3,
  /**
   * The response code leaves the outcome open: the request was not processed (`before`), or was processed (`after`).
   */
  'ambiguous-before': 4,
  'ambiguous-after': 4,
  /** The service refuses the request without processing it, with a code such as 0067 or 0092. */
  refuse: 4,
  'server-error': 5,
  'server-error-after': 4,
  gateway: 4,
  /** The service undoes its effect because it could not return the response. */
  'cancel-after': 5,
  /**
   * The service refuses the call because another transaction of the collector is in progress. The specification does
   * not show the HTTP status and code of this error (specification 3 §4.2 rule 5).
   */
  busy: 4,
  /** The access token expires while the request is on its way. */
  'token-refused': 5,
  /**
   * A refusal without a response code, with a status that leaves open whether the request was processed; `after`: it
   * was.
   */
  'bare-refusal': 4,
  'bare-refusal-after': 4,
} as const satisfies Record<string, number>
export type NetworkFault = keyof typeof NETWORK_FAULTS

export const DISK_FAULTS = ['commit-lost', 'commit-misreported'] as const

/** Fault rates of one seed. They are chosen once per seed, so that some seeds have few faults and some have many. */
export interface FaultRates {
  /** Average number of calls per network fault. */
  readonly network: number
  /** Average number of program steps per crash. */
  readonly crash: number
  /** Average number of commits per disk fault. */
  readonly disk: number
  /** Average number of cashier actions per change of the wall clock. */
  readonly clock: number
  /** Average number of token requests per failed one. */
  readonly token: number
  /** Average number of cashier actions per network outage. */
  readonly outage: number
  readonly repeated: RepeatedFault | null
}

/** A fault that one call meets several times in a row, so that the terminal stops retrying. */
export interface RepeatedFault {
  readonly path: string
  readonly fault: NetworkFault
  readonly times: number
}

const NEVER = 1_000_000_000
export const NO_FAULTS: FaultRates = {
  network: NEVER,
  crash: NEVER,
  disk: NEVER,
  clock: NEVER,
  token: NEVER,
  outage: NEVER,
  repeated: null,
}

export function drawFaultRates(rng: SeededRng): FaultRates {
  const often = (choices: readonly number[]): number => rng.pick(choices)
  return {
    network: often([2, 3, 4, 6, 12, NEVER]),
    crash: often([8, 15, 30, 60, NEVER]),
    disk: often([40, 150, NEVER, NEVER]),
    clock: often([6, 20, NEVER, NEVER]),
    token: often([5, 30, NEVER]),
    outage: often([10, 30, NEVER]),
    repeated: rng.onceIn(4)
      ? {
          path: rng.pick(['/redeem', '/redeem', '/issuance/issue', '/loyaltycash/reverse']),
          fault: rng.pick([
            'server-error',
            'server-error-after',
            'ambiguous-before',
            'ambiguous-after',
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
