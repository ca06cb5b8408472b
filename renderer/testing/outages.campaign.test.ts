import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { member, redemption, saleOf, withMember } from './sales.ts'
import { untilQuiet } from './until-quiet.ts'
import { ok } from './answers.ts'

const alerts = () => page.getByRole('alert').allInnerTexts()

const screens = useBuiltScreens(
  () => ({ signedIn: ALEX, sale: withMember() }),
  {
    viewport: { width: 1024, height: 768 },
  },
  { routes: true },
)
const { holdAnswer } = screens
let terminal: FixtureTerminal
let page: Page

beforeEach(async () => {
  ;({ terminal, page } = await screens.openSale())
})

test('a late answer does not replace the state from an event that came after its request', async () => {
  const printer = page.getByRole('button', { name: /^Printer/ })
  const queue = page.getByRole('button', { name: /^Queue/ })
  const clock = page.getByRole('button', { name: /^Clock/ })
  await expect.poll(() => printer.innerText()).toContain('Paper out')
  const held = ['/api/devices', '/api/queue/summary'].map(holdAnswer)
  // Only the held reload has this clock state: when it is shown, the whole reload was applied.
  terminal.state.answers['GET /api/diagnostics/maintenance'] = ok({
    clock: { state: 'off-central', aheadSeconds: 7_200 },
    backup: null,
    room: { freeMb: 52_000, neededMb: 65, state: 'enough' },
  })
  terminal.push({ type: 'resync' })
  await Promise.all(held.map(({ asked }) => asked))
  terminal.push({ type: 'device-health', device: { role: 'printer', state: 'ready', detail: null } })
  terminal.push({ type: 'queue-changed', summary: { waiting: 0, sending: 0, attention: 7, central: 'online' } })
  await expect.poll(() => queue.innerText()).toContain('7')
  for (const { release } of held) release()
  await clock.waitFor()
  expect(await queue.innerText()).toContain('7')
  expect(await printer.innerText()).not.toContain('Paper out')
})

describe('a window after a restart of the terminal', () => {
  test('no longer shows “Miles are being returned” for a cancelled sale whose miles have been returned', async () => {
    const paid = {
      number: 1,
      kind: 'miles',
      amountCents: 40_00,
      roundingCents: 0,
      tenderedCents: 40_00,
      changeCents: 0,
      reference: '8842 0017 3351',
    }
    const cancelled = (state: string, revision: number): Sale =>
      withMember({
        version: 9,
        revision,
        state: 'cancelled',
        tenders: [paid],
        redemption: redemption({ state, outcome: state } as never),
      })
    terminal.push({ type: 'sale-changed', cause: 'command', sale: cancelled('reversing', 9) })
    await page.getByText('Miles are being returned').waitFor()
    terminal.state.sale = null
    terminal.state.answers['GET /api/sales/01K9TRAINLANE01'] = ok({ sale: cancelled('reversed', 10) })
    terminal.push({ type: 'resync' })
    await expect.poll(() => page.getByText('Miles are being returned').count()).toBe(0)
    await page.getByRole('heading', { name: 'Sale cancelled' }).waitFor()
  })

  test('no longer shows the notice that the terminal does not respond', async () => {
    await untilQuiet(page)
    await page.route('**/lines/4/void', (route) => route.abort())
    // The first request that reloads the sale is not answered either.
    await page.route('**/api/sales/current', (route) => route.abort(), { times: 1 })
    await page.keyboard.press('Delete')
    await expect.poll(alerts).toEqual([expect.stringContaining('not responding')])
    terminal.push({ type: 'resync' })
    await expect.poll(alerts).toEqual([])
  })
})

test('a window without a connection shows only “Connection lost”, on one line, in place of all states', async () => {
  await page.getByRole('button', { name: /^Miles/ }).waitFor()
  terminal.hangUp()
  const lost = page.getByText('Connection lost')
  await lost.waitFor()
  expect(await page.getByRole('button', { name: /^(Miles|Queue|Card reader|Scanner|Printer)/ }).count()).toBe(0)
  expect((await lost.boundingBox())?.height).toBeLessThan(44)
  await page.getByRole('button', { name: /^Miles/ }).waitFor()
  expect(await lost.count()).toBe(0)
})

test('an empty basket with a collector card shows no miles to earn', async () => {
  terminal.push({ type: 'sale-changed', cause: 'member', sale: saleOf([], { version: 9, member: member() }) })
  await page
    .getByText('Scan the first item')
    .or(page.getByRole('heading', { level: 2 }))
    .first()
    .waitFor()
  await expect.poll(() => page.getByRole('grid').count()).toBe(0)
  expect(await page.getByText('Miles to earn').count()).toBe(0)
})

test('one person’s notices disappear before the next person signs in', async () => {
  terminal.push({ type: 'scan-unknown', code: '0999999999993' })
  await page.getByRole('alert').waitFor()
  terminal.state.signedIn = null
  terminal.push({ type: 'signed-out' })
  await page
    .getByRole('heading', { name: /Who is/ })
    .or(page.getByRole('button', { name: /Marie/ }))
    .first()
    .waitFor()
  expect(await alerts()).toEqual([])
})

