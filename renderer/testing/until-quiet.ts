import type { Page, Request } from '@playwright/test'

/** Time without requests and answers, in milliseconds, after which a page counts as quiet. */
const QUIET_MS = 500

/**
 * Waits until the page has neither sent a request nor received an answer for `QUIET_MS`, similar to Playwright's
 * `networkidle`, except for the event stream, which never ends.
 */
export async function untilQuiet(page: Page): Promise<void> {
  let last = performance.now()
  const note = (request: Request): void => {
    if (!request.url().includes('/api/events')) last = performance.now()
  }
  const events = ['request', 'requestfinished', 'requestfailed'] as const
  for (const event of events) page.on(event as 'request', note)
  while (performance.now() - last < QUIET_MS) await page.waitForTimeout(50)
  for (const event of events) page.off(event as 'request', note)
}
