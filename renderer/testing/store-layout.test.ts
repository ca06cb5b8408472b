import type { Locator, Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { SAM } from './fixture-facts.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'

/** The room of a Store page and of its notices on the smallest screen. */
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

test('a Store page reaches to the foot of the window', async () => {
  const region = await open('settings')
  expect(HEIGHT - (await boxOf(region)).bottom).toBeLessThanOrEqual(16)
})

test('all group names are above Sales history', async () => {
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

  test('moves nothing on the page', async () => {
    const region = await open('settings')
    const before = await boxOf(region)
    await warn()
    expect(await boxOf(region)).toEqual(before)
    expect((await boxOf(notice())).bottom).toBeLessThanOrEqual(HEIGHT)
  })

  test('goes when the page is left', async () => {
    await open('settings')
    await warn()
    await page.getByRole('link', { name: 'Staff' }).click()
    await page.getByRole('region', { name: 'Staff' }).waitFor()
    await expect.poll(() => notice().count()).toBe(0)
  })
})
