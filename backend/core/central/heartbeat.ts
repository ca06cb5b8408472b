/**
 * Decides how often health checks (ECHO) are sent. A service that is slow or rejects calls is reachable, and is checked
 * less often, so that the checks of ten thousand lanes do not overload it.
 */
export interface Heartbeat {
  readonly usualMs: number
  readonly pause: number
  readonly beatsToSkip: number
}

/**
 * Multiple of the usual latency above which calls probably queue at the service; one normal answer in twenty exceeds it
 * by chance.
 */
const SLOW = 2
/** Minimum excess over the usual latency in ms, so that a few more milliseconds of a fast service do not count. */
const SLOW_MS = 100
/**
 * Weight of one answer in the moving average of the latency: after some hours, a permanently slow service counts as
 * usual.
 */
const USUAL_WEIGHT = 1 / 32
/** Maximum average number of health checks to skip; there is one a minute. The random component at most doubles it. */
const LONGEST_PAUSE = 6

export const FIRST_HEARTBEAT: Heartbeat = { usualMs: 0, pause: 0, beatsToSkip: 0 }

export const isSkipped = ({ beatsToSkip }: Heartbeat): boolean => beatsToSkip > 0

export const skipBeat = (beat: Heartbeat): Heartbeat => ({ ...beat, beatsToSkip: beat.beatsToSkip - 1 })

/**
 * Returns the state after an answer to a health check. Missing answers are ignored: the caller's backoff handles them.
 * `fraction` is random, so that lanes whose checks were answered together do not repeat them together.
 */
export function afterAnswer(
  beat: Heartbeat,
  { isThrottled, latencyMs }: { readonly isThrottled: boolean; readonly latencyMs: number },
  fraction: number,
): Heartbeat {
  const { usualMs } = beat
  const isPressed = isThrottled || (usualMs > 0 && latencyMs > Math.max(SLOW * usualMs, usualMs + SLOW_MS))
  const pause = isPressed ? Math.min(LONGEST_PAUSE, 2 * Math.max(1, beat.pause)) : Math.floor(beat.pause / 2)
  return {
    usualMs: isThrottled ? usualMs : usualMs === 0 ? latencyMs : usualMs + (latencyMs - usualMs) * USUAL_WEIGHT,
    pause,
    beatsToSkip: pause === 0 ? 0 : 1 + Math.floor(fraction * (2 * pause - 1)),
  }
}
