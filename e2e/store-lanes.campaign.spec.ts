import { expect, test as base, type Page } from '@playwright/test'
import { startDemo, type Demo } from './demo.ts'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { signIn } from './sign-in.ts'
import { noteHeader, readAs } from './windows.ts'

const ALEX = { name: 'Alex Tremblay', pin: '1234' }
const CARD = 'Plenty of miles'

const test = base.extend<{ demo: Demo; one: Page; two: Page }>({
  demo: async ({ browserName: _ }, use, info) => {
    info.setTimeout(180_000)
    const demo = await startDemo(2)
    if (demo === null) return info.skip(true, 'needs PostgreSQL (npm run setup)')
    await use(demo)
    await demo.stop()
  },
  one: async ({ demo, page }, use) => use(await opened(page, demo, '01')),
  two: async ({ demo, browser }, use) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await use(await opened(await context.newPage(), demo, '02'))
    await context.close()
  },
})

async function opened(page: Page, { ready }: Demo, lane: string): Promise<Page> {
  noteHeader(page)
  await page.goto(ready.lanes.find(({ id }) => id === lane)?.launchUrl ?? `no lane ${lane}`)
  await signIn(page, ALEX)
  await expect(page.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  return page
}

async function ring(window: Page, typed: string, name: string): Promise<void> {
  await window.keyboard.press('F2')
  await window.keyboard.type(typed, { delay: PERSON_KEY_GAP_MS })
  await expect(window.getByRole('option', { name: new RegExp(name) })).toBeVisible()
  await window.keyboard.press('Enter')
  await expect(window.getByRole('row', { name: new RegExp(`^${name}, `) })).toBeVisible()
}

async function swipe(window: Page): Promise<void> {
  await window.keyboard.press('F10')
  await window.getByRole('button', { name: `Swipe: ${CARD}` }).click()
  await expect(window.getByRole('heading', { name: 'Member number ending in 0011' })).toBeVisible()
  await window.keyboard.press('F10')
}

async function openReturn(window: Page, sale: string): Promise<void> {
  await window.keyboard.press('Shift+F10')
  await window.getByRole('textbox', { name: 'Sale number' }).fill(sale)
  await window.keyboard.press('Enter')
}

async function payCash(window: Page): Promise<void> {
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
}

const stateOf = (window: Page): Promise<unknown> => readAs<unknown>(window, '/api/store')

test('two lanes sell while the store server is silent and send the sales after its kill; one takes goods back', async ({
  demo,
  one,
  two,
}) => {
  const sales = () =>
    demo.query<{ lane: string; id: string }>(
      `SELECT lane, subject AS id FROM fact JOIN stream ON name = stream WHERE kind = 'sale' ORDER BY lane, seq`,
    )
  const allReceived = async (): Promise<void> => {
    for (const window of [one, two])
      await expect.poll(() => stateOf(window), { timeout: 30_000 }).toMatchObject({ kind: 'connected', untold: 0 })
  }

  await test.step('lane 2 shows the miles left by a redemption at lane 1; the server gets both sales', async () => {
    await ring(one, 'detergent', 'Laundry detergent 2.95 L')
    await swipe(one)
    await one.getByRole('button', { name: 'Redeem $20.00' }).click()
    await expect(one.getByRole('region', { name: 'Redeem miles' })).toContainText('$20.00 paid with miles')
    await payCash(one)
    await ring(two, 'detergent', 'Laundry detergent 2.95 L')
    await swipe(two)
    await expect(two.getByRole('region', { name: 'Member' })).toContainText('$480.00')
    await payCash(two)
    await allReceived()
    expect((await sales()).map(({ lane }) => lane)).toEqual(['01', '02'])
  })

  await test.step('both lanes sell while the store server does not answer', async () => {
    process.kill(demo.ready.pids.server, 'SIGSTOP')
    for (const window of [one, two]) {
      await ring(window, 'maple', 'Maple syrup 540 mL')
      await payCash(window)
    }
    for (const window of [one, two])
      await expect.poll(() => stateOf(window), { timeout: 30_000 }).toMatchObject({ kind: 'away' })
    expect(await sales()).toHaveLength(2)
  })

  await test.step('a killed store server restarts by itself and receives each sale once', async () => {
    process.kill(demo.ready.pids.server, 'SIGKILL')
    await allReceived()
    expect((await sales()).map(({ lane }) => lane)).toEqual(['01', '01', '02', '02'])
  })

  await test.step('lane 2 takes back goods that lane 1 sold, once', async () => {
    const [, { id } = { id: 'no sale' }] = await sales()
    await openReturn(two, id)
    await expect(two.getByRole('row', { name: 'Maple syrup 540 mL: returning 0 of 1' })).toBeVisible()
    await two.keyboard.press('F3')
    await expect(two.getByRole('button', { name: /^Refund \$/ })).toBeEnabled()
    await two.getByText('Damaged').click()
    await two.keyboard.press('F9')
    await expect(two.getByRole('heading', { name: 'Return complete' })).toBeVisible()
    await openReturn(one, id)
    await expect(one.getByText('All items from this sale were already returned.')).toBeVisible()
  })
})
