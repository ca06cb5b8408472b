import type { Page } from '@playwright/test'
import { beforeEach, expect, test } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { line, saleOf } from './sales.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: saleOf([line(1), line(3)]) }))
const { holdAnswer, posted } = screens
let terminal: FixtureTerminal
let page: Page

const SALE = '/api/sales/01K9TRAINLANE01'
const inState = (state: Sale['state']): Sale => saleOf([line(1), line(3)], { version: 4, revision: 4, state })

beforeEach(async () => {
  ;({ terminal, page } = await screens.openSale())
})

test.each([
  [
    'put on hold',
    'hold',
    'held',
    async () => {
      await page.keyboard.press('F5')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Enter')
    },
  ],
  [
    'cancelled',
    'cancel',
    'cancelled',
    async () => {
      await page.keyboard.press('Shift+Delete')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel sale' }).click()
    },
  ],
] as const)(
  'a payment key pressed while a sale is being %s waits with a notice, and then takes no payment',
  async (_, path, state, leave) => {
    terminal.state.answers[`POST ${SALE}/${path}`] = ok({ sale: inState(state) })
    const held = holdAnswer(`${SALE}/${path}`)
    await leave()
    await held.asked
    await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor({ state: 'detached' })
    await page.keyboard.press('F9')
    await page.getByText('Waiting for a response, then: Exact cash', { exact: false }).waitFor()
    expect(posted('/tenders')).toEqual([])
    held.release()
    await page.getByText('Ready for the next customer').waitFor()
    expect(posted('/tenders')).toEqual([])
  },
)
