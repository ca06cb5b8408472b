/**
 * By when what an outage has left is to have gone. Each lane spreads what waits evenly until then, so that all lanes
 * end together, whether they have five calls or five hundred. Pure; times are of the monotonic clock, in ms.
 */
export interface QueueEnd {
  /** After an outage: by when all that waits is to have left; 0: it leaves as answers come. */
  readonly endAt: number
  /** What the lane had planned when the outage was over, as all lanes then did; 0: nothing. */
  readonly plannedEndAt: number
  /** Since the last outage the service has taken everything, at once: the end comes nearer with each answer. */
  readonly isRamping: boolean
  /** Calls of the queue that were taken since a call of any kind was turned away. */
  readonly takenInARow: number
}

export interface Waiting {
  readonly now: number
  /** Collectors whose calls wait. */
  readonly waiting: number
}

/** After an outage the queue begins with so many times the pace at which its calls had come. */
const CATCH_UP = 12
/** Of a longer outage a part is night: what waits is to have left within this time, or with twice that pace. */
const LONG_PLAN_MS = 3_600_000
const LONGEST_GAP_MS = 30_000
/** Below this it does not matter: the answers themselves take longer. */
const SHORTEST_GAP_MS = 20
/** Of a gap that a refusal finds. */
const REFUSED_GAP_MS = 1_000
/** By how much of what is left the end comes nearer with a call that was taken, as long as nothing was turned away. */
const RAMP = 0.03
/**
 * Afterwards by so much of a gap, and by so much more for each call that was taken since one was turned away: small
 * steps, since ten thousand lanes take them together.
 */
const QUICKER = 0.1
const QUICKENING = 0.05
/** Who is behind the plan takes steps that are up to so many times as long, squared. */
const MOST_BEHIND = 1.5
/** With a call that was turned away it moves away by so many gaps, within these parts of what is left. */
const SLOWER = { gaps: 6, least: 0.05, most: 0.15 } as const
/** How far back to the plan a lane goes that had hurried until its first call was turned away. */
const BACK = 0.5

export const NO_END: QueueEnd = { endAt: 0, plannedEndAt: 0, isRamping: false, takenInARow: 0 }

/** Within how long what such an outage has left is to have gone, in ms. */
export const planMs = (outageMs: number): number =>
  Math.max(outageMs / CATCH_UP / 2, Math.min(outageMs / CATCH_UP, LONG_PLAN_MS))

/** From one send to the next: all that waits, evenly until the end. */
export function gapOf({ endAt, isRamping }: QueueEnd, { now, waiting }: Waiting): number {
  if (endAt === 0) return 0
  const gapMs = Math.max(0, endAt - now) / Math.max(1, waiting)
  return Math.min(LONGEST_GAP_MS, Math.max(isRamping ? SHORTEST_GAP_MS : REFUSED_GAP_MS, gapMs))
}

/** Nothing was turned away, and the answers themselves take longer than the gap. */
export const isFree = ({ endAt, isRamping }: QueueEnd, { now, waiting }: Waiting): boolean =>
  isRamping && endAt > 0 && (endAt - now) / waiting < SHORTEST_GAP_MS

/**
 * How much of what is left a call that was taken saves. Who is behind what all lanes had planned takes larger steps,
 * and who is before it smaller ones: so they end together, however often each was turned away.
 */
function quickening({ endAt, plannedEndAt, isRamping, takenInARow }: QueueEnd, { now, waiting }: Waiting): number {
  if (isRamping) return RAMP
  const behind = plannedEndAt === 0 ? 1 : Math.min(MOST_BEHIND, (endAt - now) / Math.max(1, plannedEndAt - now))
  return Math.min(RAMP, ((QUICKER + QUICKENING * takenInARow) * behind ** 2) / waiting)
}

/** A call of the queue was taken. `isSlow`: its answer says that calls queue up at the service. */
export function sooner<End extends QueueEnd>(end: End, isSlow: boolean, at: Waiting): End {
  const step = isSlow ? 0 : quickening(end, at)
  return {
    ...end,
    endAt: at.now + Math.max(0, end.endAt - at.now) * (1 - step),
    isRamping: end.isRamping && !isSlow,
    takenInARow: end.takenInARow + 1,
  }
}

/** A call of any kind was turned away: there are other lanes, and who had hurried the most comes back to them. */
export function withOthers<End extends QueueEnd>(end: End): End {
  const { endAt, plannedEndAt, isRamping } = end
  const isAhead = isRamping && endAt > 0 && endAt < plannedEndAt
  return {
    ...end,
    endAt: isAhead ? endAt + BACK * (plannedEndAt - endAt) : endAt,
    isRamping: false,
    takenInARow: 0,
  }
}

/** A call of the queue was turned away. */
export function later<End extends QueueEnd>(end: End, { now, waiting }: Waiting): End {
  const back = withOthers(end)
  const slower = Math.min(SLOWER.most, Math.max(SLOWER.least, SLOWER.gaps / waiting))
  return { ...back, endAt: now + Math.max(waiting * REFUSED_GAP_MS, (back.endAt - now) * (1 + slower)) }
}
