import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import type { Control } from '../../contracts/core/text.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { FLOWERS, line, saleOf } from './sales.ts'
import { ok } from './answers.ts'

/** What changes the basket is still on its way: nothing that builds on the basket overtakes it. */
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

/**
 * Holds the next call of a route, or the next so many, on its way to the terminal, so that no event tells of it either.
 */
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

/** Rings the chocolate by its number; the answer is held. */
async function ringSlowly(): Promise<() => void> {
  answer(`POST ${LINES}`, two())
  const held = await holdCall(LINES)
  await search('1013')
  await held.asked
  return held.release
}

/** An item that the search finds, whether it is asked in the list or by its number alone. */
const found = (sku: string): object => ({
  sku,
  barcode: null,
  name: { 'en-CA': sku, 'fr-CA': sku },
  priceCents: 449,
  openPrice: null,
  department: null,
  category: null,
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

test('exact cash pays for the item that was still being rung', async () => {
  const release = await ringSlowly()
  answer(`POST ${SALE}/tenders`, two({ state: 'completed', version: 5, revision: 5 }))
  await page.keyboard.press('F9')
  release()
  expect(await tenders()).toEqual([due(two())])
})

test('the button of exact cash waits as its key does', async () => {
  const release = await ringSlowly()
  answer(`POST ${SALE}/tenders`, two({ state: 'completed', version: 5, revision: 5 }))
  await page.getByRole('button', { name: /^Exact cash/ }).click()
  release()
  expect(await tenders()).toEqual([due(two())])
})

test('one more of what is being rung is one more of that, each time that it is asked for', async () => {
  const release = await ringSlowly()
  answer(`PUT ${SALE}/lines/3`, two({ version: 5, revision: 5 }))
  const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
  await page.keyboard.press('+')
  // The tap ends the doubt whether the key was the first of a scan.
  await page.getByRole('button', { name: 'Add one' }).click()
  release()
  await answered
  await expect.poll(() => posted('/lines/3').map(({ body }) => body)).toHaveLength(2)
  expect(posted('/lines/1')).toEqual([])
})

test('an amount that was typed before an item came pays nothing until the cashier has seen the new one', async () => {
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
  // The version that was on the screen when the amount was given.
  expect(posted('/tenders')).toMatchObject([{ body: { version: 3 } }])
})

test('the next payment is begun by a key that came before the answer to the one before', async () => {
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
  // The event is faster than the answer: the cashier sees the payment and goes on.
  terminal.push({ type: 'sale-changed', cause: 'tender', sale: paid })
  await page.getByRole('list', { name: 'Payments taken' }).getByText('$1.00').waitFor()
  await page.keyboard.press('F7')
  held.release()
  const reference = page.getByRole('textbox', { name: 'Reference' })
  await reference.waitFor()
  await page.keyboard.type('1234', { delay: 80 })
  expect(await reference.inputValue({ timeout: 2_000 })).toBe('1234')
})

test('numbers typed faster than the search answers are each rung', async () => {
  terminal.state.answers['POST /api/catalog/items/search'] = ok({ items: [found('1013'), found('1018')] })
  answer(`POST ${LINES}`, two())
  // Every answer of the search waits until both numbers have been typed.
  const latch = Promise.withResolvers<void>()
  await page.route('**/api/catalog/items/search', async (route) => {
    await latch.promise
    await route.continue()
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

test('what is not one item comes back into the search to be chosen from', async () => {
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

test('a key that waits longer than a hand notices is told, and Esc takes it back', async () => {
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

test('a key that waits is told no more once it has acted', async () => {
  const release = await ringSlowly()
  answer(`POST ${SALE}/tenders`, two({ state: 'completed', version: 5, revision: 5 }))
  await page.keyboard.press('F9')
  await waits().waitFor()
  release()
  expect(await tenders()).toEqual([due(two())])
  expect(await waits().count()).toBe(0)
  expect(await notDone().count()).toBe(0)
})

test('a key that has waited too long is not done, and that is said with its name', async () => {
  const release = await ringSlowly()
  await page.keyboard.press('F9')
  await notDone().waitFor({ timeout: 15_000 })
  expect(await waits().count()).toBe(0)
  release()
  await page.getByText('Dark chocolate').first().waitFor()
  await page.evaluate(() => fetch('/api/terminal'))
  expect(posted('/tenders')).toEqual([])
})

describe('a payment that waits for what does not come is not taken, and that is said', () => {
  const refused = {
    status: 422,
    body: { code: 'item-not-sold', messages: { 'en-CA': 'This item is not sold now.', 'fr-CA': 'x' } },
  }
  /** Pays while a call is held, lets it go, and answers the payments that were asked for. */
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

  test('an item that is refused', async () => {
    terminal.state.answers[`POST ${LINES}`] = refused
    expect(await paidDuring(LINES, () => search('1013'))).toEqual([])
    await page.getByText('This item is not sold now.').waitFor()
  })

  test('a search that finds more than one', async () => {
    expect(await paidDuring('/api/catalog/items/search', () => search('choc'))).toEqual([])
  })

  test('an item whose price is asked for first', async () => {
    terminal.state.answers['POST /api/catalog/items/search'] = ok({ items: [FLOWERS] })
    expect(await paidDuring('/api/catalog/items/search', () => search('1037'))).toEqual([])
    await page.getByRole('dialog', { name: 'Enter price of Cut flowers' }).waitFor()
  })
})

describe('what comes while a key waits', () => {
  beforeEach(() => {
    terminal.state.answers['POST /api/catalog/items/search'] = ok({ items: [found('1013'), found('1014')] })
  })

  test('an item that is typed after a key goes behind it, and none of it is lost', async () => {
    const release = await ringSlowly()
    answer(`PUT ${SALE}/lines/3`, two({ version: 5, revision: 5 }))
    await page.keyboard.press('+')
    await page.getByText('then: Add one', { exact: false }).waitFor()
    await search('1014')
    await page.getByText(/then: Add one, “/).waitFor()
    release()
    const sent = () =>
      posted('')
        .filter(({ path }) => path.includes('/lines'))
        .map(({ path }) => path)
    await expect.poll(sent).toEqual([LINES, `${SALE}/lines/3`, LINES])
  })

  test('an item that is typed after the payment is rung when it is paid', async () => {
    const release = await ringSlowly()
    answer(`POST ${SALE}/tenders`, two({ state: 'completed', version: 5, revision: 5 }))
    await page.keyboard.press('F9')
    await search('1014')
    release()
    const sent = () =>
      posted('')
        .map(({ path }) => path)
        .filter((path) => /lines|tenders/.test(path))
    await expect.poll(sent).toEqual([LINES, `${SALE}/tenders`, LINES])
    expect(posted('/tenders').map(({ body }) => body)).toEqual([due(two())])
  })

  test('an item that is scanned is not paid for by a key that was pressed before it', async () => {
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

  test('one more and then the payment: both are done, one after the other', async () => {
    const release = await ringSlowly()
    const more = two({ version: 5, revision: 5 })
    answer(`PUT ${SALE}/lines/3`, more)
    answer(`POST ${SALE}/tenders`, two({ state: 'completed', version: 6, revision: 6 }))
    await page.keyboard.press('+')
    // Told a second time, with the key that came later.
    await page.getByText('then: Add one.', { exact: false }).waitFor()
    await page.keyboard.press('F9')
    await page.getByText('then: Add one, Exact cash', { exact: false }).waitFor()
    release()
    expect(await tenders()).toEqual([due(more)])
  })
})

describe('what is said to be not done is said no longer', () => {
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

  test('when it is done', async () => {
    await refuse()
    answer(`POST ${SALE}/tenders`, saleOf([line(1)], { state: 'completed', version: 4, revision: 4 }))
    await page.keyboard.press('F9')
    await tenders()
    expect(await page.getByText('Not done', { exact: false }).count()).toBe(0)
  })

  test('when its sale has gone', async () => {
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

describe('a key that pays before there is anything to pay is said to have done nothing', () => {
  const tooEarly = (key: string) => page.getByText(`${key} ignored: still processing`, { exact: false })

  test('the first item of a sale', async () => {
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

  test('but not the second tap of one that waits', async () => {
    const release = await ringSlowly()
    await page.keyboard.press('F9')
    await page.keyboard.press('F9')
    await waits().waitFor()
    expect(await tooEarly('F9').count()).toBe(0)
    await page.keyboard.press('Escape')
    release()
  })
})

describe('controls before the scanner, faster than the answers', () => {
  const scan = (control: Control): void => terminal.push({ type: 'control-scanned', control })

  test('one that is scanned twice is done once, and nothing is said of the second', async () => {
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
