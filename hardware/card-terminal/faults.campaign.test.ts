import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TRANSACTION_FAULTS } from '../virtual/card-terminal.ts'
import { ANSWER_FAULTS } from '../virtual/card-terminal-wire.ts'
import type { CardOutcome, CardRequest, CardStatus, CardTerminal } from './terminal.ts'
import { KEY, openPair, ORIGINAL, payment } from './nexo-terminal.fixture.ts'

/** A waiting transaction is played by tests of its own. */
const faults = TRANSACTION_FAULTS.filter((fault) => fault !== 'waits')

const step = fc.record({
  kind: fc.constantFrom('payment' as const, 'refund' as const),
  amount: fc.integer({ min: 1, max: 99_999_999 }),
  fault: fc.option(fc.constantFrom(...faults), { nil: null }),
  status: fc.array(fc.constantFrom(...ANSWER_FAULTS, 'in-progress' as const), { maxLength: 3 }),
  /** The program ends before it has heard the answer, and asks when it is there again. */
  restarted: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const requestOf = ({ kind, amount }: Step, at: number): CardRequest =>
  kind === 'payment' ? payment(`P${at}`, amount) : { ...payment(`P${at}`, amount), kind: 'refund', original: ORIGINAL }

const ask = (near: CardTerminal, request: CardRequest): Promise<CardOutcome> =>
  request.kind === 'payment' ? near.pay(request) : near.refund(request)

/** What a caller does: as long as it does not know, it asks what became of it, and never for the money again. */
async function inTheEnd(near: CardTerminal, request: CardRequest, first: CardStatus): Promise<CardStatus> {
  let outcome = first
  for (let asked = 0; outcome.kind === 'unknown' || outcome.kind === 'in-progress'; asked += 1) {
    if (asked === 10) throw new Error('still undecided')
    outcome = await near.status(request)
  }
  return outcome
}

test('whatever is lost, what the bank moved under a reference is what the driver says in the end', async () => {
  const { far, near, reopen } = await openPair(KEY)
  const again = reopen()
  let at = 0
  await fc.assert(
    fc.asyncProperty(step, async (one) => {
      at += 1
      const request = requestOf(one, at)
      if (one.fault !== null) far.plan(one.fault)
      const heard = await ask(near, request)
      // Questions that were planned for an outcome that was clear at once would meet the next one.
      const undecided = one.restarted || heard.kind === 'unknown'
      if (undecided) far.planStatus(...one.status)
      const driver = one.restarted ? again : near
      const end = await inTheEnd(driver, request, one.restarted ? { kind: 'in-progress' } : heard)
      const moved = far.ledger.filter(({ reference }) => reference === request.reference)
      expect(moved.map(({ amountCents }) => amountCents)).toEqual(end.kind === 'approved' ? [end.amountCents] : [])
      // What was heard at first was never taken back.
      expect(heard.kind === 'approved' ? heard : end).toEqual(end)
    }),
    { numRuns: 150 },
  )
  const asked = far.heard.filter((message) => /^(?:Payment|Reversal) /.test(message))
  expect(asked).toHaveLength(at)
})
