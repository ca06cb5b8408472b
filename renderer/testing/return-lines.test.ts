import type { Page } from '@playwright/test'
import { beforeEach, expect, test } from 'vitest'
import { ok } from './answers.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX, setUp } from './screen-fixture.ts'
import { line } from './sales.ts'
import { returningSix, SIX } from '../payments/returns/returns-screens.fixture.ts'
import { untilQuiet } from './until-quiet.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX }))
let page: Page

/** Chips of which one of three was returned, two weighings of one item, and empties. */
const LINES = [
  {
    ...line(1, { quantity: 3, unitPriceCents: 4_29, discountCents: 1_58, amountCents: 11_29 }),
    discounts: [1],
    returnedQuantity: 1,
    leftQuantity: 2,
  },
  ...[1_235, 250].map((netThousandths, at) => ({
    ...line(2 + at, { measure: { unit: 'kg', netThousandths, unitPriceCents: 4_39, source: 'scale' } }),
    discounts: [],
    returnedQuantity: 0,
    leftQuantity: 1,
  })),
  {
    ...line(4, { sku: 'milepost:empties', unitPriceCents: -10_00 }),
    discounts: [],
    returnedQuantity: 0,
    leftQuantity: 0,
    kept: true,
  },
]
const DISCOUNT = {
  number: 1,
  reach: { kind: 'line', number: 1 },
  off: { kind: 'amount', cents: 1_58 },
  reason: 'promotion',
  applies: true,
  amountCents: 1_58,
}

beforeEach(async () => {
  ;({ page } = screens)
  const { terminal } = screens
  setUp(returningSix(SIX), terminal, (english) => english)
  terminal.state.answers['GET /api/sales/N1010100000038K7Q2/returnable'] = ok({
    saleId: 'N1010100000038K7Q2',
    version: 3,
    completedAt: '2026-11-20T15:04:00.000Z',
    last4: null,
    returns: [],
    discounts: [DISCOUNT],
    lines: LINES,
  })
  await page.goto(`${terminal.url}/return`)
  await page.getByRole('grid').getByRole('row').first().click()
  await page.getByText('left at').first().waitFor()
  await untilQuiet(page)
})

const row = (at: number) => page.getByRole('grid', { name: 'Items from this sale' }).getByRole('row').nth(at)

test('the return screen shows the weight of weighed goods, and that empties cannot be returned', async () => {
  expect(await row(1).textContent()).toContain('1.235\u{a0}kg')
  expect(await row(2).textContent()).toContain('0.250\u{a0}kg')
  expect(await row(3).textContent()).toContain('empties cannot be returned')
})

test('a weighed line that is returned has a note on how to return only a part of it', async () => {
  const note = 'Part only? First weigh what the customer keeps as a sale, then exchange.'
  expect(await row(1).textContent()).not.toContain(note)
  await row(1)
    .getByRole('button', { name: /^Add one/ })
    .click()
  await row(1).getByText(note).waitFor()
})

test('after a partial return, the discount of all sold pieces is not shown for those that are left', async () => {
  expect(await row(0).textContent()).toContain('2 left')
  expect(await row(0).textContent()).not.toContain('less $1.58')
})

test('Shift+Del asks whether to discard the return while a reason has the focus', async () => {
  await page.getByRole('button', { name: 'Return all' }).click()
  await page.getByRole('radio').first().press('Space')
  await page.keyboard.press('Shift+Delete')
  const question = page.getByRole('alertdialog', { name: 'Discard return?' })
  await expect.poll(() => question.count()).toBe(1)
})
