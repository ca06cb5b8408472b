import type { Say } from '../words.ts'
import { displayMissing, findBrowser } from './browser.ts'

/** What shows the terminal where no shell does, and why that. */
export type LaneWindow =
  | { readonly kind: 'browser'; readonly name: string; readonly program: string; readonly why: string }
  | { readonly kind: 'none'; readonly why: string }

/** Why no window is opened although nobody has looked for a program yet, or null. */
export function noWindow(asked: boolean, say: Say): string | null {
  if (asked) return say('window.noneAsked')
  return displayMissing() === null ? null : say('window.noDisplay')
}

/** An app window of an installed browser where there is one. */
export function browserWindow(why: string, say: Say): LaneWindow {
  const browser = findBrowser()
  return browser === null
    ? { kind: 'none', why: say('window.noBrowser', { why }) }
    : { kind: 'browser', ...browser, why }
}
