/** Wall time of this process in milliseconds since the Unix epoch, with the resolution of the monotonic clock. */
export const now = (): number => performance.timeOrigin + performance.now()

/**
 * Converts the clock of another process (`performance.timeOrigin + performance.now()`) to the clock of this process:
 * theirs = ours + offset ± uncertainty.
 */
export interface ClockOffset {
  readonly offsetMs: number
  readonly uncertaintyMs: number
}

export interface ClockReading {
  readonly before: number
  readonly theirs: number
  readonly after: number
}

/**
 * Returns the offset between the clocks of two processes. Both use the monotonic clock of the machine, but each took
 * its origin from the wall clock at its start. Every reading bounds the offset from both sides; the true offset is in
 * the intersection. `resolutionMs`: the step to which the other clock rounds down (Chromium: 0.1). Throws a RangeError
 * without readings, or if they contradict each other, because a clock was set in between.
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
