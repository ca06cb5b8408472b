import { expect, test } from 'vitest'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { testClock } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { openRewritingProxy } from '../../../packages/lab/testing/rewriting-proxy.ts'

const central = useCentral()
const DAY = 24 * 3_600_000
const DETERGENT = '1021'

async function redeemed(harness: TerminalHarness) {
  await harness.ring(DETERGENT)
  const known = await harness.swipe('fine')
  return (await harness.call('POST', `/api/sales/${known.id}/redemption`, { version: known.version, units: 2 })).body
    .sale
}
const asked = async (harness: TerminalHarness, id: string) =>
  (await harness.call('GET', `/api/sales/${id}`)).body.sale.redemption?.goesBackAs
const credits = (harness: TerminalHarness) =>
  harness.read(
    `SELECT amount_cents, sale_id,
      (SELECT count(*) FROM print_job WHERE voucher_id = voucher_entry.voucher_id
      AND document LIKE '%20.00%') AS documents FROM voucher_entry WHERE kind = 'issued'`,
  )
async function daysLater(harness: TerminalHarness, clock: ReturnType<typeof testClock>): Promise<void> {
  clock.advance(2 * DAY)
  await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
}
const cancel = async (harness: TerminalHarness, sale: { id: string; version: number }) =>
  (await harness.call('POST', `/api/sales/${sale.id}/cancel`, { version: sale.version })).body.sale

test('a sale with redeemed miles cancelled after 03:00 of the next day gives store credit on paper', async () => {
  const clock = testClock(new Date().toISOString())
  const harness = await openTerminalHarness(central, { clock, staffId: 'sam' })
  const sale = await redeemed(harness)
  await daysLater(harness, clock)
  const cancelled = await cancel(harness, sale)
  expect(cancelled).toMatchObject({
    state: 'cancelled',
    totals: { tenderedCents: 0 },
    redemption: { state: 'reversal-expired', outcome: 'reversal-expired' },
  })
  expect(credits(harness)).toEqual([{ amount_cents: 2000, sale_id: sale.id, documents: 1 }])
  expect(await central.requests(CASH_PATHS.reverse)).toEqual([])
  const { body } = await harness.call('GET', `/api/sales/${sale.id}/vouchers`)
  expect(body).toMatchObject({ vouchers: [{ kind: 'store-credit', balanceCents: 2000 }] })
  const list = (await harness.call('GET', '/api/queue')).body
  expect(list).toMatchObject({
    entries: [{ state: 'reversal-expired', todo: { 'en-CA': expect.stringContaining('nothing else') as string } }],
  })
  expect(JSON.stringify(list)).not.toMatch(/retour/)
  const [paper] = harness.read<{ document: string }>('SELECT document FROM print_job WHERE voucher_id IS NOT NULL')
  expect(paper?.document).toContain(`For miles of sale ${sale.id}`)
})

test('a manager gives store credit once for an unapplied redemption whose reversal is too late', async () => {
  const { url } = await openRewritingProxy(central.url, ({ path, body }) =>
    path === CASH_PATHS.redeem ? { body: { ...body, unitsRedeemed: '3', milesRedeemed: '285' } } : null,
  )
  await central.faults({
    path: CASH_PATHS.reverse,
    action: { kind: 'answer', status: 409, body: { responseCode: '0080', message: 'Reversal window expired' } },
  })
  const harness = await openTerminalHarness(central, { cashUrl: url, staffId: 'sam' })
  const sale = await redeemed(harness)
  await harness.untilOperation('redeem', 'reversal-expired')
  const owed = (await harness.call('GET', `/api/sales/${sale.id}`)).body.sale
  expect(owed).toMatchObject({ tenders: [], redemption: { state: 'reversal-expired', outcome: 'reversal-owed' } })
  const paid = await paidOtherwise(harness, owed)
  const paper = async () => JSON.stringify((await harness.call('GET', `/api/sales/${paid.id}/receipt`)).body.document)
  expect(await paper()).toMatch(/Too late/)
  expect(await paper()).not.toMatch(/If miles were taken/)

  const id = owed.redemption?.id ?? ''
  const detail = async () => (await harness.call('GET', `/api/queue/${id}`)).body
  expect(await detail()).toMatchObject({
    attention: true,
    actions: ['credit', 'resolve'],
    amountCents: 2000,
    taken: { amountCents: 3000, miles: 285 },
    creditCents: 3000,
    todo: { 'en-CA': expect.stringContaining('issue store credit here') as string },
  })
  expect(
    await harness.refused('POST', `/api/queue/${id}/credit`, { amountCents: 2000 }),
    'not what the screen showed',
  ).toBe('queue-entry-changed')
  const credited = (await harness.call('POST', `/api/queue/${id}/credit`, { amountCents: 3000 })).body
  expect(credited).toMatchObject({
    attention: true,
    actions: ['resolve'],
    creditCents: null,
    todo: { 'en-CA': expect.stringContaining('nothing else') as string },
  })
  expect(await harness.refused('POST', `/api/queue/${id}/credit`, { amountCents: 3000 })).toBe('queue-entry-changed')
  const issued = harness.read<{ id: string; amount_cents: number }>(
    "SELECT voucher_id AS id, amount_cents FROM voucher_entry WHERE kind = 'issued'",
  )
  expect(issued).toMatchObject([{ amount_cents: 3000 }])
  await harness.printed(issued[0]?.id ?? '')
  expect(harness.read("SELECT actor_id FROM audit_entry WHERE kind = 'queue-credit'")).toEqual([{ actor_id: 'sam' }])
  await harness.call('POST', `/api/sales/${paid.id}/reprint`)
  const [copy] = harness.read<{ document: string }>(
    'SELECT document FROM print_job WHERE sale_id IS NOT NULL AND copy > 0',
  )
  expect(copy?.document ?? 'no copy').not.toMatch(/no copy|not applied/)
})

