import { cpSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { QueueDetail } from '../../../contracts/loyalty/queue.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { FINE, redemptionHarnesses } from '../../../packages/lab/testing/redemption-harness.ts'
import { openRewritingProxy } from '../../../packages/lab/testing/rewriting-proxy.ts'
import { createQueueRepository } from './queue.sql.ts'

const central = useCentral()
const { harness } = redemptionHarnesses(central)
const { redeem: REDEEM, reverse: REVERSE } = CASH_PATHS
const DETERGENT = '1021'

type ChangedAnswer = (number: number) => Record<string, unknown> | null
const behind = (changed: ChangedAnswer) =>
  openRewritingProxy(central.url, ({ path, number, body }) => {
    const change = path === REDEEM ? changed(number) : null
    return change && { body: { ...body, ...change } }
  })
const tooLate = () =>
  central.faults({
    path: REVERSE,
    action: { kind: 'answer', status: 409, body: { responseCode: '0080', message: 'Reversal window expired' } },
  })

async function asksForMiles(harness: TerminalHarness) {
  await harness.ring(DETERGENT)
  const known = await harness.swipe('fine')
  return {
    known,
    redeeming: harness.call('POST', `/api/sales/${known.id}/redemption`, { version: known.version, units: 2 }),
  }
}
async function newest(harness: TerminalHarness): Promise<QueueDetail> {
  const [{ id } = { id: '' }] = harness.read<{ id: string }>(
    "SELECT id FROM operation WHERE type = 'redeem' ORDER BY rowid DESC LIMIT 1",
  )
  return QueueDetail.parse((await harness.call('GET', `/api/queue/${id}`)).body)
}
const credits = (harness: TerminalHarness) =>
  harness.read<{ id: string; amount_cents: number }>(
    "SELECT voucher_id AS id, amount_cents FROM voucher_entry WHERE kind = 'issued'",
  )

test('miles that a first answer reports as redeemed survive a crash, and the lane gives one store credit', async () => {
  const { url } = await behind(() => ({ unitsRedeemed: '3', milesRedeemed: '285' }))
  await central.faults({ path: REDEEM, occurrence: 2, action: { kind: 'hang-before' } })
  await tooLate()
  const limits = { cashTimeoutMs: 1_500 }
  const first = await openTerminalHarness(central, { cashUrl: url, staffId: 'sam', limits })
  const { redeeming } = await asksForMiles(first)
  await central.reached(REDEEM, 2)
  const folder = temporaryFolder()
  cpSync(first.folder, folder, { recursive: true, filter: (path) => !basename(path).startsWith('lock') })
  await redeeming
  await first.close()

  const harness = await openTerminalHarness(central, { cashUrl: url, staffId: 'sam', folder, limits })
  expect((await newest(harness)).history.map(({ to }) => to).slice(0, 3)).toEqual(['intent', 'retry', 'reversing'])
  await harness.untilOperation('redeem', 'reversal-expired')
  const owed = await newest(harness)
  expect(owed).toMatchObject({
    attention: true,
    amountCents: 2000,
    taken: { amountCents: 3000, miles: 285 },
    creditCents: 3000,
    actions: ['credit', 'resolve'],
  })
  const credit = () => harness.call('POST', `/api/queue/${owed.id}/credit`, { amountCents: 3000 })
  const statuses = (await Promise.all([credit(), credit()])).map(({ status }) => status)
  expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 409])
  expect((await credit()).status).toBe(409)
  await harness.printed(credits(harness)[0]?.id ?? '')
  await harness.close()

  const next = await openTerminalHarness(central, { cashUrl: url, staffId: 'sam', folder })
  expect(await newest(next)).toMatchObject({ state: 'reversal-expired', creditCents: null, actions: ['resolve'] })
  expect(credits(next)).toMatchObject([{ amount_cents: 3000 }])
  expect(next.read("SELECT count(*) AS times FROM audit_entry WHERE kind = 'queue-credit'")).toEqual([{ times: 1 }])
})

test('an approval that echoes another request gives no store credit after the reversal window', async () => {
  const { url } = await behind(() => ({
    traceId: 'another-trace',
    unitsRedeemed: '9',
    txnConfirmationNumber: 'OF-YESTERDAY',
  }))
  await tooLate()
  const harness = await openTerminalHarness(central, { cashUrl: url, staffId: 'sam' })
  const { known, redeeming } = await asksForMiles(harness)
  await redeeming
  await harness.untilOperation('redeem', 'reversal-escalated')
  expect(await newest(harness)).toMatchObject({
    attention: true,
    taken: null,
    creditCents: null,
    actions: ['send-again', 'resolve'],
    confirmationNumber: 'OF-YESTERDAY',
  })
  const sale = (await harness.call('GET', `/api/sales/${known.id}`)).body.sale
  await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'card',
    version: sale.version,
    amountCents: 2259,
    reference: 'T1',
  })
  expect(JSON.stringify((await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body.document)).not.toMatch(
    /store credit/,
  )
  expect(credits(harness)).toEqual([])
})

test('an approval of zero units gives no store credit after the reversal window', async () => {
  const { url } = await behind(() => ({ unitsRedeemed: '0', milesRedeemed: '0' }))
  await tooLate()
  const harness = await openTerminalHarness(central, { cashUrl: url, staffId: 'sam' })
  await (
    await asksForMiles(harness)
  ).redeeming
  await harness.untilOperation('redeem', 'reversal-expired')
  expect(await newest(harness)).toMatchObject({
    taken: { amountCents: 0, miles: 0 },
    creditCents: null,
    actions: ['resolve'],
  })
})

test('a first answer with wrong units does not change the amount of the approval on the retry', async () => {
  const { url } = await behind((number) => (number === 1 ? { unitsRedeemed: '9' } : null))
  const here = await harness({
    cashUrl: url,
    onApproved: () => {
      throw new Error('the sale cannot take it')
    },
  })
  const { id } = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
  const reversed = await here.until(id, 'reversed')
  expect(reversed).toMatchObject({ approvedOnAttempt: 2, amountCents: 1000 })
  expect(createQueueRepository(here.db).takenOf(reversed)).toBeNull()
})
