import type { DeviceListener, Health } from '../device.ts'

/** A listener that remembers, and lets a test wait for what it expects. For tests. */
export interface Recorder<Event> extends DeviceListener<Event> {
  readonly events: readonly Event[]
  readonly healths: readonly Health[]
  /** Resolves with the next `count` events that were not taken yet. */
  take(count: number): Promise<Event[]>
  /** Resolves when the device says this state, from now on or as the last thing that it said. */
  until(state: Health['state']): Promise<Health>
}

export function recorder<Event>(): Recorder<Event> {
  const events: Event[] = []
  const healths: Health[] = []
  let taken = 0
  let checks: (() => boolean)[] = []
  const settle = (): void => {
    checks = checks.filter((check) => !check())
  }
  return {
    events,
    healths,
    onEvent(event) {
      events.push(event)
      settle()
    },
    onHealth(health) {
      healths.push(health)
      settle()
    },
    take: (count) =>
      new Promise((resolve) => {
        checks.push(() => {
          if (events.length < taken + count) return false
          resolve(events.slice(taken, taken + count))
          taken += count
          return true
        })
        settle()
      }),
    until: (state) =>
      new Promise((resolve) => {
        checks.push(() => {
          const last = healths.at(-1)
          if (last?.state !== state) return false
          resolve(last)
          return true
        })
        settle()
      }),
  }
}
