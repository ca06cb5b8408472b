import type { Page } from '@playwright/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Item } from '../../contracts/catalog/catalog.ts'
import { cents } from '../../contracts/core/money.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX, MARIE } from './screen-fixture.ts'
import { VOID_TO_APPROVE } from '../sales/changes/changes-screens.fixture.ts'
import { USUAL_PAYMENTS, type FixtureTerminal } from './fixture-terminal.ts'
import { basket, line, member, redemption, saleOf, withMember, printJob } from './sales.ts'
import { untilQuiet } from './until-quiet.ts'
import { ok, refusal } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: withMember() }))
const { posted } = screens
let terminal: FixtureTerminal
let page: Page

beforeEach(async () => {
  ;({ terminal, page } = await screens.openSale())
})

const PERSON_KEY_GAP_MS = 80

describe('discounts and prices by keyboard', () => {
  const DISCOUNTS = 'POST /api/sales/01K9TRAINLANE01/discounts'
  const type = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key, { delay: PERSON_KEY_GAP_MS })
  }
  const focused = (): Promise<string | null> =>
    page.evaluate(
      () => document.activeElement?.getAttribute('role') ?? document.activeElement?.getAttribute('type') ?? null,
    )

  test('one letter selects a reason; Enter without a reason moves the focus to the choice of reasons', async () => {
    terminal.state.answers[DISCOUNTS] = ok({ sale: withMember({ version: 9, revision: 9, undo: 'discount' }) })
    await page.keyboard.press('Control+d')
    await expect.poll(focused).toBe('spinbutton')
    await type('1', '0', 'b', 'Enter')
    await expect
      .poll(() => posted('/discounts').map(({ body }) => (body as { reason: string }).reason))
      .toEqual(['damaged'])
    await page.keyboard.press('Control+d')
    await expect.poll(focused).toBe('spinbutton')
    await type('5', 'Enter')
    await expect.poll(focused).toBe('radio')
    await type('ArrowDown', 'Enter')
    await expect.poll(() => posted('/discounts').length).toBe(2)
  })

  test.each([
    ['7.5', /7\.5%/, { kind: 'percent', ppm: 75_000 }],
    ['7,5', /7\.5%/, { kind: 'percent', ppm: 75_000 }],
    ['12.5', /12\.5%/, { kind: 'percent', ppm: 125_000 }],
    ['75', /75%/, { kind: 'percent', ppm: 750_000 }],
  ])('applies a discount of %s typed as a percentage', async (keys, shown, off) => {
    terminal.state.answers[DISCOUNTS] = ok({ sale: withMember({ version: 9, revision: 9, undo: 'discount' }) })
    await page.keyboard.press('Control+d')
    await expect.poll(focused).toBe('spinbutton')
    await type(...keys)
    await page.getByRole('button', { name: shown }).waitFor()
    await type('b', 'Enter')
    await expect.poll(() => posted('/discounts').map(({ body }) => (body as { off: unknown }).off)).toEqual([off])
  })

  test('a price change without an amount is not sent, and the focus moves back to the amount', async () => {
    await page.keyboard.press('Control+p')
    await expect.poll(focused).toBe('spinbutton')
    await type('a')
    await page.getByRole('button', { name: /^Sell at/ }).press('Enter')
    await expect.poll(focused).toBe('spinbutton')
    expect(posted('/price')).toEqual([])
  })

  test('a third decimal is refused; another mark after it makes the first one a thousands separator', async () => {
    await page.keyboard.press('Control+p')
    const pad = page.getByRole('spinbutton', { name: 'Unit price' })
    await expect.poll(focused).toBe('spinbutton')
    const refused = page.getByRole('alert').filter({ hasText: 'Last key not taken.' })
    await type(...'1,234')
    await refused.waitFor()
    await page.keyboard.press('Enter')
    expect(posted('/price')).toEqual([])
    await type(...'.56')
    await expect.poll(() => pad.getAttribute('aria-valuetext')).toBe('$1,234.56')
    expect(await refused.count()).toBe(0)
  })

  test('a price change shows the current price at first, and Enter without a new price asks for one', async () => {
    await page.keyboard.press('Control+p')
    const pad = page.getByRole('spinbutton', { name: 'Unit price' })
    const now = /\$\d+\.\d\d/.exec(await page.getByText(/^Now \$/).innerText())?.[0] ?? 'no price'
    expect(await pad.getAttribute('aria-valuetext')).toBe(now)
    await type('a')
    await page.getByRole('button', { name: `Sell at ${now}` }).press('Enter')
    await page
      .getByRole('alert')
      .getByText(/^Enter price of/)
      .waitFor()
    expect(await page.getByText(/^Now \$/).count()).toBe(0)
  })

  test('a missing gift card amount is reported, and the focus moves back to it', async () => {
    await page.keyboard.press('Control+g')
    await expect.poll(focused).toBe('spinbutton')
    await page.getByRole('button', { name: 'Add $0.00' }).click()
    await page.getByRole('alert').filter({ hasText: 'From $1.00 to $1,000.00.' }).waitFor()
    await expect.poll(focused).toBe('spinbutton')
    expect(posted('/lines')).toEqual([])
  })
})

