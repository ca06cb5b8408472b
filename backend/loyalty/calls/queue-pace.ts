import { type Backoff, afterAsked, fullJitter, retryAfterOf, spread } from '../../core/central/waits.ts'
import type { Answer } from '../../core/central/transport.ts'
import { gapOf, isFree, later, NO_END, planMs, sooner, withOthers, type QueueEnd, type Waiting } from './queue-end.ts'
import type { Settlement } from './settlement.ts'

/**
 * How fast the queue leaves. Pure: every function answers another pace. Times are of the monotonic clock, in ms;
 * `fraction` is a random number in [0, 1).
 */
export interface Pace extends QueueEnd {
  /** Sends in a row that the service did not take. */
  readonly failures: number
  /** Whether they were turned away for now, by a service that is there; else nobody answered. */
  readonly isTurnedAway: boolean
  /** When the last of them was. */
  readonly failedAt: number
  /** When the first send was that was not taken, since one was. */
  readonly failingSince: number
  /** Nothing leaves before. */
  readonly notBefore: number
  /** The service itself asked to be left alone until then, and a while of our own after it: nothing shortens that. */
  readonly askedUntil: number
  /** When another call told that the services are there again, while no send of the queue had found it; 0: none has. */
  readonly thereSince: number
  /** Other calls in a row that were turned away: at a closed door all are, at one that is busy some. */
  readonly closedFor: number
  /** How long an answer takes while nothing presses; 0: not known yet. */
  readonly usualMs: number
}

/** What a send of the queue came to. `retryAfterMs`: how long the service asked to be left alone. */
export type Heard =
  | { readonly kind: 'taken'; readonly latencyMs: number }
  | { readonly kind: 'not-taken'; readonly retryAfterMs: number | null }
  /** For want of a token nothing was sent. */
  | { readonly kind: 'no-token' }

/** What an answer tells of the service. `now`: wall time, epoch ms. */
export const heardOf = (next: Settlement['next'], answer: Answer, now: number): Heard =>
  answer.kind === 'no-token'
    ? { kind: 'no-token' }
    : next === 'no-central'
      ? { kind: 'not-taken', retryAfterMs: retryAfterOf(answer, now) }
      : { kind: 'taken', latencyMs: answer.kind === 'answer' ? answer.latencyMs : 0 }

export interface Moment extends Waiting {
  readonly fraction: number
}

/** What decides when the queue may send. */
export interface PaceRules {
  readonly first: Pace
  /** A start finds calls of an earlier run. */
  begun(pace: Pace, moment: Moment): Pace
  /** How many calls may be on their way at once. */
  places(pace: Pace, moment: Moment): number
  /** A call leaves. */
  sent(pace: Pace, moment: Moment): Pace
  heard(pace: Pace, heard: Heard, moment: Moment): Pace
  /** Another call of the lane was answered: the services are there. `retryAfterMs`: they turned it away for now. */
  heardElsewhere(pace: Pace, retryAfterMs: number | null, moment: Moment): Pace
}

/** Calls of so many collectors are a small backlog: it leaves within ten seconds of a recovery. */
const SMALL_BACKLOG = 50
/** Without pacing a lane sends one probe in this time until the service takes a call. */
const PROBE_MS = 5_000
/** An answer may take longer than that: so many probes may be on their way at once. */
const PROBES_AT_ONCE = 4
/** After the first call that was taken a small backlog leaves evenly within this time. */
const SMALL_END_MS = 3_000
/** A large backlog is paced; a small one only after the service turned a call of it away while it was leaving. */
const isPaced = ({ endAt, isRamping }: QueueEnd, { waiting }: Waiting): boolean =>
  waiting > SMALL_BACKLOG || (endAt > 0 && !isRamping)

/** Collectors that are served at once while nothing presses. */
const MOST_AT_ONCE = 8
/**
 * Its other calls tell a lane that the services are back, the ECHO of every minute among them. Its queue need not find
 * out, and soon asks no oftener than twice an hour.
 */
const BACKOFF = { baseMs: 1_000, capMs: 1_800_000, factor: 4 } as const
/** Whoever gives tokens is asked by the lane's rules for tokens: to look for one costs nobody anything. */
const NO_TOKEN = { baseMs: 1_000, capMs: 15_000 } as const
/**
 * Beyond the wait that was asked for. Of a queue that leaves after an outage one call in some thirty is turned away;
 * who is turned away while nothing presses, or again and again, is at a closed door: other calls tell when it opens.
 */
