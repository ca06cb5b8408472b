import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ISSUANCE_ERROR_CODES } from '../../../contracts/central/issuance.ts'
import { meaningOfIssue } from './issue-answer.ts'

const entry = (milesAmount: number, more: object = {}) => ({
  issuanceOfferCode: 'BASE',
  milesAmount,
  offerId: 'BASE',
  status: 'CONFIRMED',
  ...more,
})
const sale = { checkoutTransactionId: 'N1010100000042K7QZ', collectorNumber: '80000000011' }
const answer = (more: object = {}) => ({
  transactionId: 'c2f0a9a0-0000-4000-8000-000000000001',
  ...sale,
  issuances: [entry(4), entry(20)],
  ...more,
})

describe('an answer of 200 to ISSUE', () => {
  it('confirms the sum of the miles of its entries', () => {
    expect(meaningOfIssue(200, answer(), { request: sale })).toMatchObject({
      kind: 'confirmed',
      miles: { earned: 24, pending: 0, rejected: 0 },
      transactionId: 'c2f0a9a0-0000-4000-8000-000000000001',
      entries: [{ milesAmount: 4 }, { milesAmount: 20 }],
    })
  })
  it('confirms a purchase that earned nothing', () => {
    expect(meaningOfIssue(200, answer({ issuances: undefined }), { request: sale })).toMatchObject({
      kind: 'confirmed',
      miles: { earned: 0, pending: 0, rejected: 0 },
      entries: [],
    })
  })
  it('reports the miles of a rejected entry apart from the others, with its status in any letter case', () => {
    const meaning = meaningOfIssue(
      200,
      answer({
        issuances: [
          entry(4),
          entry(20, { status: 'Rejected', errors: [{ errorCode: '204', errorReason: 'Offer Code Expired' }] }),
        ],
      }),
      { request: sale },
    )
    expect(meaning).toMatchObject({
      kind: 'rejected-entries',
      miles: { earned: 4, pending: 0, rejected: 20 },
      code: '204',
      message: 'Offer Code Expired',
      entries: [{ status: 'CONFIRMED' }, { status: 'REJECTED', errorCodes: ['204'] }],
    })
  })
  it('treats an entry with errors and without a status as rejected', () => {
    expect(
      meaningOfIssue(200, answer({ issuances: [entry(20, { status: undefined, errors: [{ errorCode: '203' }] })] })),
    ).toMatchObject({
      kind: 'rejected-entries',
      miles: { earned: 0, rejected: 20 },
      code: '203',
      message: 'Offer Code Not Found',
    })
  })
  it('counts an entry that is pending or has an unknown status as not earned', () => {
    const meaning = meaningOfIssue(
      200,
      answer({ issuances: [entry(4), entry(6, { status: 'Pending' }), entry(20, { status: 'HELD' })] }),
      { request: sale },
    )
    expect(meaning).toMatchObject({ kind: 'accepted', miles: { earned: 4, pending: 26, rejected: 0 } })
  })
  it.each([
    ['lacks offerId', { offerId: undefined }],
    ['lacks its offer code', { issuanceOfferCode: undefined }],
    ['has null fields', { offerId: null, offerDescription: null, errors: null, locationCode: null }],
    ['has fields of wrong types', { offerDescription: 7, contributingItemIds: 'COFFEE', processedDateTime: 12 }],
  ])('confirms the miles although an entry %s, because miles were issued', (_, more) => {
    expect(
      meaningOfIssue(
        200,
        answer({
          issuances: [entry(4, more), entry(20)],
          message: null,
          responseCode: null,
          clientTransactionId: null,
        }),
        { request: sale },
      ),
    ).toMatchObject({ kind: 'confirmed', miles: { earned: 24 } })
  })
  it('confirms the call although an entry lacks its miles, with an unknown sum of miles', () => {
    expect(
      meaningOfIssue(200, answer({ issuances: [entry(4), entry(0, { milesAmount: undefined })] }), { request: sale }),
    ).toMatchObject({ kind: 'confirmed', miles: { earned: null, pending: 0, rejected: 0 } })
  })
  it.each([
    [-7, -4],
    [7, 4],
    [-7, 4],
  ])(
    'counts miles as taken back, with or without minus signs, for a call that takes miles back: %i and %i',
    (one, other) => {
      expect(
        meaningOfIssue(200, answer({ issuances: [entry(one), entry(other)] }), { request: sale, takes: true }),
      ).toMatchObject({
        kind: 'confirmed',
        miles: { earned: -11 },
        entries: [{ milesAmount: -7 }, { milesAmount: -4 }],
      })
    },
  )
  it.each([
    ['another sale', { checkoutTransactionId: 'N1010100000043AAAA' }],
    ['another collector', { collectorNumber: '80000000022' }],
  ])('is treated as lost, and the call is sent again, if it echoes %s', (_, fields) => {
    expect(meaningOfIssue(200, answer(fields), { request: sale }).kind).toBe('retry')
  })
  it.each([
    ['no JSON', undefined],
    ['a page of a gateway', 'Please sign in'],
    ['null', null],
    ['a list', []],
    ['no field of the service', {}],
    ['miles that are no number', answer({ issuances: [entry(4.5)] })],
    ['miles beyond the safe integers', answer({ issuances: [entry(Number.MAX_SAFE_INTEGER), entry(20)] })],
  ])('is treated as lost, and the call is sent again under its key, if it has %s', (_, body) => {
    expect(meaningOfIssue(200, body, { request: sale }).kind).toBe('retry')
  })
})

