import { createHash } from 'node:crypto'

/** Returns a number in [0, 1) that depends only on the seed and the names, not on the order of calls. */
export const chanceOf = (seed: number, ...names: readonly (string | number)[]): number =>
  createHash('sha256')
    .update([seed, ...names].join('\n'))
    .digest()
    .readUInt32BE(0) /
  2 ** 32

/** Returns the list in an order that depends only on the seed. */
export const shuffled = <T>(list: readonly T[], seed: number): T[] =>
  list
    .map((item, index) => ({ item, at: chanceOf(seed, 'shuffle', index) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item)