test('a letter and Enter give staff prices from the keyboard alone', async () => {
  terminal.state.answers['PUT /api/sales/01K9TRAINLANE01/buyers'] = ok({
    sale: withMember({ version: 9, revision: 9, undo: 'buyers' }),
  })
  await page.keyboard.press('Control+F10')
  await page.getByRole('dialog', { name: 'Staff or seniors’ prices' }).waitFor()
  await page.keyboard.press('a')
  await page.keyboard.press('Enter')
  await expect.poll(() => posted('/buyers').map(({ body }) => body)).toMatchObject([{ buyers: 'staff' }])
})

test('the panel that sells a gift card has a title, and the dialog that holds a sale has a Back button', async () => {
  await page.keyboard.press('Control+g')
  await page.getByRole('heading', { name: 'Sell gift card' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('F5')
  const dialog = page.getByRole('dialog', { name: 'Hold this sale' })
  await dialog.getByRole('button', { name: 'Back' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(posted('/hold')).toEqual([])
})

test('the training panel scans any typed code, such as that of a coupon', async () => {
  terminal.state.mode = 'training'
  await page.reload()
  await page.getByRole('grid').waitFor()
  await page.keyboard.press('F10')
  const panel = page.getByRole('complementary', { name: 'Training devices' })
  await panel.getByRole('searchbox', { name: 'Search items to scan' }).fill('COFFEE2')
  await panel.getByRole('button', { name: 'Scan the code COFFEE2' }).click()
  await expect.poll(() => posted('/training/scan').map(({ body }) => body)).toEqual([{ code: 'COFFEE2' }])
})

test('the notice about an applied store coupon calls it a coupon', async () => {
  const coupon = { code: 'COFFEE2', name: { 'en-CA': 'Coffee month', 'fr-CA': 'Mois du café' } }
  const discount = { number: 1, reach: { kind: 'sale' }, off: null, reason: null, coupon, promotion: null }
  terminal.state.answers['POST /api/sales/current/coupons'] = ok({
    sale: { ...withMember({ version: 9, revision: 9, undo: 'discount' }), discounts: [discount] },
  })
  await page.keyboard.press('Control+k')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('COFFEE2')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByText('Coupon applied.').count()).toBe(1)
})

test('an approval that only a manager may give asks for a manager', async () => {
  terminal.state.answers['PUT /api/sales/01K9TRAINLANE01/buyers'] = refusal('approval-required', {
    approval: { ...VOID_TO_APPROVE, approvers: ['manager'] },
  })
  await page.keyboard.press('Control+F10')
  await page.getByRole('radio', { name: 'Staff' }).press('Space')
  await page.getByRole('button', { name: 'Apply prices' }).click()
  await expect.poll(() => page.getByRole('dialog', { name: 'Manager approval required' }).count()).toBe(1)
})

describe('an age check that fails', () => {
  const beer = line(1, { name: { 'en-CA': 'Beer', 'fr-CA': 'Bière' } })
  const deposit = line(2, { chargeOf: 1, name: { 'en-CA': 'Deposit', 'fr-CA': 'Consigne' } })
  const ageCheck = { minimumAge: 19, bornBy: '2007-11-21', items: [beer.name], clearlyOver: false }
  const refused = [line(1, { voided: true }), line(2, { voided: true, chargeOf: 1 })]

  test('counts the removed goods without their deposits, and its notice ends with the next action', async () => {
    const at = (version: number) => ({ version, revision: version })
    terminal.push({ type: 'sale-changed', cause: 'scan', sale: saleOf([beer, deposit], { ageCheck, ...at(9) }) })
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/age-check'] = ok({
      sale: saleOf(refused, { undo: 'void', ...at(10) }),
    })
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/undo'] = ok({ sale: saleOf(refused, at(11)) })
    await page.getByRole('button', { name: 'Do not sell' }).click()
    const notice = page.getByText('Age not confirmed.', { exact: false })
    await notice.waitFor()
    expect(await notice.textContent()).toBe('Age not confirmed. Item removed.')
    await page.keyboard.press('Control+z')
    await notice.waitFor({ state: 'detached' })
  })
})

describe('refunding a payment of an open sale', () => {
  const cashTender = {
    number: 4,
    kind: 'cash',
    amountCents: 500,
    roundingCents: 0,
    tenderedCents: 500,
    changeCents: 0,
    reference: null,
  } as const

  test('asks for a confirmation with the cash to give, and shows that cash again after the refund', async () => {
    const paid = withMember({ version: 5, revision: 5, tenders: [cashTender] })
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/tenders/4/take-back'] = ok({
      sale: withMember({ version: 6, revision: 6 }),
    })
    terminal.push({ type: 'sale-changed', cause: 'tender', sale: paid })
    await page.getByRole('list', { name: 'Payments taken' }).waitFor()
    await page.keyboard.press('Control+b')
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('Give $5.00 cash').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(posted('/take-back')).toEqual([])
    await page.getByRole('button', { name: 'Refund: Cash $5.00' }).click()
    await dialog.getByRole('button', { name: 'Refund $5.00' }).click()
    await expect.poll(() => posted('/take-back').map(({ body }) => body)).toEqual([{ version: 5 }])
    await page.getByRole('status').filter({ hasText: 'Give $5.00 cash' }).waitFor()
    expect(await page.getByRole('list', { name: 'Payments taken' }).count()).toBe(0)
  })
})

