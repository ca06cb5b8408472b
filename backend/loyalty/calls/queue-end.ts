/**
 * By when what an outage has left is to have gone. Each lane spreads what waits evenly until then, so that all lanes
 * end together, whether they have five calls or five hundred. Pure; times are of the monotonic clock, in ms.
 */
export interface QueueEnd {
  /** After an outage: by when all that waits is to have left; 0: it leaves as answers come. */
  readonly endAt: number
  /** When the outage was over. */
  readonly overAt: number
  /** What the lane had planned then, as all lanes did; 0: nothing. */
  readonly plannedEndAt: number
  /** Since the last outage the service has taken everything: the end comes nearer quickly. */
  readonly isRamping: boolean
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
/** By how much of what is left the end comes nearer with a call that was taken, at the most. */
const RAMP = 0.03
/**
 * Once a call was turned away it comes nearer by a gap, times this power of how long the lane takes against the plan.
 * With the second some lanes end in half of the time of others; with the sixth nobody quickens any more where the
 * service could take twice as much as was planned.
 */
const EVENNESS = 4
/** With a call that was turned away it moves away by so many gaps, within these parts of what is left. */
const SLOWER = { gaps: 4, least: 0.03, most: 0.15 } as const
/** How far back to the plan a lane goes that had hurried until its first call was turned away. */
const BACK = 0.5

export const NO_END: QueueEnd = { endAt: 0, overAt: 0, plannedEndAt: 0, isRamping: false }

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
 * and who is before it smaller ones: so they end together, however often each was turned away. Both times are counted
 * from the end of the outage: counted from now on, all would be far before the plan in the end, and nobody would take
 * the place of those who are done.
 */
function quickening({ endAt, overAt, plannedEndAt, isRamping }: QueueEnd, { waiting }: Waiting): number {
  if (isRamping) return RAMP
  const behind = plannedEndAt === 0 ? 1 : (endAt - overAt) / Math.max(1, plannedEndAt - overAt)
  return Math.min(RAMP, behind ** EVENNESS / waiting)
}

/**
 * A call of the queue was taken. `isSlow`: its answer says that calls queue up at the service. One in forty is slow by
 * chance: it ends nobody's hurry, or those whom it ended earlier would keep ahead of the others.
 */
export function sooner<End extends QueueEnd>(end: End, isSlow: boolean, at: Waiting): End {
  const step = isSlow ? 0 : quickening(end, at)
  return { ...end, endAt: at.now + Math.max(0, end.endAt - at.now) * (1 - step) }
}

/** A call of any kind was turned away: there are other lanes, and who had hurried the most comes back to them. */
export function withOthers<End extends QueueEnd>(end: End): End {
  const { endAt, plannedEndAt, isRamping } = end
  const isAhead = isRamping && endAt > 0 && endAt < plannedEndAt
  return {
    ...end,
    endAt: isAhead ? endAt + BACK * (plannedEndAt - endAt) : endAt,
    isRamping: false,
  }
}

/** A call of the queue was turned away. */
export function later<End extends QueueEnd>(end: End, { now, waiting }: Waiting): End {
  const back = withOthers(end)
  const slower = Math.min(SLOWER.most, Math.max(SLOWER.least, SLOWER.gaps / waiting))
  return { ...back, endAt: now + Math.max(waiting * REFUSED_GAP_MS, (back.endAt - now) * (1 + slower)) }
}