test('a cancelled sale whose reversal is refused as too late (0080) gets store credit once', async () => {
  const harness = await openTerminalHarness(central)
  const sale = await redeemed(harness)
  await central.moveClock(2 * DAY)
  const cancelled = await cancel(harness, sale)
  expect(cancelled.redemption?.state).toBe('reversing')
  await harness.untilOperation('redeem', 'reversal-expired')
  expect(credits(harness)).toEqual([{ amount_cents: 2000, sale_id: sale.id, documents: 1 }])
  const [credit] = harness.read<{ id: string }>('SELECT id FROM voucher')
  await harness.printed(credit?.id ?? '')
})

const takeBack = async (harness: TerminalHarness, sale: { id: string; version: number }) =>
  (await harness.call('POST', `/api/sales/${sale.id}/tenders/1/take-back`, { version: sale.version })).body.sale
const paidOtherwise = async (harness: TerminalHarness, { id, version }: { id: string; version: number }) =>
  (
    await harness.call('POST', `/api/sales/${id}/tenders`, {
      kind: 'card',
      version,
      amountCents: 2259,
      reference: 'T1',
    })
  ).body.sale

test('miles given back after 03:00 of the next day in an open sale become store credit with a document', async () => {
  const clock = testClock(new Date().toISOString())
  const harness = await openTerminalHarness(central, { clock, staffId: 'sam' })
  const sale = await redeemed(harness)
  expect(await asked(harness, sale.id)).toBe('miles')
  await daysLater(harness, clock)
  expect(await asked(harness, sale.id)).toBe('store-credit')
  const after = await takeBack(harness, sale)
  expect(after).toMatchObject({
    state: 'open',
    tenders: [],
    redemptionChoice: null,
    totals: { dueCents: 2259 },
    redemption: { state: 'reversal-expired' },
  })
  expect(credits(harness)).toEqual([{ amount_cents: 2000, sale_id: sale.id, documents: 1 }])
  expect(
    harness
      .read<{ document: string }>("SELECT document FROM print_job WHERE kind = 'payment-back'")
      .map(({ document }) => document.match(/being returned|Store credit/)?.[0]),
  ).toEqual(['Store credit'])
  expect(await central.requests(CASH_PATHS.reverse)).toEqual([])
  expect((await harness.call('GET', '/api/queue')).body).toMatchObject({ entries: [{ state: 'reversal-expired' }] })
  expect((await paidOtherwise(harness, after)).state).toBe('completed')
  expect(JSON.stringify((await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body.document)).not.toMatch(
    /not confirmed|will be returned/,
  )
  await harness.close()
  const next = await openTerminalHarness(central, { clock, staffId: 'sam', folder: harness.folder })
  expect(credits(next)).toEqual([{ amount_cents: 2000, sale_id: sale.id, documents: 1 }])
})

test('miles given back too late for the cash service (0080) become store credit once', async () => {
  const harness = await openTerminalHarness(central)
  const sale = await redeemed(harness)
  await central.moveClock(2 * DAY)
  const after = await takeBack(harness, sale)
  await cancel(harness, after)
  await harness.untilOperation('redeem', 'reversal-expired')
  expect(credits(harness)).toEqual([{ amount_cents: 2000, sale_id: sale.id, documents: 1 }])
  const [credit] = harness.read<{ id: string }>('SELECT id FROM voucher')
  await harness.printed(credit?.id ?? '')
})

test('miles given back before a restart and refused as too late (0080) after it become store credit once', async () => {
  const first = await openTerminalHarness(central)
  const sale = await redeemed(first)
  await central.moveClock(2 * DAY)
  await central.faults({ path: CASH_PATHS.reverse, occurrence: 1, action: { kind: 'hang-before' } })
  const after = await takeBack(first, sale)
  await central.reached(CASH_PATHS.reverse, 1)
  await paidOtherwise(first, after)
  await first.close()
  const harness = await openTerminalHarness(central, { folder: first.folder })
  await harness.untilOperation('redeem', 'reversal-expired')
  expect(credits(harness)).toEqual([{ amount_cents: 2000, sale_id: sale.id, documents: 1 }])
})

test('the receipt of a redemption of unknown outcome has the start of its trace id and no balance', async () => {
  const harness = await openTerminalHarness(central, { limits: { cashTimeoutMs: 500 } })
  await harness.ring(DETERGENT)
  const known = await harness.swipe('fine')
  await central.faults({ path: CASH_PATHS.redeem, action: { kind: 'drop-after' } })
  const unknown = (
    await harness.call('POST', `/api/sales/${known.id}/redemption`, { version: known.version, units: 2 })
  ).body.sale
  expect(unknown.redemption).toMatchObject({ state: 'escalated', wasApplied: false })
  const paid = (
    await harness.call('POST', `/api/sales/${known.id}/tenders`, {
      kind: 'cash',
      version: unknown.version,
      tenderedCents: 2260,
    })
  ).body.sale
  await harness.printed(paid.id)
  const [job] = harness.read<{ document: string }>('SELECT document FROM print_job')
  const [first, second] = await central.requests(CASH_PATHS.redeem)
  expect(second?.body['traceId']).toBe(first?.body['traceId'])
  expect(job?.document).toContain(`"${String(first?.body['traceId']).slice(0, 8)}"`)
  expect(job?.document).not.toContain('"paperOnly":true')
})
