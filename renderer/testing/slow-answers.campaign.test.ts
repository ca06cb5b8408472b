import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import type { Control } from '../../contracts/core/text.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { FLOWERS, line, saleOf } from './sales.ts'
import { ok } from './answers.ts'

const one = saleOf([line(1)])
const two = (over: object = {}): Sale => saleOf([line(1), line(3)], { version: 4, revision: 4, ...over })
const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: one }), {}, { routes: true })
const { posted } = screens
let terminal: FixtureTerminal
let page: Page

const LINES = '/api/sales/current/lines'
const SALE = '/api/sales/01K9TRAINLANE01'
const due = (sale: Sale): object => ({ kind: 'cash', version: sale.version, tenderedCents: sale.totals.cashDueCents })

beforeEach(async () => {
  ;({ terminal, page } = await screens.openSale())
})

const answer = (route: string, sale: Sale): void => {
  terminal.state.answers[route] = ok({ sale })
}

/** Holds the next calls of a route before they reach the terminal, so that there is no event about them either. */
async function holdCall(path: string, times = 1): Promise<{ asked: Promise<void>; release: () => void }> {
  const asked = Promise.withResolvers<void>()
  const latch = Promise.withResolvers<void>()
  await page.route(
    `**${path}`,
    async (route) => {
      asked.resolve()
      await latch.promise
      await route.continue()
    },
    { times },
  )
  return { asked: asked.promise, release: latch.resolve }
}

async function ringSlowly(): Promise<() => void> {
  answer(`POST ${LINES}`, two())
  const held = await holdCall(LINES)
  await search('1013')
  await held.asked
  return held.release
}

const found = (sku: string): object => ({
  sku,
  barcode: null,
  name: { 'en-CA': sku, 'fr-CA': sku },
  priceCents: 449,
  openPrice: null,
  taxCategory: 'standard',
})

async function search(number: string): Promise<void> {
  await page.keyboard.press('F2')
  await page.keyboard.type(number, { delay: 80 })
  await page.keyboard.press('Enter')
}

async function tenders(): Promise<unknown[]> {
  await page.getByRole('heading', { name: 'Sale complete' }).waitFor()
  return posted('/tenders').map(({ body }) => body)
}

test('an exact-cash payment includes the item that was still being rung', async () => {
  const release = await ringSlowly()
  answer(`POST ${SALE}/tenders`, two({ state: 'completed', version: 5, revision: 5 }))
  await page.keyboard.press('F9')
  release()
  expect(await tenders()).toEqual([due(two())])
})

test('a payment by the exact-cash button includes the item that was still being rung', async () => {
  const release = await ringSlowly()
  answer(`POST ${SALE}/tenders`, two({ state: 'completed', version: 5, revision: 5 }))
  await page.getByRole('button', { name: /^Exact cash/ }).click()
  release()
  expect(await tenders()).toEqual([due(two())])
})

test('each press of “one more” adds one piece of the item that was still being rung', async () => {
  const release = await ringSlowly()
  answer(`PUT ${SALE}/lines/3`, two({ version: 5, revision: 5 }))
  const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
  await page.keyboard.press('+')
  // A key is held back while it could be the first of a scan; a tap ends that wait.
  await page.getByRole('button', { name: 'Add one' }).click()
  release()
  await answered
  await expect.poll(() => posted('/lines/3').map(({ body }) => body)).toHaveLength(2)
  expect(posted('/lines/1')).toEqual([])
})

