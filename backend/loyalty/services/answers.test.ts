import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NoRedemptionReason, Redemption } from '../../../contracts/sales/sales.ts'
import {
  CASH_RESPONSE_CODES,
  CashResponse,
  CashResponseCode,
  RedeemRequest,
  ReverseRequest,
} from '../../../contracts/central/cash.ts'
import { jsonOf } from '../../core/central/wire.ts'
import { meaningOfEcho, meaningOfInquire, meaningOfRedeem, meaningOfReverse } from './answers.ts'
import { CODE_MEANINGS, hidesBalances } from '../../core/central/response-codes.ts'

const request = RedeemRequest.parse({
  acquirerId: 'NORTHSTAR',
  cardEntryMode: 'SWIPE',
  collectorNumber: '80000000011',
  dateTime: '2026-11-20T21:54:07.000-05:00',
  deviceId: 'N101-01',
  dollarRedeemRequest: '40.00',
  postTaxBasketAmount: '43.35',
  sponsorCode: 'NRTH',
  storeId: 'TRAIN-001',
  traceId: 'ab12-trace',
  vendorId: 'NORTHSTAR',
})
const approval = {
  responseCode: '0000',
  message: 'Approved',
  transDateTime: '2026-11-20T21:54:08-05:00',
  unitsRedeemed: '4',
  unitValueDollars: '10.00',
  unitValueLoyaltyCash: '95',
  milesRedeemed: '380',
  txnConfirmationNumber: '7F3K20881',
  traceId: 'ab12-trace',
  collectorNumber: '80000000011',
  deviceId: 'N101-01',
  storeId: 'TRAIN-001',
  sponsorCode: 'NRTH',
}
const asked = { units: 4, miles: 380 }
const redeemed = (fields: Record<string, unknown> = {}) =>
  meaningOfRedeem(CashResponse.parse({ ...approval, ...fields }), request, asked)
const coded = (responseCode: string) => CashResponse.parse({ responseCode })

/**
 * Meaning of each response code for the calls echo | inquire (reason for no redemption) | redeem (outcome; ? means not
 * definitive) | reverse.
 */
const TABLE: Record<
  CashResponseCode,
  readonly [echo: string, inquire: string | null, redeem: string, reverse: string]
> = {
  '0000': ['approved', null, 'approved', 'reversed'],
  '0001': ['approved', null, 'approved', 'reversed'],
  '0002': ['refused', 'account-inactive', 'account-inactive', 'refused'],
  '0005': ['refused', 'suppressed', 'refused', 'refused'],
  '0006': ['refused', 'not-allowed', 'refused', 'refused'],
  '0008': ['timeout', 'central-unreachable', 'UNKNOWN', 'unknown'],
  '0009': ['refused', 'keyed', 'card-not-present', 'refused'],
  '0025': ['refused', 'collector-invalid', 'collector-invalid', 'refused'],
  '0035': ['refused', 'central-refused', 'refused', 'refused'],
  '0051': ['refused', 'insufficient-miles', 'insufficient-miles', 'refused'],
  '0057': ['refused', 'central-refused', 'refused?', 'refused'],
  '0065': ['refused', 'daily-limit', 'daily-limit', 'refused'],
  '0066': ['refused', 'basket-too-small', 'basket-too-small', 'refused'],
  '0067': ['refused', 'temporarily-unavailable', 'temporarily-unavailable?', 'later'],
  '0080': ['refused', 'central-refused', 'refused?', 'expired'],
  '0092': ['outage', 'central-outage', 'outage?', 'later'],
  '0096': ['server-error', 'temporarily-unavailable', 'UNKNOWN', 'unknown'],
}

