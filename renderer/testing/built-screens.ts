import { chromium, type Browser, type BrowserContextOptions, type Page } from '@playwright/test'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { BROWSER } from '../../e2e/browser.ts'
import { BUILT } from './build.ts'
import { FACTS } from './fixture-facts.ts'
import { startFixtureTerminal, type FixtureState, type FixtureTerminal } from './fixture-terminal.ts'

const EVERYDAY = {
  sale: null,
  mode: 'production',
  stopped: null,
  central: 'online',
  attention: 0,
  notOnPaper: 0,
} as const satisfies Partial<FixtureState>

export interface BuiltScreens {
  /** The stand-in for the backend, set anew before each test. */
  readonly terminal: FixtureTerminal
  /** A fresh window for each test. */
  readonly page: Page
  /** Opens the sale that the terminal has in the window. */
  openSale(): Promise<Pick<BuiltScreens, 'terminal' | 'page'>>
  /** What the window asked for by anything but GET, on paths with this ending. */
  posted(ending: string): FixtureTerminal['calls']
  /** Holds the next answer of a route; what it says is decided when it is asked. */
  holdAnswer(path: string): Promise<{ asked: Promise<void>; release: () => void }>
}

/**
 * The built screens in the lane's own browser engine, with a stand-in for the backend: what only real keys and real
 * focus can show. Call it once at the top of a test file. `atStart`: what the terminal is before each test, beside an
 * everyday one.
 */
export function useBuiltScreens(
  atStart: () => Partial<FixtureState>,
  window: BrowserContextOptions = {},
): BuiltScreens {
  let terminal: FixtureTerminal
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    terminal = await startFixtureTerminal(BUILT, FACTS)
    browser = await chromium.launch(BROWSER)
  }, 120_000)

  afterAll(async () => {
    await browser?.close()
    await terminal?.close()
  })

  beforeEach(async () => {
    await page?.close()
    terminal.calls.length = 0
    Object.assign(terminal.state, EVERYDAY, { answers: {} }, atStart())
    page = await browser.newPage({ locale: 'en-CA', ...window })
    // Requests are held from the first on: a browser that is asked to only later may let the next one through.
    await page.route('**/held-from-the-start', (route) => route.abort())
  }, 30_000)

  return {
    get terminal() {
      return terminal
    },
    get page() {
      return page
    },
    async openSale() {
      await page.goto(terminal.url)
      await page.getByRole('grid').waitFor()
      return { terminal, page }
    },
    posted: (ending) => terminal.calls.filter(({ path }) => path.endsWith(ending)),
    async holdAnswer(path) {
      const asked = Promise.withResolvers<void>()
      const latch = Promise.withResolvers<void>()
      await page.route(
        `**${path}`,
        async (route) => {
          const response = await route.fetch()
          asked.resolve()
          await latch.promise
          await route.fulfill({ response })
        },
        { times: 1 },
      )
      return { asked: asked.promise, release: latch.resolve }
    },
  }
}