describe('miles that a cashier returned', () => {
  const givenBack = (over: object) =>
    withMember({ redemption: redemption({ wasApplied: true, ...over }), version: 6, revision: 6 })

  test('show no outcome in a reloaded window, where the next redemption is possible', async () => {
    Object.assign(terminal.state, { sale: givenBack({ state: 'reversed', outcome: 'reversed' }) })
    await page.reload()
    await page.getByRole('grid').waitFor()
    await page.getByRole('button', { name: /^Redeem \$40/ }).waitFor()
    expect(await page.getByText('Not applied', { exact: false }).count()).toBe(0)
  })

  test('show that it is too late to return them, and other payments stay possible', async () => {
    Object.assign(terminal.state, {
      sale: givenBack({ state: 'reversal-expired', outcome: 'reversal-expired', responseCode: '0080' }),
    })
    await page.reload()
    await page.getByText('Too late to return miles.', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: /^Exact cash/ }).waitFor()
    expect(await page.getByText('Not applied', { exact: false }).count()).toBe(0)
  })
})

describe('a change that needs an approval or a price', () => {
  const VOID = 'POST /api/sales/01K9TRAINLANE01/lines/4/void'
  const refused = (code: string, approval?: object) => ({
    status: 403,
    body: { code, messages: { 'en-CA': `Refused: ${code}`, 'fr-CA': code }, correlationId: 'x', approval },
  })

  test('is repeated with the PIN as the same command, and the PIN pad reports a wrong PIN', async () => {
    terminal.state.answers[VOID] = refused('approval-required', VOID_TO_APPROVE)
    await page.keyboard.press('Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Voided line.').waitFor()
    await dialog.getByRole('row', { name: '2 → 0 × Laundry detergent 2.95 L $39.98 $0.00' }).waitFor()
    await dialog.getByRole('group', { name: /PIN of Sam/ }).waitFor()
    terminal.state.answers[VOID] = refused('pin-wrong')
    await page.keyboard.type('1111')
    await page.keyboard.press('Enter')
    await dialog.getByText('Refused: pin-wrong').waitFor()
    terminal.state.answers[VOID] = ok({ sale: withMember({ version: 9, revision: 9, undo: 'void' }) })
    await page.keyboard.type('9999')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    const { covers } = VOID_TO_APPROVE
    expect(posted('/void').map(({ body }) => body)).toEqual([
      { version: 3 },
      { version: 3, approval: { staffId: 'sam', pin: '1111', covers } },
      { version: 3, approval: { staffId: 'sam', pin: '9999', covers } },
    ])
    await page.getByText('Line voided.').waitFor()
    terminal.state.answers[VOID] = refused('approval-required', VOID_TO_APPROVE)
    await page.keyboard.press('Delete')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(posted('/void')).toHaveLength(4)
  })

  test('is shown again if the sale has changed, and needs the PIN again', async () => {
    terminal.state.answers[VOID] = refused('approval-required', VOID_TO_APPROVE)
    await page.keyboard.press('Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('group', { name: /PIN of Sam/ }).waitFor()
    terminal.state.answers[VOID] = refused('approval-required', {
      ...VOID_TO_APPROVE,
      covers: 'w'.repeat(43),
      approvers: ['supervisor', 'manager'],
      items: VOID_TO_APPROVE.items.map((item) => ({ ...item, quantityBefore: 3, beforeCents: 59_97 })),
    })
    await page.keyboard.type('9999')
    await page.keyboard.press('Enter')
    await dialog.getByText('The sale changed.').waitFor()
    await dialog.getByRole('row', { name: '3 → 0 × Laundry detergent 2.95 L $59.97 $0.00' }).waitFor()
    terminal.state.answers[VOID] = ok({ sale: withMember({ version: 9, revision: 9, undo: 'void' }) })
    await page.keyboard.type('9999')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    expect(posted('/void').at(-1)?.body).toMatchObject({ approval: { covers: 'w'.repeat(43) } })
  })

  test('has a notice with an undo button when it is done, for that version of the sale only', async () => {
    terminal.state.answers[VOID] = ok({ sale: withMember({ version: 9, revision: 9, undo: 'void' }) })
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/undo'] = ok({
      sale: withMember({ version: 10, revision: 10 }),
    })
    await page.keyboard.press('Delete')
    const notice = page.getByRole('status').filter({ hasText: 'Line voided.' })
    await notice.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => posted('/undo').map(({ body }) => body)).toEqual([{ version: 9 }])
    terminal.state.answers[VOID] = ok({ sale: withMember({ version: 11, revision: 11, undo: 'void' }) })
    await page.keyboard.press('Delete')
    await notice.waitFor()
    terminal.push({
      type: 'sale-changed',
      cause: 'scan',
      sale: withMember({ version: 12, revision: 12, undo: 'ring' }),
    })
    await notice.waitFor({ state: 'hidden' })
  })

  test('two scanned open-price items ask for their prices one after the other', async () => {
    const item = (sku: string, name: string) =>
      ({
        sku,
        barcode: null,
        name: { 'en-CA': name, 'fr-CA': name },
        priceCents: 1000,
        openPrice: { leastCents: 100, mostCents: 20_000 },
        taxCategory: 'standard',
        departmentId: 'floral',
        categoryId: null,
      }) as unknown as Item
    terminal.push({ type: 'price-asked', item: item('1037', 'Cut flowers') })
    terminal.push({ type: 'price-asked', item: item('1038', 'Wreath') })
    await page.getByRole('heading', { name: 'Enter price of Cut flowers' }).waitFor()
    // Press keys after the dialog has the focus, with pauses: keys without a pause count as a scan.
    const focused = async () => {
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.closest('[role="dialog"] [role="group"]') !== null))
        .toBe(true)
    }
    await focused()
    await page.keyboard.type('50', { delay: PERSON_KEY_GAP_MS })
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'From $1.00 to $200.00.' }).waitFor()
    await page.keyboard.type('00', { delay: PERSON_KEY_GAP_MS })
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Enter price of Wreath' }).waitFor()
    await focused()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => posted('/lines').map(({ body }) => body))
      .toEqual([
        { sku: '1037', quantity: 1, priceCents: 5000 },
        { sku: '1038', quantity: 1, priceCents: 1000 },
      ])
  })
})

