import { describe, expect, test } from 'vitest'
import { TRANSACTION_FAULTS } from '../virtual/card-terminal.ts'
import { CARD_NUMBER } from '../virtual/card-terminal-wire.ts'
import { selfSigned } from '../virtual/self-signed.ts'
import type { CardApproval, CardOutcome } from './terminal.ts'
import { KEY, openPair, ORIGINAL, PARTIES, payment } from './nexo-terminal.fixture.ts'

const transactions = (received: readonly string[]): string[] =>
  received.filter((message) => /^(?:Payment|Reversal) /.test(message))

const receiptsOf = (outcome: CardOutcome): CardApproval['receipts'] =>
  outcome.kind === 'approved' ? outcome.receipts : { customer: [], merchant: [] }

describe.each([
  { protection: 'encrypted messages', key: KEY },
  { protection: 'TLS alone', key: null },
])('the driver of a card terminal, with $protection', ({ key }) => {
  test('reports an approved payment with brand, last digits and entry mode of the card, and receipts', async () => {
    const { far, near } = await openPair(key)
    const outcome = await near.pay(payment('A1'))
    expect(outcome).toMatchObject({
      kind: 'approved',
      amountCents: 4_335,
      authorisationCode: '012345',
      card: { scheme: 'Visa', lastFour: '0119', entryMode: 'contactless' },
    })
    const { customer, merchant } = receiptsOf(outcome)
    expect(customer[0]).toEqual({ key: 'title', text: 'CARDHOLDER COPY', value: null, bold: false })
    expect(customer).toContainEqual({ key: 'pan', text: 'Card', value: '************0119', bold: false })
    expect(merchant).toContainEqual({ key: 'totalAmount', text: 'TOTAL', value: 'CAD 43.35', bold: false })
    expect(merchant.at(-1)).toEqual({ key: 'approved', text: 'APPROVED', value: null, bold: true })
    expect(far.ledger).toEqual([{ kind: 'payment', reference: 'A1', amountCents: 4_335 }])
  })

  test('refunds a payment by the transaction id of that payment', async () => {
    const { far, near } = await openPair(key)
    const outcome = await near.refund({ ...payment('R1', 1_005), kind: 'refund', original: ORIGINAL })
    expect(outcome).toMatchObject({ kind: 'approved', amountCents: 1_005 })
    expect(far.ledger).toEqual([{ kind: 'refund', reference: 'R1', amountCents: 1_005 }])
  })

  test.each([
    ['declined', { kind: 'declined', reason: 'refused' }],
    ['customer-cancels', { kind: 'cancelled', by: 'customer' }],
    ['busy', { kind: 'declined', reason: 'terminal-busy' }],
    ['cut-before', { kind: 'unknown', reason: 'no-answer' }],
    ['restart-before', { kind: 'unknown', reason: 'no-answer' }],
  ] as const)(
    'reports the outcome of a payment when the card terminal simulates %s, and no money moves',
    async (fault, outcome) => {
      const { far, near } = await openPair(key)
      far.plan(fault)
      expect(await near.pay(payment('A1'))).toEqual(outcome satisfies CardOutcome)
      expect(far.ledger).toEqual([])
    },
  )

  test.each([
    ['answer-lost', 'no-answer'],
    ['restart-after', 'no-answer'],
    ['garbled', 'not-understood'],
    ['wrong-hmac', 'not-understood'],
    ['wrong-echo', 'not-ours'],
    ['wrong-amount', 'not-ours'],
    ['wrong-currency', 'not-ours'],
  ] as const)(
    'reports an unknown outcome after the simulated fault %s, and a later status request finds the one approval',
    async (fault, reason) => {
      const { far, near, reopen } = await openPair(key)
      far.plan(fault)
      expect(await near.pay(payment('A1'))).toEqual({ kind: 'unknown', reason })
      // After a restart, the program asks for the status with the stored request.
      expect(await reopen().status(payment('A1'))).toMatchObject({ kind: 'approved', amountCents: 4_335 })
      expect(transactions(far.received)).toEqual(['Payment A1'])
      expect(far.ledger).toHaveLength(1)
    },
  )

  test('reports an unknown status if the answer is lost, garbled, wrongly sealed or for another request', async () => {
    const { far, near } = await openPair(key)
    await near.pay(payment('A1'))
    far.planStatus('answer-lost', 'garbled', 'wrong-echo', 'wrong-hmac', 'in-progress')
    expect(await near.status(payment('A1'))).toEqual({ kind: 'unknown', reason: 'no-answer' })
    expect(await near.status(payment('A1'))).toEqual({ kind: 'unknown', reason: 'not-understood' })
    expect(await near.status(payment('A1'))).toEqual({ kind: 'unknown', reason: 'not-ours' })
    expect(await near.status(payment('A1'))).toEqual({ kind: 'unknown', reason: 'not-understood' })
    expect(await near.status(payment('A1'))).toEqual({ kind: 'in-progress' })
    expect(await near.status(payment('A1'))).toMatchObject({ kind: 'approved' })
  })
})