describe('an answer of 202 to ISSUE', () => {
  it('is final: the call is accepted, and its miles are pending', () => {
    expect(
      meaningOfIssue(202, answer({ issuances: [entry(4, { status: 'PENDING' })] }), { request: sale }),
    ).toMatchObject({
      kind: 'accepted',
      miles: { earned: 0, pending: 4 },
      code: null,
      message: null,
    })
  })
  it('counts each entry by its own status', () => {
    const entries = [
      entry(4),
      entry(6, { status: undefined }),
      entry(20, { status: 'rejected', errors: [{ errorCode: '203' }] }),
    ]
    expect(
      meaningOfIssue(202, answer({ issuances: entries, errors: [{ errorCode: '230' }] }), { request: sale }),
    ).toMatchObject({
      kind: 'rejected-entries',
      miles: { earned: 4, pending: 6, rejected: 20 },
      code: '203',
      message: 'Offer Code Not Found',
    })
  })
  it('has the code and the reason of its errors', () => {
    expect(
      meaningOfIssue(
        202,
        answer({ issuances: undefined, errors: [{ errorCode: '230', errorReason: 'Location Code Not Found' }] }),
        { request: sale },
      ),
    ).toMatchObject({
      kind: 'accepted',
      miles: { earned: 0, pending: null },
      code: '230',
      message: 'Location Code Not Found',
    })
  })
  it('causes a retry if it is unreadable', () => {
    expect(meaningOfIssue(202, '<html>', { request: sale }).kind).toBe('retry')
  })
})

describe.each(Object.entries(ISSUANCE_ERROR_CODES))(
  'error code %s of the issuance service',
  (code, { status, message }) => {
    it(`makes the call ${status === 400 ? 'dead' : 'accepted'} under status ${status}, with its message`, () => {
      const kind = status === 400 ? 'dead' : 'accepted'
      expect(meaningOfIssue(status, { errors: [{ errorCode: code }] })).toMatchObject({ kind, code, message })
      expect(meaningOfIssue(status, { responseCode: code, message: 'In other words' })).toMatchObject({
        kind,
        code,
        message: 'In other words',
      })
      expect(
        meaningOfIssue(status, {
          issuances: [entry(4, { errors: [{ errorCode: code, errorReason: 'Of an entry' }] })],
        }),
      ).toMatchObject({ kind, code, message: 'Of an entry' })
    })
  },
)