test('a payment whose amount was typed before an item arrived is rejected, with a notice to check', async () => {
  answer(`POST ${LINES}`, two())
  terminal.state.answers[`POST ${SALE}/tenders`] = {
    status: 409,
    body: { code: 'sale-stale', messages: { 'en-CA': 'Changed.', 'fr-CA': 'Changée.' } },
  }
  const held = await holdCall(LINES)
  await search('1013')
  await held.asked
  await page.keyboard.press('F6')
  await page.getByRole('region', { name: 'Cash', exact: true }).waitFor()
  await page.keyboard.type('2000', { delay: 80 })
  await page.keyboard.press('Enter')
  held.release()
  await page.getByText('Check the screen, then try again').waitFor()
  expect(
    posted('')
      .map(({ path }) => path)
      .filter((path) => /lines|tenders/.test(path)),
  ).toEqual([LINES, `${SALE}/tenders`])
  // The payment has the version that was on the screen when the amount was entered.
  expect(posted('/tenders')).toMatchObject([{ body: { version: 3 } }])
})

test('a payment key pressed before the answer to a partial payment opens the panel of the next payment', async () => {
  const paid = saleOf([line(1)], {
    version: 4,
    revision: 4,
    tenders: [
      {
        number: 1,
        kind: 'cash',
        amountCents: 1_00,
        roundingCents: 0,
        tenderedCents: 1_00,
        changeCents: 0,
        reference: null,
      },
    ],
  })
  answer(`POST ${SALE}/tenders`, paid)
  const held = screens.holdAnswer('/tenders')
  await page.keyboard.press('F6')
  await page.getByRole('region', { name: 'Cash', exact: true }).waitFor()
  await page.keyboard.type('100', { delay: 80 })
  await page.keyboard.press('Enter')
  await held.asked
  // The event is faster than the answer, so the cashier sees the payment and continues.
  terminal.push({ type: 'sale-changed', cause: 'tender', sale: paid })
  await page.getByRole('list', { name: 'Payments taken' }).getByText('$1.00').waitFor()
  await page.keyboard.press('F7')
  held.release()
  const reference = page.getByRole('textbox', { name: 'Reference' })
  await reference.waitFor()
  await page.keyboard.type('1234', { delay: 80 })
  expect(await reference.inputValue({ timeout: 2_000 })).toBe('1234')
})

test('each of several item numbers typed faster than the search answers is rung', async () => {
  answer(`POST ${LINES}`, two())
  // The searches are answered only when both numbers have been typed.
  const latch = Promise.withResolvers<void>()
  await page.route('**/api/catalog/items/search', async (route) => {
    await latch.promise
    const { q: sku } = route.request().postDataJSON() as { q: string }
    await route.fulfill({ json: { items: [found('1013'), found('1018')], exact: { sku } } })
  })
  await search('1013')
  await search('1018')
  latch.resolve()
  await expect.poll(() => posted('/lines').map(({ body }) => body)).toHaveLength(2)
  expect(
    posted('/lines')
      .map(({ body }) => (body as { sku: string }).sku)
      .toSorted(),
  ).toEqual(['1013', '1018'])
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
})

test('a search text that finds several items comes back into the search field for a choice', async () => {
  const latch = Promise.withResolvers<void>()
  await page.route('**/api/catalog/items/search', async (route) => {
    await latch.promise
    await route.continue()
  })
  await search('choc')
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
  latch.resolve()
  await page.getByRole('option').first().waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('choc')
  expect(posted('/lines')).toEqual([])
})

const waits = () => page.getByText('Waiting for a response, then: Exact cash', { exact: false })
const notDone = () => page.getByText('Not done: Exact cash', { exact: false })

test('a notice names a key that waits noticeably long, and Esc cancels the key', async () => {
  const release = await ringSlowly()
  await page.keyboard.press('F9')
  await waits().waitFor()
  await page.keyboard.press('Escape')
  await waits().waitFor({ state: 'detached' })
  release()
  await page.getByText('Dark chocolate').first().waitFor()
  await page.evaluate(() => fetch('/api/terminal'))
  expect(posted('/tenders')).toEqual([])
})

test('the notice of a waiting key disappears once the key has acted', async () => {
  const release = await ringSlowly()
  answer(`POST ${SALE}/tenders`, two({ state: 'completed', version: 5, revision: 5 }))
  await page.keyboard.press('F9')
  await waits().waitFor()
  release()
  expect(await tenders()).toEqual([due(two())])
  expect(await waits().count()).toBe(0)
  expect(await notDone().count()).toBe(0)
})

