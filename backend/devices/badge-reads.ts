import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'

export type BadgeReads = ReturnType<typeof createBadgeReads>

/** Badges that wait to be used, in memory only: each once, and not for long. A window knows one by its id alone. */
export function createBadgeReads(clock: Pick<Clock, 'monotonic'>, lifetimeMs: number) {
  const held = new Map<string, { readonly number: string; readonly until: number }>()
  const forgetExpired = (): void => {
    for (const [id, { until }] of held) if (until <= clock.monotonic()) held.delete(id)
  }
  return {
    hold(number: string): string {
      forgetExpired()
      const readId = randomUUID()
      held.set(readId, { number, until: clock.monotonic() + lifetimeMs })
      return readId
    },
    take(readId: string): string | undefined {
      forgetExpired()
      const read = held.get(readId)
      held.delete(readId)
      return read?.number
    },
  }
}
