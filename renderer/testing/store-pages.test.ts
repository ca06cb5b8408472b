import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { SAM } from './fixture-facts.ts'
import { STORE_DAY, STORE_RECONCILIATION, STORE_REPORT_FILE, storeState } from './fixture-store-overview.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'

/** The pages of all lanes where the store comes and goes, with a stand-in for the backend. */
const screens = useBuiltScreens(() => ({ signedIn: SAM }), { viewport: { width: 1024, height: 768 } })
let terminal: FixtureTerminal
let page: Page

beforeEach(() => {
  ;({ terminal, page } = screens)
  terminal.state.answers['GET /api/store'] = { status: 200, body: storeState('connected') }
})

const DAYS = 'GET /api/store/reconciliation'
const EXPORT = 'POST /api/store/reconciliation/2026-11-20/exports'
const AWAY = {
  status: 503,
  body: {
    code: 'store-pages-away',
    messages: { 'en-CA': 'Store unreachable.', 'fr-CA': 'x' },
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

test('a lane that does not know yet how it stands with its store is not called alone', async () => {
  const { asked, release } = screens.holdAnswer('/api/store')
  await open('lanes')
  await asked
  expect(await page.getByText('This lane is alone').count()).toBe(0)
  await page.locator('main').getByText('Loading').waitFor()
  release()
  await page.getByRole('table').waitFor()
})

test('a restored store names the lanes to start', async () => {
  await open('lanes')
  const notes = page.getByRole('region', { name: 'Store data restored' })
  await notes.getByText('Start lane 04 first.').waitFor()
  expect(await notes.getByText('npm run store -- vouchers without').count()).toBe(1)
})

test('sales on hold that wait for lanes say so in place of “not answering”, and are rung as a copy', async () => {
  const words = { 'en-CA': 'Store data restored. First start lane 04.', 'fr-CA': 'x' }
  const sale = { id: 'N101010000001K7QZ', version: 4, name: 'Blue coat', itemCount: 3, totalCents: 2_345 }
  const elsewhere = { lane: '02', where: 'awaited', takenBy: null, copiedAt: null, memberLast4: null, cashier: 'Alex' }
  terminal.state.answers['GET /api/sales/held'] = {
    status: 200,
    body: { sales: [{ ...sale, ...elsewhere, heldAt: new Date().toISOString() }], awaits: words },
  }
  await page.goto(`${terminal.url}/manager/held`)
  await page.getByRole('status').filter({ hasText: words['en-CA'] }).waitFor()
  expect(await page.getByText('not answering').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Ring as copy' }).count()).toBe(1)
})

describe('the store’s report of a day', () => {
  test('stays to be saved where the store is away right after it was made', async () => {
    await openDay()
    terminal.state.answers[DAYS] = AWAY
    await dialog().getByRole('button', { name: 'Export original' }).click()
    await page.getByRole('alert').filter({ hasText: 'Store unreachable.' }).waitFor({ state: 'attached' })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog().getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    expect(readFileSync(await download.path(), 'utf8')).toBe(STORE_REPORT_FILE.csv)
  })

  test('that was made, though its answer was lost, is saved as the original', async () => {
    await openDay()
    terminal.state.answers[EXPORT] = AWAY
    const days = STORE_RECONCILIATION.days.map((day) =>
      day.businessDay === '2026-11-20' ? { ...day, state: 'exported', exportedBy: 'Sam Okafor' } : day,
    )
    terminal.state.answers[DAYS] = { status: 200, body: { days } }
    await dialog().getByRole('button', { name: 'Export original' }).click()
    await dialog().getByRole('alert').filter({ hasText: 'Store unreachable.' }).waitFor()
    await dialog().getByRole('button', { name: 'Save original' }).waitFor()
    expect(await dialog().getByRole('button', { name: 'Export original' }).count()).toBe(0)
  })
})

test('a day’s page that stays open over midnight means the day that has just ended by Yesterday', async () => {
  const today = (day: string): void => {
    terminal.state.answers['GET /api/store/days/today'] = { status: 200, body: { ...STORE_DAY, day } }
    terminal.state.answers[`GET /api/store/days/${day}`] = { status: 200, body: { ...STORE_DAY, day } }
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