test('a status request for a payment that the card terminal never received returns not-found', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('cut-before')
  await near.pay(payment('A1'))
  expect(await near.status(payment('A1'))).toEqual({ kind: 'not-found' })
})

test('a first "not found" is checked again, because the request for the payment may arrive later', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('cut-and-late')
  expect(await near.pay(payment('A1'))).toEqual({ kind: 'unknown', reason: 'no-answer' })
  expect(await near.status(payment('A1'))).toMatchObject({ kind: 'approved', amountCents: 4_335 })
})

test('a payment that the bank partially approves is reported as an approval of the smaller amount', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('partial')
  expect(await near.pay(payment('A1', 4_335))).toMatchObject({ kind: 'approved', amountCents: 2_168 })
})

test('a refund that the bank partially approves is reported as an approval of the smaller amount', async () => {
  const { far, near } = await openPair(KEY)
  await near.pay(payment('A1', 4_335))
  far.plan('partial')
  const outcome = await near.refund({ ...payment('R1', 1_005), kind: 'refund', original: ORIGINAL })
  expect(outcome).toMatchObject({ kind: 'approved', amountCents: 503 })
})

test('an approval without receipt data is reported as approved, without card data', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('receipt-missing')
  expect(await near.pay(payment('A1'))).toMatchObject({
    kind: 'approved',
    card: { scheme: null, lastFour: null, entryMode: null },
    receipts: { customer: [], merchant: [] },
  })
})

test('a status request with another amount, currency, sale or kind than the payment returns unknown', async () => {
  const { near } = await openPair(KEY)
  await near.pay(payment('A1'))
  const notOurs = { kind: 'unknown', reason: 'not-ours' }
  expect(await near.status(payment('A1', 4_336))).toEqual(notOurs)
  expect(await near.status({ ...payment('A1'), currency: 'USD' })).toEqual(notOurs)
  expect(await near.status({ ...payment('A1'), saleId: 'S0002TEST' })).toEqual(notOurs)
  expect(await near.status({ ...payment('A1'), kind: 'refund', original: ORIGINAL })).toEqual(notOurs)
})

test('a card terminal that waits for a card declines other payments and reports its own as in progress', async () => {
  const { far, near, reopen } = await openPair(KEY)
  far.plan('waits')
  const paid = near.pay(payment('A1'))
  await far.waiting
  expect(await reopen().pay(payment('B1'))).toEqual({ kind: 'declined', reason: 'terminal-busy' })
  expect(await near.status(payment('A1'))).toEqual({ kind: 'in-progress' })
  far.present()
  expect(await paid).toMatchObject({ kind: 'approved' })
})

test('a payment that is cancelled while it runs moves no money', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('waits')
  const paid = near.pay(payment('A1'))
  await far.waiting
  await near.cancel(payment('A1'))
  expect(await paid).toEqual({ kind: 'cancelled', by: 'lane' })
  expect(await near.status(payment('A1'))).toEqual({ kind: 'cancelled', by: 'lane' })
  expect(far.ledger).toEqual([])
})

test('cancelling a finished payment does not change its outcome', async () => {
  const { near } = await openPair(KEY)
  await near.pay(payment('A1'))
  await near.cancel(payment('A1'))
  expect(await near.status(payment('A1'))).toMatchObject({ kind: 'approved' })
})

