import { displayMissing, findBrowser } from './browser.ts'

/** What shows the terminal where no shell does, and why that. */
export type LaneWindow =
  | { readonly kind: 'browser'; readonly name: string; readonly program: string; readonly why: string }
  | { readonly kind: 'none'; readonly why: string }

/** Why no window is opened although nobody has looked for a program yet, or null. */
export const noWindow = (asked: boolean): string | null => (asked ? 'you asked for no window' : displayMissing())

/** An app window of an installed browser where there is one. */
export function browserWindow(why: string): LaneWindow {
  const browser = findBrowser()
  return browser === null
    ? { kind: 'none', why: `${why}; and no Chromium, Chrome or Edge was found` }
    : { kind: 'browser', ...browser, why }
}
