import { api } from '../api/terminal-api.ts'

const TOUCHES = ['pointerdown', 'keydown', 'focus'] as const

let acting = false

/** The terminal says which window was touched last. */
export const takeActing = (acts: boolean): void => {
  acting = acts
}

/**
 * From now on the terminal hears when this window is touched: what a gesture asks of a person is asked where that
 * person is. A window that opens is one. Answers a function that ends it.
 */
export function notifyTouches(): () => void {
  const touched = (): void => {
    if (acting) return
    acting = true
    // Who cannot be heard is told so by what they do next.
    api.act().catch(() => {
      acting = false
    })
  }
  for (const touch of TOUCHES) addEventListener(touch, touched, { capture: true })
  return () => {
    acting = false
    for (const touch of TOUCHES) removeEventListener(touch, touched, { capture: true })
  }
}

/** A stream of events that begins anew: the terminal may have forgotten, or another window has gone. */
export function actAgain(): void {
  acting = document.hasFocus()
  if (acting) api.act().catch(() => undefined)
}