describe.each(Object.entries(TABLE))('response code %s', (code, [echo, inquire, redeem, reverse]) => {
  it(`means ${echo} in an answer to ECHO`, () => {
    expect(meaningOfEcho(coded(code))).toEqual({ outcome: echo, responseCode: code })
  })
  it(`means ${inquire ?? 'may redeem'} in an answer to INQUIRE`, () => {
    expect(meaningOfInquire(coded(code))).toMatchObject({ noRedemption: inquire, responseCode: code })
  })
  it(`means ${redeem.replace('?', ' (not definitive)')} in an answer to REDEEM`, () => {
    const expected: Record<string, object> = {
      UNKNOWN: { kind: 'unknown', outcome: 'not-applied', doubt: 'said-unknown' },
      approved: { kind: 'approved', outcome: 'approved', suppressed: code === '0001', amountCents: 4000 },
    }
    expect(redeemed({ responseCode: code })).toMatchObject({
      responseCode: code,
      ...(expected[redeem] ?? {
        kind: 'declined',
        outcome: redeem.replace('?', ''),
        definitive: !redeem.endsWith('?'),
      }),
    })
  })
  it(`means ${reverse} in an answer to REVERSE`, () => {
    expect(meaningOfReverse(coded(code))).toMatchObject({ kind: reverse, responseCode: code })
  })
})

describe('the table of response codes', () => {
  it('contains every code of the specification for every call, with values of the contracts', () => {
    expect(Object.keys(CODE_MEANINGS).toSorted()).toEqual(Object.keys(CASH_RESPONSE_CODES).toSorted())
    for (const calls of Object.values(CODE_MEANINGS)) {
      expect(Object.keys(calls).toSorted()).toEqual(['echo', 'inquire', 'redeem', 'reverse'])
      for (const { outcome, noRedemption } of Object.values(calls)) {
        expect(Redemption.shape.outcome.safeParse(outcome).success).toBe(true)
        expect(NoRedemptionReason.nullable().safeParse(noRedemption).success).toBe(true)
      }
    }
  })
  it('hides balances only for the codes 0001 and 0005 and for unknown codes', () => {
    expect(CashResponseCode.options.filter(hidesBalances)).toEqual(['0001', '0005'])
    expect(hidesBalances('7777')).toBe(true)
    expect(hidesBalances(' 0001 ')).toBe(true)
  })
})

