import { expect, test } from 'vitest'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { testClock } from '../../http/testing.ts'
import { useCentre } from '../../testing/centre.ts'
import { openCounter, type Counter } from '../../testing/counter.ts'

const centre = useCentre()
const DAY = 24 * 3_600_000
const DETERGENT = '1021' // 19.99, HST

/** A sale of 22.59 that twenty dollars of miles have paid in part. */
async function redeemed(counter: Counter) {
  await counter.ring(DETERGENT)
  const known = await counter.swipe('fine')
  return (await counter.call('POST', `/api/sales/${known.id}/redemption`, { version: known.version, units: 2 })).body.sale
}
const credits = (counter: Counter) => counter.read("SELECT amount_cents, sale_id, (SELECT count(*) FROM print_job WHERE voucher_id = voucher_entry.voucher_id AND document LIKE '%20.00%') AS papers FROM voucher_entry WHERE kind = 'issued'")
const cancel = async (counter: Counter, sale: { id: string; version: number }) => (await counter.call('POST', `/api/sales/${sale.id}/cancel`, { version: sale.version })).body.sale

test('a sale that is cancelled after 03:00 gives store credit with a paper, in the same commit and without a call', async () => {
  const clock = testClock(new Date().toISOString())
  const counter = await openCounter(centre, { clock, staffId: 'sam' })
  const sale = await redeemed(counter)
  clock.advance(2 * DAY)
  const cancelled = await cancel(counter, sale)
  expect(cancelled).toMatchObject({ state: 'cancelled', totals: { tenderedCents: 0 }, redemption: { state: 'reversal-expired', outcome: 'reversal-expired' } })
  expect(credits(counter)).toEqual([{ amount_cents: 2000, sale_id: sale.id, papers: 1 }])
  expect(await centre.requests(CASH_PATHS.reverse)).toEqual([])
  const { body } = await counter.call('GET', `/api/sales/${sale.id}/vouchers`)
  expect(body).toMatchObject({ vouchers: [{ kind: 'store-credit', balanceCents: 2000 }] })
  expect((await counter.call('GET', '/api/queue')).body).toMatchObject({ entries: [{ state: 'reversal-expired', todo: { 'en-CA': expect.stringContaining('give nothing else') as string } }] })
})

test('a cancelled sale whose reversal the centre finds too late (0080) gets store credit, once, with a paper', async () => {
  const counter = await openCounter(centre)
  const sale = await redeemed(counter)
  await centre.moveClock(2 * DAY)
  const cancelled = await cancel(counter, sale)
  expect(cancelled.redemption?.state).toBe('reversing')
  await counter.untilOperation('redeem', 'reversal-expired')
  expect(credits(counter)).toEqual([{ amount_cents: 2000, sale_id: sale.id, papers: 1 }])
  const [credit] = counter.read<{ id: string }>('SELECT id FROM voucher')
  await counter.printed(credit?.id ?? '')
})

test('a sale whose redemption has no known outcome: its paper names it with the trace id that the centre heard, and no balance', async () => {
  const counter = await openCounter(centre, { limits: { cashTimeoutMs: 500 } })
  await counter.ring(DETERGENT)
  const known = await counter.swipe('fine')
  await centre.faults({ path: CASH_PATHS.redeem, action: { kind: 'drop-after' } })
  const unknown = (await counter.call('POST', `/api/sales/${known.id}/redemption`, { version: known.version, units: 2 })).body.sale
  expect(unknown.redemption?.state).toBe('escalated')
  const paid = (await counter.call('POST', `/api/sales/${known.id}/tenders`, { kind: 'cash', version: unknown.version, tenderedCents: 2260 })).body.sale
  await counter.printed(paid.id)
  const [job] = counter.read<{ document: string }>('SELECT document FROM print_job')
  const [first, second] = await centre.requests(CASH_PATHS.redeem)
  expect(second?.body['traceId']).toBe(first?.body['traceId'])
  expect(job?.document).toContain(String(first?.body['traceId']))
  expect(job?.document).not.toContain('"paperOnly":true')
})
