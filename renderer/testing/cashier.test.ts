import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from '@playwright/test'
import { build } from 'vite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Sale } from '../../contracts/api/sales.ts'
import { ALEX, FACTS } from './fixture-facts.ts'
import { startFixtureTerminal, type FixtureTerminal } from './fixture-terminal.ts'
import { basket, CHOICE, line, member, saleOf } from './sales.ts'

/** The built screens in the lane's own browser engine, with a stand-in for the backend: what only real keys and real focus can show. */
let folder: string
let terminal: FixtureTerminal
let browser: Browser
let page: Page

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-screens-'))
  await build({ configFile: join(import.meta.dirname, '../vite.config.ts'), logLevel: 'error', build: { outDir: folder, emptyOutDir: true } })
  terminal = await startFixtureTerminal(folder, FACTS)
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-gpu'] })
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await terminal?.close()
  rmSync(folder, { recursive: true, force: true })
})

const sale = (over: object = {}): Sale => saleOf(basket(), { member: member(), milesPreview: 45, redemptionChoice: { ...CHOICE }, ...over })
const posted = (ending: string) => terminal.calls.filter(({ path }) => path.endsWith(ending))

beforeEach(async () => {
  await page?.close()
  terminal.calls.length = 0
  Object.assign(terminal.state, { signedIn: ALEX, sale: sale(), mode: 'production', stopped: null, answers: {} })
  page = await browser.newPage({ locale: 'en-CA' })
  await page.goto(terminal.url)
  await page.getByRole('grid').waitFor()
}, 30_000)

describe('the cashier’s hands', () => {
  test('Enter in the search rings the marked item once, and leaves the keys to the terminal', async () => {
    await page.keyboard.press('F2')
    await page.keyboard.type('co')
    await page.getByRole('option', { selected: false }).first().waitFor()
    await page.locator('[role=option][data-focused]').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => posted('/lines').length).toBe(1)
    expect(posted('/lines')[0]?.body).toEqual({ sku: '1010', quantity: 1 })
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    expect(await page.evaluate(() => document.activeElement instanceof HTMLInputElement)).toBe(false)
  })

  test('a scan while an amount is typed changes the sale and not the amount', async () => {
    await page.keyboard.press('F7')
    const reference = page.getByRole('textbox', { name: 'Reference' })
    await reference.fill('A1')
    terminal.push({ type: 'sale-changed', cause: 'preview', sale: sale({ version: 4, milesPreview: 46 }) })
    terminal.push({ type: 'scan-unknown', code: '0999999999993' })
    await page.getByRole('alert').filter({ hasText: '0999999999993' }).waitFor()
    expect(await reference.inputValue()).toBe('A1')
  })

  test('a double press of the key that pays takes one payment', async () => {
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/tenders'] = { status: 200, body: { sale: sale({ version: 4, state: 'completed' }) } }
    await page.evaluate(() => {
      for (let press = 0; press < 3; press += 1) window.dispatchEvent(new KeyboardEvent('keydown', { key: 'F9', bubbles: true }))
    })
    await page.getByRole('heading', { name: 'Sale complete' }).waitFor()
    await page.keyboard.press('F9')
    expect(posted('/tenders').map(({ body }) => body)).toEqual([{ kind: 'cash', version: 3, tenderedCents: sale().totals.cashDueCents }])
  })

  test('a card that is swiped is used at once, wherever the focus is', async () => {
    await page.keyboard.press('F2')
    terminal.push({ type: 'card-read', readId: '5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a11' as never, entryMode: 'SWIPE', last4: '0011' })
    await expect.poll(() => posted('/member').map(({ body }) => body)).toEqual([{ readId: '5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a11' }])
  })

  test('a stale command brings the screen up to date and says so', async () => {
    const fresh = saleOf([line(1)], { version: 9 })
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/lines/4/void'] = { status: 409, body: { code: 'sale-stale', messages: { 'en-CA': 'x', 'fr-CA': 'y' } } }
    terminal.state.sale = fresh
    await page.keyboard.press('Delete')
    await page.getByText('The sale had changed').waitFor()
    await expect.poll(() => page.getByRole('grid').getByRole('row').count()).toBe(1)
  })

  test('the terminal that stops says why and what to do, and takes nothing more', async () => {
    terminal.push({ type: 'stopped', reason: 'storage-failed' })
    await page.getByRole('heading', { name: 'This terminal has stopped taking money' }).waitFor()
    await page.keyboard.press('F9')
    expect(posted('/tenders')).toEqual([])
  })
})
