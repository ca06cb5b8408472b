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
  readonly terminal: FixtureTerminal
  /** The window of the tests; before each test it stores nothing but the files of the screens. */
  readonly page: Page
  openSale(): Promise<Pick<BuiltScreens, 'terminal' | 'page'>>
  /** Returns the window's requests other than GET, on paths with this ending. */
  posted(ending: string): FixtureTerminal['calls']
  /**
   * Holds back the answer to the next request for an address with this ending. The answer has the content from the time
   * of the request.
   */
  holdAnswer(ending: string): { asked: Promise<void>; release: () => void }
}

/**
 * The built screens in the lane's browser engine, with a stand-in for the backend, for tests that need real keys and
 * focus. Call this once at the top of a test file. `atStart`: the terminal's state before each test, in addition to the
 * default. `routes`: the tests intercept requests in the browser, which slows down every request and disables the
 * cache.
 */
export function useBuiltScreens(
  atStart: () => Partial<FixtureState>,
  window: BrowserContextOptions = {},
  { routes = false }: { readonly routes?: boolean } = {},
): BuiltScreens {
  let terminal: FixtureTerminal
  let browser: Browser
  let page: Page
  const size = window.viewport ?? { width: 1280, height: 720 }

  beforeAll(async () => {
    terminal = await startFixtureTerminal(BUILT, FACTS)
    browser = await chromium.launch(BROWSER)
    await openWindow()
  }, 120_000)

  afterAll(async () => {
    await browser?.close()
    await terminal?.close()
  })

  beforeEach(async () => {
    await (routes ? openWindow() : forget())
    terminal.calls.length = 0
    terminal.held.clear()
    Object.assign(terminal.state, EVERYDAY, { answers: {} }, atStart())
  }, 30_000)

  async function openWindow(): Promise<void> {
    await page?.context().close()
    page = await browser.newPage({ locale: 'en-CA', ...window, viewport: size })
    // Interception must be on from the start: switched on later, it may miss the next request.
    if (routes) await page.route('**/held-from-the-start', (route) => route.abort())
  }

  /** Resets the window. A new window would need a process, and would compile the screens again. */
  async function forget(): Promise<void> {
    for (const other of page.context().pages()) if (other !== page) await other.close()
    page.removeAllListeners('request')
    // An address of the terminal that loads no script.
    await page.goto(`${terminal.url}/milepost.svg`)
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    await page.mouse.move(0, 0)
    await page.setViewportSize(size)
  }

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
    holdAnswer(ending) {
      const asked = Promise.withResolvers<void>()
      const latch = Promise.withResolvers<void>()
      terminal.held.add({ ending, asked: asked.resolve, released: latch.promise })
      return { asked: asked.promise, release: latch.resolve }
    },
  }
}
