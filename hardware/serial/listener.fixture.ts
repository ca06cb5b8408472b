import type { DeviceListener, Health } from '../device.ts'

export interface Recorder<Event> extends DeviceListener<Event> {
  readonly events: readonly Event[]
  readonly healths: readonly Health[]
  take(count: number): Promise<Event[]>
  until(state: Health['state']): Promise<Health>
}

export function recorder<Event>(): Recorder<Event> {
  const events: Event[] = []
  const healths: Health[] = []
  let consumed = 0
  let checks: (() => boolean)[] = []
  const runChecks = (): void => {
    checks = checks.filter((check) => !check())
  }
  return {
    events,
    healths,
    onEvent(event) {
      events.push(event)
      runChecks()
    },
    onHealth(health) {
      healths.push(health)
      runChecks()
    },
    take: (count) =>
      new Promise((resolve) => {
        checks.push(() => {
          if (events.length < consumed + count) return false
          resolve(events.slice(consumed, consumed + count))
          consumed += count
          return true
        })
        runChecks()
      }),
    until: (state) =>
      new Promise((resolve) => {
        checks.push(() => {
          const last = healths.at(-1)
          if (last?.state !== state) return false
          resolve(last)
          return true
        })
        runChecks()
      }),
  }
}
