import type { Page } from '@playwright/test'
import { beforeEach, expect, test } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import { GIFT_CARD_SKU } from '../../contracts/catalog/goods.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { line, saleOf } from './sales.ts'
import { ok } from './answers.ts'

const one = saleOf([line(1), line(3)])
const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: one }), {}, { routes: true })
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
const partlyPaid = after({ tenders: [TEN] })

beforeEach(async () => {
  ;({ terminal, page } = await screens.openSale())
})

/**
 * Makes the terminal execute the next call of a route with the resulting sale `then`, and drops its answer. `notify`:
 * whether the event arrives.
 */
async function loseAnswer(path: string, then: Sale, notify = false, method = 'POST'): Promise<void> {
  terminal.state.answers[`${method} ${path}`] = ok({ sale: then })
  await page.route(
    `**${path}`,
    async (route) => {
      await route.fetch()
      if (notify) terminal.push({ type: 'sale-changed', cause: 'tender', sale: then })
      await route.abort()
    },
    { times: 1 },
  )
}

const unanswered = () => page.getByText('not responding', { exact: false })

async function payTen(): Promise<void> {
  await page.keyboard.press('F6')
  await page.keyboard.type('1000', { delay: 60 })
  await page.keyboard.press('Enter')
}

test.each([
  ['only its event arrives', true],
  ['only a retry is answered', false],
])('a partial cash payment is taken once although its answer is lost: %s', async (_, notify) => {
  await loseAnswer(`${SALE}/tenders`, partlyPaid, notify)
  await payTen()
  await page.getByRole('button', { name: /^Exact cash/ }).waitFor()
  await page.keyboard.press('Enter')
  expect(await unanswered().count()).toBe(0)
  expect(posted('/tenders')).toHaveLength(1)
})

test('a payment is retried while the terminal restarts, and is taken once', async () => {
  terminal.state.answers[`POST ${SALE}/tenders`] = ok({ sale: partlyPaid })
  // The answer is that of a server which is about to close the connection.
  const unavailable = { error: 'Service Unavailable', message: 'Service Unavailable', statusCode: 503 }
  await page.route(`**${SALE}/tenders`, (route) => route.fulfill({ status: 503, json: unavailable }), { times: 2 })
  await payTen()
  await page.getByRole('button', { name: /^Exact cash/ }).waitFor()
  expect(posted('/tenders')).toHaveLength(1)
})

test('a payment that never reached the terminal is retried, and is taken once', async () => {
  terminal.state.answers[`POST ${SALE}/tenders`] = ok({ sale: partlyPaid })
  await page.route(`**${SALE}/tenders`, (route) => route.abort(), { times: 2 })
  await payTen()
  await page.getByRole('button', { name: /^Exact cash/ }).waitFor()
  expect(posted('/tenders')).toHaveLength(1)
  expect(await unanswered().count()).toBe(0)
})

test('a notice reports a terminal that does not respond, and the retried command is executed once', async () => {
  terminal.state.answers[`POST ${SALE}/lines/3/void`] = ok({ sale: after({}) })
  terminal.state.answers['POST /api/catalog/items/search'] = ok({ items: [] })
  const keys = new Set<string | undefined>()
  await page.route('**/lines/3/void', (route) => {
    keys.add(route.request().headers()['idempotency-key'])
    return route.abort()
  })
  await page.keyboard.press('Delete')
  await unanswered().waitFor()
  await page.unroute('**/lines/3/void')
  await unanswered().waitFor({ state: 'detached' })
  expect(posted('/void')).toHaveLength(1)
  expect(keys.size).toBe(1)
})

test('a sale whose completing payment was not answered is shown as complete', async () => {
  await loseAnswer(`${SALE}/tenders`, after({ state: 'completed' }))
  await page.keyboard.press('F9')
  await page.getByRole('heading', { name: 'Sale complete' }).waitFor()
  expect(await unanswered().count()).toBe(0)
})

test('a gift card is rung once although the answer is lost', async () => {
  const card = line(4, { sku: GIFT_CARD_SKU, unitPriceCents: 50_00, amountCents: 50_00, taxCodes: [] })
  await loseAnswer('/api/sales/current/gift-cards', saleOf([line(1), line(3), card], { version: 4, revision: 4 }))
  await page.keyboard.press('Control+g')
  await page.keyboard.type('5000', { delay: 60 })
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Exact cash/ }).waitFor()
  expect(posted('/gift-cards')).toHaveLength(1)
})

test('an item is rung once although the answer is lost, without asking the cashier to check', async () => {
  await loseAnswer('/api/sales/current/lines', saleOf([line(1), line(3), line(4)], { version: 4, revision: 4 }))
  await page.keyboard.press('F2')
  await page.keyboard.type('1018', { delay: 60 })
  await page.getByRole('option', { name: /Paper towels/ }).click()
  await page.getByRole('row', { name: /Paper towels/ }).waitFor()
  expect(posted('/lines')).toHaveLength(1)
  expect(await page.getByRole('alert').count()).toBe(0)
})
