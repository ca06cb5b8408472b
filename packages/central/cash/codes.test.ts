import { afterEach, beforeEach, expect, it } from 'vitest'
import { CASH_RESPONSE_CODES } from '../../../contracts/central/cash.ts'
import { FRENCH_MESSAGES } from './rules.ts'
import { asCash, openRehearsal, type Received, type Rehearsal, row, outcomeOf } from '../rehearsal.fixture.ts'

let lane: Rehearsal
beforeEach(async () => {
  lane = await openRehearsal()
})
afterEach(() => lane.close())

const REACHED: Record<keyof typeof CASH_RESPONSE_CODES, () => Promise<Received>> = {
  '0000': () => lane.redeem(),
  '0001': () => lane.redeem({ collectorNumber: '80000000022' }),
  '0002': () => lane.inquire({ collectorNumber: '80000000088' }),
  '0005': () => lane.inquire({ collectorNumber: '80000000033' }),
  '0006': () => lane.inquire({ collectorNumber: '80000000044' }),
  '0008': () => lane.redeem({ collectorNumber: '80000000156' }),
  '0009': () => lane.redeem({ cardEntryMode: 'KEYED' }),
  '0025': () => lane.inquire({ collectorNumber: '80000000099' }),
  '0035': () => lane.inquire({ traceId: undefined }),
  '0051': () => lane.inquire({ collectorNumber: '80000000055' }),
  '0057': () => lane.reverse({ txnConfirmationNumber: '999999999999' }),
  '0065': () => lane.redeem({ collectorNumber: '80000000134', dollarRedeemRequest: '10.00' }),
  '0066': () => lane.redeem({ postTaxBasketAmount: '39.99' }),
  '0067': () => lane.redeem({ collectorNumber: '80000000112' }),
  '0080': () =>
    lane.reverse({
      collectorNumber: '80000000178',
      txnConfirmationNumber: '100000000001',
      dollarRedeemRequest: '10.00',
    }),
  '0092': () => lane.redeem({ sponsorCode: 'DOWN' }),
  '0096': () => lane.redeem({ collectorNumber: '80000000167' }),
}

it.each(Object.keys(CASH_RESPONSE_CODES) as (keyof typeof CASH_RESPONSE_CODES)[])(
  'the cash service can return code %s with seed data alone',
  async (code) => {
    expect(outcomeOf(await REACHED[code]())).toEqual(row(code))
  },
)
it.each([
  ['SLOW', '0008'],
  ['DOWN', '0092'],
  ['FAIL', '0096'],
] as const)(
  'ECHO and REDEEM of the test sponsor %s return code %s, also a repeated REDEEM',
  async (sponsorCode, code) => {
    expect(outcomeOf(await lane.echo({ sponsorCode }))).toEqual(row(code))
    expect(outcomeOf(await lane.redeem({ sponsorCode }, { key: 'k' }))).toEqual(row(code))
    expect(outcomeOf(await lane.redeem({ sponsorCode }, { key: 'k' }))).toEqual(row(code))
  },
)
it('the cash service returns its message in the language of instantMessage', async () => {
  const message = async (instantMessage?: string): Promise<unknown> =>
    (await lane.inquire({ instantMessage })).body.message
  expect(await Promise.all(['fr-CA', 'FR', 'en-CA', 'de-DE', undefined].map(message))).toEqual([
    'Approuvé',
    'Approuvé',
    'Approved',
    'Approved',
    'Approved',
  ])
  expect((await lane.redeem({ instantMessage: 'fr-CA', cardEntryMode: 'KEYED' })).body.message).toBe(
    'Carte ni glissée ni lue',
  )
  expect(Object.keys(FRENCH_MESSAGES)).toEqual(Object.keys(CASH_RESPONSE_CODES))
})
it.each(['inquire', 'redeem', 'reverse'] as const)(
  'a malformed request to %s is refused with its readable fields and the time (specification 3 §2.4)',
  async (call) => {
    const received = await lane[call]({
      storeId: undefined,
      instantMessage: 'fr-CA',
      postTaxBasketAmount: 5,
      collectorNumber: 'x',
    })
    expect(received.body).toMatchObject({
      responseCode: '0035',
      message: 'Paramètre de requête non valide',
      sponsorCode: 'NRTH',
      collectorNumber: 'x',
      instantMessage: 'fr-CA',
      postTaxBasketAmount: 5,
    })
    expect(String(received.body.transDateTime)).toMatch(/^\d{4}-\d\d-\d\dT/)
  },
)
it('a redemption answered by the switch in front of the cash service, not by the service, moves no miles', async () => {
  await lane.redeem({ collectorNumber: '80000000156' }, { key: 'k' })
  expect((await lane.ledger('80000000156')).entries.map((entry) => entry.operation)).toEqual(['OPENING'])
  expect(asCash(await lane.redeem({}, { key: 'other' })).responseCode).toBe('0000')
})
