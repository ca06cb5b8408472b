import type { Page } from '@playwright/test'
import { beforeEach, expect, test } from 'vitest'
import type { Sale } from '../../contracts/api/sales.ts'
import { GIFT_CARD_SKU } from '../../contracts/gift-card.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './fixture-facts.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { line, saleOf } from './sales.ts'

/** The terminal has done what it was asked, and its answer never came: nobody is asked to do it again, and nothing that was typed does it again. */
const one = saleOf([line(1), line(3)])
const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: one }))
const { posted } = screens
let terminal: FixtureTerminal
let page: Page

const SALE = '/api/sales/01K9TRAINLANE01'
const after = (over: object): Sale => saleOf([line(1), line(3)], { version: 4, revision: 4, ...over })
const TEN = {
  number: 1,
  kind: 'cash',
  amountCents: 10_00,
  roundingCents: 0,
  tenderedCents: 10_00,
  changeCents: 0,
  reference: null,
}
const partPaid = after({ tenders: [TEN] })

beforeEach(async () => {
  ;({ terminal, page } = await screens.openSale())
}, 30_000)

/** The next call of a route is done by the terminal, whose sale is `then`; the answer is lost. `tell`: whether its event comes. */
async function loseAnswer(path: string, then: Sale | null, tell: boolean): Promise<void> {
  await page.route(
    `**${path}`,
    async (route) => {
      await route.fetch()
      terminal.state.sale = then?.state === 'open' ? then : null
      if (then && then.state !== 'open') terminal.state.answers[`GET ${SALE}`] = { status: 200, body: { sale: then } }
      if (tell && then) terminal.push({ type: 'sale-changed', cause: 'tender', sale: then })
      await route.abort()
    },
    { times: 1 },
  )
}

const unanswered = (): Promise<number> => page.getByText('does not answer', { exact: false }).count()

async function payTen(): Promise<void> {
  await page.keyboard.press('F6')
  await page.keyboard.type('1000', { delay: 60 })
  await page.keyboard.press('Enter')
}

test.each([
  ['told by its event', true],
  ['asked for', false],
])('a part of the cash is taken once: %s', async (_, tell) => {
  await loseAnswer(`${SALE}/tenders`, partPaid, tell)
  await payTen()
  await page.getByRole('button', { name: /^Exact cash/ }).waitFor()
  await page.keyboard.press('Enter')
  expect(await unanswered()).toBe(0)
  expect(posted('/tenders')).toHaveLength(1)
})

test('a payment that never arrived is said to be without an answer, and what was typed is there to be taken again', async () => {
  await page.route(`**${SALE}/tenders`, (route) => route.abort(), { times: 1 })
  await payTen()
  await page.getByText('does not answer', { exact: false }).waitFor()
  terminal.state.answers[`POST ${SALE}/tenders`] = { status: 200, body: { sale: partPaid } }
  await page.getByRole('button', { name: 'Take $10.00' }).click()
  await page.getByRole('button', { name: /^Exact cash/ }).waitFor()
  expect(await unanswered()).toBe(0)
})

test('a sale that was completed shows its end, and nothing says that it is still open', async () => {
  await loseAnswer(`${SALE}/tenders`, after({ state: 'completed' }), false)
  await page.keyboard.press('F9')
  await page.getByRole('heading', { name: 'Sale complete' }).waitFor()
  expect(await unanswered()).toBe(0)
})

test('a sale that was cancelled is said to be cancelled', async () => {
  await loseAnswer(`${SALE}/cancel`, after({ state: 'cancelled' }), false)
  await page.keyboard.press('Shift+Delete')
  await page.getByRole('button', { name: 'Cancel sale' }).click()
  await page.getByText('Sale cancelled.').first().waitFor()
  expect(await unanswered()).toBe(0)
})

test('a gift card is rung once', async () => {
  const card = line(4, { sku: GIFT_CARD_SKU, unitPriceCents: 50_00, amountCents: 50_00, taxCodes: [] })
  await loseAnswer(
    '/api/sales/current/gift-cards',
    saleOf([line(1), line(3), card], { version: 4, revision: 4 }),
    false,
  )
  await page.keyboard.press('Control+g')
  await page.keyboard.type('5000', { delay: 60 })
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Exact cash/ }).waitFor()
  expect(await unanswered()).toBe(0)
  expect(posted('/gift-cards')).toHaveLength(1)
})

test('a sale that was resumed comes to the screen', async () => {
  terminal.state.sale = null
  terminal.state.answers['GET /api/sales/held'] = {
    status: 200,
    body: {
      sales: [
        {
          id: one.id,
          version: 3,
          name: 'Red coat',
          heldAt: '2026-11-21T14:00:00.000Z',
          itemCount: 2,
          totalCents: 1056,
          memberLast4: null,
          cashier: 'Alex Tremblay',
        },
      ],
    },
  }
  await page.goto(`${terminal.url}/manager/held`)
  await loseAnswer(`${SALE}/resume`, after({}), false)
  await page
    .getByRole('button', { name: /Resume/ })
    .first()
    .click()
  await page.getByRole('button', { name: /^Exact cash/ }).waitFor()
  expect(await unanswered()).toBe(0)
})

const lookFirst = () => page.getByText('look whether it was done before you do it again', { exact: false })

test('an item is in the basket, and nobody is asked to ring it again unseen', async () => {
  await loseAnswer('/api/sales/current/lines', saleOf([line(1), line(3), line(4)], { version: 4, revision: 4 }), false)
  await page.keyboard.press('F2')
  await page.keyboard.type('1018', { delay: 60 })
  await page.getByRole('option', { name: /Paper towels/ }).click()
  await page.getByRole('row', { name: /Paper towels/ }).waitFor()
  await lookFirst().waitFor()
  expect(await unanswered()).toBe(0)
})

test('a change that was taken back is gone, and nobody is asked to take another back unseen', async () => {
  await loseAnswer(`${SALE}/undo`, saleOf([line(1)], { version: 5, revision: 5 }), false)
  terminal.push({
    type: 'sale-changed',
    cause: 'scan',
    sale: saleOf([line(1), line(3)], { version: 4, revision: 4, undo: 'ring' }),
  })
  await page.getByRole('button', { name: /^Undo/ }).and(page.locator(':enabled')).waitFor()
  await page.keyboard.press('Control+z')
  await lookFirst().waitFor()
  expect(await unanswered()).toBe(0)
})
