import { describe, expect, test } from 'vitest'
import { TRANSACTION_FAULTS } from '../virtual/card-terminal.ts'
import { CARD_NUMBER } from '../virtual/card-terminal-wire.ts'
import { selfSigned } from '../virtual/self-signed.ts'
import type { CardApproval, CardOutcome } from './terminal.ts'
import { KEY, openPair, ORIGINAL, PARTIES, payment } from './nexo-terminal.fixture.ts'

const transactions = (heard: readonly string[]): string[] =>
  heard.filter((message) => /^(?:Payment|Reversal) /.test(message))

const receiptsOf = (outcome: CardOutcome): CardApproval['receipts'] =>
  outcome.kind === 'approved' ? outcome.receipts : { customer: [], merchant: [] }

describe.each([
  { name: 'encrypted', key: KEY },
  { name: 'over TLS alone', key: null },
])('a card terminal, $name', ({ key }) => {
  test('approves a payment, and says of the card what a receipt may say', async () => {
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

  test('gives back to the card by the name of its payment', async () => {
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
  ] as const)('%s: charges nothing', async (fault, outcome) => {
    const { far, near } = await openPair(key)
    far.plan(fault)
    expect(await near.pay(payment('A1'))).toEqual(outcome satisfies CardOutcome)
    expect(far.ledger).toEqual([])
  })

  test.each([
    ['answer-lost', 'no-answer'],
    ['restart-after', 'no-answer'],
    ['garbled', 'not-understood'],
    ['wrong-hmac', 'not-understood'],
    ['wrong-echo', 'not-ours'],
    ['wrong-amount', 'not-ours'],
    ['wrong-currency', 'not-ours'],
  ] as const)('%s: unknown until the terminal is asked, and asked for money once', async (fault, reason) => {
    const { far, near, reopen } = await openPair(key)
    far.plan(fault)
    expect(await near.pay(payment('A1'))).toEqual({ kind: 'unknown', reason })
    // By the next run of the program, which knows what the last one stored.
    expect(await reopen().status(payment('A1'))).toMatchObject({ kind: 'approved', amountCents: 4_335 })
    expect(transactions(far.heard)).toEqual(['Payment A1'])
    expect(far.ledger).toHaveLength(1)
  })

  test('a status whose own answer is lost, garbled or of something else is unknown', async () => {
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

test('a payment that the terminal never read was not made', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('cut-before')
  await near.pay(payment('A1'))
  expect(await near.status(payment('A1'))).toEqual({ kind: 'not-found' })
})

test('not found is not believed at once: the request may still be on its way', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('cut-and-late')
  expect(await near.pay(payment('A1'))).toEqual({ kind: 'unknown', reason: 'no-answer' })
  expect(await near.status(payment('A1'))).toMatchObject({ kind: 'approved', amountCents: 4_335 })
})

test('a part of the amount is given back as such, and nothing else of less', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('partial')
  expect(await near.pay(payment('A1', 4_335))).toMatchObject({ kind: 'approved', amountCents: 2_168 })
})

test('an approval without what a receipt needs is an approval', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('receipt-missing')
  expect(await near.pay(payment('A1'))).toMatchObject({
    kind: 'approved',
    card: { scheme: null, lastFour: null, entryMode: null },
    receipts: { customer: [], merchant: [] },
  })
})

test('a status is of what was asked: another amount, another currency, another sale is not ours', async () => {
  const { near } = await openPair(KEY)
  await near.pay(payment('A1'))
  const notOurs = { kind: 'unknown', reason: 'not-ours' }
  expect(await near.status(payment('A1', 4_336))).toEqual(notOurs)
  expect(await near.status({ ...payment('A1'), currency: 'USD' })).toEqual(notOurs)
  expect(await near.status({ ...payment('A1'), saleId: 'S0002TEST' })).toEqual(notOurs)
  // A payment is no refund.
  expect(await near.status({ ...payment('A1'), kind: 'refund', original: ORIGINAL })).toEqual(notOurs)
})

test('while a card is awaited the terminal is busy for others, and says that the payment is in progress', async () => {
  const { far, near, reopen } = await openPair(KEY)
  far.plan('waits')
  const paid = near.pay(payment('A1'))
  await far.waiting
  expect(await reopen().pay(payment('B1'))).toEqual({ kind: 'declined', reason: 'terminal-busy' })
  expect(await near.status(payment('A1'))).toEqual({ kind: 'in-progress' })
  far.present()
  expect(await paid).toMatchObject({ kind: 'approved' })
})

test('a payment that runs can be cancelled, and then moves nothing', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('waits')
  const paid = near.pay(payment('A1'))
  await far.waiting
  await near.cancel(payment('A1'))
  expect(await paid).toEqual({ kind: 'cancelled', by: 'lane' })
  expect(await near.status(payment('A1'))).toEqual({ kind: 'cancelled', by: 'lane' })
  expect(far.ledger).toEqual([])
})

test('cancelling what is over changes nothing', async () => {
  const { near } = await openPair(KEY)
  await near.pay(payment('A1'))
  await near.cancel(payment('A1'))
  expect(await near.status(payment('A1'))).toMatchObject({ kind: 'approved' })
})

test('silence ends: a payment without an answer is unknown when its time has passed', async () => {
  const { far, near } = await openPair(KEY, { waits: { transaction: 1_000 } })
  far.plan('waits')
  const paid = near.pay(payment('A1'))
  // A card that is presented before the terminal asks for one is nobody's.
  await far.waiting
  expect(await paid).toEqual({ kind: 'unknown', reason: 'no-answer' })
  expect(near.health).toEqual({ state: 'unavailable', detail: 'no answer within 1000 ms' })
  far.present()
  await expect.poll(() => near.status(payment('A1'))).toMatchObject({ kind: 'approved' })
})

test('a driver that is closed in the middle of a payment says that it does not know', async () => {
  const { far, near, reopen } = await openPair(KEY)
  far.plan('waits')
  const paid = near.pay(payment('A1'))
  await far.waiting
  await near.close()
  expect(await paid).toEqual({ kind: 'unknown', reason: 'no-answer' })
  far.present()
  expect(await reopen().status(payment('A1'))).toMatchObject({ kind: 'approved' })
})

test('a terminal that is not there was asked for nothing', async () => {
  const { far, near } = await openPair(KEY)
  await near.checkHealth()
  await far.close()
  expect(await near.pay(payment('A1'))).toEqual({ kind: 'declined', reason: 'not-reached' })
  expect(near.health).toEqual({ state: 'unavailable', detail: 'ECONNREFUSED' })
  // What became of an earlier payment it cannot say either.
  expect(await near.status(payment('A1'))).toEqual({ kind: 'unknown', reason: 'no-answer' })
})

test.each([
  ['of another root', { certificate: selfSigned(PARTIES.poiId).certificate }],
  ['of another name', { commonName: 'V400m-987654321' }],
])('a terminal with a certificate %s hears nothing', async (_, wrong) => {
  const { far, reopen } = await openPair(KEY)
  const near = reopen({ address: { ...far.address, ...wrong } })
  expect(await near.pay(payment('A1'))).toEqual({ kind: 'declined', reason: 'not-reached' })
  // Were a byte of it on its way, it would be there before this one.
  await reopen().pay(payment('B1'))
  expect(transactions(far.heard)).toEqual(['Payment B1'])
  expect(near.health.state).toBe('unavailable')
})

test('a reference that runs is not asked a second time', async () => {
  const { far, near } = await openPair(KEY)
  far.plan('waits')
  const paid = near.pay(payment('A1'))
  await far.waiting
  await expect(near.pay(payment('A1'))).rejects.toThrow('asked for already')
  far.present()
  expect(await paid).toMatchObject({ kind: 'approved' })
  expect(transactions(far.heard)).toEqual(['Payment A1'])
})

test('what no terminal could answer is not sent', async () => {
  const { near } = await openPair(KEY)
  await expect(near.pay(payment('TOO-LONG-11'))).rejects.toThrow(RangeError)
  await expect(near.pay(payment('A1', 0))).rejects.toThrow(RangeError)
})

test('its health is what it says of itself', async () => {
  const { far, near, listener } = await openPair(KEY)
  expect(await listener.until('ready')).toEqual({ state: 'ready', detail: null })
  far.report('Maintenance')
  expect(await near.checkHealth()).toEqual({ state: 'needs-attention', detail: 'the terminal is in maintenance' })
  far.report('Unreachable')
  expect(await near.checkHealth()).toEqual({ state: 'needs-attention', detail: 'the terminal does not reach its bank' })
  far.report('Busy')
  expect(await near.checkHealth()).toEqual({ state: 'ready', detail: null })
})

test('a terminal with another key needs attention', async () => {
  const { listener, reopen } = await openPair(KEY)
  await listener.until('ready')
  const near = reopen({ key: { ...KEY, passphrase: 'another' } })
  expect(await near.checkHealth()).toMatchObject({ state: 'unavailable', detail: 'HTTP 400' })
})

test.each(TRANSACTION_FAULTS.filter((fault) => fault !== 'waits'))(
  '%s: of the card that was read, no outcome and no health tells more than the last four digits',
  async (fault) => {
    const { far, near, listener } = await openPair(null)
    far.plan(fault)
    far.planStatus('garbled')
    const said = [await near.pay(payment('A1')), await near.status(payment('A1')), await near.status(payment('A1'))]
    const text = JSON.stringify([said, listener.healths])
    expect(CARD_NUMBER).toHaveLength(16)
    for (let at = 0; at + 5 <= CARD_NUMBER.length; at += 1) expect(text).not.toContain(CARD_NUMBER.slice(at, at + 5))
  },
)
