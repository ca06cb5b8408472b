import type { Locator, Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { SAM } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'

const HEIGHT = 768
const screens = useBuiltScreens(() => ({ signedIn: SAM }), { viewport: { width: 1024, height: HEIGHT } })
let terminal: FixtureTerminal
let page: Page

beforeEach(() => {
  ;({ terminal, page } = screens)
})

const boxOf = async (one: Locator): Promise<{ top: number; bottom: number }> =>
  one.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return { top, bottom }
  })
const open = async (section: string): Promise<Locator> => {
  await page.goto(`${terminal.url}/manager/${section}`)
  const region = page.locator('main section').first()
  await region.getByRole('heading').first().waitFor()
  return region
}

test('a Store page fills the window’s height', async () => {
  const region = await open('settings')
  expect(HEIGHT - (await boxOf(region)).bottom).toBeLessThanOrEqual(16)
})

test('the group Whole store of the navigation is above Sales history', async () => {
  for (const section of ['overview', 'echo', 'store-lanes']) {
    await open(section)
    const nav = page.getByRole('navigation')
    const name = section === 'store-lanes' ? nav.getByRole('heading', { name: 'Whole store' }) : null
    const group = name ?? nav.getByRole('link', { name: 'Whole store' })
    const history = nav.getByRole('button', { name: /^Sales history/ })
    expect((await boxOf(group)).bottom, section).toBeLessThanOrEqual((await boxOf(history)).top)
  }
})

describe('a notice on a Store page', () => {
  const notice = () => page.getByRole('alert').filter({ hasText: '4006381333931' })
  const warn = async (): Promise<void> => {
    terminal.push({ type: 'scan-unknown', code: '4006381333931' })
    await notice().waitFor()
  }

  const buttons = (region: Locator): Promise<readonly { name: string; top: number; bottom: number }[]> =>
    region.getByRole('button').evaluateAll((all) =>
      all.map((one) => {
        const { top, bottom } = one.getBoundingClientRect()
        return { name: one.textContent, top, bottom }
      }),
    )

  test('moves no button of the page', async () => {
    const region = await open('settings')
    const before = await buttons(region)
    expect(before.length).toBeGreaterThan(2)
    const { top } = await boxOf(region)
    await warn()
    expect(await buttons(region)).toEqual(before)
    expect((await boxOf(region)).top).toBe(top)
    expect((await boxOf(notice())).bottom).toBeLessThanOrEqual(HEIGHT)
  })

  test('covers nothing of the page, so that its last button can be scrolled to and pressed', async () => {
    const region = await open('settings')
    await warn()
    expect((await boxOf(region)).bottom).toBeLessThanOrEqual((await boxOf(notice())).top)
    const last = region.getByRole('button').last()
    await last.scrollIntoViewIfNeeded()
    await last.click({ timeout: 5_000 })
    await page.getByRole('dialog').waitFor()
    expect(await notice().count()).toBe(1)
  })

  test('disappears when the page is left', async () => {
    await open('settings')
    await warn()
    await page.getByRole('link', { name: 'Staff' }).click()
    await page.getByRole('region', { name: 'Staff' }).waitFor()
    await expect.poll(() => notice().count()).toBe(0)
  })
})
