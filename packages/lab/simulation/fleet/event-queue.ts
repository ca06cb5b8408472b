import type { Clock } from '../../../../backend/core/clock.ts'

/**
 * Simulated time of a fleet. Planned work runs in the order of its time, and at equal times in the order in which it
 * was planned. A calendar queue over arrays (Brown, Calendar queues, 1988) without promises, because a day of ten
 * thousand lanes has some hundred million events.
 */
export interface Timeline extends Pick<Clock, 'monotonic' | 'after'> {
  readonly now: number
  plan(ms: number, work: () => void): void
  runUntil(end: number): void
}

interface Bucket {
  readonly times: number[]
  readonly works: (() => void)[]
  count: number
}

const BUCKET_MS = 8
/**
 * Number of buckets per round of the calendar queue. Work of a later round waits in one bucket for the whole round, and
 * is distributed when the round begins.
 */
const BUCKETS = 8_192
const ROUND_MS = BUCKETS * BUCKET_MS

export function createTimeline(): Timeline {
  const ring = Array.from({ length: BUCKETS }, emptyBucket)
  const later = new Map<number, Bucket>()
  let now = 0
  let round = 0
  let place = 0
  let running = ring[0] ?? emptyBucket()
  let happened = 0

  function plan(ms: number, work: () => void): void {
    const time = now + Math.max(0, ms)
    const roundOfTime = Math.floor(time / ROUND_MS)
    if (roundOfTime !== round) return put(bucketOfRound(roundOfTime), time, work)
    const at = Math.floor(time / BUCKET_MS) - round * BUCKETS
    if (at === place) insert(running, running.count, happened, time, work)
    else put(ring[at], time, work)
  }

  function bucketOfRound(turnOfIt: number): Bucket {
    const known = later.get(turnOfIt)
    if (known) return known
    const made = emptyBucket()
    later.set(turnOfIt, made)
    return made
  }

  function advance(): void {
    running.count = happened = 0
    place += 1
    if (place === BUCKETS) {
      place = 0
      round += 1
      distribute(later.get(round))
      later.delete(round)
    }
    running = ring[place] ?? running
    sort(running)
  }

  function distribute(planned: Bucket | undefined): void {
    planned?.times.forEach((time, at) => {
      put(ring[Math.floor(time / BUCKET_MS) - round * BUCKETS], time, planned.works[at] ?? nothing)
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
        } else if ((round * BUCKETS + place + 1) * BUCKET_MS > end) break
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

/** Sorts a bucket by insertion, because a bucket has only a few dozen items. */
function sort(bucket: Bucket): void {
  for (let next = 1; next < bucket.count; next += 1)
    insert(bucket, next, 0, bucket.times[next] ?? 0, bucket.works[next] ?? nothing)
}