describe('an approval of REDEEM', () => {
  it('contains the amounts to apply, and what the receipt and a reversal need', () => {
    expect(redeemed()).toMatchObject({
      kind: 'approved',
      suppressed: false,
      units: 4,
      unitCents: 1000,
      amountCents: 4000,
      miles: 380,
      confirmationNumber: '7F3K20881',
      transDateTime: '2026-11-20T21:54:08-05:00',
    })
  })
  it('may be for fewer units than requested, and has the amount of these units', () => {
    expect(redeemed({ unitsRedeemed: '2', milesRedeemed: '190' })).toMatchObject({
      kind: 'approved',
      amountCents: 2000,
      miles: 190,
    })
  })
  it('has miles calculated from the units if the answer lacks miles', () => {
    expect(redeemed({ milesRedeemed: undefined, unitValueLoyaltyCash: '70' })).toMatchObject({ miles: 280 })
    expect(redeemed({ milesRedeemed: undefined, unitValueLoyaltyCash: undefined })).toMatchObject({ miles: 380 })
    const cheaper = meaningOfRedeem(
      CashResponse.parse({ ...approval, milesRedeemed: null, unitValueLoyaltyCash: null }),
      request,
      { units: 4, miles: 304 },
    )
    expect(cheaper, 'at the price of a special offer that was asked for').toMatchObject({ miles: 304 })
  })
  it.each([undefined, '', 'yesterday', '20261120215408'])(
    'has the date-time of the request if its own date-time is unreadable: %j',
    (transDateTime) => {
      expect(redeemed({ transDateTime })).toMatchObject({ transDateTime: request.dateTime })
      expect(redeemed({ transDateTime, unitsRedeemed: '9' })).toMatchObject({
        mismatched: { transDateTime: request.dateTime },
      })
    },
  )
  it('has units calculated from the miles if the answer has only miles', () => {
    expect(redeemed({ unitsRedeemed: undefined, milesRedeemed: '285' })).toMatchObject({
      kind: 'approved',
      units: 3,
      amountCents: 3000,
      miles: 285,
    })
    expect(redeemed({ unitsRedeemed: undefined, milesRedeemed: '300' })).toMatchObject({
      kind: 'unknown',
      doubt: 'not-our-amount',
      mismatched: { ours: true },
    })
    expect(redeemed({ unitsRedeemed: undefined, milesRedeemed: '475' }), 'more than was asked').toMatchObject({
      kind: 'unknown',
      doubt: 'not-our-amount',
    })
  })
  it('is accepted with an echo in another case, with blanks or without an echo', () => {
    expect(redeemed({ traceId: 'AB12-TRACE', sponsorCode: 'nrth ', deviceId: '', storeId: undefined }).kind).toBe(
      'approved',
    )
  })
  it('is accepted with numbers in place of texts', () => {
    expect(redeemed({ unitsRedeemed: 4, unitValueDollars: 10, milesRedeemed: 380 })).toMatchObject({
      kind: 'approved',
      amountCents: 4000,
    })
  })
  it.each([
    ['traceId', 'another-trace'],
    ['collectorNumber', '80000000022'],
    ['deviceId', 'N101-02'],
    ['storeId', 'TRAIN-002'],
    ['sponsorCode', 'SOUTH'],
  ])(
    'has an unknown outcome if its %s is of another request: its confirmation number may be of that one too',
    (field, value) => {
      expect(redeemed({ [field]: value })).toMatchObject({
        kind: 'unknown',
        doubt: 'not-our-echo',
        responseCode: '0000',
        mismatched: { confirmationNumber: '7F3K20881', ours: false },
      })
      expect(redeemed({ [field]: value, responseCode: '0051' }), 'a refusal gives nothing back').toMatchObject({
        kind: 'unknown',
        mismatched: null,
      })
    },
  )
  it.each([
    ['more units than requested', { unitsRedeemed: '5' }],
    ['no units', { unitsRedeemed: '0' }],
    ['units that are no number', { unitsRedeemed: 'four' }],
    ['negative units', { unitsRedeemed: '-4' }],
    ['half a unit', { unitsRedeemed: '3.5' }],
    ['a unit worth nothing', { unitValueDollars: '0.00' }],
    ['a unit that is no whole number of cents', { unitValueDollars: '9.999' }],
    ['a unit of negative worth', { unitValueDollars: '-10.00' }],
    ['a unit in another currency', { unitValueDollars: '10.00 USD' }],
    ['another requested amount', { dollarRedeemRequest: '50.00' }],
  ])(
    'is of unknown outcome with amounts that do not fit the request (%s), and keeps its confirmation number',
    (_, fields) => {
      expect(redeemed(fields)).toMatchObject({
        kind: 'unknown',
        doubt: 'not-our-amount',
        mismatched: { confirmationNumber: '7F3K20881', transDateTime: '2026-11-20T21:54:08-05:00', ours: true },
      })
    },
  )
  it('is of unknown outcome without a confirmation number, and cannot be reversed', () => {
    expect(redeemed({ txnConfirmationNumber: ' ' })).toMatchObject({
      kind: 'unknown',
      doubt: 'not-our-amount',
      mismatched: null,
    })
    expect(redeemed({ txnConfirmationNumber: null, traceId: 'another-trace' })).toMatchObject({
      kind: 'unknown',
      doubt: 'not-our-echo',
      mismatched: null,
    })
  })
  it.each([
    ['the unit value left out', { unitValueDollars: undefined }],
    ['the unit value empty', { unitValueDollars: '' }],
    ['the unit value null', { unitValueDollars: null }],
    ['units left out', { unitsRedeemed: undefined }],
    ['units null', { unitsRedeemed: null }],
    [
      'no units and no unit value',
      { unitsRedeemed: null, unitValueDollars: null, unitValueLoyaltyCash: null, milesRedeemed: null },
    ],
    [
      'every other field null',
      {
        message: null,
        transDateTime: null,
        dollarRedeemRequest: null,
        cashBalance: null,
        availableOfferUnits: null,
        offerDescEn: null,
      },
    ],
  ])('is applied with the requested amount if the answer omits fields: %s', (_, fields) => {
    expect(redeemed(fields)).toMatchObject({ kind: 'approved', units: 4, amountCents: 4000, miles: 380 })
  })
  it.each([
    ['40.000', '10.000'],
    ['$40.00', '$10.00'],
    ['40.00 CAD', '10.00 CAD'],
    ['CAD 40.00', '10 CAD'],
    ['$40', '$ 10.00'],
    [40, 10],
  ])(
    'has the same amounts if amount and unit value are written as %j and %j',
    (dollarRedeemRequest, unitValueDollars) => {
      expect(redeemed({ dollarRedeemRequest, unitValueDollars })).toMatchObject({
        kind: 'approved',
        unitCents: 1000,
        amountCents: 4000,
      })
    },
  )
  it('is never applied for more than requested or for fractions of a cent, with any fields', () => {
    const figure = fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: -1, max: 9 }).map(String) },
      { weight: 4, arbitrary: fc.constantFrom('10.00', '10', '0.01', '13.33', '999999999', '999999999999') },
      fc.double().map(String),
      fc.string(),
    )
    fc.assert(
      fc.property(figure, figure, figure, (unitsRedeemed, unitValueDollars, milesRedeemed) => {
        const meaning = redeemed({ unitsRedeemed, unitValueDollars, milesRedeemed })
        expect(['approved', 'unknown']).toContain(meaning.kind)
        fc.pre(meaning.kind === 'approved')
        expect(Number.isSafeInteger(meaning.amountCents)).toBe(true)
        expect(meaning.amountCents).toBeGreaterThan(0)
        expect(meaning.amountCents).toBeLessThanOrEqual(4000)
        expect(meaning.amountCents).toBe(meaning.units * meaning.unitCents)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('invalid answers of the cash service', () => {
  it('give REDEEM and REVERSE an unknown outcome, ECHO the outcome malformed, and INQUIRE no redemption', () => {
    expect(meaningOfRedeem(undefined, request, asked)).toEqual({
      kind: 'unknown',
      responseCode: null,
      outcome: 'not-applied',
      doubt: 'not-an-answer',
      mismatched: null,
    })
    expect(meaningOfReverse(undefined)).toEqual({ kind: 'unknown', responseCode: null, doubt: 'not-an-answer' })
    expect(meaningOfEcho(undefined)).toEqual({ outcome: 'malformed', responseCode: null })
    expect(meaningOfInquire(undefined)).toMatchObject({ kind: 'unknown', noRedemption: 'central-refused' })
  })
  it.each(['7777', '', '00', 'constructor', '__proto__', 'toString'])(
    'are of unknown outcome with the unlisted response code %j',
    (code) => {
      expect(meaningOfRedeem(coded(code), request, asked)).toMatchObject({ kind: 'unknown', doubt: 'code-unknown' })
      expect(meaningOfReverse(coded(code))).toMatchObject({ kind: 'unknown' })
      expect(meaningOfEcho(coded(code))).toMatchObject({ outcome: 'malformed' })
      expect(meaningOfInquire(coded(code))).toMatchObject({ kind: 'unknown' })
    },
  )
  it('have their response code shortened to eight characters', () => {
    expect(meaningOfRedeem(coded('9'.repeat(500)), request, asked).responseCode).toHaveLength(8)
  })
  it('are of unknown outcome if they echo another request, which may concern another customer', () => {
    expect(redeemed({ responseCode: '0051', traceId: 'another-trace' })).toMatchObject({
      kind: 'unknown',
      doubt: 'not-our-echo',
    })
    const reversal = ReverseRequest.parse({ ...request, txnConfirmationNumber: '7F3K20881' })
    expect(
      meaningOfReverse(CashResponse.parse({ responseCode: '0000', traceId: 'another-trace' }), reversal),
    ).toMatchObject({ kind: 'unknown', doubt: 'not-our-echo' })
    expect(
      meaningOfInquire(CashResponse.parse({ responseCode: '0000', collectorNumber: '80000000022' }), request),
    ).toMatchObject({ kind: 'unknown', noRedemption: 'central-refused' })
  })
})

describe('arbitrary answers of the cash service', () => {
  const FIELDS = Object.keys(approval)
  const codes = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('0000', '0001') },
    { weight: 2, arbitrary: fc.constantFrom(...CashResponseCode.options) },
    { weight: 1, arbitrary: fc.oneof(fc.string(), fc.constantFrom('0', '1', ' 0000 ', '00000', 'constructor')) },
  )
  const value = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        '4',
        '2',
        '5',
        '0',
        '-4',
        '10.00',
        '40.00',
        '9.99',
        '380',
        'AB12-trace',
        'other',
        '',
        ' ',
        '80000000022',
      ),
    },
    { weight: 1, arbitrary: fc.oneof(fc.string(), fc.double(), fc.jsonValue()) },
  )
  const spoiled = fc
    .tuple(
      codes,
      fc.dictionary(fc.constantFrom(...FIELDS, 'dollarRedeemRequest', 'errors'), value, { maxKeys: 3 }),
      fc.subarray(FIELDS, { maxLength: 2 }),
    )
    .map(([responseCode, changes, left]) =>
      Object.fromEntries(
        Object.entries({ ...approval, ...changes, responseCode }).filter(([field]) => !left.includes(field)),
      ),
    )
  const bytes = fc.oneof(
    { weight: 8, arbitrary: spoiled.map((body) => Buffer.from(JSON.stringify(body))) },
    { weight: 1, arbitrary: fc.jsonValue().map((body) => Buffer.from(JSON.stringify(body))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw)) },
  )
  const sent: Record<string, string | undefined> = { ...request }
  const textOf = (body: Record<string, unknown>, field: string): string => {
    const value = body[field]
    return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  }
  const fits = (body: Record<string, unknown>): boolean =>
    ['traceId', 'collectorNumber', 'deviceId', 'storeId', 'sponsorCode'].every((field) => {
      const echoed = textOf(body, field).toLowerCase()
      return echoed === '' || echoed === sent[field]?.toLowerCase()
    })
  const isApprovalCode = (body: Record<string, unknown>): boolean =>
    ['0000', '0001'].includes(textOf(body, 'responseCode'))

  it('never throw, and approve only with code 0000 or 0001, a matching echo and at most the amount', () => {
    let approvals = 0
    fc.assert(
      fc.property(bytes, (raw) => {
        const parsed = CashResponse.safeParse(jsonOf(raw)).data
        const meaning = meaningOfRedeem(parsed, request, asked)
        meaningOfInquire(parsed, request)
        meaningOfEcho(parsed, request)
        if (meaning.kind !== 'approved') return
        approvals += 1
        const body = JSON.parse(raw.toString()) as Record<string, unknown>
        expect(isApprovalCode(body)).toBe(true)
        expect(fits(body)).toBe(true)
        const worth =
          Number(textOf(body, 'unitsRedeemed') || '4') *
          Math.round(Number(textOf(body, 'unitValueDollars') || '10.00') * 100)
        expect(meaning.amountCents).toBe(worth)
        expect(worth).toBeGreaterThan(0)
        expect(worth).toBeLessThanOrEqual(4_000)
        expect(textOf(body, 'txnConfirmationNumber')).not.toBe('')
        expect(meaning.confirmationNumber).toBe(textOf(body, 'txnConfirmationNumber'))
      }),
      { numRuns: 5_000 },
    )
    // Many of the generated answers must be approvals, or the test would prove nothing.
    expect(approvals).toBeGreaterThan(200)
  })

  it('to REVERSE never throw, and give miles back only with code 0000 or 0001 and the echo of the request', () => {
    const reversal = ReverseRequest.parse({ ...request, txnConfirmationNumber: '7F3K20881' })
    let reversals = 0
    fc.assert(
      fc.property(bytes, (raw) => {
        const meaning = meaningOfReverse(CashResponse.safeParse(jsonOf(raw)).data, reversal)
        if (meaning.kind !== 'reversed') return
        reversals += 1
        const body = JSON.parse(raw.toString()) as Record<string, unknown>
        expect(isApprovalCode(body) && fits(body)).toBe(true)
      }),
      { numRuns: 5_000 },
    )
    expect(reversals).toBeGreaterThan(200)
  })
})
