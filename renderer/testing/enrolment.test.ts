import type { Page } from '@playwright/test'
import { beforeEach, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { pressEnrol, typeCode } from '../operations/enrolment-screens.fixture.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: null, mode: 'production', toEnrol: true }), {
  viewport: { width: 1024, height: 768 },
})
let terminal: FixtureTerminal
let page: Page
beforeEach(async () => {
  ;({ terminal, page } = screens)
  await page.goto(terminal.url)
})

const TICKET =
  'milepost-enrol:https://store.example:8443?code=WG6QB-5YH6B-3AS1A-N8R7P&certificate=' +
  '053b3460e756a1d6f3f65eff3cbdfd4e680a7fb0aaccfecdfda12fabd4f3c628'
const SCANNED = { code: 'WG6QB-5YH6B-3AS1A-N8R7P', service: 'store.example:8443', certificate: '0MXK-8R77-ATGX-DWZN' }
const refusal = (code: string, ...details: readonly { path: string; message: string }[]) => ({
  status: 403,
  body: { code, messages: { 'en-CA': `Text of ${code}.`, 'fr-CA': 'x' }, correlationId: 'c', details },
})

test('a lane without secret and PINs asks to be enrolled, and then lists what remains to be done', async () => {
  terminal.state.answers['POST /api/enrolment'] = ok({
    codeId: 'K7Q2M',
    secret: true,
    people: 2,
    clockAheadMinutes: 7,
    restarts: true,
  })
  await page.getByRole('heading', { name: 'Enrol this lane' }).waitFor()
  await typeCode(page)
  await pressEnrol(page)
  await page.getByText('2 people have one-time PINs').waitFor()
  await page.getByText('Lane clock fast by 7 minutes').waitFor()
  expect(screens.posted('/enrolment')).toMatchObject([{ body: { service: 'store.example:8443' } }])
  await page.getByRole('button', { name: 'Go to sign-in' }).click()
  await page.getByRole('heading', { name: 'Who is working this lane?' }).waitFor()
})

test('a rejected enrolment shows the tries left or the lane of the code, and keeps the typed text', async () => {
  const at = 'POST /api/enrolment'
  terminal.state.answers[at] = refusal('enrolment-wrong', { path: 'triesLeft', message: '1' })
  await typeCode(page)
  await pressEnrol(page)
  await page.getByText('Text of enrolment-wrong.').waitFor()
  await page.getByText('1 try left before the code locks.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe('K7Q2M-4X0TR-N8WZ3-05KDB')
  const whose = [
    { path: 'store', message: '4417' },
    { path: 'lane', message: '03' },
  ]
  terminal.state.answers[at] = refusal('enrolment-other-lane', ...whose)
  await pressEnrol(page)
  await page.getByText('This code is for lane 03 of store 4417.').waitFor()
})

test('scanning an enrolment sheet fills in all fields, with a wired scanner and a keyboard wedge', async () => {
  terminal.state.answers['POST /api/enrolment'] = refusal('enrolment-busy')
  await page.getByRole('textbox', { name: 'Code' }).waitFor()
  await expect.poll(() => terminal.streams).toBe(1)
  terminal.push({ type: 'enrolment-scanned', ticket: TICKET })
  await expect.poll(() => page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe(SCANNED.code)
  await pressEnrol(page)
  await page.getByRole('alert').waitFor()
  expect(screens.posted('/enrolment')).toMatchObject([{ body: SCANNED }])
  await page.reload()
  await page.getByRole('textbox', { name: 'Code' }).waitFor()
  // The keys of a keyboard wedge that is too slow to be recognized go into the field.
  await page.getByRole('textbox', { name: 'Code' }).fill(TICKET)
  await expect.poll(() => page.getByRole('textbox', { name: 'Service' }).inputValue()).toBe(SCANNED.service)
  expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe(SCANNED.code)
  // The computer has a Canadian French keyboard layout, and the scanner types as on a US keyboard.
  await page.getByRole('textbox', { name: 'Service' }).fill('')
  await page.getByRole('textbox', { name: 'Code' }).fill(TICKET.replaceAll('/', 'é').replace('?', 'É'))
  await expect.poll(() => page.getByRole('textbox', { name: 'Service' }).inputValue()).toBe(SCANNED.service)
})

test('scanning an enrolment sheet again replaces typed text, and an incomplete scan is shown unchanged', async () => {
  const code = page.getByRole('textbox', { name: 'Code' })
  await code.waitFor()
  await expect.poll(() => terminal.streams).toBe(1)
  for (const ticket of [TICKET, TICKET]) {
    await code.fill('TYPED')
    terminal.push({ type: 'enrolment-scanned', ticket })
    await expect.poll(() => code.inputValue()).toBe(SCANNED.code)
  }
  terminal.push({ type: 'enrolment-scanned', ticket: TICKET.slice(0, 50) })
  await expect.poll(() => code.inputValue()).toBe(TICKET.slice(0, 50))
})

test('when a slow scanner types the QR code of an enrolment sheet, Enter submits all of it', async () => {
  terminal.state.answers['POST /api/enrolment'] = refusal('enrolment-busy')
  const code = page.getByRole('textbox', { name: 'Code' })
  const last = TICKET.indexOf('P&')
  await code.fill(TICKET.slice(0, last))
  await code.pressSequentially(TICKET.slice(last, last + 4), { delay: 60 })
  await page.keyboard.insertText(TICKET.slice(last + 4))
  await code.press('Enter')
  await page.getByText('Text of enrolment-busy.').waitFor()
  expect(screens.posted('/enrolment')).toMatchObject([{ body: SCANNED }])
  expect(await code.inputValue()).toBe(SCANNED.code)
})

test('enrolment can be skipped when PINs are set manually, and is then offered next to the names', async () => {
  await page.getByRole('button', { name: 'Skip: I set PINs myself' }).click()
  await page.getByRole('heading', { name: 'Who is working this lane?' }).waitFor()
  await page.getByRole('button', { name: 'Enrol this lane' }).click()
  await page.getByRole('heading', { name: 'Enrol this lane' }).waitFor()
  expect(screens.posted('/enrolment')).toEqual([])
})
