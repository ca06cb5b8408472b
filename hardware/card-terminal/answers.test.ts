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
const REQUESTED = { kind: 'payment', serviceId: 'A1', saleId: PAYMENT.saleId, amount: 43.35, currency: 'CAD' } as const
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
const paid = message('Payment', 'A1', approved(REQUESTED, 43.35, true))
const found = message('TransactionStatus', 'Q1', statusFound(header('Payment', 'A1'), approved(REQUESTED, 43.35, true)))

const read = (value: unknown): SaleToPoiResponse | null => readAnswer(Buffer.from(JSON.stringify(value)), null)

function outcomesOf(value: unknown): CardStatus[] {
  const answer = read(value)
  if (answer === null) return []
  return [outcomeOf(answer, PAYMENT, PARTIES), statusOf(answer, 'Q1', PAYMENT, PARTIES)]
}

function leaves(value: unknown, path: readonly string[] = []): { path: readonly string[]; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  return [{ path, value }, ...Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))]
}

function replaced(value: unknown, path: readonly string[], by: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return by
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((inner, at) => (String(at) === name ? replaced(inner, rest, by) : inner))
  return { ...value, [name]: replaced((value as Record<string, unknown>)[name], rest, by) }
}

test('an approval by the card terminal is read as approved from a payment answer and from a status answer', () => {
  expect(outcomesOf(paid)[0]).toMatchObject({ kind: 'approved', amountCents: 4_335 })
  expect(outcomesOf(found)[1]).toMatchObject({ kind: 'approved', amountCents: 4_335 })
})

test('an approval with one changed field never throws and is never read as an approval of another amount', () => {
  const paths = [paid, found].flatMap((answer) => leaves(answer).map(({ path }) => ({ answer, way: path })))
  const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.double(), fc.integer(), fc.constant('Success'))
  fc.assert(
    fc.property(fc.constantFrom(...paths), anything, ({ answer, way: path }, by) => {
      const approvals = outcomesOf(replaced(answer, path, by)).filter(({ kind }) => kind === 'approved')
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
] as const)('a payment answer whose field %j is %j is for another request, so the outcome is unknown', (path, by) => {
  expect(outcomesOf(replaced(paid, path, by))[0]).toEqual({ kind: 'unknown', reason: 'not-ours' })
})

test.each([0, 43.35, 43.36])('a partial approval of %d for a payment of 43.35 leaves the outcome unknown', (amount) => {
  const path = ['SaleToPOIResponse', 'PaymentResponse']
  const partial = replaced(paid, [...path, 'Response', 'Result'], 'Partial')
  const answer = replaced(partial, [...path, 'PaymentResult', 'AmountsResp', 'AuthorizedAmount'], amount)
  expect(outcomesOf(answer)[0]).toEqual({ kind: 'unknown', reason: 'not-ours' })
})

test.each(['InProgress', 'NotFound', 'constructor', ''])(
  'a failed transaction with the error condition %j has an unknown outcome, because money may have moved',
  (condition) => {
    const answer = message('Payment', 'A1', failed('payment', condition))
    expect(outcomesOf(answer)[0]).toEqual({ kind: 'unknown', reason: 'not-understood' })
  },
)

test('random bytes are not accepted as an answer of the card terminal, with or without a shared key', () => {
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

test('an unsealed answer of the card terminal is rejected when a shared key is set', () => {
  expect(readAnswer(Buffer.from(JSON.stringify(paid)), deriveKey(KEY))).toBeNull()
})

const NUMBERS = [
  '4111111111111111',
  '5555 5555 5555 4444',
  '3782-822463-10005',
  ';6011111111111117=49121010000',
  '80000000011=4912101123',
]

const numbersIn = (text: string): string[] =>
  text.replaceAll(/A0000000031010/g, '').match(/\d(?:[ .=^/_-]{0,3}\d){11,}/g) ?? []

test('an outcome contains at most the last four digits of a card number in any field of the answer', () => {
  const texts = [paid, found].flatMap((answer) =>
    leaves(answer).flatMap(({ path, value }) => (typeof value === 'string' ? [{ answer, way: path, value }] : [])),
  )
  let approvals = 0
  for (const { answer, way: path, value } of texts)
    for (const number of NUMBERS)
      for (const by of [number, `${value} ${number}`, `${value}/${number}`, `name=Card&value=${number}&key=other`])
        for (const outcome of outcomesOf(replaced(answer, path, by))) {
          // The transaction id of a card terminal may contain long numbers, so only the first twelve digits of the card
          // number are searched for in it.
          const { transaction, ...rest } = outcome.kind === 'approved' ? outcome : { ...outcome, transaction: null }
          expect(numbersIn(JSON.stringify(rest))).toEqual([])
          expect(transaction?.id ?? '').not.toContain(number.replaceAll(/\D/g, '').slice(0, 12))
          if (transaction !== null) approvals += 1
        }
  expect(approvals).toBeGreaterThan(500)
})

test('masking a text keeps only the last four digits of each card number and of each other long number', () => {
  expect(maskNumbers('Card 4111 1111 1111 1111 paid')).toBe('Card ************1111 paid')
  expect(maskNumbers('4111111111111111=49121010000')).toBe(`${'*'.repeat(23)}0000`)
  expect(maskNumbers('AID A0000000031010, 12/04/26 10:19:51')).toBe('AID A0000000031010, 12/04/26 10:19:51')
  expect(maskNumbers('A0000000031010 4111111111111111')).toBe('A0000000031010 ************1111')
  expect(maskNumbers('A0000004111111111111111')).toBe(`A${'*'.repeat(18)}1111`)
})

test('a transaction id with a card number makes the outcome unknown; ids of real terminals are accepted', () => {
  const path = ['SaleToPOIResponse', 'PaymentResponse', 'POIData', 'POITransactionID', 'TransactionID']
  expect(outcomesOf(replaced(paid, path, 'c0ffee.4111111111111111'))[0]).toEqual({
    kind: 'unknown',
    reason: 'not-understood',
  })
  // A transaction id in the format of real terminals whose digits pass the Luhn check.
  expect(outcomesOf(replaced(paid, path, 'BVq4001643892070002.NC6'))[0]).toMatchObject({ kind: 'approved' })
  expect(outcomesOf(replaced(paid, path, ORIGINAL.id))[0]).toMatchObject({
    kind: 'approved',
    transaction: { id: ORIGINAL.id },
  })
})
