import type { Page } from '@playwright/test'
import { beforeEach, expect, test } from 'vitest'
import { SaleId } from '../../contracts/core/ids.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX, setUp } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { fillReturn, MADE_RETURN, returningSix, SIX } from '../payments/returns/returns-screens.fixture.ts'
import { untilQuiet } from './until-quiet.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX }), {}, { routes: true })
const { holdAnswer, posted } = screens
const OTHER = SaleId.parse('N1010100000031K7Q9')
let terminal: FixtureTerminal
let page: Page

beforeEach(async () => {
  ;({ terminal, page } = screens)
  setUp(returningSix(SIX), terminal, (english) => english)
  await page.goto(`${terminal.url}/return`)
  await fillReturn(page)
  // Requests of an opening window may reload the refund, so keys must be pressed after them.
  await untilQuiet(page)
})

test('Esc while a return is being committed shows no notice, and the completed return opens its screen', async () => {
  terminal.state.answers['POST /api/returns'] = ok({ return: MADE_RETURN })
  const held = holdAnswer('/api/returns')
  await page.keyboard.press('F9')
  await held.asked
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
  expect(await page.getByText('Return kept', { exact: false }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /^Return in progress/ }).count()).toBe(0)
  held.release()
  await page.getByText(MADE_RETURN.id).waitFor()
  expect(posted('/api/returns')).toHaveLength(1)
})

test('a return that was rejected after the cashier had left the screen remains', async () => {
  terminal.state.answers['POST /api/returns'] = {
    status: 409,
    body: { code: 'return-changed', messages: { 'en-CA': 'The return has changed.', 'fr-CA': 'x' } },
  }
  const held = holdAnswer('/api/returns')
  await page.keyboard.press('F9')
  await held.asked
  await page.keyboard.press('Escape')
  held.release()
  await page.getByText('The return has changed.').waitFor()
  expect(await page.getByRole('button', { name: /^Return in progress/ }).textContent()).toContain('6')
})

test('a return whose answer was lost is retried, and is made once without a notice', async () => {
  terminal.state.answers['POST /api/returns'] = ok({ return: MADE_RETURN })
  await page.route(
    '**/api/returns',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await page.keyboard.press('F9')
  await page.getByText(MADE_RETURN.id).waitFor()
  expect(await page.getByRole('alert').allInnerTexts()).toEqual([])
  expect(posted('/api/returns')).toHaveLength(1)
  await page.getByRole('button', { name: 'Next customer' }).click()
  await page.goto(`${terminal.url}/return`)
  await fillReturn(page)
  await page.keyboard.press('F9')
  await page.getByText(MADE_RETURN.id).waitFor()
  expect(posted('/api/returns'), 'the next return has another key').toHaveLength(2)
})

test('the total and the button of a return show the same amount, which is the amount paid out', async () => {
  // The refund is $96.02, of which $4.82 are paid out in cash as $4.80.
  expect(await page.getByRole('status', { name: 'Refund' }).textContent()).toBe('$96.00')
  await page.getByRole('button', { name: /^Refund \$96\.00/ }).waitFor()
})

test('quantities entered while a return is reloaded remain', async () => {
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Return in progress/ }).waitFor()
  const held = holdAnswer('/returnable')
  await page.keyboard.press('Shift+F10')
  await held.asked
  await page.keyboard.press('-')
  await page.getByRole('row').first().getByText('0', { exact: true }).waitFor()
  const quoted = posted('/api/returns/quote').length
  held.release()
  await expect.poll(() => posted('/api/returns/quote').length).toBeGreaterThan(quoted)
  const asked = posted('/api/returns/quote').map(({ body }) => (body as { lines: unknown[] }).lines.length)
  expect(asked.at(-1)).toBe(5)
})

