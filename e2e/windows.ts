import type { Page } from '@playwright/test'
import { WINDOW_HEADER } from '../contracts/core/window.ts'
import type { Lane } from './lane.ts'

const shown = new WeakMap<Page, string>()

/** Records the request header with which this page authenticates to its lane. */
export function noteHeader(page: Page): void {
  page.on('request', (request) => {
    const header = request.headers()[WINDOW_HEADER]
    if (header !== undefined) shown.set(page, header)
  })
}

export const headersOf = (page: Page): Record<string, string> => ({ [WINDOW_HEADER]: shown.get(page) ?? '' })

export async function readAs<Answer>(page: Page, path: string): Promise<Answer> {
  const answer = await page.request.get(new URL(path, page.url()).href, { headers: headersOf(page) })
  return (await answer.json()) as Answer
}

export async function openDisplay(window: Page, lane: Lane): Promise<Page> {
  const display = await window.context().newPage()
  noteHeader(display)
  const link = lane.nextLink()
  await display.goto(new URL('/customer', lane.url).href)
  const opened = display.waitForRequest((request) => WINDOW_HEADER in request.headers())
  await display.goto(await link)
  await opened
  return display
}

/** Reloads the page, which then has no session key: it requests a new link and continues without a signed-in person. */
export async function reloadByLink(page: Page, lane: Lane): Promise<void> {
  const link = lane.nextLink()
  await page.reload()
  await page.goto(await link)
}
