import { existsSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium, type Page } from '@playwright/test'
import { z } from 'zod'
import { BROWSER_ARGS } from '../../e2e/browser.ts'
import { WINDOW_HEADER } from '../../contracts/core/window.ts'
import { PERSON_KEY_GAP_MS } from '../../e2e/keys.ts'
import { now, offsetFrom, type ClockOffset } from './clock.ts'

const OBSERVER = path.join(import.meta.dirname, 'page-observer.js')
const Started = z.object({ ms: z.number(), loaded: z.array(z.string()) })
/** Path of the full browser, which a lane uses too; the tests use the headless shell. */
const DEBIAN_CHROMIUM = '/usr/bin/chromium'
/** Step of the page’s clock: 100 µs, because the page has no cross-origin isolation. */
const PAGE_CLOCK_STEP_MS = 0.1
const CLOCK_READINGS = 100

/** A sale line shown for the first time; times by the page’s clock, in milliseconds since the epoch. */
const PaintedLine = z.object({ text: z.string(), changed: z.number(), painted: z.number() })
export type PaintedLine = z.infer<typeof PaintedLine>

const Interactions = z.object({ count: z.int(), slow: z.array(z.object({ name: z.string(), duration: z.number() })) })
/** Number of key presses and touches, and the milliseconds to the paint for each that took 16 or more. */
export type Interactions = z.infer<typeof Interactions>

export interface Start {
  readonly ms: number
  readonly packedBytes: number
}

type SessionHeaders = Readonly<Record<string, string>>
const shownOf = ({ [WINDOW_HEADER]: shown = '' }: SessionHeaders): Record<string, string> => ({
  [WINDOW_HEADER]: shown,
})

export interface Screen {
  readonly browser: string
  /**
   * Milliseconds from one small change of an empty page to its paint. Must be called before `open`, which loads the
   * terminal’s page.
   */
  barePaint(): Promise<number>
  open(url: string, session: SessionHeaders): Promise<void>
  start(url: string, session: SessionHeaders): Promise<Start>
  press(...keys: readonly string[]): Promise<void>
  type(text: string): Promise<void>
  interactions(): Promise<Interactions>
  shows(group: string): Promise<boolean>
  countRequests(pathEnd: string): () => number
  /** Resolves with the next sale line that has this text. Must be called before the line can appear. */
  line(text: string): Promise<PaintedLine>
  compareClocks(): Promise<ClockOffset>
  close(): Promise<void>
}

export async function openScreen(): Promise<Screen> {
  const browser = await chromium.launch({
    ...(existsSync(DEBIAN_CHROMIUM) ? { executablePath: DEBIAN_CHROMIUM } : {}),
    // On Ctrl-C the browser stays open: the end of the run closes it.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: BROWSER_ARGS,
  })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-CA' })
  const page: Page = await context.newPage()
  const listeners = new Set<(line: PaintedLine) => void>()
  await page.exposeFunction('milepostLinePainted', (line: unknown) => {
    const painted = PaintedLine.parse(line)
    for (const listener of listeners) listener(painted)
  })
  await page.addInitScript({ path: OBSERVER })
  await page.goto('about:blank')
  const measure = async (expression: string): Promise<number> => z.number().parse(await page.evaluate(expression))

  return {
    browser: `Chromium ${browser.version()}, headless, software rendering`,
    barePaint: () => measure('milepostBench.barePaint()'),
    async open(url, session) {
      await context.setExtraHTTPHeaders(shownOf(session))
      const follows = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/events')
      await page.goto(url)
      await follows
      await page.getByRole('main').waitFor()
      await page.evaluate('milepostBench.watchLines()')
    },
    async start(address, session) {
      const fresh = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-CA' })
      try {
        await fresh.setExtraHTTPHeaders(shownOf(session))
        const window = await fresh.newPage()
        await window.addInitScript({ path: OBSERVER })
        const packed = new Map<string, Promise<number>>()
        window.on('response', (response) => {
          if (new URL(response.url()).pathname.startsWith('/api/')) return
          const size = response.body().then((body) => gzipSync(body, { level: 9 }).byteLength)
          // A request after the sign-in may be cancelled when the window closes; its size is not needed.
          size.catch(() => undefined)
          packed.set(response.url(), size)
        })
        await window.goto(address)
        const { ms, loaded } = Started.parse(await window.evaluate('milepostBench.start()'))
        let packedBytes = 0
        for (const asked of [window.url(), ...loaded]) packedBytes += (await packed.get(asked)) ?? 0
        return { ms, packedBytes }
      } finally {
        await fresh.close()
      }
    },
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key)
    },
    type: (text) => page.keyboard.type(text, { delay: PERSON_KEY_GAP_MS }),
    interactions: async () => Interactions.parse(await page.evaluate('milepostBench.interactions()')),
    shows: (name) => page.getByRole('group', { name, exact: true }).isVisible(),
    countRequests(pathEnd) {
      let count = 0
      page.on('request', (asked) => {
        if (new URL(asked.url()).pathname.endsWith(pathEnd)) count += 1
      })
      return () => count
    },
    line: (text) =>
      new Promise((resolve) => {
        const take = (line: PaintedLine): void => {
          if (!line.text.includes(text)) return
          listeners.delete(take)
          resolve(line)
        }
        listeners.add(take)
      }),
    async compareClocks() {
      const readings = []
      for (let count = 0; count < CLOCK_READINGS; count += 1) {
        const before = now()
        const theirs = await measure('milepostBench.now()')
        readings.push({ before, theirs, after: now() })
      }
      return offsetFrom(readings, PAGE_CLOCK_STEP_MS)
    },
    close: () => browser.close(),
  }
}