test('a payment without an answer has an unknown outcome after the timeout', async () => {
  const { far, near } = await openPair(KEY, { waits: { transaction: 1_000 } })
  far.plan('waits')
  const paid = near.pay(payment('A1'))
  // The virtual card terminal ignores a card that is presented before it asks for one.
  await far.waiting
  expect(await paid).toEqual({ kind: 'unknown', reason: 'no-answer' })
  expect(near.health).toEqual({ state: 'unavailable', detail: 'no answer within 1000 ms' })
  far.present()
  await expect.poll(() => near.status(payment('A1'))).toMatchObject({ kind: 'approved' })
})

test('a payment has an unknown outcome if the driver is closed during the payment', async () => {
  const { far, near, reopen } = await openPair(KEY)
  far.plan('waits')
  const paid = near.pay(payment('A1'))
  await far.waiting
  await near.close()
  expect(await paid).toEqual({ kind: 'unknown', reason: 'no-answer' })
  far.present()
  expect(await reopen().status(payment('A1'))).toMatchObject({ kind: 'approved' })
})

test('a payment at an unreachable card terminal is declined as not reached', async () => {
  const { far, near } = await openPair(KEY)
  await near.checkHealth()
  await far.close()
  expect(await near.pay(payment('A1'))).toEqual({ kind: 'declined', reason: 'not-reached' })
  expect(near.health).toEqual({ state: 'unavailable', detail: 'ECONNREFUSED' })
  expect(await near.status(payment('A1'))).toEqual({ kind: 'unknown', reason: 'no-answer' })
})

test.each([
  ['by another authority', { certificate: selfSigned(PARTIES.poiId).certificate }],
  ['for another name', { commonName: 'V400m-987654321' }],
])('the driver sends nothing to a card terminal with a certificate %s', async (_, wrong) => {
  const { far, reopen } = await openPair(KEY)
  const near = reopen({ address: { ...far.address, ...wrong } })
  expect(await near.pay(payment('A1'))).toEqual({ kind: 'declined', reason: 'not-reached' })
  // If the driver had sent any byte, it would have arrived before this request.
  await reopen().pay(payment('B1'))
  expect(transactions(far.received)).toEqual(['Payment B1'])
  expect(near.health.state).toBe('unavailable')
})

test('a second payment request with the reference of a running one is rejected', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('waits')
  const paid = near.pay(payment('A1'))
  await far.waiting
  await expect(near.pay(payment('A1'))).rejects.toThrow('already running')
  far.present()
  expect(await paid).toMatchObject({ kind: 'approved' })
  expect(transactions(far.received)).toEqual(['Payment A1'])
})

test('a payment of 0 cents, or with a reference that is too long, is rejected', async () => {
  const { near } = await openPair(KEY)
  await expect(near.pay(payment('TOO-LONG-11'))).rejects.toThrow(RangeError)
  await expect(near.pay(payment('A1', 0))).rejects.toThrow(RangeError)
})

test('the health of a card terminal is the one in its answer to a diagnosis request', async () => {
  const { far, near, listener } = await openPair(KEY)
  expect(await listener.until('ready')).toEqual({ state: 'ready', detail: null })
  far.report('Maintenance')
  expect(await near.checkHealth()).toEqual({ state: 'needs-attention', detail: 'the terminal is in maintenance' })
  far.report('Unreachable')
  expect(await near.checkHealth()).toEqual({ state: 'needs-attention', detail: 'the terminal cannot reach its bank' })
  far.report('Busy')
  expect(await near.checkHealth()).toEqual({ state: 'ready', detail: null })
})

test('a card terminal whose shared key differs from the lane’s is reported as unavailable', async () => {
  const { listener, reopen } = await openPair(KEY)
  await listener.until('ready')
  const near = reopen({ key: { ...KEY, passphrase: 'another' } })
  expect(await near.checkHealth()).toMatchObject({ state: 'unavailable', detail: 'HTTP 400' })
})

test.each(TRANSACTION_FAULTS.filter((fault) => fault !== 'waits'))(
  'after the simulated fault %s, outcomes and health contain at most four digits in a row of the card number',
  async (fault) => {
    const { far, near, listener } = await openPair(null)
    far.plan(fault)
    far.planStatus('garbled')
    const results = [await near.pay(payment('A1')), await near.status(payment('A1')), await near.status(payment('A1'))]
    const text = JSON.stringify([results, listener.healths])
    expect(CARD_NUMBER).toHaveLength(16)
    for (let at = 0; at + 5 <= CARD_NUMBER.length; at += 1) expect(text).not.toContain(CARD_NUMBER.slice(at, at + 5))
  },
)
