import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { cutText } from './clipped-text.ts'
import { SAM } from './screen-fixture.ts'
import { HELD_SALE_DIFFERS } from './fixtures-of-store.ts'
import {
  STORE_DAY,
  STORE_RECONCILIATION,
  STORE_REPORT_FILE,
  storeState,
} from '../day/store-overview/store-overview.fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { ok, refusal } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: SAM }), { viewport: { width: 1024, height: 768 } })
const { posted } = screens
let terminal: FixtureTerminal
let page: Page

beforeEach(() => {
  ;({ terminal, page } = screens)
  terminal.state.answers['GET /api/store'] = ok(storeState('connected'))
})

const DAYS = 'GET /api/store/reconciliation'
const EXPORT = 'POST /api/store/reconciliation/2026-11-20/exports'
const OFFLINE = {
  status: 503,
  body: {
    code: 'store-pages-away',
    messages: { 'en-CA': 'The store does not respond.', 'fr-CA': 'x' },
    correlationId: 'c',
  },
}
const open = async (name: string): Promise<void> => {
  await page.goto(`${terminal.url}/manager/store-${name}`)
  await page.getByRole('heading', { level: 2 }).first().waitFor()
}
const dialog = () => page.getByRole('dialog')
const openDay = async (): Promise<void> => {
  await open('reconciliation')
  await page.getByRole('button', { name: /November 20, 2026/ }).click()
  await dialog().getByRole('table').waitFor()
}

test('the lanes page shows Loading, not “This lane is alone”, until the store server’s state is known', async () => {
  const { asked, release } = screens.holdAnswer('/api/store')
  await open('lanes')
  await asked
  expect(await page.getByText('This lane is alone').count()).toBe(0)
  await page.locator('main').getByText('Loading').waitFor()
  release()
  await page.getByRole('table').waitFor()
})

test('the lanes page names the lanes that must be started after the store server was restored', async () => {
  await open('lanes')
  const notes = page.getByRole('region', { name: 'Store data restored' })
  await notes.getByText('Start lane 04 first.').waitFor()
  const waiting = await notes.getByText('Until then').allTextContents()
  expect(waiting.map((text) => text.endsWith('of other lanes.'))).toEqual([true, true])
  expect(await cutText(page)).toEqual([])
  expect(await notes.getByText('Ask the owner to continue without it').count()).toBe(1)
})

