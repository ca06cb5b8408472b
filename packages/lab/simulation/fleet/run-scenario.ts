import { createSeededRng } from '../rng.ts'
import { createCentre, type Centre } from './central-services.ts'
import { createTimeline } from './event-queue.ts'
import { FleetLane } from './lane.ts'
import type { Policy } from './policies.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import type { Scenario } from './scenarios.ts'

export interface Window {
  readonly at: number
  readonly ms: number
  readonly capacity: number
  readonly offered: number
  readonly rejected: number
  readonly useful: number
  readonly firsts: number
  readonly live: number
  readonly repeats: number
  /** Number of completed sales. */
  readonly born: number
  /** Number of calls that are queued at the end of the time window, and the age of the oldest one in milliseconds. */
  readonly waiting: number
  readonly oldestMs: number
}

export interface Played {
  readonly scenario: Scenario
  readonly policy: Policy
  readonly lanes: number
  readonly seconds: number
  /** Processor time of the run, which depends on the other load of the machine. */
  readonly cpuSeconds: number
  readonly windows: readonly Window[]
  readonly recorder: Recorder
  /**
   * `backlog`: number of calls queued at the end of the outage. `drainedMs`: time from then until the last of these
   * calls was confirmed; null if some were still queued at the end of the run.
   */
  readonly backlog: number
  readonly drainedMs: number | null
  /** Time from the end of the outage until 99 % of the calls queued at that time were confirmed. */
  readonly drained99Ms: number | null
  readonly laneDrainMs: readonly number[]
  /** Number of calls that are neither confirmed nor queued at the end, or are confirmed but were not executed. */
  readonly lost: number
  readonly doubled: number
}

const WINDOW_MS = 10_000
/** Simulated time that is still played after the calls that were queued when the outage ended are done. */
const AFTER_MS = 300_000
/** Number of lanes of the fleet, for which the services below are sized; docs/fleet.md has the reasons. */
export const LANES = 10_000
const CENTRE = { workers: 60, meanServiceMs: 60, queueLimit: 30, frontPerSecond: 10_000, retryAfterSeconds: 30 }
const TOKENS = { workers: 10, meanServiceMs: 50, queueLimit: 5, frontPerSecond: 2_000, retryAfterSeconds: 30 }

const sized = (size: typeof CENTRE, lanes: number): typeof CENTRE => {
  const share = (count: number): number => Math.max(1, Math.round((count * lanes) / LANES))
  return {
    ...size,
    workers: share(size.workers),
    queueLimit: share(size.queueLimit),
    frontPerSecond: share(size.frontPerSecond),
  }
}

/** Simulates a scenario with `lanes` lanes and services sized for them. The same seed gives the same run. */
export function playFleet(scenario: Scenario, policy: Policy, options: { lanes: number; seed: number }): Played {
  const { lanes: count, seed } = options
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const rng = createSeededRng(seed, scenario.id)
  const timeline = createTimeline()
  const recorder = createRecorder()
  const centre = createCentre(timeline, rng.for('centre'), sized(CENTRE, count))
  const tokenService = createCentre(timeline, rng.for('tokens'), sized(TOKENS, count))
  const { startsAt } = scenario
  const world = { timeline, centre, tokenService, recorder, policy, startsAt, nextId: 0 }
  const lanes = Array.from({ length: count }, (_, index) => new FleetLane(world, rng.for(`lane ${index}`)))
  const switchedOn = rng.for('switched on')
  for (const lane of lanes)
    timeline.plan(switchedOn.fraction() * scenario.startsWithin, () => {
      lane.start(scenario.left)
    })
  for (const { at, of, condition } of scenario.changes)
    timeline.plan(at, () => {
      const service = of === 'centre' ? centre : tokenService
      service.set(condition)
    })

  const windows: Window[] = []
  const countWindow = watch(recorder, centre)
  let backlog = -1
  let drainedAt: number | null = null
  let drained99At: number | null = null
  while (timeline.now < scenario.ends && (drainedAt === null || timeline.now < drainedAt + AFTER_MS)) {
    const isOver = timeline.now >= scenario.over + (scenario.over === 0 ? scenario.startsWithin : 0)
    if (isOver && backlog === -1) {
      backlog = recorder.waiting
      for (const lane of lanes) lane.drainFrom()
    }
    // The capacity is read first: a change of the services’ condition at the end of a window belongs to the next
    // window.
    const capacity = (centre.capacity() * WINDOW_MS) / 1_000
    timeline.runUntil(timeline.now + WINDOW_MS)
    windows.push({ at: timeline.now, ms: WINDOW_MS, capacity, ...countWindow(lanes, timeline.now) })
    if (backlog > -1 && drained99At === null && left(lanes) <= backlog / 100) drained99At = timeline.now
    if (backlog > -1 && drainedAt === null && lanes.every(({ drainedAt: at }) => at !== null)) drainedAt = timeline.now
  }
  const from = scenario.over
  const { user, system } = process.cpuUsage(cpuBefore)
  const drains = lanes.filter(({ hadToDrain }) => hadToDrain > 0)
  return {
    scenario,
    policy,
    lanes: count,
    seconds: (performance.now() - startedAt) / 1_000,
    cpuSeconds: (user + system) / 1_000_000,
    windows,
    recorder,
    backlog,
    drainedMs: drainedAt === null ? null : Math.max(0, ...drains.map((lane) => (lane.drainedAt ?? 0) - from)),
    drained99Ms: drained99At === null ? null : drained99At - from,
    laneDrainMs: drains.map((lane) => (lane.drainedAt ?? timeline.now) - from),
    lost: recorder.lost + lanes.reduce((sum, lane) => sum + lane.missing(), 0),
    doubled: recorder.doubled,
  }
}

const left = (lanes: readonly FleetLane[]): number => lanes.reduce((sum, lane) => sum + lane.leftToDrain, 0)

function watch(recorder: Recorder, centre: Centre) {
  const total = () => ({
    offered: centre.counts.offered,
    rejected: centre.counts.rejected,
    useful: recorder.useful,
    firsts: recorder.firsts,
    live: recorder.live,
    repeats: recorder.repeats,
    born: recorder.born,
  })
  let before = total()
  return (lanes: readonly FleetLane[], now: number): Omit<Window, 'at' | 'ms' | 'capacity'> => {
    const after = total()
    const since = {
      offered: after.offered - before.offered,
      rejected: after.rejected - before.rejected,
      useful: after.useful - before.useful,
      firsts: after.firsts - before.firsts,
      live: after.live - before.live,
      repeats: after.repeats - before.repeats,
      born: after.born - before.born,
    }
    before = after
    const oldest = lanes.reduce((at, lane) => Math.min(at, lane.oldest()), now)
    return {
      ...since,
      waiting: recorder.waiting,
      oldestMs: now - oldest,
    }
  }
}
