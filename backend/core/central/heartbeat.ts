/**
 * How often a lane asks a service whether it is there (ECHO). A service that is slow, or turns calls away, is there:
 * it is asked less often, so that ten thousand lanes that look whether it is well do not keep it from it. Pure.
 */
export interface Heartbeat {
  /** How long an answer takes, in ms; 0: not known yet. */
  readonly usualMs: number
  /** Beats that are left out on average after an answer like the last one. */
  readonly pause: number
  /** Beats that are still to be left out. */
  readonly toLeaveOut: number
}

/**
 * An answer that takes so many times the usual says that calls queue up at the service: one in twenty does by chance.
 */
const SLOW = 2
/** And so much longer, in ms: what answers within a few is not slow when it takes a few more. */
const SLOW_MS = 100
/** Weight of an answer in what is usual: what stays slow is usual after some hours. */
const USUAL_WEIGHT = 1 / 32
/** Of the beats of a minute: what is left out grows to so many on average, and to not quite twice of it at most. */
const LONGEST_PAUSE = 6

export const FIRST_HEARTBEAT: Heartbeat = { usualMs: 0, pause: 0, toLeaveOut: 0 }

/** A beat comes: whether the service is asked. */
export const isLeftOut = ({ toLeaveOut }: Heartbeat): boolean => toLeaveOut > 0

/** The beat was left out. */
export const leftOut = (beat: Heartbeat): Heartbeat => ({ ...beat, toLeaveOut: beat.toLeaveOut - 1 })

/**
 * What the service answered; of silence nothing is learnt here, for what asks then finds its end. `fraction`: lanes
 * that were answered together do not ask together again.
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
