import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { CLOSED_SHIFT, COUNTED_SHIFT, currentShift, result } from '../day/drawer/drawer.fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { ALEX, PERSON_KEY_GAP_MS } from './screen-fixture.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX, payments: ['cash', 'card', 'cheque'] }), {
  viewport: { width: 1024, height: 768 },
  hasTouch: true,
})
const { posted } = screens
let terminal: FixtureTerminal
let page: Page

beforeEach(async () => {
  ;({ terminal, page } = screens)
  terminal.state.answers['GET /api/shifts/current'] = ok(currentShift())
  await page.goto(`${terminal.url}/manager/drawer`)
  await page.getByRole('heading', { name: 'Shift 12' }).waitFor()
})

const button = (name: string | RegExp) => page.getByRole('button', { name })
const type = (digits: string): Promise<void> => page.keyboard.type(digits, { delay: PERSON_KEY_GAP_MS })
const atAmount = (name: string): Promise<void> =>
  page.getByRole('spinbutton', { name }).and(page.locator(':focus')).waitFor()
const sum = (): Promise<string> => page.getByRole('dialog').getByRole('status').innerText()

describe('a count by coins and notes', () => {
  test('receives touched digits in the touched field, and opens no second keyboard', async () => {
    await button('Count and close').tap()
    await page.getByRole('textbox', { name: '25¢' }).tap()
    for (const digit of ['1', '2']) await button(`Digit ${digit}`).tap()
    expect([await page.getByRole('textbox', { name: '25¢' }).inputValue(), await sum()]).toEqual(['12', '$3.00'])
    await page.getByRole('group', { name: 'Number pad' }).getByRole('button', { name: 'Next' }).tap()
    await button('Digit 3').tap()
    expect(await page.getByRole('textbox', { name: '10¢' }).inputValue()).toBe('3')
    await button('Erase last digit').tap()
    expect(await sum()).toBe('$3.00')
    expect(await page.getByRole('button', { name: 'Hide keyboard' }).count()).toBe(0)
  })

  test('ignores letters, and the up and down arrow keys move between fields', async () => {
    await button('Count and close').click()
    await type('1a2')
    await page.keyboard.press('ArrowDown')
    await type('1')
    await page.keyboard.press('ArrowUp')
    expect([await page.getByRole('textbox', { name: '$100' }).inputValue(), await sum()]).toEqual(['12', '$1,250.00'])
  })

  test('remains after Esc and after a visit to another page', async () => {
    await button('Count and close').click()
    await type('3')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Day end' }).click()
    await page.getByRole('link', { name: 'Drawer' }).click()
    await button('Count and close').click()
    expect(await sum()).toBe('$300.00')
  })
})

test('a count distinguishes an uncounted payment type from zero, and is sent only after the final check', async () => {
  terminal.state.answers['POST /api/shifts/12/counts'] = ok({
    shift: { ...COUNTED_SHIFT, countedCents: 607_35, recount: [], result: result(607_35, null) },
  })
  await button('Count and close').click()
  await button('Total only').click()
  await type('60735')
  await page.keyboard.press('Enter')
  await atAmount('Card slips')
  await button('Skip, not counted').waitFor()
  await page.keyboard.press('Enter', { delay: PERSON_KEY_GAP_MS })
  await atAmount('Cheques')
  await type('0')
  await page.keyboard.press('Enter')
  await button('Finish count').waitFor()
  expect(await page.getByRole('dialog').getByRole('definition').allInnerTexts()).toEqual([
    '$607.35',
    'Not counted',
    '$0.00',
  ])
  expect(posted('/counts')).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByText('Cash: Short $5.00').waitFor()
  expect(posted('/counts').map(({ body }) => body)).toEqual([
    {
      number: 1,
      count: { cash: { by: 'sum', cents: 607_35 }, cardSlipsCents: null, chequesCents: 0, couponsCents: null },
    },
  ])
})

test('the close dialog shows which kinds of payment differ while a recount is possible, then the amounts', async () => {
  terminal.state.answers['GET /api/shifts/current'] = ok(currentShift({ shift: null, counted: [COUNTED_SHIFT] }))
  terminal.state.answers['POST /api/shifts/12/close'] = ok({ shift: CLOSED_SHIFT })
  await page.reload()
  await page.getByText('Count differs: Cash').waitFor()
  await button('Close Shift 12').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('status').getByText('Count differs: Cash').waitFor()
  expect(await dialog.getByRole('table').count()).toBe(0)
  expect(await button('Recount').evaluate((node) => node === document.activeElement)).toBe(true)
  await button('Continue').click()
  await button('Wrong change').click()
  await button('Close drawer').click()
  await dialog.getByRole('row', { name: 'Cash' }).getByText('Short $5.00').waitFor()
})

test('closing a drawer requires a reason for a difference, and limits the next float to the counted cash', async () => {
  terminal.state.answers['GET /api/shifts/current'] = ok(currentShift({ shift: null, counted: [COUNTED_SHIFT] }))
  await page.reload()
  await button('Close Shift 12').click()
  await button('Continue').click()
  await page.getByRole('spinbutton', { name: 'Left in drawer' }).waitFor()
  await button('Close drawer').click()
  await page.getByText('Choose or enter a reason.').waitFor()
  await button('Wrong change').click()
  await page.getByRole('spinbutton').click()
  await type('99999')
  await button('Close drawer').click()
  expect(await page.getByRole('spinbutton').getAttribute('aria-invalid')).toBe('true')
  expect(posted('/close')).toEqual([])
  await button('All to safe').click()
  await page.getByText('$607.35').first().waitFor()
  await button('Close drawer').click()
  await expect.poll(() => posted('/close').map(({ body }) => body)).toEqual([{ leftCents: 0, reason: 'Wrong change' }])
})

test('the form of a cash movement stays open under the approval dialog and is sent again with the PIN', async () => {
  const path = 'POST /api/shifts/current/movements'
  terminal.state.answers[path] = {
    status: 403,
    body: {
      code: 'approval-required',
      messages: { 'en-CA': 'x', 'fr-CA': 'x' },
      correlationId: 'c',
      approval: {
        of: 'cash',
        action: 'paid-out',
        approvers: ['supervisor', 'manager'],
        covers: 'c'.repeat(43),
        kind: 'paid-out',
        amountCents: 18_40,
        reason: 'Postage',
      },
    },
  }
  await button('Paid out').click()
  await type('1840')
  await button('Postage').click()
  await button('Pay out $18.40').click()
  const approval = page.getByRole('dialog', { name: 'Supervisor approval required' })
  await approval.getByText('Paid out: Postage').waitFor()
  await page.keyboard.press('Escape')
  await approval.waitFor({ state: 'detached' })
  expect(await page.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('Postage')
  await button('Pay out $18.40').click()
  await approval.waitFor()
  terminal.state.answers[path] = ok({ movement: { id: 1 } })
  await type('9999')
  await page.keyboard.press('Enter')
  await page.getByText('$18.40 paid out.').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const asked = { kind: 'paid-out', amountCents: 18_40, reason: 'Postage' }
  expect(posted('/movements').map(({ body }) => body)).toEqual([
    asked,
    asked,
    { ...asked, approval: { staffId: 'sam', pin: '9999', covers: 'c'.repeat(43) } },
  ])
})
