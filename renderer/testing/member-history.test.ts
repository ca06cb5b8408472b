import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import type { HistoryShown } from '../../contracts/loyalty/member.ts'
import { useBuiltScreens } from './built-screens.ts'
import { historyFailed, historyPage } from '../loyalty/member/member.fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { withMember } from './sales.ts'
import { ALEX, type Localize } from './screen-fixture.ts'
import { ok } from './answers.ts'

const SALE = withMember()
const HISTORY = `/api/sales/${SALE.id}/member-history`
const SIGNED_IN = { state: 'signed-in', saleId: SALE.id, at: '2026-11-21T14:03:12.000Z' } as const
const FIRST: HistoryShown = { range: '30-days', sponsors: 'all', sort: ['newest'], page: 0 }

const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: SALE }), { viewport: { width: 1024, height: 600 } })
let terminal: FixtureTerminal
let page: Page
let asked: URLSearchParams[]

const english: Localize = (text) => text
const dialog = () => page.getByRole('dialog', { name: 'Miles history' })
const display = () => page.getByRole('region', { name: 'Your last transactions' })
const lastAsked = (): Record<string, string> => Object.fromEntries(asked.at(-1) ?? [])
const shownReports = (): unknown[] => screens.posted('/member-history/shown').map(({ body }) => body)

beforeEach(() => {
  ;({ terminal, page } = screens)
  terminal.state.answers['GET /api/member-session'] = ok({ offered: true, session: SIGNED_IN })
  terminal.state.answers[`GET ${HISTORY}`] = ok(historyPage(english))
  asked = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === HISTORY) asked.push(searchParams)
  })
})

async function open(): Promise<void> {
  await screens.openSale()
  await page.getByText('Signed in by phone').waitFor()
  await page.keyboard.press('Control+h')
  await dialog().getByRole('table').waitFor()
}

describe('the miles history at the cashier’s window', () => {
  test('opens at the newest page by its key, and sends each selection to the customer display', async () => {
    await open()
    expect(await dialog().getByRole('row').count()).toBe(11)
    expect(lastAsked()).toEqual({ range: '30-days', sponsors: 'all', sort: 'newest', page: '0', locale: 'en-CA' })
    await dialog().getByRole('button', { name: 'Next' }).click()
    await expect.poll(lastAsked).toMatchObject({ page: '1' })
    await dialog().getByLabel('Partner', { exact: true }).selectOption('This store')
    await expect.poll(lastAsked).toMatchObject({ sponsors: 'store', page: '0' })
    await page.keyboard.press('Escape')
    await expect
      .poll(shownReports)
      .toEqual([
        { shown: FIRST },
        { shown: { ...FIRST, page: 1 } },
        { shown: { ...FIRST, sponsors: 'store' } },
        { shown: null },
      ])
    expect(await dialog().count()).toBe(0)
  })

  test('closes with the member’s sign-in, and leaves no data in the window', async () => {
    await open()
    expect(await page.content()).toContain('Riverbend Fuels')
    terminal.push({ type: 'member-session', session: { state: 'ended', saleId: SALE.id, why: 'token-expired' } })
    await dialog().waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain('Riverbend Fuels')
    // The history of the next sign-in is requested again, and nothing is shown before the answer.
    terminal.state.answers[`GET ${HISTORY}`] = ok(historyFailed('maintenance', 'HTTP 503'))
    terminal.push({ type: 'member-session', session: SIGNED_IN })
    await page.getByText('Signed in by phone').waitFor()
    expect(await dialog().count()).toBe(0)
    await page.keyboard.press('Control+h')
    await dialog().getByText('History service under maintenance.').waitFor()
    expect(await page.content()).not.toContain('Riverbend Fuels')
  })

  test('does not open by its key without a member’s sign-in', async () => {
    terminal.state.answers['GET /api/member-session'] = ok({ offered: true, session: null })
    await screens.openSale()
    await page.keyboard.press('Control+h')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(asked).toEqual([])
    expect(await dialog().count()).toBe(0)
  })

  test('shows a failure with its remedy and a button to retry', async () => {
    terminal.state.answers[`GET ${HISTORY}`] = ok(historyFailed('timeout', 'HTTP 408', 'c-17'))
    await screens.openSale()
    await page.getByText('Signed in by phone').waitFor()
    await page.keyboard.press('Control+h')
    await dialog().getByText('History service not responding.').waitFor()
    expect(await dialog().getByRole('alert').innerText()).toContain('For support: HTTP 408, c-17')
    terminal.state.answers[`GET ${HISTORY}`] = ok(historyPage(english))
    await dialog().getByRole('button', { name: 'Try again' }).click()
    await dialog().getByRole('table').waitFor()
  })

  test('is printed for the range and partner on the screen, and then shows “Printed”', async () => {
    terminal.state.answers[`POST ${HISTORY}/print`] = ok({ kind: 'printed', state: 'confirmed' })
    await open()
    await dialog().getByRole('button', { name: 'Print last 10' }).click()
    await dialog().getByText('Printed.', { exact: true }).waitFor()
    expect(screens.posted('/member-history/print').map(({ body }) => body)).toEqual([
      { range: '30-days', sponsors: 'all' },
    ])
  })

  test('closes by Esc after its focused button was disabled or removed', async () => {
    terminal.state.answers[`POST ${HISTORY}/print`] = ok({ kind: 'printed', state: 'confirmed' })
    await open()
    await dialog().getByRole('button', { name: 'Print last 10' }).click()
    await dialog().getByText('Printed.', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await page.keyboard.press('Control+h')
    await dialog().getByRole('button', { name: 'Next' }).click()
    await expect.poll(lastAsked).toMatchObject({ page: '1' })
    await dialog().getByRole('table').waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })
})

describe('the miles history on the customer display', () => {
  test('loads the page that the cashier has open, and discards it when the cashier’s history closes', async () => {
    await page.goto(`${terminal.url}/customer`)
    await page.getByText('You are signed in').waitFor()
    expect(asked).toEqual([])
    const shown: HistoryShown = { range: '1-year', sponsors: 'store', sort: ['most-miles'], page: 2 }
    terminal.push({ type: 'member-history-shown', saleId: SALE.id, shown })
    await display().getByText('Weekend fill-up').waitFor()
    expect(lastAsked()).toEqual({
      range: '1-year',
      sponsors: 'store',
      sort: 'most-miles',
      page: '2',
      locale: 'en-CA',
    })
    terminal.push({ type: 'member-history-shown', saleId: SALE.id, shown: null })
    await display().waitFor({ state: 'detached' })
    terminal.push({ type: 'member-history-shown', saleId: SALE.id, shown })
    await display().getByText('Weekend fill-up').waitFor()
    terminal.push({ type: 'member-session', session: null })
    await display().waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain('Weekend fill-up')
  })
})
