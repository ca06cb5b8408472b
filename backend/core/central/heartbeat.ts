/**
 * Decides how often health checks (ECHO) are sent. A service that is slow or rejects calls is reachable and is checked
 * less often, so that the checks of ten thousand lanes do not overload it. Pure.
 */
export interface Heartbeat {
  /** Usual latency of the service in ms; 0: not known yet. */
  readonly usualMs: number
  /** Average number of health checks to skip after an answer like the last one. */
  readonly pause: number
  readonly toLeaveOut: number
}

/**
 * Multiple of the usual latency above which calls probably queue at the service; one normal answer in twenty exceeds it
 * by chance.
 */
const SLOW = 2
/** Minimum excess over the usual latency in ms, so that a few more milliseconds of a fast service do not count. */
const SLOW_MS = 100
/**
 * Weight of an answer in the moving average of the latency: a permanently slow service becomes usual after some hours.
 */
const USUAL_WEIGHT = 1 / 32
/** Maximum average of skipped health checks, of which there is one a minute; the jitter at most doubles it. */
const LONGEST_PAUSE = 6

export const FIRST_HEARTBEAT: Heartbeat = { usualMs: 0, pause: 0, toLeaveOut: 0 }

export const isLeftOut = ({ toLeaveOut }: Heartbeat): boolean => toLeaveOut > 0

export const leftOut = (beat: Heartbeat): Heartbeat => ({ ...beat, toLeaveOut: beat.toLeaveOut - 1 })

/**
 * Applies an answer to a health check. Missing answers are ignored: the caller's backoff handles them. `fraction` is
 * random, so that lanes whose checks were answered together do not repeat them together.
 */
export function beaten(
  beat: Heartbeat,
  { isTurnedAway, latencyMs }: { readonly isTurnedAway: boolean; readonly latencyMs: number },
  fraction: number,
): Heartbeat {
  const { usualMs } = beat
  const isPressed = isTurnedAway || (usualMs > 0 && latencyMs > Math.max(SLOW * usualMs, usualMs + SLOW_MS))
  const pause = isPressed ? Math.min(LONGEST_PAUSE, 2 * Math.max(1, beat.pause)) : Math.floor(beat.pause / 2)
  return {
    usualMs: isTurnedAway ? usualMs : usualMs === 0 ? latencyMs : usualMs + (latencyMs - usualMs) * USUAL_WEIGHT,
    pause,
    toLeaveOut: pause === 0 ? 0 : 1 + Math.floor(fraction * (2 * pause - 1)),
  }
}
