import type { Central } from '../lab/rig/central.ts'
import { readBench } from './bench.ts'
import type { Caller } from './expect.ts'
import { Client } from './client.ts'

export const clientOf = ({ url, tokenUrl, controlUrl, clientId, clientSecret }: Central, caller: Caller): Client =>
  new Client(url, { ...readBench(undefined), tokenUrl, controlUrl, clientId, clientSecret }, caller)

export function count(tally: Map<string, number>, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1)
}

export const secondsSince = (began: number): number => Math.round((performance.now() - began) / 100) / 10

/** A seeded random generator (mulberry32): the requests are identical on every machine. */
export interface Rng {
  below(limit: number): number
  pick<Choice>(choices: readonly Choice[]): Choice
}

export function createRng(seed: number): Rng {
  let state = seed >>> 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit)
  }
  return {
    below,
    pick(choices) {
      const choice = choices[below(choices.length)]
      if (choice === undefined) throw new RangeError('nothing to pick from')
      return choice
    },
  }
}
