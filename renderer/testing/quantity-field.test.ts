import { describe, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX, PERSON_KEY_GAP_MS } from './screen-fixture.ts'
import { withMember } from './sales.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: withMember() }))

const quantities = () => screens.posted('/input/quantity').map(({ body }) => body)

describe('the field for the quantity of the next item', () => {
  test.each([0, 5, 20])('takes digits and Enter that follow the star key %i ms apart', async (delay) => {
    const { page } = await screens.openSale()
    await page.keyboard.type('*5\n', { delay })
    await expect.poll(quantities).toEqual([{ quantity: 5 }])
  })

  test('closes when the item search takes the focus, and opens again with the star key', async () => {
    const { page } = await screens.openSale()
    const field = page.getByRole('textbox', { name: 'Quantity of the next item' })
    await page.keyboard.press('*')
    await field.waitFor()
    await page.keyboard.press('F2')
    await field.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.keyboard.press('*')
    await field.waitFor()
    await page.keyboard.type('5', { delay: PERSON_KEY_GAP_MS })
    await page.keyboard.press('Enter')
    await expect.poll(quantities).toEqual([{ quantity: 5 }])
  })

  test('takes the focus back with the star key, and closes with Escape, after a tap elsewhere', async () => {
    const { page } = await screens.openSale()
    const field = page.getByRole('textbox', { name: 'Quantity of the next item' })
    const focused = () => field.evaluate((element) => element === document.activeElement)
    await page.keyboard.press('*')
    await expect.poll(focused).toBe(true)
    await page.mouse.click(2, 2)
    expect(await focused()).toBe(false)
    await page.keyboard.press('*')
    await expect.poll(focused).toBe(true)
    await page.mouse.click(2, 2)
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
  })
})

test('the quantity field of a line closes for the item search, and takes the focus back with F3', async () => {
  const { page } = await screens.openSale()
  const field = page.getByRole('textbox', { name: /^Quantity of / })
  const focused = () => field.evaluate((element) => element === document.activeElement)
  await page.keyboard.press('F3')
  await expect.poll(focused).toBe(true)
  await page.mouse.click(2, 2)
  await page.keyboard.press('F3')
  await expect.poll(focused).toBe(true)
  await page.keyboard.press('F2')
  await field.waitFor({ state: 'detached' })
})
