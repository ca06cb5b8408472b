import type { Page } from '@playwright/test'
import { beforeEach, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import { line, saleOf } from './sales.ts'

const LONG = { ...ALEX, name: 'Maximiliane-Alexandrina Featherstonehaugh-Cholmondeley de la Tremblaye' }
const screens = useBuiltScreens(() => ({ signedIn: LONG, sale: saleOf([line(1)]) }))
let page: Page

beforeEach(async () => {
  ;({ page } = screens)
  await page.setViewportSize({ width: 1024, height: 768 })
  await page.goto(screens.terminal.url)
  await page.getByRole('grid').waitFor()
})

const printer = () => page.getByRole('dialog', { name: /^Printer/ })
const cash = () => page.getByRole('region', { name: 'Cash', exact: true })
async function explainPrinter(): Promise<void> {
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Printer/ })
    .click()
  await printer().waitFor()
}

test('a key of the terminal closes an open explanation of the status bar that would cover its result', async () => {
  await explainPrinter()
  await page.keyboard.press('F6')
  await cash().waitFor()
  await printer().waitFor({ state: 'detached' })
  await page.keyboard.type('2000', { delay: 80 })
  await expect.poll(() => page.getByRole('button', { name: /^Take \$20\.00/ }).count()).toBe(1)
})

test('Esc closes an open explanation of the status bar and leaves the payment unchanged', async () => {
  await page.keyboard.press('F6')
  await cash().waitFor()
  await explainPrinter()
  await page.keyboard.press('Escape')
  await printer().waitFor({ state: 'detached' })
  expect(await cash().count()).toBe(1)
})

test('a cashier’s long name hides no device in the status bar', async () => {
  const bar = page.getByRole('banner')
  for (const name of [/^Reader/, /^Scanner/, /^Printer/]) {
    const seen = await bar.getByRole('button', { name }).evaluate((place) => {
      const { x, y, width, height } = place.getBoundingClientRect()
      return place.contains(document.elementFromPoint(x + width - 2, y + height / 2))
    })
    expect({ name, seen }).toEqual({ name, seen: true })
  }
  await bar.getByRole('button', { name: /Maximiliane/ }).click()
  await page.getByRole('dialog').getByText(LONG.name).waitFor()
})
