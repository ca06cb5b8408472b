import { z } from 'zod'

/**
 * What a lane says, within what every page of every lane can show and add up. Beyond it nothing was ever sold: one such
 * number would close a page of the whole store.
 */

/** In epoch milliseconds: the last year that is written with four digits. */
export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
/** Epoch milliseconds by the lane's clock. */
export const LaneTime = z.int().min(0).max(LATEST_TIME)
/**
 * After `LATEST_AHEAD` (epoch milliseconds), the clock of a change may exceed the newest clock of the store by at most
 * `MOST_AHEAD`. Otherwise a lane could use the highest clock, and no later change of that item or person would count.
 */
export const LATEST_AHEAD = Date.UTC(9000, 0)
export const MOST_AHEAD = 1_000

/** A billion dollars, in cents; and as many miles. */
const MOST = 100_000_000_000
/** In cents, or miles, also below zero. */
export const LaneAmount = z.int().min(-MOST).max(MOST)

/** Histories that a lane number may begin: one for each backup that is restored, and for each replaced computer. */
export const MOST_STREAMS_OF_LANE = 250
/** Streams that one statement of a lane names: forty lanes with a hundred histories each. */
export const MOST_STREAMS_NAMED = 4_000
/** The database numbers the facts of a stream so far. */
export const LATEST_SEQ = 2_147_483_647
/** What one fact moves of a voucher, in cents. */
export const VoucherAmount = z.int().min(1).max(MOST)

/** What JSON can say and no text of PostgreSQL holds: the sign zero, and one half of a pair of UTF-16. */
const ESCAPED = /\\u0000|\\ud[89a-f]/i
/** Stands for them. */
export const UNSTORABLE = '\u{fffd}'

/**
 * JSON of a value as the store's database takes it: what no text there holds is U+FFFD. One such sign in a note would
 * otherwise have all that its lane tells refused, and everything behind it wait.
 */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  return ESCAPED.test(text) ? JSON.stringify(value, (_key, part: unknown) => storable(part)) : text
}

function storable(part: unknown): unknown {
  if (typeof part === 'string') return storableText(part)
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  return Object.fromEntries(Object.entries(part).map(([key, inner]) => [storableText(key), inner]))
}

/** The same of one text. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', UNSTORABLE)