describe('payment keys on a lane with a card terminal', () => {
  beforeEach(async () => {
    terminal.state.payments = ['cash', 'card', 'card-terminal', 'voucher']
    await page.reload()
    await page.getByRole('grid').waitFor()
  })
  afterEach(() => {
    terminal.state.payments = USUAL_PAYMENTS
  })

  test('show one “Card” button, and a button for the slip of an offline card terminal', async () => {
    const paymentKeys = page.getByRole('region', { name: 'Payment' }).getByRole('button', { name: /ard/ })
    expect(await paymentKeys.allInnerTexts()).toEqual([
      'Card',
      'Part by card',
      'Store credit or gift card',
      'Card slip',
    ])
    await page.getByRole('button', { name: 'Card slip' }).click()
    await page.getByRole('textbox', { name: 'Reference' }).waitFor()
  })

  test('send a partial amount to the card terminal by touch', async () => {
    await page.getByRole('button', { name: 'Part by card' }).click()
    await page.getByRole('region', { name: 'Card terminal' }).getByRole('button', { name: 'Digit 5' }).click()
    await page.getByRole('button', { name: '00, two zeros' }).click()
    await page.getByRole('button', { name: 'Send $5.00 to card terminal' }).click()
    await expect
      .poll(() => posted('/card-payment').map(({ body }) => body))
      .toEqual([expect.objectContaining({ amountCents: 500 })])
  })

  test('include “Stop card payment” while the outcome of the card payment is unknown', async () => {
    const cardPayment = {
      reference: 'A1B2C3D4E5',
      amountCents: cents(4531),
      approvedCents: null,
      state: 'unknown',
      reason: 'interrupted',
    } as const
    terminal.push({
      type: 'sale-changed',
      cause: 'tender',
      sale: withMember({ version: 9, revision: 9, cardPayment }),
    })
    await page.getByRole('button', { name: 'Stop card payment' }).click()
    await expect.poll(() => posted('/card-payment/cancel')).toHaveLength(1)
  })
})

