import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX, MARIE, PERSON_KEY_GAP_MS } from './screen-fixture.ts'
import { withMember } from './sales.ts'
import { ok } from './answers.ts'

/** Tests a lane without a physical keyboard: all input is touch. */
const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: withMember() }), {
  hasTouch: true,
  viewport: { width: 1024, height: 768 },
})
let page: Page
beforeEach(async () => {
  ;({ page } = await screens.openSale())
})

const keyboard = () => page.getByRole('group', { name: /^(On-screen keyboard|Clavier à l’écran)$/ })
const touch = (name: string | RegExp) => page.getByRole('button', { name }).tap()
const keys = async (...names: string[]): Promise<void> => {
  for (const name of names) await keyboard().getByRole('button', { name, exact: true }).tap()
}

describe('keys of the touch keyboard and the amount pad', () => {
  test('type into the reference of a card payment, and into the amount once that was touched', async () => {
    await touch(/^Card/)
    // While the touch keyboard is open it shows digits itself, and the amount pad is hidden: close the keyboard.
    await keys('Hide keyboard')
    const reference = page.getByLabel('Reference')
    const amount = page.getByRole('spinbutton', { name: 'Amount on the card' })
    const before = await amount.getAttribute('aria-valuenow')
    const pad = page.getByRole('group', { name: 'Number pad' })
    for (const digit of ['4', '7']) await pad.getByRole('button', { name: `Digit ${digit}` }).tap()
    expect([await reference.inputValue(), await amount.getAttribute('aria-valuenow')]).toEqual(['47', before])
    await pad.getByRole('button', { name: 'Erase last digit' }).tap()
    expect(await reference.inputValue()).toBe('4')
    await amount.tap()
    await pad.getByRole('button', { name: 'Digit 5' }).tap()
    expect([await reference.inputValue(), await amount.getAttribute('aria-valuenow')]).toEqual(['4', '5'])
  })

  test('leave the edited field visible, because the amount pad makes room for the touch keyboard', async () => {
    await touch(/^Card/)
    const reference = page.getByLabel('Reference')
    const pad = page.getByRole('group', { name: 'Number pad' })
    const isSeen = () =>
      reference.evaluate((field) => {
        const { left, top, width, height } = field.getBoundingClientRect()
        return document.elementFromPoint(left + width / 2, top + height / 2) === field
      })
    await keyboard().waitFor()
    // Scrolls the form to its end, as a touch could: the reference must still be visible.
    await page
      .getByRole('region', { name: 'Card' })
      .locator('div')
      .first()
      .evaluate((card) => {
        card.scrollTop = card.scrollHeight
      })
    await keys('a', '7')
    expect([await reference.inputValue(), await isSeen(), await pad.isVisible()]).toEqual(['a7', true, false])
    await page.getByRole('spinbutton', { name: 'Amount on the card' }).tap()
    await keyboard().waitFor({ state: 'hidden' })
    await pad.waitFor()
    expect(await isSeen()).toBe(true)
  })

  test('type letters into a reference, erase one and submit the form', async () => {
    await touch(/^Card/)
    await keyboard().waitFor()
    await keys('Capital letter', 'A', 'b', 'x', 'Erase last character', '-', '1', 'Enter')
    await expect
      .poll(() => screens.posted('/tenders').map(({ body }) => (body as { reference: string }).reference))
      .toEqual(['Ab-1'])
  })

  test('type a note in a dialog, which no key closes and which stays above the keyboard', async () => {
    await touch(/^Change…/)
    await touch(/^Note on sale/)
    const field = page.getByRole('dialog').getByRole('textbox')
    await keyboard().waitFor()
    await keys('g', 'i', 'f', 't', 'Space', '#é?, Letters or symbols', 'é', 'abc, Letters or symbols', '1')
    expect(await field.inputValue()).toBe('gift é1')
    const [box, top] = [await page.getByRole('dialog').boundingBox(), await keyboard().boundingBox()]
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(top?.y ?? 0)
    // A tap outside closes the dialog and the touch keyboard.
    await page.touchscreen.tap(5, 5)
    await keyboard().waitFor({ state: 'hidden' })
  })

  test('type in the search, so that an item is found and rung by touch alone', async () => {
    screens.terminal.state.answers['POST /api/catalog/items/search'] = ok({
      items: [
        {
          sku: '1013',
          barcode: null,
          name: { 'en-CA': 'Coffee', 'fr-CA': 'Café' },
          priceCents: 899,
          openPrice: null,
          taxCategory: 'standard',
          departmentId: 'd',
          categoryId: null,
        },
      ],
    })
    await page.getByRole('searchbox').tap()
    await keys('c', 'o')
    await page.getByRole('option', { name: /Coffee/ }).tap()
    await expect.poll(() => screens.posted('/lines').map(({ body }) => body)).toEqual([{ sku: '1013', quantity: 1 }])
  })
})

describe('one tap while the touch keyboard is open', () => {
  test('presses the button of a payment although the keyboard closes', async () => {
    await touch(/^Card/)
    await keys('7', '1')
    await touch(/^Record \$/)
    await expect
      .poll(() => screens.posted('/tenders').map(({ body }) => (body as { reference: string }).reference))
      .toEqual(['71'])
    await keyboard().waitFor({ state: 'hidden' })
  })

  test('presses the button of a dialog although the keyboard closes', async () => {
    await touch(/^Change…/)
    await touch(/^Note on sale/)
    await keys('o', 'k')
    await page.getByRole('dialog').getByRole('button', { name: 'Save note' }).tap()
    await expect.poll(() => screens.posted('/note').map(({ body }) => (body as { note: string }).note)).toEqual(['ok'])
  })
})

describe('the touch keyboard', () => {
  test('closes when a physical keyboard is used, does not open for a mouse, and can be hidden', async () => {
    const search = page.getByRole('searchbox')
    await search.tap()
    await keyboard().waitFor()
    await keys('Hide keyboard')
    await keyboard().waitFor({ state: 'hidden' })
    await search.tap()
    await keys('c')
    await page.keyboard.type('o', { delay: PERSON_KEY_GAP_MS })
    await keyboard().waitFor({ state: 'hidden' })
    await expect.poll(() => search.inputValue()).toBe('co')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await search.click()
    await page.keyboard.press('F2')
    expect(await keyboard().count()).toBe(0)
  })

  test('has the French letters in French, also as capitals', async () => {
    screens.terminal.state.signedIn = MARIE
    await page.reload()
    await page.getByRole('searchbox').tap()
    await keys('é', 'à', 'ç', 'Majuscule', 'É', 'è')
    expect(await page.getByRole('searchbox').inputValue()).toBe('éàçÉè')
  })

  test('does not delay a dialog with a field, which is visible at once', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').waitFor({ state: 'attached' })
    const seen = await page.getByRole('dialog').evaluate(async (dialog) => {
      for (let frame = 0; frame < 4; frame += 1)
        await new Promise((resolve) => {
          requestAnimationFrame(resolve)
        })
      return dialog.checkVisibility({ opacityProperty: true })
    })
    expect(seen).toBe(true)
  })

  test('does not open for a collector number, whose dialog has its own digit keys', async () => {
    await page.keyboard.press('Shift+F3')
    await page.getByRole('dialog').getByRole('textbox').tap()
    expect(await keyboard().count()).toBe(0)
  })
})
