import { z } from 'zod'

/**
 * Bounds on values that a lane sends, so that every page of every lane can show and add them up. One value beyond its
 * bound would break a page for the whole store.
 */

export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
export const LaneTime = z.int().min(0).max(LATEST_TIME)
/**
 * After `LATEST_AHEAD` (epoch milliseconds), the logical clock of a change may exceed the newest clock of the store by
 * at most `MAX_CLOCK_AHEAD`. Otherwise a lane could use up the highest clock, and no later change of that item or
 * person would take effect.
 */
export const LATEST_AHEAD = Date.UTC(9000, 0)
export const MAX_CLOCK_AHEAD = 1_000

const MAX = 100_000_000_000
export const LaneAmount = z.int().min(-MAX).max(MAX)

/** Maximum number of streams that a lane number may begin: one for each restored backup and each replaced computer. */
export const MAX_STREAMS_OF_LANE = 250
/** Maximum number of streams in one request of a lane: forty lanes with a hundred streams each. */
export const MAX_STREAMS_NAMED = 4_000
/** Maximum number of a fact: the database numbers the facts of a stream as 32-bit integers. */
export const LATEST_SEQ = 2_147_483_647
export const VoucherAmount = z.int().min(1).max(MAX)

/** Matches JSON escapes that a PostgreSQL text cannot store: U+0000 and lone surrogates. */
const ESCAPED = /\\u0000|\\ud[89a-f]/i
/** Replacement for characters that PostgreSQL cannot store. */
export const UNSTORABLE = '\u{fffd}'

/**
 * Encodes JSON that PostgreSQL can store, with U+FFFD for characters that it cannot. Otherwise one such character in a
 * note would make the server reject this fact and all later ones of the lane.
 */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  return ESCAPED.test(text) ? JSON.stringify(value, (_key, field: unknown) => storable(field)) : text
}

function storable(field: unknown): unknown {
  if (typeof field === 'string') return storableText(field)
  if (typeof field !== 'object' || field === null || Array.isArray(field)) return field
  return Object.fromEntries(Object.entries(field).map(([key, inner]) => [storableText(key), inner]))
}

/** Replaces the characters in one text that PostgreSQL cannot store (`storableJson` does so in JSON). */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', UNSTORABLE)