test('the notice of an unprinted receipt names its sale, and disappears when the receipt was printed', async () => {
  const job = {
    type: 'print-job',
    paper: 'sale',
    saleId: '01K9TRAINLANE01' as never,
    copy: 0,
    totalCents: 45_31 as never,
    voucher: null,
  } as const
  terminal.push({ ...job, state: 'failed', notOnPaper: 1 })
  await expect.poll(alerts).toEqual([expect.stringContaining('Sale …\u2060LANE01, $45.31.')])
  terminal.push({ ...job, state: 'confirmed', notOnPaper: 0 })
  await expect.poll(alerts).toEqual([])
})

test('the refresh button of the offers page calls the offer service', async () => {
  const list = (stale: boolean) => ok({ offers: [], total: 0, fetchedAt: '2026-11-21T14:03:12.000Z', stale })
  terminal.state.central = 'offline'
  Object.assign(terminal.state.answers, { 'GET /api/offers': list(true), 'POST /api/offers/refresh': list(true) })
  await page.goto(`${terminal.url}/manager/offers`)
  const old = page.getByText('Offers offline')
  await old.waitFor()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect
    .poll(() => terminal.calls.filter(({ path }) => path === '/api/offers/refresh').map(({ body }) => body))
    .toEqual([{ locale: 'en-CA' }])
  terminal.state.answers['GET /api/offers'] = list(false)
  terminal.push({ type: 'queue-changed', summary: { waiting: 0, sending: 0, attention: 0, central: 'online' } })
  await expect.poll(() => old.count()).toBe(0)
})

test('a list of offers that arrives after a change of language does not replace the one in that language', async () => {
  await page.goto(`${terminal.url}/manager/offers`)
  await page.getByText('When you spend $40 on groceries').waitFor()
  terminal.state.answers['POST /api/offers/refresh'] = ok(
    await page.evaluate(async () => (await fetch('/api/offers')).json()),
  )
  const refresh = holdAnswer('/api/offers/refresh')
  await page.getByRole('button', { name: 'Refresh' }).click()
  await refresh.asked
  terminal.state.signedIn = { ...ALEX, locale: 'fr-CA' }
  await page.getByRole('button', { name: /Alex Tremblay/ }).click()
  await page.getByRole('button', { name: 'Français' }).click()
  const french = page.getByText(/d’épicerie/)
  await french.waitFor()
  refresh.release()
  await expect.poll(() => page.getByRole('button', { name: 'Actualiser' }).isEnabled()).toBe(true)
  expect(await french.count()).toBe(1)
})

test.each([
  [1024, 768],
  [1280, 800],
  [1920, 1080],
])(
  'the window itself does not scroll at %i × %i, neither by the last switch of the training devices nor by a script',
  async (width, height) => {
    await page.setViewportSize({ width, height })
    terminal.state.mode = 'training'
    await page.reload()
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('F10')
    const panel = page.getByRole('complementary')
    await panel.getByRole('listitem').nth(3).waitFor()
    await panel.evaluate((element) => {
      element.scrollTop = element.scrollHeight
    })
    await panel.getByText('Drawer jammed').click()
    await expect.poll(() => terminal.calls.some(({ path }) => path === '/api/training/play')).toBe(true)
    const offsets = () => page.evaluate(() => [document.documentElement.scrollTop, document.body.scrollTop, scrollY])
    expect(await offsets()).toEqual([0, 0, 0])
    await page.evaluate(() => {
      for (const element of [document.documentElement, document.body]) element.scrollTop = 1_500
    })
    expect(await offsets()).toEqual([0, 0, 0])
    expect((await panel.boundingBox())?.y).toBeGreaterThan(0)
  },
)

test('the training panel sets conditions of the loyalty service and shows the current one', async () => {
  terminal.state.mode = 'training'
  await page.reload()
  await page.getByRole('grid').waitFor()
  await page.keyboard.press('F10')
  const central = page.getByRole('complementary').getByRole('region', { name: 'Miles service' })
  const silentSwitch = central.getByRole('switch', { name: 'Silent: processes, never responds' })
  expect(await silentSwitch.isChecked()).toBe(true)
  const asked = (): unknown[] =>
    terminal.calls.filter(({ path }) => path === '/api/training/central').map(({ body }) => body)
  await central.getByText('Offline: scheduled maintenance').click()
  await expect.poll(asked).toEqual([{ condition: 'away' }])
  await central.getByText(/^Silent/).click()
  await expect.poll(() => asked().at(-1)).toEqual({ condition: 'well' })
  await central.getByRole('button', { name: 'Lose the next redemption response' }).click()
  await expect.poll(() => asked().at(-1)).toEqual({ condition: 'answer-lost' })
})
