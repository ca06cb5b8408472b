import fc from 'fast-check'
import { expect, test } from 'vitest'
import { approved, failed, statusFound } from '../virtual/card-terminal-wire.ts'
import type { CardStatus } from './terminal.ts'
import { readAnswer } from './exchange.ts'
import { deriveKey, sealMessage } from './crypto.ts'
import type { SaleToPoiResponse } from './messages.ts'
import { KEY, ORIGINAL, PARTIES, payment } from './nexo-terminal.fixture.ts'
import { maskNumbers, outcomeOf, statusOf } from './outcome.ts'

const PAYMENT = payment('A1')
const ASKED = { kind: 'payment', serviceId: 'A1', saleId: PAYMENT.saleId, amount: 43.35, currency: 'CAD' } as const
const header = (category: string, serviceId: string): object => ({
  MessageClass: 'Service',
  MessageCategory: category,
  MessageType: 'Response',
  ServiceID: serviceId,
  SaleID: PARTIES.saleId,
  POIID: PARTIES.poiId,
  ProtocolVersion: '3.0',
})
const message = (category: string, serviceId: string, body: object): object => ({
  SaleToPOIResponse: { MessageHeader: header(category, serviceId), ...body },
})
const paid = message('Payment', 'A1', approved(ASKED, 43.35, true))
const found = message('TransactionStatus', 'Q1', statusFound(header('Payment', 'A1'), approved(ASKED, 43.35, true)))

const read = (value: unknown): SaleToPoiResponse | null => readAnswer(Buffer.from(JSON.stringify(value)), null)

/** What the driver would say of these answers: to the payment, and to the question for its status. */
function said(value: unknown): CardStatus[] {
  const answer = read(value)
  if (answer === null) return []
  return [outcomeOf(answer, PAYMENT, PARTIES), statusOf(answer, 'Q1', PAYMENT, PARTIES)]
}

/** Every value within, with the way to it. */
function leaves(value: unknown, way: readonly string[] = []): { way: readonly string[]; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ way, value }]
  return [{ way, value }, ...Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...way, name]))]
}

function replaced(value: unknown, way: readonly string[], by: unknown): unknown {
  const [name, ...rest] = way
  if (name === undefined) return by
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((inner, at) => (String(at) === name ? replaced(inner, rest, by) : inner))
  return { ...value, [name]: replaced((value as Record<string, unknown>)[name], rest, by) }
}

test('both answers say approved while nobody touches them', () => {
  expect(said(paid)[0]).toMatchObject({ kind: 'approved', amountCents: 4_335 })
  expect(said(found)[1]).toMatchObject({ kind: 'approved', amountCents: 4_335 })
})

test('no answer with anything changed in it is an approval of other money, or throws', () => {
  const ways = [paid, found].flatMap((answer) => leaves(answer).map(({ way }) => ({ answer, way })))
  const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.double(), fc.integer(), fc.constant('Success'))
  fc.assert(
    fc.property(fc.constantFrom(...ways), anything, ({ answer, way }, by) => {
      const approvals = said(replaced(answer, way, by)).filter(({ kind }) => kind === 'approved')
      for (const outcome of approvals)
        expect(outcome).toMatchObject({
          amountCents: 4_335,
          transaction: { id: expect.stringMatching(/^[A-Za-z0-9._-]+$/) as string },
        })
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  [['SaleToPOIResponse', 'MessageHeader', 'ServiceID'], 'A2'],
  [['SaleToPOIResponse', 'MessageHeader', 'SaleID'], 'LANE-2'],
  [['SaleToPOIResponse', 'MessageHeader', 'POIID'], 'V400m-987654321'],
  [['SaleToPOIResponse', 'MessageHeader', 'MessageCategory'], 'Reversal'],
  [['SaleToPOIResponse', 'PaymentResponse', 'SaleData', 'SaleTransactionID', 'TransactionID'], 'S0002TEST'],
  [['SaleToPOIResponse', 'PaymentResponse', 'PaymentResult', 'AmountsResp', 'AuthorizedAmount'], 43.36],
  [['SaleToPOIResponse', 'PaymentResponse', 'PaymentResult', 'AmountsResp', 'AuthorizedAmount'], 43.34],
  [['SaleToPOIResponse', 'PaymentResponse', 'PaymentResult', 'AmountsResp', 'AuthorizedAmount'], 43.350_001],
  [['SaleToPOIResponse', 'PaymentResponse', 'PaymentResult', 'AmountsResp', 'AuthorizedAmount'], -43.35],
  [['SaleToPOIResponse', 'PaymentResponse', 'PaymentResult', 'AmountsResp', 'Currency'], 'USD'],
] as const)('%j as %j is not ours', (way, by) => {
  expect(said(replaced(paid, way, by))[0]).toEqual({ kind: 'unknown', reason: 'not-ours' })
})

test.each([0, 43.35, 43.36])('a part of %d is none', (amount) => {
  const way = ['SaleToPOIResponse', 'PaymentResponse']
  const partial = replaced(paid, [...way, 'Response', 'Result'], 'Partial')
  const answer = replaced(partial, [...way, 'PaymentResult', 'AmountsResp', 'AuthorizedAmount'], amount)
  expect(said(answer)[0]).toEqual({ kind: 'unknown', reason: 'not-ours' })
})

test.each(['InProgress', 'NotFound', 'constructor', ''])('a failure for the reason %j decides nothing', (condition) => {
  const answer = message('Payment', 'A1', failed('payment', condition))
  expect(said(answer)[0]).toEqual({ kind: 'unknown', reason: 'not-understood' })
})

test('random bytes are no answer, with a key and without', () => {
  const key = deriveKey(KEY)
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        expect(readAnswer(Buffer.from(bytes), null)).toBeNull()
        expect(readAnswer(Buffer.from(bytes), key)).toBeNull()
        const sealed = sealMessage(key, Buffer.from(bytes).toString('latin1'))
        expect(readAnswer(Buffer.from(JSON.stringify({ SaleToPOIResponse: sealed })), key)).toBeNull()
      },
    ),
  )
})

