import { afterEach, beforeEach, expect, it } from 'vitest'
import { CASH_RESPONSE_CODES } from '../../../contracts/central/cash.ts'
import { FRENCH_MESSAGES } from './rules.ts'
import { asCash, openRehearsal, type Received, type Rehearsal, row, outcomeOf } from '../rehearsal.fixture.ts'

let client: Rehearsal
beforeEach(async () => {
  client = await openRehearsal()
})
afterEach(() => client.close())

const REACHED: Record<keyof typeof CASH_RESPONSE_CODES, () => Promise<Received>> = {
  '0000': () => client.redeem(),
  '0001': () => client.redeem({ collectorNumber: '80000000022' }),
  '0002': () => client.inquire({ collectorNumber: '80000000088' }),
  '0005': () => client.inquire({ collectorNumber: '80000000033' }),
  '0006': () => client.inquire({ collectorNumber: '80000000044' }),
  '0008': () => client.redeem({ collectorNumber: '80000000156' }),
  '0009': () => client.redeem({ cardEntryMode: 'KEYED' }),
  '0025': () => client.inquire({ collectorNumber: '80000000099' }),
  '0035': () => client.inquire({ traceId: undefined }),
  '0051': () => client.inquire({ collectorNumber: '80000000055' }),
  '0057': () => client.reverse({ txnConfirmationNumber: '999999999999' }),
  '0065': () => client.redeem({ collectorNumber: '80000000134', dollarRedeemRequest: '10.00' }),
  '0066': () => client.redeem({ postTaxBasketAmount: '39.99' }),
  '0067': () => client.redeem({ collectorNumber: '80000000112' }),
  '0080': () =>
    client.reverse({
      collectorNumber: '80000000178',
      txnConfirmationNumber: '100000000001',
      dollarRedeemRequest: '10.00',
    }),
  '0092': () => client.redeem({ sponsorCode: 'DOWN' }),
  '0096': () => client.redeem({ collectorNumber: '80000000167' }),
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
    expect(outcomeOf(await client.echo({ sponsorCode }))).toEqual(row(code))
    expect(outcomeOf(await client.redeem({ sponsorCode }, { key: 'k' }))).toEqual(row(code))
    expect(outcomeOf(await client.redeem({ sponsorCode }, { key: 'k' }))).toEqual(row(code))
  },
)
it('the cash service returns its message in the language of instantMessage', async () => {
  const message = async (instantMessage?: string): Promise<unknown> =>
    (await client.inquire({ instantMessage })).body.message
  expect(await Promise.all(['fr-CA', 'FR', 'en-CA', 'de-DE', undefined].map(message))).toEqual([
    'Approuvé',
    'Approuvé',
    'Approved',
    'Approved',
    'Approved',
  ])
  expect((await client.redeem({ instantMessage: 'fr-CA', cardEntryMode: 'KEYED' })).body.message).toBe(
    'Carte ni glissée ni lue',
  )
  expect(Object.keys(FRENCH_MESSAGES)).toEqual(Object.keys(CASH_RESPONSE_CODES))
})
it.each(['inquire', 'redeem', 'reverse'] as const)(
  'a malformed request to %s is refused with its readable fields and the time (specification 3 §2.4)',
  async (call) => {
    const received = await client[call]({
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
  await client.redeem({ collectorNumber: '80000000156' }, { key: 'k' })
  expect((await client.ledger('80000000156')).entries.map((entry) => entry.operation)).toEqual(['OPENING'])
  expect(asCash(await client.redeem({}, { key: 'other' })).responseCode).toBe('0000')
})
