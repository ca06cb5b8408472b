import { expect, test } from 'vitest'
import type { z } from 'zod'
import { eventually } from '../../core/http/testing.ts'
import { AccountingSettings } from '../../../contracts/day/accounting.ts'
import { CurrentShift } from '../../../contracts/day/shifts.ts'
import { ZReport } from '../../../contracts/day/day-end.ts'
import { CashedOut } from '../../../contracts/payments/vouchers.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { approved, SAM } from '../../../packages/lab/testing/sale-actions.ts'
import {
  booksAreRight,
  connected,
  heldOf,
  sellToStore,
  untilHeld,
} from '../../../packages/lab/testing/store-vouchers.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'
import { payBy, payCash, present, saleOf, sold } from '../../../packages/lab/testing/vouchers.ts'
import { localDayAt } from '../../core/zone.ts'
import type { ZPostings } from '../../day/reports/accounting.ts'
import { APPLES } from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04')

const openQuebec = (more: TerminalHarnessOptions = {}) => openTerminalHarness(central, { region: 'QC', ...more })

/** Presents the card and pays out the amount. */
async function cashOut(harness: TerminalHarness, code: string, amountCents: number, more: object = {}) {
  const { id } = await present(harness, code)
  return harness.call('POST', `/api/vouchers/${id}/cash-out`, { amountCents, ...more })
}
const paidOut = async (harness: TerminalHarness, code: string, amountCents: number) => {
  const { status, body } = await cashOut(harness, code, amountCents)
  expect(body, `status ${status}`).toHaveProperty('cashCents')
  return CashedOut.parse(body)
}
const rowsOf = (harness: TerminalHarness) =>
  harness.read('SELECT amount_cents AS amount, cash_cents AS cash, approved_by AS approvedBy FROM gift_card_cash_out')

test('a gift card with $5.00 or less is paid out once, with a slip, and is empty afterwards', async () => {
  const harness = await openQuebec()
  const card = await sold(harness, 1_100)
  await payBy(harness, await harness.ring(APPLES), card, 699)
  const done = await paidOut(harness, card.code, 401)
  expect(done).toMatchObject({ last4: card.last4, amountCents: 401, cashCents: 400 })
  expect(await harness.refused('POST', '/api/vouchers/present', { code: card.code })).toBe('voucher-empty')
  const again = await harness.call('POST', `/api/vouchers/${card.id}/cash-out`, { amountCents: 401 })
  expect(again.body.code).toBe('voucher-not-presented')
  expect(rowsOf(harness)).toEqual([{ amount: 401, cash: 400, approvedBy: null }])
  expect(await harness.current()).toBeNull()
  const [slip] = harness.read<{ document: string }>("SELECT document FROM print_job WHERE kind = 'payment-back'")
  expect(slip?.document).toContain('"left":"Remis comptant","right":"4,00 $"')
  expect(slip?.document).toContain('La carte-cadeau est vide.')
  const [entry] = harness.read<{ detail: string }>("SELECT detail FROM audit_entry WHERE kind = 'gift-card-cash-out'")
  expect(JSON.parse(entry?.detail ?? '')).toMatchObject({ last4: card.last4, amountCents: 401, cashCents: 400 })
})

test('a gift card cash-out repeated with the same idempotency key pays once', async () => {
  const harness = await openQuebec()
  const card = await sold(harness, 300)
  const path = `/api/vouchers/${card.id}/cash-out`
  const first = await harness.post(path, { amountCents: 300 }, 'key-of-one-cash-out-1')
  const second = await harness.post(path, { amountCents: 300 }, 'key-of-one-cash-out-1')
  expect([first.status, await first.json()]).toEqual([200, await second.json()])
  expect(rowsOf(harness)).toHaveLength(1)
})

test('a cash-out above the limit, of a portion of the balance, or during an open sale is refused', async () => {
  const harness = await openQuebec()
  const [large, small] = [await sold(harness, 501), await sold(harness, 500)]
  expect((await cashOut(harness, large.code, 501)).body.code).toBe('cash-out-limit')
  expect((await cashOut(harness, large.code, 500)).body.code).toBe('cash-out-whole')
  const sale = await harness.ring(APPLES)
  expect((await cashOut(harness, small.code, 500)).body.code).toBe('cash-out-sale-open')
  await payCash(harness, sale)
  expect(rowsOf(harness)).toEqual([])
  expect(await paidOut(harness, small.code, 500)).toMatchObject({ cashCents: 500 })
  expect(await present(harness, large.code), 'refusals take no value').toMatchObject({ balanceCents: 501 })
})

test('a cash-out is refused for a voucher that was not presented, and in a store outside Québec', async () => {
  const harness = await openQuebec()
  await sold(harness, 300)
  const unknown = await harness.call('POST', `/api/vouchers/${'A'.repeat(32)}/cash-out`, { amountCents: 300 })
  expect(unknown.body.code).toBe('voucher-not-presented')
  const ontario = await openTerminalHarness(central)
  const card = await sold(ontario, 300)
  expect((await cashOut(ontario, card.code, 300)).body.code).toBe('cash-out-not-here')
})

