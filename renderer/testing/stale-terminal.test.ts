import { expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: null }))

test('a terminal state that was requested before the sign-in but arrives later does not sign out', async () => {
  const { terminal, page } = screens
  terminal.state.answers['POST /api/sign-in'] = ok({ staff: ALEX })
  await page.goto(terminal.url)
  await page.getByRole('button', { name: ALEX.name }).waitFor()
  const held = screens.holdAnswer('/api/terminal')
  terminal.push({ type: 'resync' })
  await held.asked
  terminal.state.signedIn = ALEX
  await page.getByRole('button', { name: ALEX.name }).click()
  await page.keyboard.type('2580', { delay: 80 })
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
  const stale = page.waitForResponse('**/api/terminal')
  held.release()
  await (await stale).finished()
  // When a later request is answered and two frames have passed, the page has applied and painted the held answer.
  await page.evaluate(() => fetch('/api/staff'))
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve))
      }),
  )
  const ready = await page.getByRole('heading', { name: 'Ready for the next customer' }).count()
  expect(ready, await page.locator('body').innerText()).toBe(1)
})
