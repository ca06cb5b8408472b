import { chromium, type Browser, type Page } from '@playwright/test'
import config from '../../e2e/playwright.config.ts'
import { FACTS } from './fixture-facts.ts'
import { FIRST_START, startFixtureTerminal, USUAL_PAYMENTS, type FixtureTerminal } from './fixture-terminal.ts'
import { ALEX, MARIE, setUp, type Say, type ScreenFixture } from './screen-fixture.ts'

export const THEMES = ['light', 'dark'] as const
export type Theme = (typeof THEMES)[number]
export const LANGUAGES = ['en', 'fr'] as const
export type Language = (typeof LANGUAGES)[number]

const PEOPLE = { en: ALEX, fr: MARIE }

/** What is done before a page shows anything. */
export type Prepare = (page: Page, terminal: FixtureTerminal) => Promise<void>

export interface FixtureBrowser {
  readonly browser: Browser
  /**
   * The fixture as it stands once it has been acted, until the next one is put on; `faults` is what the browser
   * complained of.
   */
  show(
    fixture: ScreenFixture,
    language: Language,
    size: { readonly width: number; readonly height: number },
  ): Promise<{ page: Page; faults: string[] }>
  close(): Promise<void>
}

/**
 * The built screens before a stand-in for the backend: every fixture can be put on and looked at, one at a time.
 */
export async function openFixtureBrowser(built: string, prepare?: Prepare): Promise<FixtureBrowser> {
  const terminal = await startFixtureTerminal(built, FACTS)
  const browser = await chromium.launch(config.use?.launchOptions ?? {})
  let page: Page | undefined
  let spoken: Language | undefined
  let faults: string[] = []
  let forgiven = false
  /** One page for all fixtures of a language: starting one takes longer than loading the screens anew. */
  const pageFor = async (language: Language): Promise<Page> => {
    if (page && spoken === language) return page
    await page?.context().close()
    const context = await browser.newContext({
      colorScheme: 'light',
      locale: PEOPLE[language].locale,
      reducedMotion: 'reduce',
      bypassCSP: true,
      hasTouch: true,
    })
    page = await context.newPage()
    page.setDefaultTimeout(10_000)
    page.on('console', (message) => {
      if (message.type() === 'error' && !(forgiven && /status of (403|503)/.test(message.text())))
        faults.push(`${message.text()} ${message.location().url}`)
    })
    page.on('pageerror', (error) => faults.push(error.message))
    await prepare?.(page, terminal)
    spoken = language
    return page
  }
  return {
    browser,
    show: async (fixture, language, size) => {
      const person = PEOPLE[language]
      const page = await pageFor(language)
      await page.setViewportSize(size)
      const signedIn =
        fixture.person === undefined ? person : fixture.person && { ...fixture.person, locale: person.locale }
      const say: Say = (english, french) => (language === 'fr' ? french : english)
      const sale = typeof fixture.sale === 'function' ? fixture.sale(say) : (fixture.sale ?? null)
      Object.assign(terminal.state, {
        signedIn,
        sale,
        payments: USUAL_PAYMENTS,
        mode: 'training',
        stopped: null,
        central: 'online',
        attention: 1,
        notOnPaper: 0,
        start: { ...FIRST_START },
        toEnrol: false,
        answers: {},
        defaultLocale: person.locale,
      })
      setUp(fixture, terminal, say)
      await page.goto('about:blank')
      // What a fixture has put in the way of its answers would keep back those of the next.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      faults = []
      forgiven = fixture.refused === true || fixture.refusals !== undefined
      try {
        await page.goto(`${terminal.url}${fixture.path ?? '/'}`)
        await page.locator('main').first().waitFor()
        await page.waitForFunction(() => document.fonts.status === 'loaded')
        if (signedIn && !terminal.state.stopped && fixture.path !== '/customer') {
          // What is behind the sign-in is loaded by itself; the bar stands there before it, and has heard how
          // everything is.
          await page.locator('header ~ div main').first().waitFor()
          await page
            .getByRole('banner')
            .getByText(/1 needs review|1 à vérifier/)
            .first()
            .waitFor()
        }
        if (sale && !fixture.path) await page.getByRole('grid').or(page.getByRole('article')).first().waitFor()
        if (fixture.path?.startsWith('/manager')) await page.getByRole('heading', { level: 2 }).first().waitFor()
        await fixture.act?.(page, terminal, say)
      } catch (error) {
        // With what the browser waited for and what stood there instead: what happens once in a thousand times is not
        // to be asked again.
        const stood = await page.locator('body').ariaSnapshot().catch(String)
        faults.push(`${String(error)}\n${stood}`)
      }
      return { page, faults }
    },
    close: async () => {
      await browser.close()
      await terminal.close()
    },
  }
}

/** Done once what was changed is drawn, and every style that changes by degrees has its end. */
export const drawn = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve))
    })
    // What turns for ever has no end to wait for.
    await Promise.all(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
        .map(({ finished }) => finished.catch(() => undefined)),
    )
  })

/** The theme as its button sets it, without a reload that would lose the fixture. */
export async function wear(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((name) => {
    document.documentElement.dataset['theme'] = name
  }, theme)
  await drawn(page)
}