test('a key that has waited too long is dropped with a notice that names it', async () => {
  const release = await ringSlowly()
  await page.keyboard.press('F9')
  await notDone().waitFor({ timeout: 15_000 })
  expect(await waits().count()).toBe(0)
  release()
  await page.getByText('Dark chocolate').first().waitFor()
  await page.evaluate(() => fetch('/api/terminal'))
  expect(posted('/tenders')).toEqual([])
})

describe('a payment that waits for an item that is then not rung', () => {
  const refused = {
    status: 422,
    body: { code: 'item-not-sold', messages: { 'en-CA': 'This item is not sold now.', 'fr-CA': 'x' } },
  }
  /** Presses the payment key while a call is held, releases the call, and returns the payments that were requested. */
  async function paidDuring(path: string, begin: () => Promise<void>): Promise<unknown[]> {
    const held = await holdCall(path, 9)
    await begin()
    await held.asked
    await page.keyboard.press('F9')
    held.release()
    await notDone().waitFor()
    await page.evaluate(() => fetch('/api/terminal'))
    return posted('/tenders')
  }

  test('is dropped with a notice after a rejected item', async () => {
    terminal.state.answers[`POST ${LINES}`] = refused
    expect(await paidDuring(LINES, () => search('1013'))).toEqual([])
    await page.getByText('This item is not sold now.').waitFor()
  })

  test('is dropped with a notice after an ambiguous search', async () => {
    expect(await paidDuring('/api/catalog/items/search', () => search('choc'))).toEqual([])
  })

  test('is dropped with a notice after an item with an open price', async () => {
    terminal.state.answers['POST /api/catalog/items/search'] = ok({ items: [FLOWERS] })
    expect(await paidDuring('/api/catalog/items/search', () => search('1037'))).toEqual([])
    await page.getByRole('dialog', { name: 'Enter price of Cut flowers' }).waitFor()
  })
})

describe('input while an earlier key waits', () => {
  test('an item number typed while a key waits is queued behind the key, and none of its digits is lost', async () => {
    const release = await ringSlowly()
    answer(`PUT ${SALE}/lines/3`, two({ version: 5, revision: 5 }))
    await page.keyboard.press('+')
    await page.getByText('then: Add one', { exact: false }).waitFor()
    await search('1018')
    await page.getByText(/then: Add one, “/).waitFor()
    release()
    const sent = () =>
      posted('')
        .filter(({ path }) => path.includes('/lines'))
        .map(({ path }) => path)
    await expect.poll(sent).toEqual([LINES, `${SALE}/lines/3`, LINES])
  })

  test('an item whose number is typed after the payment key was pressed is rung once the sale is paid', async () => {
    const release = await ringSlowly()
    answer(`POST ${SALE}/tenders`, two({ state: 'completed', version: 5, revision: 5 }))
    await page.keyboard.press('F9')
    await search('1018')
    release()
    const sent = () =>
      posted('')
        .map(({ path }) => path)
        .filter((path) => /lines|tenders/.test(path))
    await expect.poll(sent).toEqual([LINES, `${SALE}/tenders`, LINES])
    expect(posted('/tenders').map(({ body }) => body)).toEqual([due(two())])
  })

  test('an item scanned while a payment key waits drops the payment, with a notice', async () => {
    const release = await ringSlowly()
    answer(`POST ${LINES}`, saleOf([line(1), line(2), line(3)], { version: 5, revision: 5 }))
    await page.keyboard.press('F9')
    await waits().waitFor()
    terminal.push({
      type: 'sale-changed',
      cause: 'scan',
      sale: saleOf([line(1), line(2)], { version: 4, revision: 4 }),
    })
    await page.getByText('Coffee beans').first().waitFor()
    release()
    await page.getByText('Dark chocolate').first().waitFor()
    await page.evaluate(() => fetch('/api/terminal'))
    expect(posted('/tenders')).toEqual([])
    expect(await notDone().count()).toBe(1)
  })

  test('“one more” and then the payment are performed in order', async () => {
    const release = await ringSlowly()
    const more = two({ version: 5, revision: 5 })
    answer(`PUT ${SALE}/lines/3`, more)
    answer(`POST ${SALE}/tenders`, two({ state: 'completed', version: 6, revision: 6 }))
    await page.keyboard.press('+')
    // The notice first names the first key, and after F9 both keys.
    await page.getByText('then: Add one.', { exact: false }).waitFor()
    await page.keyboard.press('F9')
    await page.getByText('then: Add one, Exact cash', { exact: false }).waitFor()
    release()
    expect(await tenders()).toEqual([due(more)])
  })
})

