/** Wall time of this process in milliseconds since the Unix epoch, with the resolution of the monotonic clock. */
export const now = (): number => performance.timeOrigin + performance.now()

/**
 * How another process's `performance.timeOrigin + performance.now()` relates to ours: theirs = ours + offset ±
 * uncertainty.
 */
export interface ClockOffset {
  readonly offsetMs: number
  readonly uncertaintyMs: number
}

/** A reading of the other clock, between two of ours. */
export interface ClockReading {
  readonly before: number
  readonly theirs: number
  readonly after: number
}

/**
 * Both processes run on one machine and count the same monotonic clock, but each took its origin from the wall clock
 * when it began. Every reading bounds the offset from both sides, and all must agree: the truth lies where the bounds
 * overlap. `resolutionMs` is what the other clock rounds down to (Chromium: 0.1). Throws a RangeError when readings
 * contradict each other, which means that a clock was set meanwhile.
 */
export function offsetFrom(readings: readonly ClockReading[], resolutionMs: number): ClockOffset {
  let low = Number.NEGATIVE_INFINITY
  let high = Number.POSITIVE_INFINITY
  for (const { before, theirs, after } of readings) {
    low = Math.max(low, theirs - after)
    high = Math.min(high, theirs + resolutionMs - before)
  }
  if (!(low <= high) || !Number.isFinite(high - low))
    throw new RangeError('the clocks of the two processes cannot be compared')
  return { offsetMs: (low + high) / 2, uncertaintyMs: (high - low) / 2 }
}