describe('other answers of the issuance service', () => {
  it.each([
    ['an unreadable body', undefined, null, 'HTTP 400'],
    [
      'a message only',
      { message: 'Another transaction is being processed' },
      null,
      'Another transaction is being processed',
    ],
    ['a code that §7.1 does not know', { responseCode: '400', message: 'Bad request' }, '400', 'Bad request'],
    ['the code of an outage of the cash service', { responseCode: '0092', message: 'Outage' }, '0092', 'Outage'],
  ])('end the call if they are a 400 with %s', (_, body, code, message) => {
    expect(meaningOfIssue(400, body)).toEqual({ kind: 'dead', code, message })
  })
  it.each([
    ['its status', { status: 409 }, 409, undefined, 'parallel'],
    ['its code', { code: '299' }, 400, { errors: [{ errorCode: '299' }] }, 'parallel'],
    ['status and code', { status: 400, code: '299' }, 400, { responseCode: '299' }, 'parallel'],
    ['another code', { status: 400, code: '299' }, 400, { responseCode: '234' }, 'dead'],
    ['another status', { status: 409, code: '299' }, 400, { responseCode: '299' }, 'dead'],
    ['its code under 200', { code: '299' }, 200, { responseCode: '299', transactionId: 'T' }, 'confirmed'],
  ])('are compared with the configured parallel-transaction error by %s', (_, parallelError, status, body, kind) => {
    expect(meaningOfIssue(status, body, { parallelError }).kind).toBe(kind)
  })
  it('end the call by the code of a 400, even with an invalid body', () => {
    expect(meaningOfIssue(400, { errors: [{ errorCode: 234 }], issuances: 'none', transactionId: 7 })).toMatchObject({
      kind: 'dead',
      code: '234',
    })
  })
  it('cause another attempt if they are a 500', () => {
    expect(meaningOfIssue(500, { message: 'internal' })).toEqual({ kind: 'retry', code: null, message: 'internal' })
  })
  it.each([502, 503, 504, 429])(
    'count as an outage with status %i: the call waits, without counting an attempt',
    (status) => {
      expect(meaningOfIssue(status, undefined)).toEqual({ kind: 'outage' })
    },
  )
  it('count as an outage with the code 0092, under any status', () => {
    expect(meaningOfIssue(500, { responseCode: '0092' })).toEqual({ kind: 'outage' })
  })
  it('show the manager only the last four digits of a collector number, and no control character', () => {
    const meaning = meaningOfIssue(400, {
      errors: [{ errorCode: '234', errorReason: 'Collector 80000000011\u001b[2J not found' }],
    })
    expect(meaning).toMatchObject({ kind: 'dead', message: 'Collector •••• 0011 [2J not found' })
  })
  it('confirm the call only if they are a 200 that echoes its request, with any body', () => {
    let confirmed = 0
    const body = fc.oneof(
      fc.jsonValue(),
      fc
        .record({
          transactionId: fc.constantFrom('c2f0a9a0-0000-4000-8000-000000000001', undefined),
          checkoutTransactionId: fc.constantFrom(
            sale.checkoutTransactionId,
            sale.checkoutTransactionId.toLowerCase(),
            'ANOTHER',
            '',
            undefined,
          ),
          collectorNumber: fc.constantFrom(sale.collectorNumber, '80000000022', undefined),
          issuances: fc.option(
            fc.array(
              fc.integer({ min: -5, max: 500 }).map((amount) => entry(amount)),
              { maxLength: 3 },
            ),
            { nil: undefined },
          ),
        })
        .map((made) => JSON.parse(JSON.stringify(made)) as Record<string, unknown>),
    )
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(200, 202, 400, 500), fc.integer({ min: 100, max: 599 })),
        body,
        (status, answered) => {
          if (meaningOfIssue(status, answered, { request: sale }).kind !== 'confirmed') return
          confirmed += 1
          expect(status).toBe(200)
          const { checkoutTransactionId, collectorNumber } = answered as Record<string, string | undefined>
          expect([undefined, '', sale.checkoutTransactionId]).toContain(checkoutTransactionId?.toUpperCase())
          expect([undefined, sale.collectorNumber]).toContain(collectorNumber)
        },
      ),
      { numRuns: 3_000 },
    )
    expect(confirmed).toBeGreaterThan(50)
  })
  it('never make the parser throw, and only 200, 202 and 400 are final', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.jsonValue(), (status, body) => {
        const { kind } = meaningOfIssue(status, body, { request: sale })
        const final = ['confirmed', 'rejected-entries', 'accepted', 'dead']
        expect([
          ...([200, 202, 400].includes(status) ? final : []),
          ...(status === 400 ? ['refused'] : []),
          'retry',
          'outage',
        ]).toContain(kind)
      }),
    )
  })
})
