import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TRANSACTION_FAULTS } from '../virtual/card-terminal.ts'
import { ANSWER_FAULTS } from '../virtual/card-terminal-wire.ts'
import type { CardOutcome, CardRequest, CardStatus, CardTerminal } from './terminal.ts'
import { KEY, openPair, ORIGINAL, payment } from './nexo-terminal.fixture.ts'

const faults = TRANSACTION_FAULTS.filter((fault) => fault !== 'waits')

const step = fc.record({
  kind: fc.constantFrom('payment' as const, 'refund' as const),
  amount: fc.integer({ min: 1, max: 99_999_999 }),
  fault: fc.option(fc.constantFrom(...faults), { nil: null }),
  status: fc.array(fc.constantFrom(...ANSWER_FAULTS, 'in-progress' as const), { maxLength: 3 }),
  restarted: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const requestOf = ({ kind, amount }: Step, at: number): CardRequest =>
  kind === 'payment' ? payment(`P${at}`, amount) : { ...payment(`P${at}`, amount), kind: 'refund', original: ORIGINAL }

const ask = (near: CardTerminal, request: CardRequest): Promise<CardOutcome> =>
  request.kind === 'payment' ? near.pay(request) : near.refund(request)

/**
 * Uses the driver as the lane does: asks for the status until the outcome is known, and never repeats the payment or
 * refund.
 */
async function finalOutcome(near: CardTerminal, request: CardRequest, first: CardStatus): Promise<CardStatus> {
  let outcome = first
  for (let attempt = 0; outcome.kind === 'unknown' || outcome.kind === 'in-progress'; attempt += 1) {
    if (attempt === 10) throw new Error('still undecided')
    outcome = await near.status(request)
  }
  return outcome
}

test('the final outcome from the card terminal’s driver matches the bank’s ledger after any fault', async () => {
  const { far, near, reopen } = await openPair(KEY)
  const again = reopen()
  let at = 0
  await fc.assert(
    fc.asyncProperty(step, async (one) => {
      at += 1
      const request = requestOf(one, at)
      if (one.fault !== null) far.plan(one.fault)
      const firstOutcome = await ask(near, request)
      // Faults of the status are planned only while the outcome is open: otherwise they would hit the next request.
      const undecided = one.restarted || firstOutcome.kind === 'unknown'
      if (undecided) far.planStatus(...one.status)
      const driver = one.restarted ? again : near
      const end = await finalOutcome(driver, request, one.restarted ? { kind: 'in-progress' } : firstOutcome)
      const moved = far.ledger.filter(({ reference }) => reference === request.reference)
      expect(moved.map(({ amountCents }) => amountCents)).toEqual(end.kind === 'approved' ? [end.amountCents] : [])
      // An approval in the first answer is also the final outcome.
      expect(firstOutcome.kind === 'approved' ? firstOutcome : end).toEqual(end)
    }),
    { numRuns: 150 },
  )
  const requests = far.received.filter((message) => /^(?:Payment|Reversal) /.test(message))
  expect(requests).toHaveLength(at)
})
