import type { Page } from '@playwright/test'

const COUNTING = `
  globalThis.presses = []
  addEventListener('keydown', ({ key, ctrlKey, isTrusted }) => {
    if (isTrusted && key !== 'Control') presses.push((ctrlKey ? 'Ctrl+' : '') + key)
  }, { capture: true })
  addEventListener('pointerdown', ({ isTrusted }) => { if (isTrusted) presses.push('tap') }, { capture: true })`

/**
 * Records the key presses and taps of a person from now on; a key with Ctrl counts as one. The returned function reads
 * them.
 */
export async function countPresses(window: Page): Promise<() => Promise<string[]>> {
  await window.evaluate(COUNTING)
  return () => window.evaluate<string[]>('presses')
}
