import type { Page } from '@playwright/test'
import { beforeEach, expect, test } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { redemption, withMember } from './sales.ts'
import { untilQuiet } from './until-quiet.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: withMember() }))
const { posted, holdAnswer } = screens
let terminal: FixtureTerminal
let page: Page

const TENDERS = '/api/sales/01K9TRAINLANE01/tenders'
const PARTIAL = {
  number: 1,
  kind: 'cash',
  amountCents: 500,
  roundingCents: 0,
  tenderedCents: 500,
  changeCents: 0,
  reference: null,
}
const partlyPaid = (): Sale => withMember({ version: 4, revision: 4, tenders: [PARTIAL] })

beforeEach(async () => {
  ;({ terminal, page } = await screens.openSale())
})

async function payPartially(): Promise<() => void> {
  terminal.state.answers[`POST ${TENDERS}`] = ok({ sale: partlyPaid() })
  await page.keyboard.press('F6')
  await page.getByRole('region', { name: 'Cash', exact: true }).waitFor()
  const held = holdAnswer(TENDERS)
  await page.keyboard.type('500')
  await page.keyboard.press('Enter')
  await held.asked
  return held.release
}

test('a key pressed during a payment acts when the payment is answered', async () => {
  const release = await payPartially()
  // The event is faster than the answer, so the screen shows the payment already.
  terminal.push({ type: 'sale-changed', cause: 'tender', sale: partlyPaid() })
  await page.getByRole('status', { name: 'Due' }).waitFor()
  await page.keyboard.press('Shift+Delete')
  expect(await page.getByRole('alertdialog').count()).toBe(0)
  release()
  await page.getByRole('alertdialog').getByText('Give $5.00 cash').waitFor()
})

test('waiting keys act in order, and a second tap of a waiting key is ignored', async () => {
  const release = await payPartially()
  await page.keyboard.press('F9')
  await page.keyboard.press('F9')
  await page.keyboard.press('Shift+Delete')
  const done = withMember({ version: 5, revision: 5, state: 'completed', tenders: [PARTIAL] })
  terminal.state.answers[`POST ${TENDERS}`] = ok({ sale: done })
  release()
  await page.getByRole('heading', { name: 'Sale complete' }).waitFor()
  // The key that cancels the sale does nothing, because the sale was complete before the key's action ran.
  expect(await page.getByRole('alertdialog').count()).toBe(0)
  expect(posted('/tenders').map(({ body }) => body)).toMatchObject([{ tenderedCents: 500 }, { version: 4 }])
})

const REDEEM = '/api/sales/01K9TRAINLANE01/redemption'
const NOT_REDEEMED = /^Miles were (not redeemed|NOT applied)/
const notRedeemed = (): Promise<void> => page.getByText(NOT_REDEEMED).first().waitFor()

test.each([
  ['approved', redemption(), /^\$40\.00 paid with miles/],
  ['declined', redemption({ state: 'declined', outcome: 'not-applied' }), NOT_REDEEMED],
] as const)(
  'a payment key pressed after the outcome of a redemption (%s) was shown waits for the redemption’s answer',
  async (_what, to, shown) => {
    const known = withMember({ version: 4, revision: 4, redemption: to })
    terminal.state.answers[`POST ${REDEEM}`] = ok({ sale: known })
    const done = withMember({ version: 5, revision: 5, state: 'completed', redemption: to })
    terminal.state.answers[`POST ${TENDERS}`] = ok({ sale: done })
    const held = holdAnswer(REDEEM)
    await page.keyboard.press('F4')
    await held.asked
    // The event is faster than the answer: the cashier sees the outcome, closes it, and takes the amount due in cash.
    terminal.push({ type: 'sale-changed', cause: 'redemption', sale: known })
    await page.getByText(shown).first().waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('F9')
    held.release()
    await page.getByRole('heading', { name: 'Sale complete' }).waitFor()
    expect(posted('/tenders').map(({ body }) => body)).toMatchObject([{ kind: 'cash', version: 4 }])
  },
)

test('a payment key during a second redemption takes no payment, although the first one has an outcome', async () => {
  const before = redemption({ state: 'declined', outcome: 'not-applied' })
  terminal.push({
    type: 'sale-changed',
    cause: 'redemption',
    sale: withMember({ version: 4, revision: 4, redemption: before }),
  })
  await notRedeemed()
  await page.keyboard.press('Enter')
  const again = redemption({ ...before, id: '5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a12' })
  const known = withMember({ version: 5, revision: 5, redemption: again })
  terminal.state.answers[`POST ${REDEEM}`] = ok({ sale: known })
  const held = holdAnswer(REDEEM)
  await page.keyboard.press('F4')
  await held.asked
  await page.keyboard.press('F9')
  held.release()
  await notRedeemed()
  await page.evaluate(() => fetch('/api/terminal'))
  expect(posted('/tenders')).toEqual([])
})

test('a payment key pressed during a redemption takes no payment, and the outcome is shown', async () => {
  const declined = withMember({
    version: 4,
    revision: 4,
    redemption: redemption({ state: 'declined', outcome: 'not-applied' }),
  })
  terminal.state.answers[`POST ${REDEEM}`] = ok({ sale: declined })
  const held = holdAnswer(REDEEM)
  await page.keyboard.press('F4')
  await held.asked
  await page.keyboard.press('F9')
  held.release()
  await page
    .getByRole('button', { name: 'Continue' })
    .or(page.getByText('not applied', { exact: false }))
    .first()
    .waitFor()
  await untilQuiet(page)
  expect(posted('/tenders')).toEqual([])
})
