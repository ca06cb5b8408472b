import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import {
  storedAnswer,
  storedPage,
  offerAnswer,
  offerPage,
  OFFER_ID,
  OFFER_LISTS,
  OFFER_LISTS_FAILED,
  OFFER_LISTS_LOADING,
} from '../loyalty/offers-manager/offers.fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { SAM, type Localize } from './screen-fixture.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: SAM }), { viewport: { width: 1024, height: 768 } })
const { posted } = screens
let terminal: FixtureTerminal
let page: Page
let asked: URLSearchParams[]

const english: Localize = (label) => label
const answers = (of: Record<string, unknown>): void => {
  for (const [call, body] of Object.entries(of)) terminal.state.answers[call] = ok(body)
}
const rows = () => page.getByRole('table').getByRole('row')
const choose = (label: string, option: string) => page.getByLabel(label, { exact: true }).selectOption(option)
const optionsOf = (label: string): Promise<string[]> =>
  page.getByLabel(label, { exact: true }).getByRole('option').allInnerTexts()
const lastAsked = (): Record<string, string> => Object.fromEntries(asked.at(-1) ?? [])

beforeEach(async () => {
  ;({ terminal, page } = screens)
  asked = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/manager/offers') asked.push(searchParams)
  })
})
const open = async (): Promise<void> => {
  await page.goto(`${terminal.url}/manager/program-offers`)
  await page
    .getByText('132 offers')
    .or(page.getByText('2 in-store offers', { exact: true }))
    .first()
    .waitFor()
}

describe('the offer filters', () => {
  test('request the first page again with every set filter, in the screen’s language', async () => {
    await open()
    expect(lastAsked()).toEqual({ offset: '0', limit: '20', locale: 'en-CA' })
    await page.getByRole('button', { name: 'Next' }).click()
    await expect.poll(lastAsked).toMatchObject({ offset: '20' })
    await choose('Earned by', 'Spending an amount')
    await choose('Where', 'Online')
    await page.getByRole('button', { name: 'More filters' }).click()
    await choose('Kind of offer', 'Linked payment card')
    await choose('Event', 'Event offers')
    await choose('Not from partner', 'Harbour Fuel (35)')
    await choose('Order', 'Ending soon')
    await choose('Promotion', 'Winter miles')
    await expect.poll(lastAsked).toEqual({
      offset: '0',
      limit: '20',
      locale: 'en-CA',
      type: 'spend',
      availability: 'online',
      programType: 'cardlinked',
      event: 'true',
      excludePartner: '7b0e5a10-0000-4000-8000-000000000071',
      sort: 'ending-soon',
      promotion: '7b0e5a10-0000-4000-8000-000000000090',
    })
    // The collapsed filters show how many are set.
    await page.getByRole('button', { name: 'More filters (3)' }).click()
    expect(await page.getByLabel('Kind of offer').count()).toBe(0)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(lastAsked).toEqual({ offset: '0', limit: '20', locale: 'en-CA' })
  })

  test('show the number of offers for each choice, and a choice leaves the others selectable', async () => {
    await open()
    expect(await optionsOf('Partner')).toEqual(['All', 'Northstar (97)', 'Harbour Fuel (35)'])
    const { facets } = offerPage(english)
    const [northstar] = facets?.partners ?? []
    answers({
      'GET /api/manager/offers': offerPage(english, {
        facets: { partners: northstar ? [northstar] : [], categories: facets?.categories ?? null },
      }),
    })
    await choose('Partner', 'Northstar (97)')
    await expect.poll(() => optionsOf('Partner')).toEqual(['All', 'Northstar (97)', 'Harbour Fuel'])
  })

  test('show subcategories once a category is chosen, and clear the subcategory for another category', async () => {
    await open()
    const field = page.getByLabel('Subcategory')
    expect(await field.count()).toBe(0)
    await choose('Category', 'Grocery (90)')
    await choose('Subcategory', 'Coffee and tea (12)')
    await expect.poll(lastAsked).toMatchObject({ subcategory: '7b0e5a10-0000-4000-8000-000000000081' })
    await choose('Category', 'Fuel (42)')
    await expect.poll(lastAsked).toMatchObject({ category: '7b0e5a10-0000-4000-8000-000000000082' })
    expect(lastAsked()).not.toHaveProperty('subcategory')
    await expect.poll(() => field.count()).toBe(0)
  })
})

