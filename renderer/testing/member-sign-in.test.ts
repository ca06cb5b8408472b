import { beforeEach, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import { saleOf, line, withMember } from './sales.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: withMember() }))
const CODE = 'WDJB-MJHT'
const WAITING = {
  state: 'waiting',
  saleId: withMember().id,
  userCode: CODE,
  page: 'https://miles.example/device',
  pageWithCode: `https://miles.example/device?user_code=${CODE}`,
  expiresAt: '2026-11-21T14:13:00.000Z',
} as const

const answer = (session: typeof WAITING | null): void => {
  screens.terminal.state.answers['GET /api/member-session'] = ok({ offered: true, session })
}
beforeEach(() => answer(null))

test('the customer display explains the sign-in to members only, until the cashier starts the sign-in', async () => {
  const { page, terminal } = screens
  await page.goto(`${terminal.url}/customer`)
  const ask = page.getByRole('region', { name: 'Sign in for your offers' })
  await ask.getByText('Ask the cashier for a code for your phone').waitFor()
  terminal.push({ type: 'member-session', session: WAITING })
  await page.getByText(CODE).waitFor()
  await ask.getByText('Ask the cashier').waitFor({ state: 'detached' })
  terminal.state.sale = saleOf([line(1)])
  answer(null)
  await page.reload()
  await page.getByRole('list', { name: 'Your items' }).waitFor()
  expect(await ask.count()).toBe(0)
})

test('the sign-in button shows only “Sign in”, and its accessible name has the complete text', async () => {
  const { page } = await screens.openSale()
  const button = page.getByRole('button', { name: /^Sign in: Member signs in by phone/ })
  expect(await button.innerText()).toBe('Sign in')
})

test('the cashier’s window reports the sign-in code as visible exactly while a customer display shows it', async () => {
  answer(WAITING)
  const { page, terminal } = await screens.openSale()
  await page.getByText(`Code (not on display): ${CODE}`).waitFor()
  const opened = page.waitForEvent('popup')
  await page.evaluate(() => void window.open('/customer'))
  const display = await opened
  await display.getByText(CODE).waitFor()
  await page.getByText(`Code on display: ${CODE}`).waitFor()
  terminal.push({
    type: 'member-history-shown',
    saleId: WAITING.saleId,
    shown: { range: '30-days', sponsors: 'all', sort: ['newest'], page: 0 },
  })
  await display.getByText(CODE).waitFor({ state: 'detached' })
  await page.getByText(`Code (not on display): ${CODE}`).waitFor()
  terminal.push({ type: 'member-history-shown', saleId: WAITING.saleId, shown: null })
  await page.getByText(`Code on display: ${CODE}`).waitFor()
  await display.close()
  await expect.poll(() => page.getByText('Code on display:').count()).toBe(0)
})