test('a late answer about a scanned receipt does not discard a return opened after it', async () => {
  terminal.state.answers[`GET /api/sales/${OTHER}/returnable`] = ok({
    saleId: OTHER,
    version: 1,
    completedAt: '2026-11-20T15:04:00.000Z',
    last4: null,
    returns: [],
    discounts: [],
    lines: [],
  })
  await page.goto(`${terminal.url}/`)
  await page.getByText('Ready for the next customer').waitFor()
  await page.keyboard.press('Shift+F10')
  await page.getByRole('grid').waitFor()
  const held = holdAnswer(`/${OTHER}/returnable`)
  terminal.push({ type: 'receipt-scanned', saleId: OTHER })
  await held.asked
  terminal.push({ type: 'receipt-scanned', saleId: SaleId.parse('N1010100000038K7Q2') })
  await page.getByRole('button', { name: 'Return all' }).click()
  await page.getByRole('status', { name: 'Refund' }).getByText('$96.00').waitFor()
  held.release()
  await page.evaluate(() => fetch('/api/terminal'))
  expect(await page.getByRole('status', { name: 'Refund' }).textContent()).toBe('$96.00')
})

test('a confirmation of a return before its amount is known is ignored with a notice', async () => {
  const latch = Promise.withResolvers<void>()
  await page.route('**/api/returns/quote', async (route) => {
    await latch.promise
    await route.fallback()
  })
  await page.keyboard.press('F8')
  await page.keyboard.press('F3')
  await page.keyboard.press('F9')
  await page.getByText('F9 ignored: still processing.', { exact: false }).waitFor()
  latch.resolve()
  await page
    .getByRole('button', { name: /^Refund \$96\.00/ })
    .and(page.locator(':enabled'))
    .waitFor()
  expect(posted('/api/returns')).toEqual([])
})

test('a scanned receipt does not replace a return that is being committed', async () => {
  terminal.state.answers['POST /api/returns'] = ok({ return: MADE_RETURN })
  const held = holdAnswer('/api/returns')
  await page.keyboard.press('F9')
  await held.asked
  terminal.push({ type: 'receipt-scanned', saleId: SaleId.parse('N1010100000040K7Q0') })
  await page.getByRole('button', { name: 'Open this receipt' }).click()
  await page.getByRole('button', { name: 'Open this receipt' }).waitFor()
  held.release()
  await page.getByText(MADE_RETURN.id).waitFor()
  expect(posted('/api/returns')).toHaveLength(1)
})

const focused = (): Promise<string | null> =>
  page.evaluate(() => {
    const { activeElement } = document
    return activeElement?.getAttribute('type') ?? activeElement?.tagName.toLowerCase() ?? null
  })
/** Focuses an element that is no field, as after a touch. */
const leaveFields = () => page.getByRole('button', { name: /^Return all/ }).focus()

test('each confirmation of a return with an empty field moves the focus to that field', async () => {
  await page.getByRole('textbox').last().fill('')
  for (const _again of [1, 2]) {
    await leaveFields()
    await page.keyboard.press('F9')
    await expect.poll(focused).toBe('text')
  }
  await page.goto(`${terminal.url}/return`)
  await page.getByRole('grid').getByRole('row').first().click()
  await page.getByRole('button', { name: /^Return all/ }).click()
  await page.getByRole('timer').waitFor()
  for (const _again of [1, 2]) {
    await leaveFields()
    await page.keyboard.press('F9')
    await expect.poll(focused).toBe('radio')
  }
  expect(posted('/api/returns')).toEqual([])
})

test('a return moves the focus to the sale number for which no sale is found, and to the missing reason', async () => {
  await page.goto(`${terminal.url}/return`)
  await page.getByRole('textbox', { name: 'Sale number' }).fill('K7')
  await page.getByRole('button', { name: 'Find', exact: true }).press('Enter')
  await expect.poll(focused).toBe('text')
  terminal.state.answers['POST /api/returns/without-record/quote'] = ok({
    lines: [],
    totals: { subtotalCents: 14_99, taxes: [], totalCents: 14_99 },
  })
  await page.keyboard.press('F4')
  await page.getByRole('heading', { level: 1, name: 'Return without a receipt' }).waitFor()
  await page.getByRole('searchbox').fill('co')
  await page.getByRole('option').first().click()
  await page.getByText('$14.99').first().waitFor()
  for (const _again of [1, 2]) {
    await page.getByRole('button', { name: /^Add one: / }).focus()
    await page.keyboard.press('F9')
    await expect.poll(focused).toBe('textarea')
  }
  expect(posted('/without-record')).toEqual([])
})
