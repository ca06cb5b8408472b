import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import { PERSON_KEY_GAP_MS } from '../../e2e/keys.ts'
import { PresentedCoupon } from '../../contracts/catalog/manufacturer-coupons.ts'
import { useBuiltScreens } from './built-screens.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { MANAGER } from '../loyalty/queue/queue.fixture.ts'
import { RETURNS } from '../payments/returns/returns-screens.fixture.ts'
import { ALEX, MARIE, SAM, setUp, type Localize, type ScreenFixture } from './screen-fixture.ts'
import { basket, saleOf } from './sales.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX }))
let terminal: FixtureTerminal
let page: Page

beforeEach(() => {
  ;({ terminal, page } = screens)
  page.setDefaultTimeout(8_000)
})

const focused = (): Promise<string> =>
  page.evaluate(() => {
    const one = document.activeElement
    return `${one?.getAttribute('role') ?? one?.tagName.toLowerCase()} ${one?.textContent?.trim() ?? ''}`.trim()
  })
const english: Localize = (text) => text
const path = (): string => new URL(page.url()).pathname

describe('the item search of a return without a receipt', () => {
  const openSearch = async (): Promise<void> => {
    const fixture: ScreenFixture | undefined = RETURNS['return-unrecorded-items']
    setUp(fixture ?? {}, terminal, english)
    await page.goto(`${terminal.url}/return`)
    await page.getByRole('textbox').first().waitFor()
    await page.keyboard.press('F4')
    await page.getByRole('searchbox').fill('co')
    await page.getByRole('option').nth(1).waitFor()
  }

  test('adds the item chosen with the arrow keys when Enter is pressed', async () => {
    await openSearch()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const marked = page.locator('[role=option][data-focused]')
    await expect.poll(() => marked.count()).toBe(1)
    const chosen = await marked.locator('.prose').innerText()
    await page.keyboard.press('Enter')
    await page.getByRole('listitem').filter({ hasText: chosen }).waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
  })

  test('adds an item on Enter when it is the only one found', async () => {
    await openSearch()
    const item = { sku: '1001', name: { 'en-CA': 'Gala apples', 'fr-CA': 'Pommes Gala' }, priceCents: 449 }
    terminal.state.answers['POST /api/catalog/items/search'] = ok({ items: [item] })
    await page.getByRole('searchbox').fill('Gala')
    await page.getByRole('option', { name: 'Gala apples' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Gala apples' }).count()).toBe(1)
  })

  test('the first Escape empties the search and keeps the return open', async () => {
    await openSearch()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('')
    expect(path()).toBe('/return')
  })
})

/**
 * Changes the id of the first option, so that the field names an option that no longer exists, as after a new answer.
 */
const renameOption = (): Promise<void> =>
  page
    .getByRole('option')
    .first()
    .evaluate((option) => {
      option.id = 'another-option'
    })

describe('Enter in an item search whose marked option no longer exists', () => {
  const muffin = { sku: '1071', name: { 'en-CA': 'Blueberry muffin', 'fr-CA': 'Muffin aux bleuets' }, priceCents: 150 }
  const found = { 'POST /api/catalog/items/search': ok({ items: [muffin], exact: { sku: '1071' } }) }
  const mark = async (): Promise<void> => {
    await page.getByRole('option', { name: 'Blueberry muffin' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.getByRole('searchbox').getAttribute('aria-activedescendant')).not.toBeNull()
    await renameOption()
  }

  test('rings the typed quantity of the typed item', async () => {
    terminal.state.sale = saleOf(basket())
    terminal.state.answers = found
    await screens.openSale()
    await page.keyboard.press('F2')
    await page.keyboard.type('5*1071', { delay: PERSON_KEY_GAP_MS })
    await mark()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => screens.posted('/sales/current/lines').map(({ body }) => body))
      .toMatchObject([{ sku: '1071', quantity: 5 }])
  })

  test('adds the typed item to a return without a receipt', async () => {
    setUp(RETURNS['return-unrecorded-items'] ?? {}, terminal, english)
    await page.goto(`${terminal.url}/return`)
    await page.getByRole('textbox').first().waitFor()
    Object.assign(terminal.state.answers, found)
    await page.keyboard.press('F4')
    await page.getByRole('searchbox').fill('1071')
    await mark()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Blueberry muffin' }).count()).toBe(1)
  })
})

test('keys that pay at once do not pay while a manufacturer’s coupon waits for its confirmation', async () => {
  terminal.state.sale = saleOf(basket())
  terminal.state.payments = ['cash', 'manufacturer-coupon']
  await screens.openSale()
  const name = { 'en-CA': 'Detergent: $5 off', 'fr-CA': 'Détersif : 5 $ de moins' }
  const coupon = PresentedCoupon.parse({ code: '9900000000011', name, faceCents: 500, mostCents: 500 })
  terminal.push({ type: 'manufacturer-coupon-presented', coupon })
  await page.getByRole('heading', { name: 'Detergent: $5 off' }).waitFor()
  await page.keyboard.press('F9')
  await page.getByText('Confirm the payment on the screen first, or press Esc.').waitFor()
  expect(screens.posted('/tenders')).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Detergent: $5 off' }).waitFor({ state: 'detached' })
  await page.keyboard.press('F9')
  await expect.poll(() => screens.posted('/tenders').map(({ body }) => body)).toMatchObject([{ kind: 'cash' }])
})

describe('the dialog Change cashier', () => {
  test('has the focus on the first person, and keeps the focus inside until the PIN was checked', async () => {
    terminal.state.sale = saleOf(basket())
    await screens.openSale()
    await page.keyboard.press('F12')
    await page.getByRole('button', { name: MARIE.name }).waitFor()
    await expect.poll(focused).toContain(MARIE.name)
    await page.keyboard.press('Enter')
    await page.getByRole('group', { name: new RegExp(`PIN.*${MARIE.name}`) }).waitFor()
    await expect.poll(focused).toMatch(/^group/)
    await page.keyboard.type('1111')
    const { asked, release } = screens.holdAnswer('/api/sign-in')
    await page.keyboard.press('Enter')
    await asked
    expect(await focused()).toMatch(/^group/)
    release()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('keeps the focus while a PIN sent by the button is checked', async () => {
    terminal.state.sale = saleOf(basket())
    await screens.openSale()
    await page.keyboard.press('F12')
    await page.getByRole('button', { name: MARIE.name }).click()
    await page.keyboard.type('1111')
    const { asked, release } = screens.holdAnswer('/api/sign-in')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await asked
    await expect.poll(focused).toMatch(/^group/)
    release()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('leaves a page for managers and shows the sale when a cashier takes over', async () => {
    terminal.state.signedIn = SAM
    await page.goto(`${terminal.url}/manager/settings`)
    await page.getByRole('region', { name: 'Settings' }).waitFor()
    await page.keyboard.press('F12')
    await page.getByRole('button', { name: ALEX.name }).click()
    await page.keyboard.type('1111')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
    await page.getByRole('status').filter({ hasText: ALEX.name }).first().waitFor()
    expect(path()).toBe('/')
  })

  test('a sign-in by another person after an automatic sign-out on a page for managers shows the sale', async () => {
    terminal.state.signedIn = SAM
    await page.goto(`${terminal.url}/manager/settings`)
    await page.getByRole('region', { name: 'Settings' }).waitFor()
    terminal.state.signedIn = null
    terminal.push({ type: 'signed-out' })
    await page.getByRole('button', { name: ALEX.name }).click()
    await page.keyboard.type('1111')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
    expect(path()).toBe('/')
  })
})

test('the coupon dialog closes when a scan adds a coupon', async () => {
  const before = saleOf(basket())
  terminal.state.sale = before
  await screens.openSale()
  await page.keyboard.press('Control+K')
  await page.getByRole('dialog').waitFor()
  const coupon = { code: 'HOUSE10', name: { 'en-CA': 'Household week', 'fr-CA': 'Semaine maison' } }
  terminal.push({
    type: 'sale-changed',
    cause: 'scan',
    sale: {
      ...before,
      revision: before.revision + 1,
      discounts: [
        {
          number: 1,
          reach: { kind: 'sale' },
          off: { kind: 'amount', cents: 110 },
          reason: null,
          coupon,
          applies: true,
          amountCents: 110,
        },
      ],
    },
  } as never)
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
})

test('the form Resolve of the exceptions queue has the focus on its first choice', async () => {
  const fixture = MANAGER['queue-resolve']
  setUp(fixture ?? {}, terminal, english)
  Object.assign(terminal.state, { signedIn: SAM, attention: 1 })
  await page.goto(`${terminal.url}${fixture?.path ?? ''}`)
  await fixture?.act?.(page, terminal, english)
  const focusedElement = (): Promise<string> =>
    page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200) ?? '')
  await expect.poll(focusedElement, { timeout: 3_000 }).toContain('value="not-at-central"')
})
