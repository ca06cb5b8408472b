import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startOfDay } from '../clock.ts'
import { openDatabase } from '../db/database.ts'
import { asCash, FINE, openRehearsal, type Rehearsal, row, outcomeOf } from '../rehearsal.fixture.ts'
import { REDEEMED_BY } from './cash.sql.ts'

const DAY = 86_400_000
let client: Rehearsal
beforeEach(async () => {
  client = await openRehearsal()
})
afterEach(() => client.close())

describe('a call without a valid token', () => {
  it.each([
    ['missing', null],
    ['made up', 'AAAA-made-up'],
    ['malformed', 'not a token'],
  ])('is refused with status 401, without a response code, if the token is %s', async (_case, token) => {
    for (const received of [
      await client.echo({}, { token }),
      await client.inquire({}, { token }),
      await client.redeem({}, { token }),
    ]) {
      expect(received.status).toBe(401)
      expect(received.body).toEqual({ message: expect.stringContaining('token') as string })
    }
    expect((await client.ledger(FINE)).balances.cash).toBe(4_750)
  })
  it('is refused after the token was revoked', async () => {
    expect((await client.echo()).status).toBe(200)
    await client.control('POST', '/tokens/revoke')
    expect((await client.echo()).status).toBe(401)
    expect((await client.echo({}, { token: await client.token() })).status).toBe(200)
  })
})

