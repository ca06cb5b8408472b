import type { QueueSummary } from '../contracts/api/diagnostics.ts'

/** Whether the central services were heard at the last call of any kind. */
export interface CentreStatus {
  readonly state: QueueSummary['centre']
  heard(reachable: boolean): void
  onChange(listener: (state: QueueSummary['centre']) => void): void
}

export function createCentreStatus(): CentreStatus {
  let state: QueueSummary['centre'] = 'unknown'
  const listeners: ((state: QueueSummary['centre']) => void)[] = []
  return {
    get state() { return state },
    heard(reachable) {
      const next = reachable ? 'online' : 'offline'
      if (next === state) return
      state = next
      for (const listener of listeners) listener(next)
    },
    onChange: (listener) => { listeners.push(listener) },
  }
}
