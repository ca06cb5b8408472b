import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { line, saleOf, withMember, printJob } from './sales.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: withMember() }))
const { posted } = screens
let terminal: FixtureTerminal
let page: Page

beforeEach(async () => {
  ;({ terminal, page } = await screens.openSale())
})

describe('printing receipts and other papers', () => {
  test('F11 reprints the last receipt, and success is reported only when the printer confirms', async () => {
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/reprint'] = ok({ print: 'queued' })
    terminal.push({ type: 'sale-changed', cause: 'tender', sale: withMember({ version: 4, state: 'completed' }) })
    await page.getByRole('button', { name: 'Next customer' }).and(page.locator('[data-focused]')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Reprint last receipt' }).waitFor()
    await page.keyboard.press('F11')
    await expect.poll(() => posted('/reprint').length).toBe(1)
    terminal.push(printJob({}))
    await page.getByText('Receipt not printed.').waitFor()
    // The notice and the status bar show the printer's problem and its remedy.
    expect(await page.getByText('Out of paper. Load paper. Then reprint.').count()).toBe(1)
    expect(
      await page
        .getByRole('banner')
        .getByRole('button', { name: /^Printer/ })
        .textContent(),
    ).toContain('Paper out')
    expect(await page.getByText('Copy sent').count()).toBe(0)
    // After paper was loaded, no message asks for paper any more, and the receipt still has to be printed.
    terminal.push({ type: 'device-health', device: { role: 'printer', state: 'ready', detail: null } })
    await page.getByText('The printer is ready: print now.').waitFor()
    expect(await page.getByText('Out of paper.').count()).toBe(0)
    await page.getByRole('alert').getByRole('button', { name: 'Reprint' }).click()
    await expect.poll(() => posted('/reprint').length).toBe(2)
    terminal.push(printJob({ state: 'confirmed', copy: 1, notOnPaper: 0 }))
    await page.getByText('Copy sent to the printer.').waitFor()
    expect(await page.getByText('Receipt not printed.').count()).toBe(0)
  })

  test('a button prints the receipt in the other language', async () => {
    const reprint = 'POST /api/sales/01K9TRAINLANE01/reprint'
    terminal.state.answers[reprint] = ok({ print: 'queued' })
    terminal.push({ type: 'sale-changed', cause: 'tender', sale: withMember({ version: 4, state: 'completed' }) })
    await page.getByRole('button', { name: 'Other language' }).click()
    await expect.poll(() => posted('/reprint').map(({ body }) => body)).toEqual([{ locale: 'fr-CA' }])
  })

  test('the longest text about the receipt stays inside its panel', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    terminal.push({ type: 'sale-changed', cause: 'tender', sale: withMember({ version: 4, state: 'completed' }) })
    const receipt = page.getByRole('region', { name: 'Receipt', exact: true })
    await receipt.waitFor()
    terminal.push(printJob({ state: 'unknown' }))
    await receipt.getByText('Printing interrupted: check the paper').waitFor()
    const [needed, there] = await receipt
      .locator('header')
      .evaluate((header) => [header.scrollWidth, header.clientWidth] as const)
    expect(needed).toBeLessThanOrEqual(there)
  })

  test('a notice offers to print the unprinted paper of a return', async () => {
    terminal.state.answers['POST /api/returns/N1010100000043K7QZ/reprint'] = ok({ print: 'queued' })
    terminal.push(printJob({ paper: 'return', saleId: 'N1010100000043K7QZ', totalCents: null, notOnPaper: 0 }))
    await page.getByRole('alert').getByRole('button', { name: 'Reprint' }).click()
    await expect
      .poll(() => posted('/reprint').map(({ path }) => path))
      .toEqual(['/api/returns/N1010100000043K7QZ/reprint'])
  })

  test('a receipt scanned between customers is selected in the list, and F11 prints the selected one', async () => {
    terminal.state.sale = null
    const [first, second] = ['N1010100000040K7Q0', 'N1010100000039K7Q1']
    for (const id of [first, second]) terminal.state.answers[`POST /api/sales/${id}/reprint`] = ok({ print: 'queued' })
    await page.reload()
    await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
    terminal.push({ type: 'receipt-scanned', saleId: first as never })
    await page.getByRole('heading', { name: 'Sales history' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Sale number' }).inputValue()).toBe(first)
    await page
      .getByRole('row', { name: new RegExp(first) })
      .and(page.locator('[aria-selected=true]'))
      .waitFor()
    await page.locator('[role=row]:focus').waitFor()
    await page.keyboard.press('ArrowDown')
    await page
      .getByRole('row', { name: new RegExp(second) })
      .and(page.locator('[aria-selected=true]'))
      .waitFor()
    await page.keyboard.press('F11')
    await expect.poll(() => posted('/reprint').map(({ path }) => path)).toEqual([`/api/sales/${second}/reprint`])
    terminal.push(printJob({ saleId: second, state: 'confirmed', notOnPaper: 0 }))
    await page.getByText('Receipt sent to the printer.').waitFor()
    // A cancelled sale is selected, which has no receipt to print.
    for (let row = 0; row < 3; row += 1) await page.keyboard.press('ArrowDown')
    await page
      .getByRole('row', { name: /Cancelled/ })
      .and(page.locator('[aria-selected=true]'))
      .waitFor()
    expect(await page.getByRole('button', { name: 'Print receipt' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
  })

  test('a receipt scanned in the middle of a sale does not leave the sale', async () => {
    terminal.push({ type: 'receipt-scanned', saleId: 'N1010100000040K7Q0' as never })
    await page.getByText('Receipt of sale N1010100000040K7Q0.').waitFor()
    expect(await page.getByRole('grid', { name: 'Sale lines' }).isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Show sale' }).click()
    await page.getByRole('heading', { name: 'Sales history' }).waitFor()
  })

  test('F11 prints the last receipt after a reload, and F9 finishes a sale with nothing due', async () => {
    terminal.state.answers['GET /api/receipts'] = ok({ lastSaleId: 'N1010100000038K7Q2', notOnPaper: 0 })
    terminal.state.answers['POST /api/sales/N1010100000038K7Q2/reprint'] = ok({ print: 'queued' })
    terminal.state.sale = null
    await page.reload()
    await page.getByRole('button', { name: 'Reprint last receipt' }).waitFor()
    await page.keyboard.press('F11')
    await expect
      .poll(() => posted('/reprint').map(({ path }) => path))
      .toEqual(['/api/sales/N1010100000038K7Q2/reprint'])
    const free = saleOf([line(1, { unitPriceCents: 0, amountCents: 0 })])
    terminal.state.answers['POST /api/sales/01K9TRAINLANE01/complete'] = ok({
      sale: { ...free, version: 4, revision: 4, state: 'completed' },
    })
    terminal.push({ type: 'sale-changed', cause: 'scan', sale: free })
    await page.getByRole('button', { name: 'Finish: nothing due' }).waitFor()
    await page.keyboard.press('F9')
    await page.getByRole('heading', { name: 'Sale complete' }).waitFor()
    expect(posted('/complete').map(({ body }) => body)).toEqual([{ version: 3 }])
  })
})
