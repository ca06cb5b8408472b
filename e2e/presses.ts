import type { Page } from '@playwright/test'

const COUNTING = `
  globalThis.presses = []
  addEventListener('keydown', ({ key, ctrlKey, isTrusted }) => {
    if (isTrusted && key !== 'Control') presses.push((ctrlKey ? 'Ctrl+' : '') + key)
  }, { capture: true })
  addEventListener('pointerdown', ({ isTrusted }) => { if (isTrusted) presses.push('tap') }, { capture: true })`

/**
 * Presses and taps that reach the page from now on, as the browser counts them: trusted ones alone; a key with Ctrl is
 * one.
 */
export async function countPresses(window: Page): Promise<() => Promise<string[]>> {
  await window.evaluate(COUNTING)
  return () => window.evaluate<string[]>('presses')
}