describe('the details of an offer', () => {
  test('open and close by keys, and the focus returns to the list', async () => {
    await open()
    const opener = rows().nth(1).getByRole('button')
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Level 3').waitFor()
    const label = await dialog.innerText()
    for (const text of [
      '150 bonus miles',
      'Opt in before buying.',
      'Coupon code: MILE4711',
      'December 31, 2026, 23:59',
    ])
      expect(label).toContain(text)
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog.count()).toBe(0)
    await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('can be saved as a shelf card under the name that the terminal gives it', async () => {
    await open()
    await rows().nth(1).getByRole('button').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save shelf card (PDF)' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('shelf-card.pdf')
    await page.getByText('Shelf card saved.').waitFor()
    expect(posted('/shelf-card').map(({ path }) => path)).toEqual([`/api/manager/offers/${OFFER_ID}/shelf-card`])
  })

  test('open by the offer’s ID; an expired offer has a reason and no shelf card', async () => {
    answers({
      [`GET /api/manager/offers/${OFFER_ID}`]: offerAnswer(english, {
        offer: null,
        warning: { code: 'err-expired', message: 'x' },
      }),
    })
    await open()
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Open by offer ID').fill(OFFER_ID.toUpperCase())
    await page.getByRole('dialog').getByText('Offer expired.').waitFor()
    expect(await page.getByRole('button', { name: 'Save shelf card (PDF)' }).count()).toBe(0)
  })

  test('have a button that shows the other offers of the promotion', async () => {
    await open()
    await rows().nth(1).getByRole('button').click()
    await page.getByRole('button', { name: 'Show this promotion' }).click()
    await expect.poll(lastAsked).toMatchObject({ promotion: '7b0e5a10-0000-4000-8000-000000000090', offset: '0' })
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })
})

describe('the offers page while the offer service does not answer', () => {
  beforeEach(() => {
    answers({
      'GET /api/manager/offers': storedPage(english),
      'GET /api/manager/offer-lists': OFFER_LISTS_FAILED,
      [`GET /api/manager/offers/${OFFER_ID}`]: storedAnswer(english),
    })
  })

  test('shows the cause, the age of its list, filters not applied, error reference; a retry recovers', async () => {
    await open()
    const notice = page.getByRole('alert')
    const label = await notice.innerText()
    for (const text of [
      'Offer service unreachable.',
      'In-store offers kept on this lane, from Nov 21, 2026, 09:03.',
      'Not filtered by: Category, Earned by.',
      'ECONNREFUSED, 1d5a2f77-0000-4000-8000-000000000001',
    ])
      expect(label).toContain(text)
    const again = await page.getByRole('button', { name: 'Try again' }).elementHandle()
    answers({ 'GET /api/manager/offers': offerPage(english) })
    // The page reloads by itself, so the button may be gone before the press.
    await again?.click({ timeout: 5_000 }).catch(() => undefined)
    await page.getByText('132 offers').waitFor({ timeout: 10_000 })
    expect(await notice.count()).toBe(0)
  })

  test('reloads the stored lists at a retry while calls are paused after several failures', async () => {
    answers({
      'GET /api/manager/offers': {
        ...storedPage(english),
        failure: { cause: 'breaker-open', code: null, correlationId: null },
      },
    })
    await open()
    await page.getByText('Not asked for some seconds.').waitFor()
    // The page reloads by itself, so the live list may appear only after the refresh was requested.
    const refresh = screens.holdAnswer('/api/manager/offer-lists/refresh')
    await page.getByRole('button', { name: 'Try again' }).click()
    await refresh.asked
    answers({ 'GET /api/manager/offers': offerPage(english) })
    refresh.release()
    await page.getByText('132 offers').waitFor()
    expect(posted('/refresh').map(({ path }) => path)).toEqual(['/api/manager/offer-lists/refresh'])
  })

  test('shows the live list by itself when the service answers again', async () => {
    terminal.state.central = 'offline'
    await open()
    await page.getByRole('alert').waitFor()
    answers({ 'GET /api/manager/offers': offerPage(english) })
    terminal.push({ type: 'queue-changed', summary: { waiting: 0, sending: 0, attention: 0, central: 'online' } })
    await page.getByText('132 offers').waitFor()
    expect(asked).toHaveLength(2)
  })

  test('shows that an offer of the stored list lacks details, and offers no shelf card', async () => {
    await open()
    await rows().nth(1).getByRole('button').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Levels and how to use it are not kept.').waitFor()
    expect(await page.getByRole('button', { name: 'Save shelf card (PDF)' }).count()).toBe(0)
  })
})

describe('the stored lists of offers', () => {
  test('are reloaded in every language, with progress, and then the page reloads', async () => {
    await open()
    const lists = page.getByRole('region', { name: 'Kept on this lane' })
    await expect.poll(() => lists.innerText()).toContain('96 in-store offers, 9 mins ago, due 09:18')
    const refresh = screens.holdAnswer('/api/manager/offer-lists/refresh')
    answers({ 'GET /api/manager/offer-lists': OFFER_LISTS_LOADING })
    const before = asked.length
    await page.getByRole('button', { name: 'Refresh' }).click()
    await refresh.asked
    await expect.poll(() => lists.innerText()).toContain('1 of 2 lists')
    expect(await page.getByRole('button', { name: 'Refresh' }).isDisabled()).toBe(true)
    answers({ 'GET /api/manager/offer-lists': OFFER_LISTS })
    refresh.release()
    await page.getByText('Lists refreshed.').waitFor()
    await expect.poll(() => lists.getByRole('progressbar').count()).toBe(0)
    await expect.poll(() => asked.length).toBeGreaterThan(before)
  })

  test('stay, with their age, if they could not be reloaded, and the page shows how many failed', async () => {
    answers({ 'POST /api/manager/offer-lists/refresh': OFFER_LISTS_FAILED })
    await open()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('2 of 2 lists not refreshed. The old ones stay.').waitFor()
    const lists = page.getByRole('region', { name: 'Kept on this lane' })
    await expect.poll(() => lists.innerText()).toContain('Last try failed 09:18')
    expect(await lists.innerText()).toMatch(/English\s+96 in-store offers, 1 hr ago/)
    expect(await lists.innerText()).toContain('Never loaded')
  })
})
