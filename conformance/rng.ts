/** A small seeded generator (mulberry32): the same seed asks the same questions on every machine. */
export interface Rng {
  /** A whole number from 0 up to, not including, `limit`. */
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

/** A whole number of the command line. Throws what is expected. */
export function wholeOf(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} ${text}: a whole number is expected`)
  return Number(text)
}
