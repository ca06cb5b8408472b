import { setTimeout } from 'node:timers/promises'
import type { Page } from '@playwright/test'

/** Pause between two keys of a person, in milliseconds. Keys without a pause count as a scan. */
export const PERSON_KEY_GAP_MS = 80

export interface KeyboardScanner {
  readonly suffix?: 'Enter' | 'Tab' | null
  readonly gapMs?: number
}

/** One keyboard key: the character in the system's layout, and the code, which is the same in every layout. */
export interface ScannerKey {
  readonly key: string
  readonly code: string
  readonly shift?: boolean
}
const SHIFT = 8
const asEvent = ({ key, code, shift = false }: ScannerKey) => ({
  key,
  code,
  text: key === 'Dead' ? undefined : key,
  modifiers: shift ? SHIFT : 0,
})

/**
 * Types like a keyboard-wedge scanner: key events with the timestamps of a scanner, independent of the load of this
 * machine. They are sent in one batch, as from a keyboard queue.
 */
export async function typeAsScanner(
  page: Page,
  scanned: string | readonly ScannerKey[],
  { suffix = 'Enter', gapMs = 4 }: KeyboardScanner = {},
): Promise<void> {
  const browser = await page.context().newCDPSession(page)
  const code = typeof scanned === 'string' ? [...scanned].map((key) => ({ key, text: key })) : scanned.map(asEvent)
  const keys = [...code, ...(suffix ? [{ key: suffix, text: suffix === 'Enter' ? '\r' : undefined }] : [])]
  const begin = Date.now() / 1000
  await Promise.all(
    keys.flatMap((key, index) => {
      const timestamp = begin + (index * gapMs) / 1000
      const type = key.text === undefined ? 'rawKeyDown' : 'keyDown'
      return [
        browser.send('Input.dispatchKeyEvent', { ...key, type, timestamp }),
        browser.send('Input.dispatchKeyEvent', {
          ...key,
          text: undefined,
          type: 'keyUp',
          timestamp: timestamp + 0.001,
        }),
      ]
    }),
  )
  await browser.detach()
  // The scanner's key events arrive before their timestamps. Keys that a person types afterwards must have later
  // timestamps, after a pause.
  await setTimeout(Math.max(0, begin * 1000 + keys.length * gapMs + PERSON_KEY_GAP_MS - Date.now()))
}
