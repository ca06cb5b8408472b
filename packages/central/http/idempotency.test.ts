import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { asCash, FINE, openRehearsal, type Rehearsal } from '../rehearsal.fixture.ts'

let client: Rehearsal
beforeEach(async () => {
  client = await openRehearsal()
})
afterEach(() => client.close())

describe('a call with an idempotency key', () => {
  it('executes once and gets identical bytes on a repeat, even after a restart', async () => {
    const first = await client.redeem({}, { key: 'one' })
    const second = await client.redeem({}, { key: 'one' })
    await client.restart()
    const third = await client.redeem({}, { key: 'one' })
    expect(asCash(first).responseCode).toBe('0000')
    expect([second.text, third.text, second.status]).toEqual([first.text, first.text, first.status])
    expect((await client.ledger(FINE)).balances.cash).toBe(4_370)
  })
  it('gets a stored decline again when it is repeated', async () => {
    const first = await client.redeem({ collectorNumber: '80000000055' }, { key: 'one' })
    expect((await client.redeem({ collectorNumber: '80000000055' }, { key: 'one' })).text).toBe(first.text)
  })
  it('is refused if the key was used with another body or for another call', async () => {
    await client.redeem({}, { key: 'one' })
    const other = await client.redeem({ dollarRedeemRequest: '30.00' }, { key: 'one' })
    expect([other.status, other.body.responseCode]).toEqual([400, '0035'])
    const issue = await client.issue({}, { key: 'one' })
    expect([issue.status, issue.body.responseCode]).toEqual([400, '400'])
    expect((await client.ledger(FINE)).entries).toHaveLength(2)
  })
  it('waits for a concurrent call with the same key; both get the same answer and have one effect', async () => {
    await client.fault({ path: CASH_PATHS.redeem, occurrence: 1, action: { kind: 'delay', ms: 150 } })
    const [first, second] = await Promise.all([client.redeem({}, { key: 'one' }), client.redeem({}, { key: 'one' })])
    expect(second.text).toBe(first.text)
    expect((await client.ledger(FINE)).balances.cash).toBe(4_370)
  })
  it('redeems again if its key differs from that of an earlier call', async () => {
    await client.redeem({}, { key: 'one' })
    await client.redeem({ traceId: 'TRACE-2' }, { key: 'two' })
    expect((await client.ledger(FINE)).balances.cash).toBe(3_990)
  })
})

describe('a call without an idempotency key', () => {
  it('is recognized as a repeat by its content and timestamp', async () => {
    const first = await client.redeem()
    expect((await client.redeem()).text).toBe(first.text)
    expect((await client.redeem({ dateTime: '2026-07-01T12:00:01-04:00' })).text).not.toBe(first.text)
    expect((await client.ledger(FINE)).balances.cash).toBe(3_990)
  })
  it('is recognized as a repeat by its bytes alone if it is RECORD, which ignores idempotency keys', async () => {
    const body = {
      basketPostTaxAmount: 1,
      basketPreTaxAmount: 1,
      checkoutDateTime: '2026-07-01T12:00:00Z',
      checkoutTransactionId: 'R1',
      sponsorCode: 'NRTH',
      transactionType: 'PURCHASE',
    }
    const first = await client.post(ISSUANCE_PATHS.record, body, { key: 'same' })
    const again = await client.post(ISSUANCE_PATHS.record, body, { key: 'other' })
    const changed = await client.post(ISSUANCE_PATHS.record, { ...body, checkoutTransactionId: 'R2' }, { key: 'same' })
    expect(again.text).toBe(first.text)
    expect([changed.status, changed.body.transactionId === first.body.transactionId]).toEqual([200, false])
  })
})
