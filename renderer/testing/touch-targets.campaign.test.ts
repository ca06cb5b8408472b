import type { Page } from '@playwright/test'
import { describe, expect, test } from 'vitest'
import type { FixtureTerminal } from './fixture-terminal.ts'
import type { ScreenFixture } from './screen-fixture.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'
import { useFixtureBrowser } from './use-fixture-browser.ts'
import { untilQuiet } from './until-quiet.ts'

/** Size of the smallest screen of a lane; the tests use French, the language with longer texts. */
const SMALLEST = { width: 1024, height: 768 }
const fixtureBrowser = useFixtureBrowser()

type Place = { readonly name: string; readonly at: string; readonly covered: boolean; readonly reachable: boolean }
const buttons = (page: Page): Promise<Place[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a[href]')].flatMap((button) => {
      const { left, top, width, height } = button.getBoundingClientRect()
      if (
        width <= 1 ||
        !button.checkVisibility({ visibilityProperty: true }) ||
        button.closest('[role="alert"], [role="status"]')
      )
        return []
      const met = document.elementFromPoint(left + width / 2, top + height / 2)
      // A button that can be scrolled into view counts as out of view, not as covered.
      const page = button.closest('section')?.getBoundingClientRect()
      const isVisible = top >= 0 && top + height <= Math.min(innerHeight, page?.bottom ?? innerHeight)
      return [
        {
          name: button.getAttribute('aria-label') ?? button.textContent,
          at: `${Math.round(left)},${Math.round(top)}`,
          covered: isVisible && met !== null && !button.contains(met),
          reachable: isVisible && met !== null && button.contains(met),
        },
      ]
    }),
  )

/**
 * Returns the buttons once their places are stable: a typed digit is held back briefly, because it may begin a scan.
 */
const stableButtons = async (page: Page): Promise<Place[]> => {
  let last = await buttons(page)
  for (;;) {
    await page.waitForTimeout(150)
    const now = await buttons(page)
    if (JSON.stringify(now) === JSON.stringify(last)) return now
    last = now
  }
}

const warn = async (page: Page, terminal: FixtureTerminal): Promise<void> => {
  terminal.push({ type: 'scan-unknown', code: '4006381333931' })
  await page.getByRole('alert').filter({ hasText: '4006381333931' }).waitFor()
  // The message slides into place, so wait for its animation.
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => undefined))),
  )
}

describe('a message on the smallest screen', () => {
  test.each(
    [
      'sale',
      'sale-empty',
      'after-redeem',
      'cash',
      'cancelled',
      'queue',
      'earlier-sales',
      'devices',
      'return-find',
      'return',
    ].filter((name) => name in SCREEN_FIXTURES),
  )('moves and covers no button in the fixture %s', async (name) => {
    const fixture = SCREEN_FIXTURES[name] as ScreenFixture
    let before: Place[] = []
    let after: Place[] = []
    const { faults } = await fixtureBrowser().show(
      {
        ...fixture,
        act: async (page, terminal, localize) => {
          await fixture.act?.(page, terminal, localize)
          // Wait for the page's data: otherwise the message would seem to move buttons that appear later.
          await untilQuiet(page)
          before = await stableButtons(page)
          await warn(page, terminal)
          after = await buttons(page)
        },
      },
      'fr',
      SMALLEST,
    )
    expect(faults).toEqual([])
    expect(before.length).toBeGreaterThan(3)
    // Clock times are ignored, because the minute may change between the two measurements.
    const moved = (places: Place[]) =>
      places.map(({ name: named, at }) => `${named.replace(/\d\d\sh\s\d\d/, '00 h 00')} ${at}`)
    expect(moved(after)).toEqual(moved(before))
    expect(after.filter(({ covered }, index) => covered && before[index]?.covered === false)).toEqual([])
  })
})

describe('buttons for returns and Sales history', () => {
  const EARLIER = /^Historique des ventes/
  const GOODS_BACK = /^Retour d’articles/
  const outOfReach = async (name: string, asked: readonly RegExp[]): Promise<RegExp[]> => {
    const { page, faults } = await fixtureBrowser().show(SCREEN_FIXTURES[name] as ScreenFixture, 'fr', SMALLEST)
    expect(faults).toEqual([])
    const places = await buttons(page)
    return asked.filter((texts) => !places.some((place) => place.reachable && texts.test(place.name)))
  }

  test.each([
    'sale',
    'sale-empty',
    'cash',
    'redeem-approved',
    'after',
    'after-notice',
    'after-gift-cards',
    'cancelled',
    'queue',
    'devices',
  ])('are visible and not covered in the fixture %s', async (name) => {
    expect(await outOfReach(name, [GOODS_BACK, EARLIER])).toEqual([])
  })

  // On these return screens only the button for Sales history is expected.
  test.each(['return-find', 'return', 'return-unrecorded', 'return-done'])(
    'Sales history is visible and not covered in the fixture %s',
    async (name) => {
      expect(await outOfReach(name, [EARLIER])).toEqual([])
    },
  )
})

describe('the sales history on the smallest screen', () => {
  test.each(['en', 'fr'] as const)(
    'shows at least four whole rows in %s, in the same place for any selected sale',
    async (language) => {
      const { page, faults } = await fixtureBrowser().show(
        SCREEN_FIXTURES['earlier-sales'] as ScreenFixture,
        language,
        SMALLEST,
      )
      expect(faults).toEqual([])
      const wholeRows = () =>
        page.getByRole('row').evaluateAll((rows) => {
          const list = rows[0]?.parentElement?.closest('[role="grid"]')?.getBoundingClientRect()
          return rows.filter((row) => {
            const { top, bottom } = row.getBoundingClientRect()
            return list !== undefined && top >= list.top && bottom <= list.bottom
          }).length
        })
      const seen: number[] = []
      const tops: number[] = []
      for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
        await page.keyboard.press(key)
        if (key === 'Home') await page.getByRole('row', { selected: true }).first().waitFor()
        await page.evaluate(
          () =>
            new Promise((resolve) => {
              requestAnimationFrame(() => requestAnimationFrame(resolve))
            }),
        )
        await page.getByRole('row', { selected: true }).evaluate((row) => row.closest('[role="grid"]')?.scrollTo(0, 0))
        seen.push(await wholeRows())
        tops.push(await page.getByRole('grid').evaluate((list) => list.getBoundingClientRect().top))
      }
      // The page requests four sales at this height, but the fixture returns five.
      expect(Math.min(...seen)).toBeGreaterThanOrEqual(4)
      // The actions above the list depend on the selected sale, but must not move the rows under the finger.
      expect(new Set(tops).size).toBe(1)
    },
  )
})

describe('a warning about an unknown scan', () => {
  test('disappears when its sale ends', async () => {
    const fixture = SCREEN_FIXTURES['sale'] as ScreenFixture
    await fixtureBrowser()
      .show(
        {
          ...fixture,
          act: async (page, terminal) => {
            const warning = page.getByRole('alert').filter({ hasText: '4006381333931' })
            const { sale } = terminal.state
            if (!sale) throw new Error('the fixture has a sale')
            await warn(page, terminal)
            terminal.push({
              type: 'sale-changed',
              cause: 'tender',
              sale: { ...sale, version: sale.version + 2, revision: sale.revision + 2, state: 'completed' },
            })
            await page.getByRole('article').waitFor()
            expect(await warning.count()).toBe(0)
          },
        },
        'fr',
        SMALLEST,
      )
      .then(({ faults }) => expect(faults).toEqual([]))
  })
})
