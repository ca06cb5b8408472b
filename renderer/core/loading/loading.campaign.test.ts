import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import { useBuiltScreens } from '../../testing/built-screens.ts'
import { ALEX } from '../../testing/screen-fixture.ts'
import type { FixtureTerminal } from '../../testing/fixture-terminal.ts'
import { withMember } from '../../testing/sales.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: withMember() }), {}, { routes: true })
let terminal: FixtureTerminal
let page: Page
beforeEach(() => {
  ;({ terminal, page } = screens)
})

/**
 * Aborts every request for these files during the first page loads of the window: every one, because a browser may
 * request a failed file again within the same page load. Returns a function that counts the aborted requests.
 */
async function loseInFirstPages(files: string, pages: number): Promise<() => number> {
  let opened = 0
  let dropped = 0
  await page.route(
    (url) => url.pathname === '/',
    (route) => {
      if (route.request().isNavigationRequest()) opened += 1
      return route.continue()
    },
  )
  await page.route(files, (route) => {
    if (opened > pages) return route.continue()
    dropped += 1
    return route.abort()
  })
  return () => dropped
}

describe('a window that failed to load a file', () => {
  test.each([
    ['the program', '**/assets/index-*.js'],
    ['the style sheet', '**/assets/index-*.css'],
    ['the texts', '**/assets/initial-screens-*.js'],
    ['the chunk of the program after the sign-in', '**/assets/signed-in-*.js'],
  ])(
    'reloads itself after %s failed to load, twice if needed',
    async (_what, files) => {
      const dropped = await loseInFirstPages(files, 2)
      await page.goto(terminal.url)
      await page.getByRole('grid').waitFor({ timeout: 15_000 })
      const font = () => page.evaluate(() => getComputedStyle(document.body).fontFamily).catch(() => 'loading')
      await expect.poll(font).toContain('Inter')
      await page.getByRole('grid').waitFor()
      expect(dropped()).toBeGreaterThan(1)
    },
    40_000,
  )

  test('returns, after it reloads, to the manager’s page that failed to load', async () => {
    await page.goto(terminal.url)
    await page.getByRole('grid').waitFor()
    let lost = 0
    await page.route(
      '**/assets/store-pages-*.js',
      (route) => {
        lost += 1
        return route.abort()
      },
      { times: 2 },
    )
    await page.goto(`${terminal.url}/manager/echo`)
    await page.getByRole('heading', { level: 2 }).first().waitFor({ timeout: 15_000 })
    expect([lost, new URL(page.url()).pathname]).toEqual([2, '/manager/echo'])
  })

  test('does not reload itself before the terminal answers', async () => {
    let answering = false
    let asked = 0
    let reloads = -1
    await page.route('**/assets/index-*.js', (route) => (answering ? route.continue() : route.abort()))
    await page.route(
      (url) => url.pathname === '/',
      (route) => {
        if (route.request().isNavigationRequest()) {
          reloads += 1
          return route.continue()
        }
        asked += 1
        return answering ? route.continue() : route.abort()
      },
    )
    await page.goto(terminal.url)
    await page.getByText('Loading Milepost again… Nouveau chargement de Milepost…').waitFor()
    await expect.poll(() => asked).toBeGreaterThan(1)
    expect(reloads).toBe(0)
    answering = true
    await page.getByRole('grid').waitFor({ timeout: 15_000 })
    expect(reloads).toBe(1)
  })
})