test('a held sale that waits for another lane to be started shows why, and can be rung as a copy', async () => {
  const texts = { 'en-CA': 'The store data was restored. First start lane 04.', 'fr-CA': 'x' }
  const sale = { id: 'N101010000001K7QZ', version: 4, name: 'Blue coat', itemCount: 3, totalCents: 2_345 }
  const elsewhere = { lane: '02', where: 'awaited', takenBy: null, copiedAt: null, memberLast4: null, cashier: 'Alex' }
  terminal.state.answers['GET /api/sales/held'] = ok({
    sales: [{ ...sale, ...elsewhere, heldAt: new Date().toISOString() }],
    awaits: texts,
  })
  await page.goto(`${terminal.url}/manager/held`)
  await page.getByRole('status').filter({ hasText: texts['en-CA'] }).waitFor()
  expect(await page.getByText('not answering').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Ring as copy' }).count()).toBe(1)
})

test('resuming a sale held at other prices asks which prices apply, and one press selects today’s', async () => {
  const sale = { id: 'N101010000001K7QZ', version: 4, name: 'Blue coat', itemCount: 3, totalCents: 2_345 }
  const elsewhere = { lane: '02', where: 'store', takenBy: null, copiedAt: null, memberLast4: null, cashier: 'Alex' }
  terminal.state.answers['GET /api/sales/held'] = ok({
    sales: [{ ...sale, ...elsewhere, heldAt: new Date().toISOString() }],
    awaits: null,
  })
  terminal.state.answers[`POST /api/sales/${sale.id}/resume`] = refusal(HELD_SALE_DIFFERS.code, HELD_SALE_DIFFERS)
  await page.goto(`${terminal.url}/manager/held`)
  await page.getByRole('button', { name: 'Resume sale' }).click()
  const differs = page.getByRole('dialog', { name: 'Prices differ' })
  expect(await differs.getByRole('row', { name: /Gala apples/ }).innerText()).toMatch(/\$20\.97\s+\$0\.03/)
  await differs.getByRole('button', { name: 'Use today’s prices' }).click()
  await expect
    .poll(() => posted('/resume').map(({ body }) => body))
    .toEqual([{ version: 4 }, { version: 4, prices: 'today' }])
})

describe('the store’s reconciliation report of a day', () => {
  test('can still be saved when the store server goes offline right after it was made', async () => {
    await openDay()
    terminal.state.answers[DAYS] = OFFLINE
    await dialog().getByRole('button', { name: 'Export original' }).click()
    await page.getByRole('alert').filter({ hasText: 'The store does not respond.' }).waitFor({ state: 'attached' })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog().getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    expect(readFileSync(await download.path(), 'utf8')).toBe(STORE_REPORT_FILE.csv)
  })

  test('can be saved as the original when the answer to its export was lost', async () => {
    await openDay()
    terminal.state.answers[EXPORT] = OFFLINE
    const days = STORE_RECONCILIATION.days.map((day) =>
      day.businessDay === '2026-11-20' ? { ...day, state: 'exported', exportedBy: 'Sam Okafor' } : day,
    )
    terminal.state.answers[DAYS] = ok({ days })
    await dialog().getByRole('button', { name: 'Export original' }).click()
    await dialog().getByRole('alert').filter({ hasText: 'The store does not respond.' }).waitFor()
    await dialog().getByRole('button', { name: 'Save original' }).waitFor()
    expect(await dialog().getByRole('button', { name: 'Export original' }).count()).toBe(0)
  })
})

const DAY = '/api/store/days/today'
const refresh = () => page.getByRole('button', { name: 'Refresh' })
const field = () => page.getByRole('textbox', { name: 'Day (YYYY-MM-DD)' })
const isFocused = (element: ReturnType<typeof refresh>): Promise<boolean> =>
  element.evaluate((one) => one === document.activeElement)

test('a store page shows the last data with its time while the store server does not answer', async () => {
  await open('day')
  await page.getByRole('table').first().waitFor()
  terminal.state.answers[`GET ${DAY}`] = OFFLINE
  await refresh().click()
  await page.getByRole('alert').filter({ hasText: 'The store does not respond.' }).waitFor()
  expect(await page.getByRole('table', { name: 'Totals' }).count()).toBe(1)
  await page.getByText(/^As of /).waitFor()
})

test('Refresh sends one request for repeated presses, and shows that it is waiting', async () => {
  await open('day')
  await page.getByRole('table').first().waitFor()
  let count = 0
  page.on('request', (request) => void (count += request.url().endsWith(DAY) ? 1 : 0))
  const { asked, release } = screens.holdAnswer(DAY)
  await refresh().click()
  await asked
  await refresh().click()
  await refresh().click()
  const loading = page.locator('main').getByText('Loading')
  expect(await loading.count()).toBe(1)
  release()
  await loading.waitFor({ state: 'detached' })
  expect(count).toBe(1)
})

describe('a store page used by the keyboard alone', () => {
  test('reloads and keeps the focus, with a text while it waits', async () => {
    await open('day')
    await page.getByRole('table').first().waitFor()
    const { asked, release } = screens.holdAnswer(DAY)
    await refresh().focus()
    await page.keyboard.press('Enter')
    await asked
    await page.locator('main').getByText('Loading').waitFor()
    expect(await isFocused(refresh())).toBe(true)
    release()
    await page.locator('main').getByText('Loading').waitFor({ state: 'detached' })
    expect(await isFocused(refresh())).toBe(true)
  })

  test('shows a typed day at Enter, and the next day can be typed at once', async () => {
    for (const day of ['2026-11-18', '2026-11-17'])
      terminal.state.answers[`GET /api/store/days/${day}`] = ok({ ...STORE_DAY, day, lanes: [], zs: [] })
    await open('day')
    await field().fill('2026-11-18')
    await page.keyboard.press('Enter')
    await page.getByText('on November 18, 2026').waitFor()
    expect(await isFocused(field())).toBe(true)
    await field().fill('2026-11-17')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('on November 17, 2026').waitFor()
    expect(await isFocused(page.getByRole('button', { name: 'Show' }))).toBe(true)
    await page.getByRole('radio', { name: 'Today' }).click()
    await vi.waitFor(async () => expect(await field().inputValue()).toBe('2026-11-21'), { timeout: 10_000 })
  })
})

test('an open store page reloads by itself, and no longer calls its day Yesterday after midnight', async () => {
  const context = await page.context().browser()?.newContext({ locale: 'en-CA' })
  if (context === undefined) throw new Error('the browser is closed')
  onTestFinished(() => context.close())
  const left = await context.newPage()
  await left.clock.install({ time: '2026-11-20T23:58:00-05:00' })
  terminal.state.answers[`GET ${DAY}`] = ok({ ...STORE_DAY, day: '2026-11-20' })
  const [lane] = STORE_DAY.lanes
  const day = '2026-11-19'
  const path = `GET /api/store/days/${day}`
  terminal.state.answers[path] = ok({ ...STORE_DAY, day, incomplete: ['02'] })
  await left.goto(`${terminal.url}/manager/store-day`)
  await left.getByRole('table').first().waitFor()
  await left.getByText('Yesterday', { exact: true }).click()
  await left.getByText('Still to come: lane 02.').waitFor()
  const yesterday = left.getByRole('radio', { name: 'Yesterday' })
  expect(await yesterday.isChecked()).toBe(true)
  terminal.state.answers[path] = ok({ ...STORE_DAY, day, lanes: [lane], incomplete: [] })
  // Fires each timer once, so that no request is dropped because of the elapsed minutes.
  await left.clock.fastForward(5 * 60_000)
  await left.getByText('Still to come').waitFor({ state: 'detached' })
  expect(await yesterday.isChecked()).toBe(false)
  expect(await left.getByRole('textbox', { name: 'Day (YYYY-MM-DD)' }).inputValue()).toBe(day)
})

test('Yesterday is the day that has just ended, on a store page that stays open past midnight', async () => {
  const today = (day: string): void => {
    terminal.state.answers['GET /api/store/days/today'] = ok({ ...STORE_DAY, day })
    terminal.state.answers[`GET /api/store/days/${day}`] = ok({ ...STORE_DAY, day })
  }
  await page.clock.setFixedTime('2026-11-20T23:58:00-05:00')
  today('2026-11-20')
  await open('day')
  await page.getByRole('table').first().waitFor()
  await page.clock.setFixedTime('2026-11-21T00:01:00-05:00')
  today('2026-11-21')
  await page.getByRole('button', { name: 'Refresh' }).click()
  const shown = page.getByRole('textbox', { name: 'Day (YYYY-MM-DD)' })
  await vi.waitFor(async () => expect(await shown.inputValue()).toBe('2026-11-21'), { timeout: 10_000 })
  const asked = page.waitForRequest(/store\/days\/2026/)
  await page.getByText('Yesterday', { exact: true }).click()
  expect((await asked).url()).toContain('/2026-11-20')
})
