import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { zReceipt } from '../day/day-end/day-end.fixture.ts'
import { ALEX, MARIE, SAM } from './screen-fixture.ts'
import { WAITING_CHANGES } from '../staff/people/people.fixture.ts'
import {
  CARD_TRANSACTIONS,
  CREDITED_DETAIL,
  DEAD_DETAIL,
  ENTRIES,
  CREDIT_DUE,
  CREDIT_DUE_DETAIL,
} from '../loyalty/queue/queue.fixture.ts'
import { DAY, ORIGINAL } from '../loyalty/reconciliation/reconciliation.fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: SAM }), { viewport: { width: 1024, height: 768 } })
const { posted } = screens
let terminal: FixtureTerminal
let page: Page

beforeEach(() => {
  ;({ terminal, page } = screens)
})

const open = async (path: string): Promise<void> => {
  await page.goto(`${terminal.url}${path}`)
  await page.getByRole('heading', { level: 2 }).first().waitFor()
}

test('a card refund that never began is not shown as a payment to retry', async () => {
  terminal.state.answers['GET /api/card-transactions'] = ok({
    entries: CARD_TRANSACTIONS.map((entry) => ({ ...entry, reason: 'not-begun' })),
  })
  await open('/manager/queue')
  const refund = page.getByRole('group', { name: 'Card refund of $12.99 not given' })
  await expect.poll(() => refund.innerText()).toContain('Refund not started. Refund the customer in another form.')
})

test('a list that could not be loaded shows a reference for support', async () => {
  terminal.state.answers['GET /api/card-transactions'] = {
    status: 500,
    body: {
      code: 'internal',
      messages: { 'en-CA': 'The terminal has an error.', 'fr-CA': 'x' },
      correlationId: 'c-4711',
    },
  }
  await open('/manager/queue')
  const failed = page.getByRole('alert').filter({ hasText: 'The terminal has an error.' })
  await expect.poll(() => failed.first().innerText()).toContain('Support reference: c-4711')
})

test('the day end names manufacturers’ coupons and deposits on returns, as the printed report does', async () => {
  const coupons = { count: 1, amountCents: 500 }
  const totals = {
    tenders: [{ kind: 'cheque', taken: coupons, netCents: 500 }],
    manufacturerCoupons: { taken: coupons },
    deposits: { count: 12, amountCents: 2_400, returnedCents: 120 },
    returns: { count: 1, netCents: 699, totalCents: 790 },
  }
  terminal.state.answers['GET /api/x-report'] = ok({ at: '2026-11-21T22:10:00.000Z', from: null, totals })
  await open('/manager/day')
  await page.getByText('Manufacturer’s coupon (1)').waitFor()
  const main = page.getByRole('main')
  expect(await main.getByText('Cheque (').count()).toBe(0)
  const text = (await main.innerText()).replaceAll(/\s+/g, ' ')
  expect(text).toContain('Deposits charged $24.00')
  expect(text).toContain('Deposits on returns $1.20')
})

test('the preview of an import counts the changed items, not all items of the file', async () => {
  const counts = { items: 37, new: 1, price: 1, planned: 0, other: 0, gone: 1 }
  const ready = {
    id: '5f0e3c1a-0000-4000-8000-000000000001',
    fileName: 'prices.csv',
    phase: 'ready',
    encoding: 'utf-8',
    separator: 'comma',
    counts,
  }
  const current = {
    origin: 'profile',
    fileName: 'catalog.csv',
    at: '2026-11-20T21:14:00.000Z',
    by: null,
    items: 37,
    changes: 0,
  }
  terminal.state.answers = {
    'GET /api/catalog/state': ok({ current, previous: null, import: ready, planned: 0 }),
    'GET /api/catalog/import/differences': ok({ differences: [], next: null }),
    'POST /api/catalog/import/apply': { status: 204, body: undefined },
  }
  await open('/manager/catalog')
  await page.getByRole('button', { name: 'Apply 3 changes' }).click()
  await expect.poll(() => page.getByText('Catalog imported: 3 changes.').count()).toBe(1)
})

