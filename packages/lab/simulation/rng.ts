import type { Rng } from '../../../backend/core/clock.ts'

/** Random values determined by a seed: the same seed gives the same values on every machine. */
export interface SeededRng extends Rng {
  /** Returns an integer in [0, sides). */
  below(sides: number): number
  /** Returns true once in `throws` calls, on average. */
  onceIn(throws: number): boolean
  pick<Choice>(choices: readonly Choice[]): Choice
  weighed<Name extends string>(weights: Readonly<Record<Name, number>>): Name
  /**
   * Returns an independent generator for one component, so that its use does not change the values of other components.
   */
  for(name: string): SeededRng
}

/**
 * Creates an sfc32 generator (Chris Doty-Humphrey, PractRand) with four 32-bit values of state, seeded by a hash of the
 * arguments.
 */
export function createSeededRng(...words: readonly (string | number)[]): SeededRng {
  const [a0, b0, c0] = seedsOf(words.join('/'))
  let a = a0
  let b = b0
  let c = c0
  let counter = 1

  function next(): number {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let warming = 0; warming < 12; warming += 1) next()

  const fraction = (): number => next() / 0x1_0000_0000
  const below = (sides: number): number => Math.floor(fraction() * sides)
  const hex = (): string => next().toString(16).padStart(8, '0')
  return {
    fraction,
    below,
    onceIn: (throws) => below(throws) === 0,
    pick(choices) {
      const choice = choices[below(choices.length)]
      if (choice === undefined) throw new RangeError('no choice to pick from')
      return choice
    },
    weighed(weights) {
      const entries = Object.entries<number>(weights)
      let rest = fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        rest -= weight
        if (rest < 0) return name as keyof typeof weights
      }
      return entries[0]?.[0] as keyof typeof weights
    },
    uuid() {
      const digits = hex() + hex() + hex() + hex()
      const [time, clock, rest] = [digits.slice(8, 12), digits.slice(13, 16), digits.slice(17, 20)]
      return `${digits.slice(0, 8)}-${time}-4${clock}-a${rest}-${digits.slice(20)}`
    },
    for: (name) => createSeededRng(...words, name),
  }
}

function seedsOf(text: string): [number, number, number] {
  const seed = (start: number): number => {
    let hash = start
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193)
    return hash | 0
  }
  return [seed(0x811c_9dc5), seed(0x9e37_79b9), seed(0x85eb_ca6b)]
}
