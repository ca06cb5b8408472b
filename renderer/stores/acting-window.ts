const LOCK = 'milepost.acting-window'
const TOUCHES = ['pointerdown', 'keydown', 'focus'] as const

let acting = true

/** Whether this window does what a scan asks of a person: every window of a lane hears of it, and it is to be done once. */
export const windowActs = (): boolean => acting

/**
 * From now on the window that was touched last acts, and the one before it again when that one is closed. A browser
 * without locks lets each act for itself. Answers a function that ends it.
 */
export function takeTurns(): () => void {
  if (!('locks' in navigator)) return () => undefined
  const ended = Promise.withResolvers<void>()
  let over = false
  let behind: AbortController | undefined

  /** Holds the lock until another window takes it, then stands in line again. */
  async function hold(options: LockOptions): Promise<void> {
    try {
      await navigator.locks.request(LOCK, options, async (lock) => {
        acting = lock !== null
        if (lock) await ended.promise
      })
    } catch {
      // Taken by the window that is touched now, or given up to be taken here.
      if (options.signal?.aborted) return
      acting = false
    }
    if (over) return
    behind = new AbortController()
    await hold({ signal: behind.signal })
  }

  function onTouch(): void {
    if (acting) return
    behind?.abort()
    acting = true
    void hold({ steal: true })
  }

  void hold({ ifAvailable: true })
  for (const touch of TOUCHES) addEventListener(touch, onTouch, { capture: true })
  return () => {
    over = true
    behind?.abort()
    ended.resolve()
    acting = true
    for (const touch of TOUCHES) removeEventListener(touch, onTouch, { capture: true })
  }
}