const busy = (retryAfterMs: number): Backoff => ({ baseMs: retryAfterMs / 4, capMs: retryAfterMs })
const closedDoor = (retryAfterMs: number): Backoff => ({ baseMs: retryAfterMs, capMs: 900_000, factor: 4 })
/**
 * A word of another call shortens a wait to this part of its longest: where only the issuance service is away, every
 * answer of the other would else send one more call to it.
 */
const HURRIED = 32
/**
 * What a start finds of a few calls goes at once. More of them wait for a while: whole chains start in the same
 * second.
 */
const MANY_AT_START = 4
const START_MS = 60_000
const SMALL_START_MS = 4_000
/** So many other calls in a row that were turned away, and the queue need not be turned away itself. */
const CLOSED = 2
/** An answer that takes so many times the usual says that calls queue up at the service. */
const SLOW = 2.5
const USUAL_WEIGHT = 1 / 16
export const FIRST_PACE: Pace = {
  ...NO_END,
  failures: 0,
  isTurnedAway: false,
  failedAt: 0,
  failingSince: 0,
  notBefore: -Infinity,
  askedUntil: -Infinity,
  thereSince: 0,
  closedFor: 0,
  usualMs: 0,
}

function taken(pace: Pace, latencyMs: number, { now, fraction, waiting }: Moment): Pace {
  const { failures, failingSince, usualMs, endAt } = pace
  const isSlow = usualMs > 0 && latencyMs > SLOW * usualMs
  const isCalm = failures === 0 && endAt === 0
  const usual = !isCalm ? usualMs : usualMs === 0 ? latencyMs : usualMs + (latencyMs - usualMs) * USUAL_WEIGHT
  // Another call of the same moment may have been told to stay away.
  const isAsked = now < pace.askedUntil
  const heard = { ...pace, usualMs: usual, closedFor: 0, failures: isAsked ? failures : 0 }
  if (waiting <= 1 || isFree(pace, { now, waiting })) return { ...heard, ...NO_END }
  if (failures > 0) {
    // Whoever hears late of the end of the outage is to be ready with the others.
    const over = pace.thereSince || now
    const planned = Math.max(over + planMs(over - failingSince), now + planMs(now - failingSince) / 2)
    const isSoon = !isPaced(pace, { now, waiting })
    if (isSoon || planned > endAt) {
      const begun = {
        ...heard,
        endAt: isSoon ? now + SMALL_END_MS : planned,
        overAt: over,
        plannedEndAt: planned,
        thereSince: 0,
        isRamping: isSoon || endAt === 0,
      }
      const first = now + gapOf(begun, { now, waiting }) * fraction
      return { ...begun, notBefore: isAsked ? pace.notBefore : first }
    }
  }
  return endAt === 0 ? heard : sooner(heard, isSlow, { now, waiting })
}

function notTaken(
  pace: Pace,
  retryAfterMs: number | null,
  { now, fraction, waiting }: Moment,
  silence: Backoff = BACKOFF,
): Pace {
  // While a small backlog leaves, a call that is turned away says that other lanes send theirs too.
  const isSoon = !isPaced(pace, { now, waiting }) && (retryAfterMs === null || pace.endAt === 0)
  // Of calls that were on their way together, the first to come back decides; the others can only lengthen the wait.
  const isAnother = pace.failures > 0 && now < pace.notBefore
  // Never earlier than asked, and all lanes that were asked together come back apart.
  const askedUntil =
    retryAfterMs === null
      ? -Infinity
      : isSoon
        ? now + retryAfterMs + Math.min(retryAfterMs / 2, PROBE_MS) * fraction
        : now + afterAsked(retryAfterMs, fraction)
  if (isAnother)
    return {
      ...pace,
      askedUntil: Math.max(pace.askedUntil, askedUntil),
      notBefore: Math.max(pace.notBefore, askedUntil),
    }
  // Who answers is there: what silence had taught is of no use then, and the other way round.
  const isLikeBefore = pace.failures > 0 && pace.isTurnedAway === (retryAfterMs !== null)
  const failures = isLikeBefore ? pace.failures + 1 : 1
  const isOnce = failures === 1 && pace.endAt > 0
  const ownWaitMs = isSoon
    ? fullJitter({ ...silence, capMs: PROBE_MS }, failures, fraction)
    : retryAfterMs === null
      ? fullJitter(silence, failures, fraction)
      : retryAfterMs + fullJitter(isOnce ? busy(retryAfterMs) : closedDoor(retryAfterMs), failures, fraction)
  // What an outage is followed by is seen when it is over.
  const isOutage = pace.endAt === 0 && (pace.failures > 0 || retryAfterMs === null)
  return {
    ...(isSoon ? pace : isOutage ? withOthers(pace) : later(pace, { now, waiting })),
    failures,
    isTurnedAway: retryAfterMs !== null,
    failedAt: now,
    failingSince: pace.failures > 0 ? pace.failingSince : now,
    notBefore: Math.max(now + ownWaitMs, askedUntil),
    askedUntil,
    thereSince: retryAfterMs === null ? 0 : pace.thereSince,
  }
}

