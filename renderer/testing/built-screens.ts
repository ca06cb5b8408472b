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
  /** For each test a window that remembers nothing but the files of the screens. */
  readonly page: Page
  /** Opens the sale that the terminal has in the window. */
  openSale(): Promise<Pick<BuiltScreens, 'terminal' | 'page'>>
  /** What the window asked for by anything but GET, on paths with this ending. */
  posted(ending: string): FixtureTerminal['calls']
  /** Holds the next answer to an address with this ending; what it says is decided when it is asked. */
  holdAnswer(ending: string): { asked: Promise<void>; release: () => void }
}

/**
 * The built screens in the lane's own browser engine, with a stand-in for the backend: what only real keys and real
 * focus can show. Call it once at the top of a test file. `atStart`: what the terminal is before each test, beside an
 * everyday one. `routes`: the tests route requests in the browser, which costs every request a detour and the browser
 * its cache.
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
    // Requests are held from the first on: a browser that is asked to only later may let the next one through.
    if (routes) await page.route('**/held-from-the-start', (route) => route.abort())
  }

  /** The window as it was when it was opened: a new one costs a process of its own, and compiles the screens anew. */
  async function forget(): Promise<void> {
    for (const other of page.context().pages()) if (other !== page) await other.close()
    page.removeAllListeners('request')
    // An address of the terminal at which none of its programs run.
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