test('where there is a key, an answer without one is none', () => {
  expect(readAnswer(Buffer.from(JSON.stringify(paid)), deriveKey(KEY))).toBeNull()
})

const NUMBERS = [
  '4111111111111111',
  '5555 5555 5555 4444',
  '3782-822463-10005',
  ';6011111111111117=49121010000',
  '80000000011=4912101123',
]

/** Every run of digits in which a card number could stand. */
const numbersIn = (text: string): string[] =>
  text.replaceAll(/A0000000031010/g, '').match(/\d(?:[ .=^/_-]{0,3}\d){11,}/g) ?? []

test('a card number in any field of an answer reaches no value, and no more of it than four digits', () => {
  const texts = [paid, found].flatMap((answer) =>
    leaves(answer).flatMap(({ way, value }) => (typeof value === 'string' ? [{ answer, way, value }] : [])),
  )
  let approvals = 0
  for (const { answer, way, value } of texts)
    for (const number of NUMBERS)
      for (const by of [number, `${value} ${number}`, `${value}/${number}`, `name=Card&value=${number}&key=other`])
        for (const outcome of said(replaced(answer, way, by))) {
          // The terminal's own name of the transaction may have long numbers; a card's is looked for below.
          const { transaction, ...rest } = outcome.kind === 'approved' ? outcome : { ...outcome, transaction: null }
          expect(numbersIn(JSON.stringify(rest))).toEqual([])
          expect(transaction?.id ?? '').not.toContain(number.replaceAll(/\D/g, '').slice(0, 12))
          if (transaction !== null) approvals += 1
        }
  expect(approvals).toBeGreaterThan(500)
})

test('no more of a masked number than its last four digits is kept, and of any other long number', () => {
  expect(maskNumbers('Card 4111 1111 1111 1111 paid')).toBe('Card ************1111 paid')
  expect(maskNumbers('4111111111111111=49121010000')).toBe(`${'*'.repeat(23)}0000`)
  expect(maskNumbers('AID A0000000031010, 12/04/26 10:19:51')).toBe('AID A0000000031010, 12/04/26 10:19:51')
  expect(maskNumbers('A0000000031010 4111111111111111')).toBe('A0000000031010 ************1111')
  expect(maskNumbers('A0000004111111111111111')).toBe(`A${'*'.repeat(18)}1111`)
})

test('a transaction whose name is a card number is not believed', () => {
  const way = ['SaleToPOIResponse', 'PaymentResponse', 'POIData', 'POITransactionID', 'TransactionID']
  expect(said(replaced(paid, way, 'c0ffee.4111111111111111'))[0]).toEqual({ kind: 'unknown', reason: 'not-understood' })
  // A name as terminals make them, whose digits sum up as a card's do.
  expect(said(replaced(paid, way, 'BVq4001643892070002.NC6'))[0]).toMatchObject({ kind: 'approved' })
  expect(said(replaced(paid, way, ORIGINAL.id))[0]).toMatchObject({
    kind: 'approved',
    transaction: { id: ORIGINAL.id },
  })
})