function sent(pace: Pace, moment: Moment): Pace {
  if (pace.failures > 0 && !isPaced(pace, moment))
    return { ...pace, notBefore: moment.now + spread(PROBE_MS, moment.fraction) }
  if (pace.endAt === 0) return pace
  const gapMs = gapOf(pace, moment)
  return { ...pace, notBefore: moment.now + gapMs * (0.75 + moment.fraction / 2) }
}

function heardElsewhere(before: Pace, retryAfterMs: number | null, moment: Moment): Pace {
  // As usual: nothing was turned away, and nothing is now.
  if (retryAfterMs === null && before.failures === 0 && before.closedFor === 0) return before
  const pace = { ...before, closedFor: retryAfterMs === null ? 0 : before.closedFor + 1 }
  const isAway = pace.failures > 0 && !pace.isTurnedAway
  if (retryAfterMs !== null && pace.closedFor >= CLOSED && !isAway) return notTaken(pace, retryAfterMs, moment)
  // Whatever is turned away tells that there is no room for more.
  if (pace.failures === 0) return retryAfterMs === null ? pace : withOthers(pace)
  const there = { ...pace, thereSince: pace.thereSince || moment.now }
  // Its probes find the service soon enough.
  if (retryAfterMs === null && !isPaced(pace, moment)) return there
  if (retryAfterMs === null) {
    const soon = pace.failedAt + fullJitter(BACKOFF, pace.failures, 1) / HURRIED
    return { ...there, notBefore: Math.max(pace.askedUntil, Math.min(pace.notBefore, soon)) }
  }
  // There again, and too busy: the long wait of an outage is over, and that of a busy service begins.
  return pace.isTurnedAway ? there : notTaken({ ...there, notBefore: 0 }, retryAfterMs, moment)
}

/**
 * The lane's own: full jitter between tries, the service's own Retry-After before it, and after an outage a pace that
 * follows what the service takes.
 */
export const ADAPTIVE_PACE: PaceRules = {
  first: FIRST_PACE,
  begun(pace, { now, fraction, waiting }) {
    if (waiting < MANY_AT_START) return pace
    const isLarge = waiting > SMALL_BACKLOG
    const notBefore = now + fraction * (isLarge ? START_MS : SMALL_START_MS)
    return { ...pace, notBefore, endAt: notBefore + (isLarge ? START_MS : SMALL_END_MS), isRamping: true }
  },
  // While nobody knows whether the loyalty service is there, one call at a time asks.
  places: (pace, moment) =>
    pace.failures > 0
      ? isPaced(pace, moment)
        ? 1
        : PROBES_AT_ONCE
      : pace.endAt === 0 || !isPaced(pace, moment)
        ? MOST_AT_ONCE
        : Math.min(MOST_AT_ONCE, Math.max(1, Math.ceil(pace.usualMs / gapOf(pace, moment)))),
  sent,
  heard: (pace, heard, moment) =>
    heard.kind === 'taken'
      ? taken(pace, heard.latencyMs, moment)
      : heard.kind === 'no-token'
        ? notTaken(pace, null, moment, NO_TOKEN)
        : notTaken(pace, heard.retryAfterMs, moment),
  heardElsewhere,
}
