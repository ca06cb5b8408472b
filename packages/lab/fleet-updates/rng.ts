import { createHash } from 'node:crypto'

/** Chance that is the same for the same seed and names, in whatever order it is asked for: 0 to 1, without 1. */
export const chanceOf = (seed: number, ...names: readonly (string | number)[]): number =>
  createHash('sha256')
    .update([seed, ...names].join('\n'))
    .digest()
    .readUInt32BE(0) /
  2 ** 32

/** The same list in an order that the seed decides. */
export const shuffled = <T>(list: readonly T[], seed: number): T[] =>
  list
    .map((item, index) => ({ item, at: chanceOf(seed, 'shuffle', index) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item)
