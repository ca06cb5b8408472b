import type { Clock } from '../../../../backend/core/clock.ts'

/**
 * Time of a fleet: what is planned happens in the order of its time, and of its planning where the times are the same.
 * A calendar of buckets over arrays (Brown, Calendar queues, 1988), and no promises: a day of ten thousand lanes is
 * some hundred million happenings.
 */
export interface Timeline extends Pick<Clock, 'monotonic' | 'after'> {
  readonly now: number
  plan(ms: number, work: () => void): void
  /** Lets time pass until this moment, in ms since the beginning. */
  runUntil(end: number): void
}

/** What is planned within a while, in the order of its planning until it is sorted. Its arrays never shrink. */
interface Bucket {
  readonly times: number[]
  readonly works: (() => void)[]
  count: number
}

const BUCKET_MS = 8
/** A turn of the calendar. What is planned for a later one waits in a bucket of that turn. */
const BUCKETS = 8_192
const TURN_MS = BUCKETS * BUCKET_MS

export function createTimeline(): Timeline {
  const ring = Array.from({ length: BUCKETS }, emptyBucket)
  const later = new Map<number, Bucket>()
  let now = 0
  let turn = 0
  /** The bucket that runs, its place, and how much of it has happened. */
  let place = 0
  let running = ring[0] ?? emptyBucket()
  let happened = 0

  function plan(ms: number, work: () => void): void {
    const time = now + Math.max(0, ms)
    const turnOfIt = Math.floor(time / TURN_MS)
    if (turnOfIt !== turn) return put(laterBucket(turnOfIt), time, work)
    const at = Math.floor(time / BUCKET_MS) - turn * BUCKETS
    if (at === place) insert(running, running.count, happened, time, work)
    else put(ring[at], time, work)
  }

  function laterBucket(turnOfIt: number): Bucket {
    const known = later.get(turnOfIt)
    if (known) return known
    const made = emptyBucket()
    later.set(turnOfIt, made)
    return made
  }

  /** Goes to the next bucket, and lays out those of the next turn where this was the last of its own. */
  function advance(): void {
    running.count = happened = 0
    place += 1
    if (place === BUCKETS) {
      place = 0
      turn += 1
      layOut(later.get(turn))
      later.delete(turn)
    }
    running = ring[place] ?? running
    sort(running)
  }

  function layOut(planned: Bucket | undefined): void {
    planned?.times.forEach((time, at) => {
      put(ring[Math.floor(time / BUCKET_MS) - turn * BUCKETS], time, planned.works[at] ?? nothing)
    })
  }

  return {
    get now() {
      return now
    },
    monotonic: () => now,
    plan,
    after(ms, work) {
      let isCalledOff = false
      plan(ms, () => {
        if (!isCalledOff) work()
      })
      return () => {
        isCalledOff = true
      }
    },
    runUntil(end) {
      for (;;) {
        if (happened < running.count) {
          const [time, work] = [running.times[happened] ?? 0, running.works[happened] ?? nothing]
          if (time > end) break
          happened += 1
          now = time
          work()
        } else if ((turn * BUCKETS + place + 1) * BUCKET_MS > end) break
        else advance()
      }
      now = end
    },
  }
}

const emptyBucket = (): Bucket => ({ times: [], works: [], count: 0 })
const nothing = (): void => undefined

function put(bucket: Bucket | undefined, time: number, work: () => void): void {
  if (bucket === undefined) return
  bucket.times[bucket.count] = time
  bucket.works[bucket.count] = work
  bucket.count += 1
}

/** Before this place, into what is sorted from another on: behind all that happens at the same time. */
function insert(bucket: Bucket, before: number, from: number, time: number, work: () => void): void {
  const { times, works } = bucket
  let at = before
  while (at > from && (times[at - 1] ?? 0) > time) {
    times[at] = times[at - 1] ?? 0
    works[at] = works[at - 1] ?? nothing
    at -= 1
  }
  times[at] = time
  works[at] = work
  bucket.count = Math.max(bucket.count, before + 1)
}

/** By insertion: a bucket has a few dozen. */
function sort(bucket: Bucket): void {
  for (let next = 1; next < bucket.count; next += 1)
    insert(bucket, next, 0, bucket.times[next] ?? 0, bucket.works[next] ?? nothing)
}
