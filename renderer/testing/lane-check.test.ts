import { beforeEach, expect, test } from 'vitest'
import type { Page } from '@playwright/test'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX, SAM } from './screen-fixture.ts'
import { LANE_WITH_PROBLEMS, RUNNING_CHECK } from '../operations/lane-check/lane-check.fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: SAM }), { viewport: { width: 1024, height: 768 } })
let terminal: FixtureTerminal
let page: Page
beforeEach(() => {
  ;({ terminal, page } = screens)
})

const show = (check: object | null): void => {
  terminal.state.answers['GET /api/diagnostics/lane'] = ok({ check })
}

test('the lane check shows component by component until its end, then lists problems first', async () => {
  show(null)
  terminal.state.answers['POST /api/diagnostics/lane'] = ok({ check: RUNNING_CHECK })
  await page.goto(`${terminal.url}/manager/lane-check`)
  await page.getByText('Not checked since the terminal was started.').waitFor()
  show(RUNNING_CHECK)
  await page.getByRole('button', { name: 'Check lane' }).click()
  await page.getByText('17 of 23 checked').waitFor()
  expect(await page.getByRole('button', { name: 'Checking…' }).isDisabled()).toBe(true)
  const sections = page.getByRole('heading', { level: 3 })
  expect(await sections.first().innerText()).toBe('Store profile')
  show(LANE_WITH_PROBLEMS)
  terminal.push({ type: 'lane-check-changed' })
  await page.getByText('2 problems, 3 need attention.').waitFor()
  expect((await sections.allInnerTexts()).slice(0, 5)).toEqual([
    'Devices',
    'Network',
    'Disk',
    'Time zone',
    'Automatic start',
  ])
  await page.getByText('To do: Add the user to the group lp, then sign in again.').waitFor()
  expect(await page.getByRole('button', { name: 'Check lane' }).isDisabled()).toBe(false)
})

test('the lane check is for managers only', async () => {
  terminal.state.signedIn = ALEX
  await page.goto(`${terminal.url}/manager/lane-check`)
  await page.getByText('Manager only.').waitFor()
  expect(await page.getByRole('button', { name: 'Check lane' }).count()).toBe(0)
})