describe('input at a cashier window', () => {
  test('F10 opens the training devices panel, and the next Tab moves into it', async () => {
    terminal.state.mode = 'training'
    await page.reload()
    await page.getByRole('grid').waitFor()
    await page.getByRole('button', { name: 'Void line' }).focus()
    await page.keyboard.press('F10')
    const panel = page.getByRole('complementary', { name: 'Training devices' })
    await panel.waitFor()
    await page.keyboard.press('Tab')
    expect(await panel.evaluate((place) => place.contains(document.activeElement))).toBe(true)
    terminal.state.mode = 'production'
  })

  test('Enter in the search rings the selected item once, and the next keys act on the sale', async () => {
    await page.keyboard.press('F2')
    // Only one letter is typed, because each letter requests a new list: Enter before the last list arrived would
    // search instead of ringing the selected item.
    await page.keyboard.press('c')
    await page.locator('[role=option][data-focused]').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => posted('/lines').length).toBe(1)
    expect(posted('/lines')[0]?.body).toEqual({ sku: '1010', quantity: 1 })
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    expect(await page.evaluate(() => document.activeElement instanceof HTMLInputElement)).toBe(false)
  })

  test('a gift card code typed in the search opens its payment during a sale, and else shows its balance', async () => {
    const voucher = {
      id: 'A'.repeat(32),
      kind: 'gift-card',
      last4: 'ABAK',
      issuedAt: '2026-11-20T15:04:00.000Z',
      balanceCents: 17_41,
    }
    const type = async (): Promise<void> => {
      await page.keyboard.press('F2')
      // The keys have pauses, because keys without a pause count as a scan.
      await page.keyboard.type('abcd-efgh-jkmn-pqrt-abak', { delay: PERSON_KEY_GAP_MS })
      await page.keyboard.press('Enter')
    }
    Object.assign(terminal.state.answers, {
      'POST /api/catalog/items/search': ok({ items: [] }),
      'POST /api/vouchers/present': ok({ voucher }),
    })
    await type()
    await page.getByRole('heading', { name: 'Gift card •••• ABAK' }).waitFor()
    expect(posted('/vouchers/present').map(({ body }) => body)).toEqual([{ code: 'abcd-efgh-jkmn-pqrt-abak' }])
    terminal.state.sale = null
    await page.reload()
    await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
    await type()
    await page.getByText('Gift card •••• ABAK: $17.41 remaining.').waitFor()
  })

  test('an event or a scan that arrives while a payment is typed does not change the typed text', async () => {
    await page.keyboard.press('F7')
    const reference = page.getByRole('textbox', { name: 'Reference' })
    await reference.fill('A1')
    terminal.push({ type: 'sale-changed', cause: 'preview', sale: withMember({ version: 4, milesPreview: 46 }) })
    terminal.push({ type: 'scan-unknown', code: '0999999999993' })
    await page.getByRole('alert').filter({ hasText: '0999999999993' }).waitFor()
    expect(await reference.inputValue()).toBe('A1')
  })

  test('an unreadable scan is reported in the cashier’s language', async () => {
    terminal.push({ type: 'scan-unreadable' })
    await expect
      .poll(() => page.getByRole('alert').allInnerTexts())
      .toEqual([expect.stringContaining('Barcode unreadable.')])
    Object.assign(terminal.state, { signedIn: MARIE })
    await page.reload()
    await page.getByRole('grid').waitFor()
    terminal.push({ type: 'scan-unreadable' })
    await expect
      .poll(() => page.getByRole('alert').allInnerTexts())
      .toEqual([expect.stringContaining('Code-barres illisible.')])
  })

  test('items rung while a dialog is open are announced to screen readers', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    terminal.push({
      type: 'sale-changed',
      cause: 'scan',
      sale: saleOf([...basket(), line(6)], { version: 9, member: member() }),
    })
    await expect.poll(() => page.getByRole('log').allInnerTexts()).toEqual(['Whole milk 2 L, $5.49. Total $50.80.'])
    // An open dialog hides other content from screen readers as inert or aria-hidden.
    expect(
      await page
        .locator('[role="log"], [aria-live="assertive"].sr-only')
        .evaluateAll((regions) => regions.map((region) => region.closest('[inert], [aria-hidden="true"]') === null)),
    ).toEqual([true, true])
  })

  test('a double press of a payment key takes one payment', async () => {
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/tenders'] = ok({
      sale: withMember({ version: 4, state: 'completed' }),
    })
    await page.evaluate(() => {
      for (let press = 0; press < 3; press += 1)
        window.dispatchEvent(new KeyboardEvent('keydown', { key: 'F9', bubbles: true }))
    })
    await page.getByRole('heading', { name: 'Sale complete' }).waitFor()
    await page.keyboard.press('F9')
    expect(posted('/tenders').map(({ body }) => body)).toEqual([
      { kind: 'cash', version: 3, tenderedCents: withMember().totals.cashDueCents },
    ])
  })

  test('a command rejected because the sale has changed shows the current sale and a notice', async () => {
    const fresh = saleOf([line(1)], { version: 9 })
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/lines/4/void'] = {
      status: 409,
      body: { code: 'sale-stale', messages: { 'en-CA': 'x', 'fr-CA': 'y' } },
    }
    terminal.state.sale = fresh
    await page.keyboard.press('Delete')
    await page.getByText('The sale changed.').waitFor()
    await expect.poll(() => page.getByRole('grid').getByRole('row').count()).toBe(1)
  })

  test('cancelling a partly paid sale shows the refund in the confirmation dialog, and then until Enter', async () => {
    const tenders = [
      {
        number: 1,
        kind: 'cash',
        amountCents: 10_00,
        roundingCents: 0,
        tenderedCents: 10_00,
        changeCents: 0,
        reference: null,
      },
      {
        number: 2,
        kind: 'card',
        amountCents: 5_00,
        roundingCents: 0,
        tenderedCents: 5_00,
        changeCents: 0,
        reference: 'TPV-9',
      },
    ]
    const undone = tenders.map((tender) => ({
      ...tender,
      amountCents: -tender.amountCents,
      tenderedCents: -tender.tenderedCents,
    }))
    terminal.push({ type: 'sale-changed', cause: 'tender', sale: withMember({ version: 4, tenders }) })
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/cancel'] = ok({
      sale: withMember({ version: 5, state: 'cancelled', tenders: [...tenders, ...undone] }),
    })
    await page.getByRole('list', { name: 'Payments taken' }).waitFor()
    await page.keyboard.press('Shift+Delete')
    await page.getByRole('alertdialog').getByText('Give $10.00 cash').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel sale' }).click()
    const after = page.getByRole('region', { name: 'Sale cancelled' })
    await after.getByText('Give $10.00 cash').waitFor()
    await after.getByText('Void $5.00 on the card terminal (ref. TPV-9)').waitFor()
    expect(await after.textContent()).not.toMatch(/No change due|No member/)
    await page.locator('button[data-focused]').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
  })

  test('the window promises no miles for a collector who cannot earn, before and after paying', async () => {
    const accountHolder = member({
      availableCents: null,
      availableCashMiles: null,
      noRedemption: 'central-unreachable',
      noEarning: 'collector-invalid',
    })
    terminal.push({
      type: 'sale-changed',
      cause: 'preview',
      sale: withMember({ version: 4, member: accountHolder, milesPreview: null, redemptionChoice: null }),
    })
    await page.getByRole('region', { name: 'Member' }).getByText('cannot earn or redeem').waitFor()
    expect(await page.getByText('Miles to earn').locator('..').textContent()).toBe('Miles to earnNone')
    expect(await page.getByText('sent later').count()).toBe(0)
    terminal.push({
      type: 'sale-changed',
      cause: 'tender',
      sale: withMember({
        version: 5,
        state: 'completed',
        member: accountHolder,
        milesPreview: null,
        issuance: { state: 'queued', miles: null, pending: null, rejected: null, refusal: 'collector-invalid' },
      }),
    })
    await page.getByText('None: unknown card').waitFor()
    expect(await page.getByText(/to earn/).count()).toBe(0)
  })

  test('messages cover no control on the smallest screen', async () => {
    await page.setViewportSize({ width: 1024, height: 768 })
    const covered = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('main button')]
          // A narrow screen does not have every button.
          .filter((button) => button.checkVisibility())
          .filter((button) => {
            const { left, top, width, height } = button.getBoundingClientRect()
            const hit = document.elementFromPoint(left + width / 2, top + height / 2)
            return !hit || !button.contains(hit)
          })
          .map((button) => button.textContent),
      )
    for (const code of ['0999999999993', '0999999999994', '0999999999995'])
      terminal.push({ type: 'scan-unknown', code })
    await page.getByRole('alert').nth(2).waitFor()
    expect(await covered()).toEqual([])
    terminal.push({ type: 'sale-changed', cause: 'tender', sale: withMember({ version: 4, state: 'completed' }) })
    await page.getByRole('heading', { name: 'Sale complete' }).waitFor()
    terminal.push(printJob({}))
    await page.getByText('Receipt not printed.').waitFor()
    expect(await covered()).toEqual([])
  })

  test('a quantity of four digits is rejected with a message and sets nothing', async () => {
    await page.keyboard.press('F3')
    await page.getByRole('textbox', { name: /Quantity of/ }).fill('1200')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'from 1 to 999' }).waitFor()
    expect(terminal.calls.filter(({ method }) => method === 'PUT')).toEqual([])
  })

  test('Esc pressed twice leaves the search, and the next keys act on the sale', async () => {
    await page.keyboard.press('F2')
    await page.keyboard.type('co')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => document.activeElement instanceof HTMLInputElement)).toBe(false)
    expect(await page.getByRole('searchbox').getAttribute('aria-activedescendant')).toBeNull()
    await page.keyboard.press('Shift+Delete')
    await page.getByRole('alertdialog').waitFor()
  })

  test('an item scanned before the window gets the answer that no sale is open stays on the screen', async () => {
    const open = withMember({ version: 5, revision: 5 })
    // The item was rung while the answer was pending: the answer reports no sale, and the next request finds an open
    // one.
    terminal.state.sale = null
    terminal.state.answers = { 'GET /api/sales/01K9TRAINLANE01': ok({ sale: open }) }
    const asked = page.waitForResponse((response) => response.url().endsWith('/api/sales/01K9TRAINLANE01'))
    terminal.push({ type: 'resync' })
    await asked
    await untilQuiet(page)
    expect(await page.getByRole('grid').getByRole('row').count()).toBeGreaterThan(1)
  })

  test('a stopped terminal shows why it stopped and what to do, and accepts no more input', async () => {
    terminal.push({ type: 'stopped', reason: 'storage-failed' })
    await page.getByRole('heading', { name: 'Sales stopped on this terminal' }).waitFor()
    await page.keyboard.press('F9')
    expect(posted('/tenders')).toEqual([])
  })
})

