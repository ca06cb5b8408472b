import { chromium, type Browser, type Page } from '@playwright/test'
import config from '../../e2e/playwright.config.ts'
import { FACTS } from './fixture-facts.ts'
import { FIRST_START, startFixtureTerminal, USUAL_PAYMENTS, type FixtureTerminal } from './fixture-terminal.ts'
import { ALEX, MARIE, setUp, type Localize, type ScreenFixture } from './screen-fixture.ts'

export const THEMES = ['light', 'dark'] as const
export type Theme = (typeof THEMES)[number]
export const LANGUAGES = ['en', 'fr'] as const
export type Language = (typeof LANGUAGES)[number]

const PEOPLE = { en: ALEX, fr: MARIE }

export type Prepare = (page: Page, terminal: FixtureTerminal) => Promise<void>

export interface FixtureBrowser {
  readonly browser: Browser
  /** Opens the fixture and performs its steps; it stays until the next call. `faults` are the browser's errors. */
  show(
    fixture: ScreenFixture,
    language: Language,
    size: { readonly width: number; readonly height: number },
  ): Promise<{ page: Page; faults: string[] }>
  close(): Promise<void>
}

/** Opens the built screens with a stand-in for the backend, which can show every fixture, one at a time. */
export async function openFixtureBrowser(built: string, prepare?: Prepare): Promise<FixtureBrowser> {
  const terminal = await startFixtureTerminal(built, FACTS)
  const browser = await chromium.launch(config.use?.launchOptions ?? {})
  let page: Page | undefined
  let pageLanguage: Language | undefined
  let faults: string[] = []
  let forgiven = false
  /** One page serves all fixtures of a language, because starting a page takes longer than reloading the screens. */
  const pageFor = async (language: Language): Promise<Page> => {
    if (page && pageLanguage === language) return page
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
    pageLanguage = language
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
      const localize: Localize = (english, french) => (language === 'fr' ? french : english)
      const sale = typeof fixture.sale === 'function' ? fixture.sale(localize) : (fixture.sale ?? null)
      Object.assign(terminal.state, {
        signedIn,
        sale,
        payments: USUAL_PAYMENTS,
        region: 'ON',
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
      setUp(fixture, terminal, localize)
      await page.goto('about:blank')
      // Intercepted routes of the previous fixture would hold back the answers of this one.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      faults = []
      forgiven = fixture.refused === true || fixture.refusals !== undefined
      try {
        await page.goto(`${terminal.url}${fixture.path ?? '/'}`)
        await page.locator('main').first().waitFor()
        await page.waitForFunction(() => document.fonts.status === 'loaded')
        if (signedIn && !terminal.state.stopped && fixture.path !== '/customer') {
          // The screens after sign-in are loaded separately; wait until the status bar has received all states.
          await page.locator('header ~ div main').first().waitFor()
          await page
            .getByRole('banner')
            .getByText(/1 needs review|1 à vérifier/)
            .first()
            .waitFor()
        }
        if (sale && !fixture.path) await page.getByRole('grid').or(page.getByRole('article')).first().waitFor()
        if (fixture.path?.startsWith('/manager')) await page.getByRole('heading', { level: 2 }).first().waitFor()
        await fixture.act?.(page, terminal, localize)
      } catch (error) {
        // Reports the page content with the error, because a rare failure cannot be reproduced.
        const actual = await page.locator('body').ariaSnapshot().catch(String)
        faults.push(`${String(error)}\n${actual}`)
      }
      return { page, faults }
    },
    close: async () => {
      await browser.close()
      await terminal.close()
    },
  }
}

export const drawn = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve))
    })
    // Infinite animations never end, so they are not awaited.
    await Promise.all(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
        .map(({ finished }) => finished.catch(() => undefined)),
    )
  })

/** Sets the theme as its button does; a reload would lose the fixture. */
export async function setTheme(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((name) => {
    document.documentElement.dataset['theme'] = name
  }, theme)
  await drawn(page)
}
