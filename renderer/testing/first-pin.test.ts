import type { Page } from '@playwright/test'
import { beforeEach, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'

const screens = useBuiltScreens(() => ({ signedIn: null }))
const { posted } = screens
let terminal: FixtureTerminal
let page: Page

const refuse = (code: string, text: string): void => {
  const body = { code, messages: { 'en-CA': text, 'fr-CA': 'x' }, correlationId: 'c' }
  terminal.state.answers['POST /api/sign-in'] = { status: 403, body }
}
const pad = (name: string) => page.getByRole('group', { name })
const enter = async (name: string, pin: string): Promise<void> => {
  await pad(name).waitFor()
  await page.keyboard.type(pin)
  await page.keyboard.press('Enter')
}

beforeEach(async () => {
  ;({ terminal, page } = screens)
  await page.goto(terminal.url)
  await page.getByRole('button', { name: /Alex/ }).click()
  refuse('pin-change-required', 'Somebody else chose this PIN.')
})

test('the first sign-in asks for a new PIN twice and uses it', async () => {
  await enter('PIN of Alex Tremblay', '4794')
  await pad('Choose a new PIN').getByRole('alert').getByText('Somebody else chose this PIN.').waitFor()
  await enter('Choose a new PIN', '83215')
  delete terminal.state.answers['POST /api/sign-in']
  await enter('Confirm new PIN', '83215')
  await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
  const stream = expect.any(String) as string
  expect(posted('/sign-in').map(({ body }) => body)).toEqual([
    { staffId: ALEX.id, pin: '4794', stream },
    { staffId: ALEX.id, pin: '4794', newPin: '83215', stream },
  ])
})

test('the pad for the new PIN has the focus before it is visible, so that no digit is lost', async () => {
  await pad('PIN of Alex Tremblay').waitFor()
  const focused = page.evaluate(
    (name) =>
      new Promise<boolean>((resolve) => {
        // The observer runs in the task that adds the pad to the page, before paint.
        const watcher = new MutationObserver(() => {
          const group = document.querySelector(`[role="group"][aria-label="${name}"]`)
          if (group) resolve(group === document.activeElement)
        })
        watcher.observe(document.body, { childList: true, subtree: true, attributes: true })
      }),
    'Choose a new PIN',
  )
  await enter('PIN of Alex Tremblay', '4794')
  expect(await focused).toBe(true)
})

test('after two different entries of a new PIN, the pad asks for the new PIN again and sends nothing', async () => {
  await enter('PIN of Alex Tremblay', '4794')
  await enter('Choose a new PIN', '83215')
  await enter('Confirm new PIN', '83216')
  await pad('Choose a new PIN').getByText('PINs do not match. Try again.').waitFor()
  expect(posted('/sign-in')).toHaveLength(1)
})

test('by touch, a common new PIN is rejected with its reason and another is accepted', async () => {
  const touch = async (name: string, pin: string, button: string): Promise<void> => {
    for (const digit of pin)
      await pad(name)
        .getByRole('button', { name: `Digit ${digit}` })
        .click()
    await pad(name).getByRole('button', { name: button }).click()
  }
  await touch('PIN of Alex Tremblay', '4794', 'Sign in')
  await touch('Choose a new PIN', '1234', 'Next')
  refuse('pin-common', 'This PIN is easy to guess.')
  await touch('Confirm new PIN', '1234', 'Sign in')
  await pad('Choose a new PIN').getByText('This PIN is easy to guess.').waitFor()
  await touch('Choose a new PIN', '83215', 'Next')
  delete terminal.state.answers['POST /api/sign-in']
  await touch('Confirm new PIN', '83215', 'Sign in')
  await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
  const sent = posted('/sign-in').map(({ body }) => (body as { newPin?: string }).newPin ?? null)
  expect(sent).toEqual([null, '1234', '83215'])
})
