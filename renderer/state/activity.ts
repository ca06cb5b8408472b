import { api } from '../api/terminal-api.ts'
import { useTerminal } from './terminal.ts'

/** Often enough for any time that a store would set, and no more than a call a minute. */
const TELL_AGAIN_MS = 60_000

/**
 * Tells the backend that somebody is there, who reads and touches and asks for nothing: otherwise it signs them out.
 * Answers what ends it.
 */
export function notifyActivity(
  target: Pick<Document, 'addEventListener' | 'removeEventListener'> = document,
): () => void {
  let told = performance.now()
  const notify = (): void => {
    if (!useTerminal.getState().terminal?.signedIn || performance.now() - told < TELL_AGAIN_MS) return
    told = performance.now()
    // Whoever cannot be heard is told so by what they do next.
    api.active().catch(() => undefined)
  }
  const signs = ['pointerdown', 'keydown'] as const
  for (const sign of signs) target.addEventListener(sign, notify, { capture: true, passive: true })
  return () => {
    for (const sign of signs) target.removeEventListener(sign, notify, { capture: true })
  }
}
