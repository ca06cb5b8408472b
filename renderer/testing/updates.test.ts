import { expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { SAM } from './screen-fixture.ts'
import { UPDATES } from '../operations/updates/updates.fixture.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: SAM }), { viewport: { width: 1024, height: 768 } })

const TONIGHT = { ...UPDATES, next: { ...UPDATES.next, state: 'tonight' } }

test('a manager schedules exactly the shown version, and the page shows that it is scheduled', async () => {
  const { terminal, page } = screens
  terminal.state.answers['POST /api/updates/order'] = ok(TONIGHT)
  await page.goto(`${terminal.url}/manager/updates`)
  await page.getByText('Drawer counts start with the coins.').first().waitFor()
  terminal.state.answers['GET /api/updates'] = ok(TONIGHT)
  await page.getByRole('button', { name: 'Tonight after closing' }).click()
  await page.getByText('Version 1.5.0 installs tonight after closing.').waitFor()
  expect(screens.posted('/updates/order')).toMatchObject([{ body: { version: '1.5.0', when: 'tonight' } }])
  expect(await page.getByRole('button', { name: 'Tonight after closing' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Not now' }).waitFor()
})

test('the update page reports that a version is no longer offered, then that the terminal is up to date', async () => {
  const { terminal, page } = screens
  terminal.state.signedIn = { ...SAM, locale: 'fr-CA' }
  await page.goto(`${terminal.url}/manager/updates`)
  const notNow = page.getByRole('button', { name: 'Pas maintenant' })
  await notNow.waitFor()
  terminal.state.answers['POST /api/updates/order'] = {
    status: 409,
    body: {
      code: 'update-gone',
      messages: { 'en-CA': 'Not offered any more.', 'fr-CA': 'Plus offerte.' },
      correlationId: 'c',
    },
  }
  terminal.state.answers['GET /api/updates'] = ok({ ...UPDATES, next: null })
  await notNow.click()
  await page.getByText('Plus offerte.').waitFor()
  await page.getByRole('heading', { name: 'À jour', exact: true }).waitFor()
  expect(await notNow.count()).toBe(0)
})

test('the update page shows the progress of a version’s download to its end', async () => {
  const { terminal, page } = screens
  const fetching = (done: number) =>
    ok({ ...UPDATES, next: { ...UPDATES.next, state: 'fetching', bytes: { done, total: 100_000_000 } } })
  terminal.state.answers['GET /api/updates'] = fetching(40_000_000)
  await page.goto(`${terminal.url}/manager/updates`)
  await page.getByText('40 of 100 MB').waitFor()
  terminal.state.answers['GET /api/updates'] = fetching(80_000_000)
  await page.getByText('80 of 100 MB').waitFor()
  terminal.state.answers['GET /api/updates'] = ok(UPDATES)
  await page.getByText('Ready to install').waitFor()
  expect(await page.getByRole('progressbar').count()).toBe(0)
})