describe('REDEEM', () => {
  it('takes 95 miles per unit and returns a confirmation number', async () => {
    const received = await client.redeem({}, { key: 'key-1' })
    expect(outcomeOf(received)).toEqual(row('0000'))
    const answer = asCash(received)
    expect(answer).toMatchObject({
      dollarRedeemRequest: '40.00',
      milesRedeemed: '380',
      unitsRedeemed: '4',
      unitValueDollars: '10.00',
      cashBalance: '4370',
      availableCashBalance: '4370',
      traceId: 'TRACE-1',
    })
    expect(answer.txnConfirmationNumber).toMatch(/^\d{12}$/)
    const ledger = await client.ledger(FINE)
    expect(ledger.balances).toEqual({ cash: 4_370, dream: 12_300 })
    expect(ledger.entries.at(-1)).toMatchObject({
      operation: 'REDEEM',
      reference: 'TRACE-1',
      idempotencyKey: 'key-1',
      cash: -380,
      dream: 0,
    })
  })
  it('redeems for a collector whose balances are private, with code 0001', async () => {
    const received = await client.redeem({ collectorNumber: '80000000022' }, { key: 'k' })
    expect(outcomeOf(received)).toEqual(row('0001'))
    expect(asCash(received)).toMatchObject({ unitsRedeemed: '4' })
  })
  it('takes the miles per unit of a special redemption offer', async () => {
    const received = await client.redeem({ collectorNumber: '80000000077' }, { key: 'k' })
    expect(outcomeOf(received)).toEqual(row('0000'))
    expect(asCash(received)).toMatchObject({ milesRedeemed: '304', unitsRedeemed: '4' })
  })
  it.each([
    ['KEYED entry', { cardEntryMode: 'KEYED' }, '0009'],
    ['a closed account', { collectorNumber: '80000000088' }, '0002'],
    ['an unknown number', { collectorNumber: '80000000099' }, '0025'],
    ['an account with code 0005', { collectorNumber: '80000000033' }, '0005'],
    ['an account with code 0006', { collectorNumber: '80000000044' }, '0006'],
    ['too few miles', { collectorNumber: '80000000055' }, '0051'],
    ['more than the daily limit allows', { collectorNumber: '80000000066' }, '0065'],
    ['a used-up daily limit', { collectorNumber: '80000000134', dollarRedeemRequest: '10.00' }, '0065'],
    ['more than the purchase amount', { dollarRedeemRequest: '50.00' }, '0066'],
    ['an unavailable offer', { collectorNumber: '80000000112' }, '0067'],
    ['an amount that is not a whole unit', { dollarRedeemRequest: '15.00' }, '0035'],
    ['an amount of zero', { dollarRedeemRequest: '0.00' }, '0035'],
    ['a request without an amount', { dollarRedeemRequest: undefined }, '0035'],
  ] as const)('declines %s and moves no miles', async (_case, fields, code) => {
    const number = 'collectorNumber' in fields ? fields.collectorNumber : FINE
    const before = (await client.ledger(number)).balances
    const received = await client.redeem(fields, { key: 'k' })
    expect(outcomeOf(received)).toEqual(row(code))
    expect(asCash(received).txnConfirmationNumber).toBeUndefined()
    expect((await client.ledger(number)).balances).toEqual(before)
  })
  it('declines a redemption beyond the daily limit of $750, and allows redemptions again the next day', async () => {
    expect(
      outcomeOf(await client.redeem({ dollarRedeemRequest: '500.00', postTaxBasketAmount: '900.00' }, { key: 'a' })),
    ).toEqual(row('0000'))
    expect(
      outcomeOf(await client.redeem({ collectorNumber: '80000000066', dollarRedeemRequest: '20.00' }, { key: 'b' })),
    ).toEqual(row('0000'))
    expect(
      outcomeOf(await client.redeem({ collectorNumber: '80000000066', dollarRedeemRequest: '10.00' }, { key: 'c' })),
    ).toEqual(row('0065'))
    expect(asCash(await client.inquire({ collectorNumber: '80000000066' })).availableOfferUnits).toBeUndefined()
    await client.control('POST', '/clock', { offsetMs: 86_400_000 })
    expect(
      outcomeOf(await client.redeem({ collectorNumber: '80000000066', dollarRedeemRequest: '10.00' }, { key: 'd' })),
    ).toEqual(row('0000'))
  })
  it('counts the daily limit from midnight at the store, not in another time zone', async () => {
    const near = { collectorNumber: '80000000066', dollarRedeemRequest: '20.00', storeId: 'B201' }
    const midnight = startOfDay(Date.now() + 3 * DAY, 'America/Vancouver')
    const toMoment = (moment: number) => client.control('POST', '/clock', { offsetMs: moment - Date.now() })
    await toMoment(midnight - 30 * 60_000)
    expect(outcomeOf(await client.redeem(near, { key: 'a' }))).toEqual(row('0000'))
    await toMoment(midnight - 60_000)
    expect(outcomeOf(await client.redeem(near, { key: 'b' }))).toEqual(row('0065'))
    expect(outcomeOf(await client.redeem({ ...near, sponsorCode: 'RIVR' }, { key: 'c' }))).toEqual(row('0065'))
    await toMoment(midnight)
    expect(outcomeOf(await client.redeem(near, { key: 'd' }))).toEqual(row('0000'))
    expect(outcomeOf(await client.redeem({ ...near, dollarRedeemRequest: '10.00' }, { key: 'e' }))).toEqual(row('0065'))
  })
  it('counts the units of a redemption offer over 24 hours, across midnight', async () => {
    const special = { collectorNumber: '80000000077', postTaxBasketAmount: '500.00', dollarRedeemRequest: '200.00' }
    const evening = startOfDay(Date.now() + 3 * DAY, 'America/Toronto') - 3_600_000
    const toMoment = (moment: number) => client.control('POST', '/clock', { offsetMs: moment - Date.now() })
    await toMoment(evening)
    expect(outcomeOf(await client.redeem(special, { key: 'a' }))).toEqual(row('0000'))
    await toMoment(evening + DAY - 60_000)
    expect(outcomeOf(await client.redeem({ ...special, dollarRedeemRequest: '10.00' }, { key: 'b' }))).toEqual(
      row('0065'),
    )
    await toMoment(evening + DAY + 60_000)
    expect(outcomeOf(await client.redeem(special, { key: 'c' }))).toEqual(row('0000'))
  })
  it('limits a special redemption offer to its own units per day', async () => {
    const big = { collectorNumber: '80000000077', postTaxBasketAmount: '500.00' }
    expect(outcomeOf(await client.redeem({ ...big, dollarRedeemRequest: '210.00' }, { key: 'a' }))).toEqual(row('0065'))
    expect(outcomeOf(await client.redeem({ ...big, dollarRedeemRequest: '200.00' }, { key: 'b' }))).toEqual(row('0000'))
    expect(outcomeOf(await client.redeem({ ...big, dollarRedeemRequest: '10.00' }, { key: 'c' }))).toEqual(row('0065'))
  })
})