test('a cash-out needs an approval of its gift card and amount if the profile requires it', async () => {
  const harness = await openQuebec({
    approvals: { actions: { 'gift-card-cash-out': { cashier: 'with-approval' } } },
  })
  const card = await sold(harness, 250)
  const { body } = await cashOut(harness, card.code, 250)
  expect(body).toMatchObject({
    code: 'approval-required',
    approval: { of: 'voucher', action: 'gift-card-cash-out', balanceCents: 250, last4: card.last4 },
  })
  expect(harness.read('SELECT id FROM sale WHERE closed_at IS NULL'), 'a refusal leaves no sale').toEqual([])
  await approved(harness, 'POST', `/api/vouchers/${card.id}/cash-out`, { amountCents: 250 }, SAM)
  expect(rowsOf(harness)).toEqual([{ amount: 250, cash: 250, approvedBy: 'sam' }])
})

const count = (cents: number): z.input<typeof CurrentShift> | object => ({
  number: 1,
  count: { cash: { by: 'sum', cents }, cardSlipsCents: null, chequesCents: null },
})

test('the drawer, the Z and the accounting export contain a cash-out, which is no cancelled sale', async () => {
  const harness = await openQuebec({ staffId: 'sam' })
  const card = await sold(harness, 1_100)
  await payBy(harness, await harness.ring(APPLES), card, 699)
  await paidOut(harness, card.code, 401)
  const { shift } = CurrentShift.parse((await harness.call('GET', '/api/shifts/current')).body)
  await harness.call('POST', `/api/shifts/${shift?.id}/counts`, count(1_100 - 400))
  const closed = await harness.call('POST', `/api/shifts/${shift?.id}/close`, { reason: null, leftCents: 0 })
  expect(closed.body['shift']).toMatchObject({ result: { cash: { expectedCents: 700, differenceCents: 0 } } })
  const { totals } = ZReport.parse((await harness.call('POST', '/api/z-reports')).body['report'])
  expect(totals).toMatchObject({
    sales: { count: 2, totalCents: 699 },
    giftCards: { count: 1, amountCents: 1_100 },
    cashOuts: { count: 1, amountCents: 401 },
    cancelled: 0,
    openSales: { afterCents: 0 },
  })
  expect(totals.tenders).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'gift-card', netCents: 1_100 }),
      expect.objectContaining({
        kind: 'cash',
        taken: { count: 2, amountCents: 1_100 - 401 },
        givenBack: { count: 0, amountCents: 0 },
        netCents: 1_100 - 401,
        roundingCents: 1,
      }),
    ]),
  )
  const { document } = (await harness.call('GET', '/api/z-reports/1/receipt')).body as { document?: unknown }
  expect(JSON.stringify(document)).toContain('"left":"Cartes remboursées (1)","right":"4,01 $"')
  const today = localDayAt(Date.now(), 'America/Toronto')
  const range = { from: today, to: today }
  const exported = await harness.call('POST', '/api/reports/exports', { of: 'accounting', range, format: 'json' })
  const file = await harness.file(`/api/reports/exports/${String(exported.body['number'])}`)
  const { zReports } = JSON.parse(file.bytes.toString()) as { zReports: ZPostings[] }
  const liability = zReports
    .flatMap(({ postings }) => postings)
    .filter(({ account }) => account.code === AccountingSettings.parse({}).tenders['gift-card'].code)
    .map(({ debitCents, creditCents }) => creditCents - debitCents)
  expect(
    liability.toSorted((a, b) => a - b),
    'sold 11.00, then paid 6.99 and paid out 4.01',
  ).toEqual([-1_100, 1_100])
})

test('another lane of the store pays out a gift card, and no lane can use or pay it out again', async ({ skip }) => {
  const [first, second] = await Promise.all(
    ['01', '02'].map((laneId) => openQuebec({ store: store.place(skip, laneId), laneId })),
  )
  if (!first || !second) throw new Error('two lanes are open')
  const code = await sellToStore(store, first, 350)
  await connected(second)
  expect(await paidOut(second, code, 350)).toMatchObject({ amountCents: 350, cashCents: 350 })
  await connected(second)
  await untilHeld(store, code, 0)
  for (const lane of [first, second])
    await eventually(async () =>
      expect(await lane.refused('POST', '/api/vouchers/present', { code })).toBe('voucher-empty'),
    )
  await booksAreRight(store)
})

test('two lanes that pay out one gift card at the same time pay it once', async ({ skip }) => {
  const [first, second] = await Promise.all(
    ['03', '04'].map((laneId) => openQuebec({ store: store.place(skip, laneId), laneId })),
  )
  if (!first || !second) throw new Error('two lanes are open')
  const code = await sellToStore(store, first, 480)
  await connected(second)
  const answers = await Promise.all([first, second].map((lane) => cashOut(lane, code, 480)))
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)[0]).toBe(200)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  await Promise.all([connected(first), connected(second)])
  await eventually(async () => expect(await heldOf(store, code)).toBe(0))
  expect(rowsOf(first).length + rowsOf(second).length).toBe(1)
  await booksAreRight(store)
  // A lane whose cash-out failed can still ring items.
  for (const lane of [first, second]) expect(saleOf({ body: { sale: await lane.ring(APPLES) } }).lines).toHaveLength(1)
})
