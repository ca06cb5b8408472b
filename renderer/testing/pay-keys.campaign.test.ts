import type { Page } from '@playwright/test'
import { expect, test } from 'vitest'
import { drawn, LANGUAGES, type Language } from './fixture-browser.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'
import { useFixtureBrowser } from './use-fixture-browser.ts'

const fixtureBrowser = useFixtureBrowser()
const SIZES = [
  { width: 1024, height: 768 },
  { width: 1280, height: 800 },
  { width: 1366, height: 768 },
  { width: 1920, height: 1080 },
] as const

/** Fixtures of sales at a lane, by the lane's payment types: from the first item to the remaining amount due. */
const LANES = [
  ['cash, card and gift cards', ['sale-empty', 'sale', 'redeem-approved', 'after-redeem', 'sale-crowded', 'sale-free']],
  ['every way to pay', ['sale-every-way', 'redeem-approved-every-way', 'sale-every-way-paid']],
] as const

interface Seen {
  readonly box: string
  readonly hint: string
  readonly isWhole: boolean
}

const payButtons = (page: Page): Promise<Record<string, Seen>> =>
  page.locator('[data-pay-keys] button').evaluateAll((buttons) =>
    Object.fromEntries(
      buttons.map((button) => {
        const own = button.getBoundingClientRect()
        const hint = button.querySelector('kbd')
        // Only text and key must be visible: the icon may be hidden where the text needs its space.
        const parts = [...button.querySelectorAll(':scope > :not([aria-hidden]), :scope > kbd')].map((part) =>
          part.getBoundingClientRect(),
        )
        const isWhole =
          own.bottom <= innerHeight &&
          parts.length === 2 &&
          parts.every(
            ({ left, right, top, bottom, width }) =>
              width > 0 && left >= own.left && right <= own.right && top >= own.top && bottom <= own.bottom,
          )
        const key = hint?.dataset['key'] ?? `no key: ${button.textContent}`
        return [key, { box: [own.left, own.top, own.width, own.height].map(Math.round).join(' '), hint: key, isWhole }]
      }),
    ),
  )

const seenAt = async (name: string, language: Language, size: (typeof SIZES)[number]) => {
  const fixture = SCREEN_FIXTURES[name]
  if (fixture === undefined) throw new Error(`no fixture ${name}`)
  const { page, faults } = await fixtureBrowser().show(fixture, language, size)
  expect(faults).toEqual([])
  return page
}

test.each(LANES.flatMap(([lane, names]) => LANGUAGES.map((language) => [lane, language, names] as const)))(
  'the payment buttons of a lane with %s keep order, place, size and key (language %s)',
  async (_lane, language, names) => {
    const first = new Map<string, Record<string, Seen>>()
    for (const name of names) {
      const page = await seenAt(name, language, SIZES[0])
      for (const size of SIZES) {
        await page.setViewportSize(size)
        await drawn(page)
        const seen = await payButtons(page)
        const at = `${size.width}x${size.height}`
        const expected = first.get(at) ?? seen
        first.set(at, expected)
        expect(Object.keys(seen).length, name).toBeGreaterThan(2)
        expect(seen, `${name} at ${at}`).toEqual(expected)
        expect(
          Object.entries(seen).filter(([key, { isWhole }]) => !isWhole || key.startsWith('no key')),
          `${name} at ${at}`,
        ).toEqual([])
      }
    }
  },
)