describe('REVERSE', () => {
  const redeemed = async (): Promise<string> =>
    String(asCash(await client.redeem({}, { key: 'redeem' })).txnConfirmationNumber)

  it('returns the miles of a redemption once', async () => {
    const txnConfirmationNumber = await redeemed()
    const received = await client.reverse({ txnConfirmationNumber }, { key: 'r1' })
    expect(outcomeOf(received)).toEqual(row('0000'))
    expect(asCash(received)).toMatchObject({ milesRedeemed: '380', unitsRedeemed: '4', cashBalance: '4750' })
    expect(outcomeOf(await client.reverse({ txnConfirmationNumber }, { key: 'r2' }))).toEqual(row('0057'))
    const { balances, entries } = await client.ledger(FINE)
    expect(balances.cash).toBe(4_750)
    expect(entries.map((entry) => entry.operation)).toEqual(['OPENING', 'REDEEM', 'REVERSE'])
    expect(entries[2]?.undoes).toBe(entries[1]?.operationId)
  })
  it('refuses a confirmation number that is missing, unknown, of another collector, or of another amount', async () => {
    const txnConfirmationNumber = await redeemed()
    expect(outcomeOf(await client.reverse({ txnConfirmationNumber: '123456789012' }, { key: 'r1' }))).toEqual(
      row('0057'),
    )
    expect(
      outcomeOf(await client.reverse({ txnConfirmationNumber, collectorNumber: '80000000077' }, { key: 'r2' })),
    ).toEqual(row('0057'))
    expect(
      outcomeOf(await client.reverse({ txnConfirmationNumber, dollarRedeemRequest: '10.00' }, { key: 'r3' })),
    ).toEqual(row('0035'))
    expect(outcomeOf(await client.reverse({}, { key: 'r4' }))).toEqual(row('0035'))
  })
  it('is refused after 03:00 of the next local day', async () => {
    const txnConfirmationNumber = await redeemed()
    await client.control('POST', '/clock', { offsetMs: 2 * 86_400_000 })
    expect(outcomeOf(await client.reverse({ txnConfirmationNumber }, { key: 'late' }))).toEqual(row('0080'))
    await client.control('POST', '/clock', { offsetMs: 0 })
    expect(outcomeOf(await client.reverse({ txnConfirmationNumber }, { key: 'in-time' }))).toEqual(row('0000'))
  })
  it('lets the collector redeem the returned amount again on the same day, within the daily limit', async () => {
    const near = { collectorNumber: '80000000066', dollarRedeemRequest: '20.00' }
    const first = asCash(await client.redeem(near, { key: 'a' }))
    expect(outcomeOf(await client.redeem(near, { key: 'b' }))).toEqual(row('0065'))
    expect(
      outcomeOf(await client.reverse({ ...near, txnConfirmationNumber: first.txnConfirmationNumber }, { key: 'c' })),
    ).toEqual(row('0000'))
    expect(outcomeOf(await client.redeem(near, { key: 'd' }))).toEqual(row('0000'))
  })
})

it('the redemptions of a day are found by an index on collector and time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-central-'))
  const db = openDatabase(folder)
  const plan = db
    .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${REDEEMED_BY}`)
    .all({ collectorNumber: '8', offerId: 'R', midnight: 1, dayAgo: 1, now: 2 })
  expect(plan.map(({ detail }) => detail)).toEqual([
    expect.stringContaining('redemption_by_moment (collector_number=? AND transacted_at>? AND transacted_at<?)'),
  ])
  db.close()
  rmSync(folder, { recursive: true, force: true })
})