test('a scanned BACK control closes a question without an answer, as Esc does', async () => {
  await page.keyboard.press('Shift+Delete')
  await page.getByRole('alertdialog', { name: 'Cancel this sale?' }).waitFor()
  terminal.push({ type: 'control-scanned', control: 'back' })
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  terminal.push({ type: 'control-scanned', control: 'back' })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.getByText('is not available now', { exact: false }).count()).toBe(0)
  expect(posted('/cancel')).toEqual([])
})

test('the note dialog names characters that the printer cannot print while a note is typed', async () => {
  await page.keyboard.press('Control+o')
  const note = page.getByRole('textbox', { name: /Printed on the receipt/ })
  await note.fill('Café de l’été')
  expect(await page.getByText('Cannot print', { exact: false }).count()).toBe(0)
  await note.fill('Merci 🍎')
  await page.getByText('Cannot print 🍎: replaced by a plain letter or ? on paper.').waitFor()
  expect(
    await note.evaluate((field) =>
      field
        .getAttribute('aria-describedby')
        ?.split(' ')
        .map((id) => document.getElementById(id)?.textContent)
        .join(' '),
    ),
  ).toContain('🍎')
})

test('a key pressed while a dialog fades out acts on the sale', async () => {
  // On a busy machine screens render slowly, so here the fade-out lasts longer than the test.
  await page.evaluate(() => {
    const slow = new CSSStyleSheet()
    slow.replaceSync('* { animation-duration: 1000s !important }')
    document.adoptedStyleSheets.push(slow)
  })
  await page.keyboard.press('Shift+Delete')
  await page.getByRole('alertdialog', { name: 'Cancel this sale?' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[data-modal][data-exiting]').waitFor()
  await page.keyboard.press('F6')
  await page.getByRole('region', { name: 'Cash', exact: true, includeHidden: true }).waitFor()
  expect(await page.locator('[data-modal][data-exiting]').count()).toBe(1)
})
