import { useEffect, useState } from 'react'

/**
 * A sign-in code that the customer's display shows. The display holds a lock for as long as it does: the windows of a
 * lane are of one browser, which releases the lock when the display closes or fails.
 */
const lockOf = (code: string): string => `shown-code ${code}`

const LOOK_MS = 500

/** Says that this window shows the code. Answers a function that takes it back. */
export function holdShownCode(code: string): () => void {
  const hidden = Promise.withResolvers<void>()
  void navigator.locks.request(lockOf(code), { mode: 'shared' }, () => hidden.promise)
  return () => hidden.resolve()
}

/** Whether a customer's display shows the code at this moment. */
export function useIsCodeShown(code: string): boolean {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    let isOver = false
    const look = async (): Promise<void> => {
      const { held = [] } = await navigator.locks.query()
      if (!isOver) setShown(held.some(({ name }) => name === lockOf(code)))
    }
    const timer = setInterval(() => void look(), LOOK_MS)
    void look()
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [code])
  return isShown
}
