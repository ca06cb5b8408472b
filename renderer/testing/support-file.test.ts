import { beforeEach, expect, test } from 'vitest'
import type { Page } from '@playwright/test'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX, SAM } from './screen-fixture.ts'
import { SUPPORT_PREVIEW } from '../operations/support/support.fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'

const screens = useBuiltScreens(() => ({ signedIn: SAM }), { viewport: { width: 1024, height: 768 } })
let terminal: FixtureTerminal
let page: Page
beforeEach(() => {
  ;({ terminal, page } = screens)
})

const open = async (): Promise<void> => {
  await page.goto(`${terminal.url}/manager/devices`)
  await page.getByRole('heading', { level: 2 }).first().waitFor()
}

test('the sections of the support file are shown before it is saved, and exactly that preview is saved', async () => {
  await open()
  await page.getByRole('button', { name: 'Support file' }).click()
  const sections = page.getByRole('dialog').locator('summary')
  await expect.poll(() => sections.count()).toBe(11)
  for (const name of ['Devices', 'Queue', 'Settings changed']) await sections.filter({ hasText: name }).click()
  const text = await page.getByRole('dialog').innerText()
  expect(text).toContain('Receipt header')
  expect(text).toContain('Changed; value not included')
  expect(text).toContain('10 minutes')
  expect(text).toContain('connection refused · ECONNREFUSED')
  expect(screens.posted('/support-file/exports')).toEqual([])
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save file' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(SUPPORT_PREVIEW.fileName)
  expect(screens.posted('/support-file/exports')).toMatchObject([{ body: { preview: SUPPORT_PREVIEW.id } }])
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
})

test('a refused support file shows which section contains a secret, and can be tried again', async () => {
  terminal.state.answers['POST /api/support-file/previews'] = {
    status: 409,
    body: {
      code: 'support-file-secret',
      messages: { 'en-CA': 'The file was not made: it would contain private data.', 'fr-CA': 'x' },
      correlationId: 'c',
      details: [{ path: '/section', message: 'log' }],
    },
  }
  await open()
  await page.getByRole('button', { name: 'Support file' }).click()
  await page.getByText('Found in: Program log').waitFor()
  expect(await page.getByRole('button', { name: 'Save file' }).count()).toBe(0)
  delete terminal.state.answers['POST /api/support-file/previews']
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Save file' }).waitFor()
})

test('a cashier is offered no support file', async () => {
  terminal.state.signedIn = ALEX
  await open()
  await page.getByRole('listitem').first().waitFor()
  expect(await page.getByRole('button', { name: 'Support file' }).count()).toBe(0)
})