describe('the reconciliation report', () => {
  test('is exported once for a past day, and saved as CSV and as JSON under its own name', async () => {
    await open('/manager/reconciliation')
    await page.getByRole('button', { name: /November 20, 2026/ }).click()
    await page.getByRole('button', { name: 'Export original' }).click()
    await page.getByText('Original exported.').waitFor()
    const saved = async (form: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Save as ${form}` }).click(),
      ])
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
    }
    const [csv, json] = [await saved('CSV'), await saved('JSON')]
    expect([csv.name, json.name]).toEqual([
      `reconciliation_TRAIN-001_lane-01_${DAY}.csv`,
      `reconciliation_TRAIN-001_lane-01_${DAY}.json`,
    ])
    expect(csv.text).toBe(ORIGINAL.csv)
    expect(JSON.parse(json.text)).toEqual(ORIGINAL.report)
    expect(posted('/exports')).toHaveLength(1)
  })

  test('is previewed for today without a way to export it', async () => {
    terminal.state.answers['GET /api/reconciliation/days/2026-11-21'] = ok({
      ...ORIGINAL.report,
      status: 'preview',
      businessDay: '2026-11-21',
    })
    await open('/manager/reconciliation')
    await page.getByRole('button', { name: /November 21, 2026/ }).click()
    await page.getByText('Day not over: preview only.').waitFor()
    expect(await page.getByRole('button', { name: /Export/ }).count()).toBe(0)
  })

  test('shows why an export was rejected, and offers no file to save', async () => {
    terminal.state.answers[`POST /api/reconciliation/days/${DAY}/exports`] = {
      status: 409,
      body: {
        code: 'day-not-over',
        messages: { 'en-CA': 'Day not over.', 'fr-CA': 'x' },
        correlationId: 'c',
      },
    }
    await open('/manager/reconciliation')
    await page.getByRole('button', { name: /November 20, 2026/ }).click()
    await page.getByRole('button', { name: 'Export original' }).click()
    await page.getByRole('alert').filter({ hasText: 'Day not over.' }).waitFor()
    expect(await page.getByRole('button', { name: /Save as/ }).count()).toBe(0)
  })
})

describe('correcting a rejected call', () => {
  test('works by keys alone, and an incomplete correction is not sent and names its missing field', async () => {
    await open('/manager/queue')
    await page.getByRole('button', { name: /N10101000000427QZK/ }).focus()
    await page.keyboard.press('Enter')
    const correct = page.getByRole('button', { name: 'Correct and send' })
    await correct.focus()
    await page.keyboard.press('Enter')
    const send = page.getByRole('button', { name: 'Send as new transaction' })
    await send.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Enter a note.').waitFor()
    expect(posted('/correct')).toEqual([])
    await page.getByLabel('Location code').fill('N101')
    await page.getByLabel('Reason for the correction').fill('Wrong location')
    terminal.state.answers[`POST /api/queue/${DEAD_DETAIL.id}/correct`] = ok({
      ...DEAD_DETAIL,
      id: '2c9d4f1e-0000-4000-8000-000000000009',
      state: 'confirmed',
      says: null,
      todo: null,
      actions: [],
    })
    terminal.state.answers['GET /api/queue/2c9d4f1e-0000-4000-8000-000000000009'] = ok({
      ...DEAD_DETAIL,
      id: '2c9d4f1e-0000-4000-8000-000000000009',
      state: 'confirmed',
      says: null,
      todo: null,
      actions: [],
    })
    await send.click()
    await page.getByText('This is the corrected copy.').waitFor()
    expect(posted('/correct').map(({ body }) => body)).toEqual([{ note: 'Wrong location', locationCode: 'N101' }])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('captures a collector card that is presented while the form is open', async () => {
    await open('/manager/queue')
    await page.getByRole('button', { name: /N10101000000427QZK/ }).click()
    await page.getByRole('button', { name: 'Correct and send' }).click()
    await page.getByLabel('Reason for the correction').waitFor()
    terminal.push({
      type: 'card-claimed',
      readId: '5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a11' as never,
      entryMode: 'SWIPE',
      last4: '0077',
    })
    await page.getByText('Card read: •••• ••• 0077').waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Correct and send' }).waitFor()
    await expect
      .poll(() => posted('/input/claims').map(({ body }) => body))
      .toMatchObject([
        { what: 'cards', claimed: true },
        { what: 'cards', claimed: false },
      ])
  })
})

describe('store credit for miles that paid nothing and cannot be returned', () => {
  const CREDIT = `POST /api/queue/${CREDIT_DUE_DETAIL.id}/credit`
  async function press(text: string): Promise<void> {
    Object.assign(terminal.state.answers, {
      'GET /api/queue': ok({
        summary: { waiting: 0, sending: 0, attention: 1, central: 'online' },
        accepted: 0,
        sendable: 0,
        bulk: null,
        secretRefused: null,
        notices: [],
        slips: [],
        entries: [CREDIT_DUE],
      }),
      [`GET /api/queue/${CREDIT_DUE_DETAIL.id}`]: ok(CREDIT_DUE_DETAIL),
    })
    await open('/manager/queue')
    await page.getByRole('button', { name: /N10101000000437TXD/ }).click()
    await page.getByRole('button', { name: text, exact: true }).click()
  }

  test('shows the amount before it is issued, and cannot be issued twice', async () => {
    await press('Issue store credit')
    await page.getByText('Prints $40.00 of store credit').waitFor()
    terminal.state.answers[CREDIT] = ok(CREDITED_DETAIL)
    terminal.state.answers[`GET /api/queue/${CREDIT_DUE_DETAIL.id}`] = ok(CREDITED_DETAIL)
    await page.getByRole('button', { name: 'Issue $40.00 store credit' }).click()
    await page.getByText('Store credit sent to the printer.', { exact: false }).waitFor()
    expect(posted('/credit').map(({ body }) => body)).toEqual([{ amountCents: 4000 }])
    expect(await page.getByRole('button', { name: 'Issue store credit' }).count()).toBe(0)
    expect(await page.getByRole('dialog').innerText()).not.toMatch(
      /When the customer brings the receipt|issue store credit here/,
    )
  })

  test('explains in French that the entry has changed in the meantime, and keeps the form', async () => {
    terminal.state.signedIn = { ...SAM, locale: 'fr-CA' }
    await press('Émettre un crédit du magasin')
    terminal.state.answers[CREDIT] = {
      status: 409,
      body: {
        code: 'queue-entry-changed',
        messages: { 'en-CA': 'x', 'fr-CA': 'Cette entrée a changé.' },
        correlationId: 'c',
      },
    }
    await page.getByRole('button', { name: /^Émettre 40,00\s\$ de crédit du magasin$/ }).click()
    await page.getByRole('alert').filter({ hasText: 'Cette entrée a changé.' }).waitFor()
    expect(posted('/credit').map(({ body }) => body)).toEqual([{ amountCents: 4000 }])
  })
})

describe('a correction after the customer has left', () => {
  test('accepts a typed collector number: Enter submits only the number, and its field shows an error', async () => {
    await open('/manager/queue')
    await page.getByRole('button', { name: /N10101000000427QZK/ }).click()
    await page.getByRole('button', { name: 'Correct and send' }).click()
    await page.getByRole('radio', { name: 'Another card' }).click({ force: true })
    const number = page.getByLabel('Or enter the number')
    terminal.state.answers['POST /api/devices/keyed-collector'] = {
      status: 422,
      body: {
        code: 'collector-number-wrong',
        messages: { 'en-CA': 'This is no collector number.', 'fr-CA': 'x' },
        correlationId: 'c',
      },
    }
    await number.fill('8000 000')
    await number.press('Enter')
    await page.getByText('This is no collector number.').waitFor()
    delete terminal.state.answers['POST /api/devices/keyed-collector']
    terminal.state.answers['POST /api/devices/keyed-collector'] = ok({})
    await number.fill('80000000077')
    await page.getByRole('button', { name: 'Use number' }).click()
    await expect
      .poll(() => posted('/keyed-collector').map(({ body }) => body))
      .toEqual([{ number: '8000 000' }, { number: '80000000077' }])
    terminal.push({
      type: 'card-claimed',
      readId: '5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a13' as never,
      entryMode: 'KEYED',
      last4: '0077',
    })
    await page.getByText('Card read: •••• ••• 0077').waitFor()
    expect(await number.inputValue(), 'the number is removed from the page').toBe('')
    await page.getByLabel('Reason for the correction').fill('Keyed wrongly')
    await page.getByRole('button', { name: 'Send as new transaction' }).click()
    await expect
      .poll(() => posted('/correct').map(({ body }) => body))
      .toEqual([{ note: 'Keyed wrongly', readId: '5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a13' }])
  })
})

describe('lists for a manager', () => {
  test('a press anywhere on a row of the exceptions queue opens the entry', async () => {
    await open('/manager/queue')
    // A touch on any text presses the row's button, which covers the row.
    await page.getByText('N10101000000419HRD').click({ force: true })
    const unknownOutcome = page.getByRole('dialog').getByText(/The redemption is unknown: miles may have been taken/)
    await unknownOutcome.waitFor()
    expect(await unknownOutcome.count()).toBe(1)
  })

  test('a resolved entry of the exceptions queue is not shown as open work', async () => {
    const resolved = ENTRIES.map((entry) => ({
      ...entry,
      attention: false,
      says: null,
      todo: null,
      resolution: { at: entry.createdAt, by: 'Sam Okafor', found: 'settled-with-operator', note: 'settled' },
    }))
    terminal.state.answers['GET /api/queue'] = ok({
      summary: { waiting: 0, sending: 0, attention: 0, central: 'online' },
      accepted: 0,
      sendable: 0,
      bulk: null,
      secretRefused: null,
      notices: [],
      slips: [],
      entries: resolved,
    })
    await open('/manager/queue')
    const row = page.getByRole('row').filter({ hasText: 'N10101000000419HRD' })
    await row.getByText('Resolved').waitFor()
    expect(await row.getByText('Needs review').count()).toBe(0)
  })

  test('the list of earlier sales opens without the search of its last visit', async () => {
    await open('/manager/receipts')
    await page
      .getByLabel(/Sale number|number/i)
      .first()
      .fill('K7QZ')
    await page.keyboard.press('F1')
    await page.keyboard.press('Shift+F11')
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    expect(
      await page
        .getByLabel(/Sale number|number/i)
        .first()
        .inputValue(),
    ).toBe('')
  })
})

describe('the device page', () => {
  const card = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })

  test('describes each device and shows the result of a test', async () => {
    await open('/manager/devices')
    await card('Reader').getByText('serial port /dev/serial/by-id/reader, 9600 baud').waitFor()
    await card('Reader').getByText('Data received (masked)').click()
    await card('Reader').getByText(';###########=####?<CR>').waitFor()
    await card('Reader').getByRole('button', { name: 'Test swipe' }).click()
    await card('Reader').getByRole('status').getByText('Member card ending in 0011.').waitFor()
    await card('Printer').getByRole('button', { name: 'Test page' }).click()
    await card('Printer').getByText('Nothing printed. Check paper, cover and cable.').waitFor()
    await card('Printer').getByRole('button', { name: 'Check now' }).click()
    await card('Printer').getByText('Device ready.').waitFor()
    expect(posted('/test-read')).toHaveLength(1)
  })

  test('shows only the system’s error code for a problem without a text, and no English detail', async () => {
    const detail = '/dev/ttyS9 did not open: Inappropriate ioctl for device ENOTTY'
    const trouble = { kind: 'other', holder: null, code: 'ENOTTY' }
    terminal.state.answers['GET /api/devices'] = ok({
      devices: [{ role: 'printer', state: 'unavailable', detail, trouble }],
    })
    Object.assign(terminal.state, { signedIn: { ...MARIE, role: 'manager' } })
    await open('/manager/devices')
    await card('Imprimante').getByText('erreur inconnue; voir le journal du terminal (ENOTTY)').waitFor()
    await page
      .getByRole('banner')
      .getByRole('button', { name: /^Imprimante/ })
      .click()
    await page.getByRole('dialog').getByText('erreur inconnue').waitFor()
    expect(await page.getByText('Inappropriate').count()).toBe(0)
  })

  test('lets a cashier check the health of a device, and has no tests for a cashier', async () => {
    Object.assign(terminal.state, { signedIn: ALEX })
    await open('/manager/devices')
    await card('Printer').getByRole('button', { name: 'Check now' }).waitFor()
    expect(await page.getByRole('button', { name: /Test/ }).count()).toBe(0)
    expect(terminal.calls.filter(({ path }) => path.endsWith('/details'))).toEqual([])
  })
})

describe('a person added by a manager', () => {
  const KIM = {
    id: 'kim',
    name: 'Kim Roy',
    role: 'cashier',
    locale: 'en-CA',
    pin: 'none',
    lockedUntil: null,
    approvalsLockedUntil: null,
    badge: 'none',
    mayNotApprove: false,
    active: true,
    ofProfile: false,
  }
  const add = async (): Promise<void> => {
    terminal.state.answers['POST /api/people'] = ok({ id: KIM.id, people: [KIM] })
    await open('/manager/staff')
    await page.getByRole('button', { name: 'Add person' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill(KIM.name)
    terminal.state.answers['GET /api/people'] = ok({ people: [KIM] })
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  }

  test('gets a one-time PIN at once', async () => {
    terminal.state.answers['POST /api/people/kim/reset-pin'] = ok({ id: KIM.id, pin: '482615' })
    await add()
    await page.getByRole('dialog', { name: 'One-time PIN for Kim Roy' }).getByText('482615').waitFor()
    expect(posted('/reset-pin')).toHaveLength(1)
  })

  test('is added once even if the request for the PIN fails, which is reported', async () => {
    const refusal = { code: 'not-found', messages: { 'en-CA': 'No PIN this time.', 'fr-CA': 'x' }, correlationId: 'c' }
    terminal.state.answers['POST /api/people/kim/reset-pin'] = { status: 404, body: refusal }
    await add()
    await page.getByRole('alert').filter({ hasText: 'No PIN this time.' }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await page.getByRole('row', { name: /^Kim Roy/ }).innerText()).toContain('No PIN')
    expect(posted('/people')).toHaveLength(1)
  })
})

describe('changes that another lane made', () => {
  test('are listed with person and lane, and are accepted or rejected by a press', async () => {
    terminal.state.answers['GET /api/waiting-changes'] = ok(WAITING_CHANGES)
    terminal.state.answers['POST /api/waiting-changes/confirm'] = ok(WAITING_CHANGES)
    await open('/manager/staff')
    const waiting = page.getByRole('table', { name: 'Changes from other lanes to confirm' })
    const raised = waiting.getByRole('row', { name: /^Marie Gagnon: Supervisor/ })
    expect(await raised.innerText()).toMatch(/Now: Cashier\s+PIN set at lane 02\s+Sam Okafor at lane 02, Nov/)
    await raised.getByRole('button', { name: 'Confirm: Marie Gagnon: Supervisor' }).click()
    await page.getByText('Change confirmed at this lane.').waitFor()
    const [first] = WAITING_CHANGES.changes
    expect(posted('/waiting-changes/confirm').map(({ body }) => body)).toEqual([
      { kind: first?.kind, subject: first?.subject, clock: first?.clock, lane: first?.lane },
    ])
    terminal.state.answers['POST /api/waiting-changes/refuse'] = ok({ changes: [] })
    await waiting.getByRole('button', { name: 'Refuse: Sam Okafor: new PIN' }).click()
    await expect.poll(() => waiting.count()).toBe(0)
  })
})

test('a PIN is replaced only after the manager confirms the replacement', async () => {
  terminal.state.answers['POST /api/people/alex/reset-pin'] = ok({ id: 'alex', pin: '482615' })
  await open('/manager/staff')
  await page.getByRole('button', { name: 'Edit Alex Tremblay' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Reset PIN' }).click()
  await dialog.getByText(/^Replace the PIN of Alex/).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Name').waitFor()
  expect(posted('/reset-pin')).toEqual([])
  await dialog.getByRole('button', { name: 'Reset PIN' }).click()
  await dialog.getByText(/^Replace the PIN of Alex/).waitFor()
  await dialog.getByRole('button', { name: 'Reset PIN' }).click()
  await page
    .getByRole('dialog', { name: /^One-time PIN for Alex/ })
    .getByText('482615')
    .waitFor()
  expect(posted('/reset-pin')).toHaveLength(1)
})

describe('the list of open windows', () => {
  const rows = () => page.getByRole('table', { name: 'Open windows' }).getByRole('row')

  test('shows start and person of each window; a button closes each window except this one', async () => {
    await open('/manager/staff')
    await expect.poll(() => rows().count()).toBe(3)
    expect(await rows().nth(1).innerText()).toMatch(
      /Nov\.? 21, 2026, 09:03\s+Sam Okafor\s+Nov\.? 21, 2026, 09:03\s+This window/,
    )
    expect(await rows().nth(1).getByRole('button').count()).toBe(0)
    expect(await rows().nth(2).innerText()).toMatch(/08:03\s+No one\s+Close window/)
    const left = {
      sessions: [
        {
          id: 'aa',
          staff: SAM,
          openedAt: '2026-11-21T14:03:12.000Z',
          signedInAt: '2026-11-21T14:03:12.000Z',
          here: true,
        },
      ],
    }
    terminal.state.answers['POST /api/sessions/bb/end'] = ok(left)
    await page.getByRole('button', { name: /^Close window opened Nov/ }).press('Enter')
    await expect.poll(() => rows().count()).toBe(2)
    expect(posted('/end').map(({ path }) => path)).toEqual(['/api/sessions/bb/end'])
  })

  test('keeps a window that could not be closed, and shows the reason', async () => {
    const refusal = {
      code: 'not-found',
      messages: { 'en-CA': 'This does not exist on this terminal.', 'fr-CA': 'x' },
      correlationId: 'c',
    }
    terminal.state.answers['POST /api/sessions/bb/end'] = { status: 404, body: refusal }
    await open('/manager/staff')
    await page.getByRole('button', { name: /^Close window opened Nov/ }).click()
    await page.getByRole('alert').filter({ hasText: 'This does not exist on this terminal.' }).waitFor()
    expect(await rows().count()).toBe(3)
  })
})

describe('unprinted papers of drawers and days', () => {
  const job = { type: 'print-job', copy: 0, totalCents: null, voucher: null } as const

  test('are listed as a task on the overview, and are printed from the list under their own names', async () => {
    terminal.state.notOnPaper = 5
    await open('/manager/overview')
    await page.getByText('5 documents not printed').waitFor()
    await page.getByRole('link', { name: 'Open Sales history' }).click()
    const rows = page.getByRole('list', { name: 'Other documents not printed' }).getByRole('listitem')
    await rows.first().waitFor()
    expect((await rows.locator('strong').allInnerTexts()).slice(1)).toEqual([
      'Z report 11',
      'Closing report (November 19, 2026), so far',
      'Drawer slip, shift 12',
      'Cash slip: Paid out',
    ])
    expect(await rows.nth(3).innerText()).toContain('Check the paper')
    const prints = [
      ['Print: Z report 11', '/api/z-reports/11/reprint'],
      ['Print: Closing report (November 19, 2026), so far', '/api/closings/CLOSING20261119Z10X/print'],
      ['Print: Drawer slip, shift 12', '/api/shifts/12/reprint'],
      ['Print: Cash slip: Paid out', '/api/cash-movements/3/reprint'],
    ] as const
    for (const [, path] of prints) terminal.state.answers[`POST ${path}`] = ok({ print: 'queued' })
    for (const [name, path] of prints) {
      await page.getByRole('button', { name, exact: true }).click()
      await expect.poll(() => posted(path)).toHaveLength(1)
    }
  })

  test('a Z report shows that it was not printed, what to do, and then that it was printed', async () => {
    terminal.state.answers['GET /api/z-reports/11/receipt'] = ok({ ...zReceipt((english) => english), print: 'failed' })
    terminal.state.answers['POST /api/z-reports/11/reprint'] = ok({ print: 'queued' })
    await open('/manager/day')
    await page.getByRole('radio', { name: 'Z reports' }).click()
    const show = () => page.getByRole('button', { name: 'Open Z 11' }).click()
    await show()
    const dialog = page.getByRole('dialog')
    const state = dialog.getByRole('status')
    await expect.poll(() => state.innerText()).toBe('Not printed Check the printer, then print.')
    terminal.push({ ...job, paper: 'z-report', saleId: 'Z00000011' as never, state: 'unknown', notOnPaper: 1 })
    await expect
      .poll(() => state.innerText())
      .toBe('Printing interrupted: check the paper If it is missing, print a copy.')
    terminal.push({ ...job, paper: 'z-report', saleId: 'Z00000011' as never, state: 'failed', notOnPaper: 1 })
    await page.getByText('Report not printed.').waitFor()
    await dialog.getByRole('button', { name: 'Print', exact: true }).click()
    await expect.poll(() => posted('/reprint').map(({ path }) => path)).toEqual(['/api/z-reports/11/reprint'])
    terminal.push({ ...job, paper: 'z-report', saleId: 'Z00000011' as never, state: 'confirmed', notOnPaper: 0 })
    await page.getByText('Report sent to the printer.').waitFor()
    await show()
    await expect.poll(() => state.innerText()).toBe('Printed')
    await dialog.getByRole('button', { name: 'Reprint' }).waitFor()
  })

  test('the row of a shift shows that its slip was not printed', async () => {
    terminal.state.notOnPaper = 5
    await open('/manager/day')
    await page.getByRole('radio', { name: 'Shifts' }).click()
    const row = page.getByRole('row', { name: /^Shift 12/ })
    await expect.poll(() => row.innerText()).toContain('Check the paper')
  })

  test('are visible to a cashier, who cannot print Z reports, closing reports and drawer slips', async () => {
    terminal.state.signedIn = ALEX
    terminal.state.notOnPaper = 5
    await page.goto(`${terminal.url}/manager/receipts`)
    const rows = page.getByRole('list', { name: 'Other documents not printed' }).getByRole('listitem')
    await rows.first().waitFor()
    expect(await rows.getByText('Manager only').count()).toBe(3)
    expect(await rows.getByRole('button').allInnerTexts()).toEqual(['Print', 'Print'])
  })
})
