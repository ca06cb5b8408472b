/** Who waits for news of a store. A hint that was missed costs a wait, never a fact: whoever waited looks again. */
export function createNews() {
  const waiting = new Map<string, Set<() => void>>()
  const wakeOf = (store: string): void => {
    const all = waiting.get(store)
    waiting.delete(store)
    for (const wake of all ?? []) wake()
  }
  return {
    /** News of this store; null: perhaps of any. */
    told: (store: string | null): void => {
      for (const one of store === null ? [...waiting.keys()] : [store]) wakeOf(one)
    },
    /** Resolves at the next news of the store, after so many milliseconds, or when the caller is gone. */
    wait: (store: string, ms: number, gone: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (gone.aborted) return resolve()
        const done = (): void => {
          clearTimeout(timer)
          gone.removeEventListener('abort', done)
          waiting.get(store)?.delete(done)
          resolve()
        }
        const timer = setTimeout(done, ms)
        gone.addEventListener('abort', done, { once: true })
        const all = waiting.get(store) ?? new Set()
        waiting.set(store, all.add(done))
      }),
  }
}