describe('the notice “Not done” for a waiting key whose action was dropped', () => {
  const refuse = async (): Promise<void> => {
    terminal.state.answers[`POST ${LINES}`] = {
      status: 422,
      body: { code: 'item-not-sold', messages: { 'en-CA': 'This item is not sold now.', 'fr-CA': 'x' } },
    }
    const held = await holdCall(LINES)
    await search('1013')
    await held.asked
    await page.keyboard.press('F9')
    held.release()
    await notDone().waitFor()
  }

  test('disappears when the key is pressed again and its action succeeds', async () => {
    await refuse()
    answer(`POST ${SALE}/tenders`, saleOf([line(1)], { state: 'completed', version: 4, revision: 4 }))
    await page.keyboard.press('F9')
    await tenders()
    expect(await page.getByText('Not done', { exact: false }).count()).toBe(0)
  })

  test('disappears when the sale in which the key was pressed ends', async () => {
    await refuse()
    terminal.push({
      type: 'sale-changed',
      cause: 'command',
      sale: saleOf([line(1)], { state: 'cancelled', version: 4, revision: 4 }),
    })
    await page.getByText('Ready for the next customer').waitFor()
    expect(await page.getByText('Not done', { exact: false }).count()).toBe(0)
  })
})

describe('the notice that a payment key did nothing', () => {
  const tooEarly = (key: string) => page.getByText(`${key} ignored: still processing`, { exact: false })

  test('appears for a key pressed while the first item of a sale is still being rung', async () => {
    terminal.state.sale = null
    await page.reload()
    await page.getByText('Ready for the next customer').waitFor()
    const release = await ringSlowly()
    await page.keyboard.press('F9')
    await tooEarly('F9').waitFor()
    release()
    await page.getByText('Dark chocolate').first().waitFor()
    await page.evaluate(() => fetch('/api/terminal'))
    expect(posted('/tenders')).toEqual([])
  })

  test('does not appear for the second tap of a waiting key', async () => {
    const release = await ringSlowly()
    await page.keyboard.press('F9')
    await page.keyboard.press('F9')
    await waits().waitFor()
    expect(await tooEarly('F9').count()).toBe(0)
    await page.keyboard.press('Escape')
    release()
  })
})

describe('a control barcode scanned again before its first scan is answered', () => {
  const scan = (control: Control): void => terminal.push({ type: 'control-scanned', control })

  test('is performed once, without a notice', async () => {
    answer(`POST ${SALE}/tenders`, saleOf([line(1)], { state: 'completed', version: 4, revision: 4 }))
    const held = await holdCall(`${SALE}/tenders`)
    scan('exact-cash')
    await held.asked
    scan('exact-cash')
    terminal.push({
      type: 'sale-changed',
      cause: 'preview',
      sale: saleOf([line(1, { quantity: 1 })], { version: 3, revision: 3, milesPreview: 7 }),
    })
    await page.evaluate(() => fetch('/api/terminal'))
    held.release()
    expect(await tenders()).toHaveLength(1)
    expect(await page.getByText('is not available now', { exact: false }).count()).toBe(0)
  })
})
