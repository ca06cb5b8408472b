import { HOUR_MS, MINUTE_MS } from './demand.ts'
import type { Weather } from './centre.ts'

/** From this moment on the centre, or the token service, is like this. Times are in ms since the beginning. */
export interface Change {
  readonly at: number
  readonly of: 'centre' | 'tokens'
  readonly weather: Weather
}

export interface Scenario {
  readonly id: string
  readonly title: string
  /** Time of the day at the beginning. */
  readonly startsAt: number
  /** Within how long all lanes are switched on. */
  readonly startsWithin: number
  /** Calls that an earlier run has left in each lane's queue. */
  readonly left: number
  readonly changes: readonly Change[]
  /** From when on it is looked at; before that everything is as usual. */
  readonly from: number
  /** When all is well again: what waits then is to leave. */
  readonly over: number
  /** When the simulation ends at the latest. */
  readonly ends: number
  /** How many times longer than usual a call takes at its slowest. */
  readonly slower: number
}

const UP: Weather = { kind: 'up', slower: 1 }
/** Everything is usual for half an hour before something happens: what is normal is measured there. */
const BEFORE_MS = HOUR_MS / 2
const FLAP_MS = 2 * MINUTE_MS

const outage = (id: string, title: string, startsAt: number, forMs: number, weather: Weather): Scenario => ({
  id,
  title,
  startsAt: startsAt - BEFORE_MS,
  startsWithin: 10 * MINUTE_MS,
  left: 0,
  changes: [
    { at: BEFORE_MS, of: 'centre', weather },
    { at: BEFORE_MS + forMs, of: 'centre', weather: UP },
  ],
  from: BEFORE_MS,
  over: BEFORE_MS + forMs,
  ends: BEFORE_MS + forMs + 3 * HOUR_MS,
  slower: weather.kind === 'up' ? weather.slower : 1,
})

const flaps = (): Change[] =>
  Array.from({ length: HOUR_MS / FLAP_MS }, (_, turn) => ({
    at: BEFORE_MS + turn * FLAP_MS,
    of: 'centre',
    weather: turn % 2 === 0 ? { kind: 'closed' } : UP,
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
  outage('hour', 'nobody answers for an hour', 17 * HOUR_MS, HOUR_MS, { kind: 'silent' }),
  outage('day', 'no connection for a day', 10 * HOUR_MS, 24 * HOUR_MS, { kind: 'refused' }),
  {
    ...outage('flapping', 'two minutes closed, two minutes open', 17 * HOUR_MS, HOUR_MS, UP),
    changes: [...flaps(), { at: BEFORE_MS + HOUR_MS, of: 'centre', weather: UP }],
  },
  outage('slow', 'answers take three times as long', 17 * HOUR_MS, HOUR_MS, { kind: 'up', slower: 3 }),
  {
    ...outage('token', 'the token service is down for an hour', 17 * HOUR_MS, HOUR_MS, UP),
    changes: [
      { at: BEFORE_MS, of: 'tokens', weather: { kind: 'refused' } },
      { at: BEFORE_MS + HOUR_MS, of: 'tokens', weather: UP },
    ],
  },
  start('clocks', 'all lanes start anew at 03:00', 3 * HOUR_MS, 2_000, 5),
  start('morning', 'all lanes are switched on at 08:00', 8 * HOUR_MS, MINUTE_MS, 3),
]
