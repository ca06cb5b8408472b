import { HOUR_MS, MINUTE_MS } from './demand.ts'
import type { Condition } from './central-services.ts'

/** A change of the services’ condition in a scenario. Times are in ms since the start. */
export interface Change {
  readonly at: number
  readonly of: 'centre' | 'tokens'
  readonly condition: Condition
}

export interface Scenario {
  readonly id: string
  readonly title: string
  readonly startsAt: number
  /** Time span over which all lanes are switched on. */
  readonly startsWithin: number
  /** Number of queued calls that each lane has from an earlier run. */
  readonly left: number
  readonly changes: readonly Change[]
  /** Start of the measurement; before it, operation is normal. */
  readonly from: number
  /** End of the outage, when the backlog begins to drain. */
  readonly over: number
  readonly ends: number
  /** Largest factor by which the service time is longer in this scenario. */
  readonly slower: number
}

const UP: Condition = { kind: 'up', slower: 1 }
const BEFORE_MS = HOUR_MS / 2
const FLAP_MS = 2 * MINUTE_MS

const outage = (id: string, title: string, startsAt: number, forMs: number, condition: Condition): Scenario => ({
  id,
  title,
  startsAt: startsAt - BEFORE_MS,
  startsWithin: 10 * MINUTE_MS,
  left: 0,
  changes: [
    { at: BEFORE_MS, of: 'centre', condition },
    { at: BEFORE_MS + forMs, of: 'centre', condition: UP },
  ],
  from: BEFORE_MS,
  over: BEFORE_MS + forMs,
  ends: BEFORE_MS + forMs + 3 * HOUR_MS,
  slower: condition.kind === 'up' ? condition.slower : 1,
})

const flaps = (): Change[] =>
  Array.from({ length: HOUR_MS / FLAP_MS }, (_, index) => ({
    at: BEFORE_MS + index * FLAP_MS,
    of: 'centre',
    condition: index % 2 === 0 ? { kind: 'closed' } : UP,
  }))

const start = (id: string, title: string, startsAt: number, startsWithin: number, left: number): Scenario => ({
  id,
  title,
  startsAt,
  startsWithin,
  left,
  changes: [],
  from: 0,
  over: 0,
  ends: HOUR_MS / 2,
  slower: 1,
})

export const SCENARIOS: readonly Scenario[] = [
  outage('hour', 'no response for an hour', 17 * HOUR_MS, HOUR_MS, { kind: 'silent' }),
  outage('day', 'no connection for a day', 10 * HOUR_MS, 24 * HOUR_MS, { kind: 'refused' }),
  {
    ...outage('flapping', 'two minutes closed, two minutes open', 17 * HOUR_MS, HOUR_MS, UP),
    changes: [...flaps(), { at: BEFORE_MS + HOUR_MS, of: 'centre', condition: UP }],
  },
  outage('slow', 'responses take three times as long', 17 * HOUR_MS, HOUR_MS, { kind: 'up', slower: 3 }),
  {
    ...outage('token', 'the token service is down for an hour', 17 * HOUR_MS, HOUR_MS, UP),
    changes: [
      { at: BEFORE_MS, of: 'tokens', condition: { kind: 'refused' } },
      { at: BEFORE_MS + HOUR_MS, of: 'tokens', condition: UP },
    ],
  },
  start('clocks', 'all lanes restart at 03:00', 3 * HOUR_MS, 2_000, 5),
  start('morning', 'all lanes are switched on at 08:00', 8 * HOUR_MS, MINUTE_MS, 3),
]
