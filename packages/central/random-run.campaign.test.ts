import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CASH_PATHS } from '../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../contracts/central/issuance.ts'
import type { FaultAction } from './faults.ts'
import { asCash, FINE, openRehearsal, type Received, type Rehearsal } from './rehearsal.fixture.ts'

let client: Rehearsal
beforeEach(async () => {
  client = await openRehearsal()
})
afterEach(() => client.close())

const SEED = 20_260_701
const fault = fc.constantFrom<FaultAction | null>(
  null,
  null,
  null,
  { kind: 'drop-before' },
  { kind: 'drop-after' },
  { kind: 'truncate' },
  { kind: 'garble' },
  { kind: 'cancel-after' },
)
const step = fc.oneof(
  fc.record({ kind: fc.constant('redeem' as const), units: fc.integer({ min: 1, max: 6 }), fault }),
  fc.record({ kind: fc.constant('reverse' as const), which: fc.nat(20), fault }),
  fc.record({ kind: fc.constant('issue' as const), cents: fc.integer({ min: 0, max: 20_000 }), fault }),
)

/** Retries with the same bytes and key until an answer can be parsed, as a terminal does. */
async function persist(send: () => Promise<Received>): Promise<Received> {
  for (;;) {
    const received = await send().catch(() => undefined)
    if (received && Object.keys(received.body).length > 0) return received
  }
}

it(`the balances agree with the answers that a caller got after random faults and retries (seed ${SEED})`, async () => {
  const steps = fc.sample(step, { numRuns: 300, seed: SEED })
  let expected = 17_050
  const outcomes: string[] = []
  const confirmations: { number: string; units: number }[] = []
  for (const [index, todo] of steps.entries()) {
    const key = `step-${index}`
    const path =
      todo.kind === 'redeem' ? CASH_PATHS.redeem : todo.kind === 'reverse' ? CASH_PATHS.reverse : ISSUANCE_PATHS.issue
    if (todo.fault) await client.fault({ id: 'now', path, occurrence: 1, action: todo.fault })
    if (todo.kind === 'redeem') {
      const received = asCash(
        await persist(() =>
          client.redeem(
            { traceId: key, dollarRedeemRequest: `${todo.units * 10}.00`, postTaxBasketAmount: '100.00' },
            { key },
          ),
        ),
      )
      outcomes.push(`redeem ${received.responseCode}`)
      if (received.responseCode === '0000') {
        expected -= todo.units * 95
        confirmations.push({ number: String(received.txnConfirmationNumber), units: todo.units })
      }
    } else if (todo.kind === 'reverse') {
      const [taken] = confirmations.splice(todo.which % Math.max(1, confirmations.length), 1)
      const received = asCash(
        await persist(() =>
          client.reverse(
            {
              traceId: key,
              dollarRedeemRequest: `${(taken?.units ?? 1) * 10}.00`,
              txnConfirmationNumber: taken?.number ?? '000000000000',
            },
            { key },
          ),
        ),
      )
      outcomes.push(`reverse of ${taken ? 'something' : 'nothing'} ${received.responseCode}`)
      expected += (taken?.units ?? 0) * 95
    } else {
      const amount = todo.cents / 100
      const received = await persist(() =>
        client.issue({ checkoutTransactionId: key, basketPreTaxAmount: amount, basketPostTaxAmount: amount }, { key }),
      )
      outcomes.push(`issue ${received.status}`)
      expected += Math.floor(todo.cents / 500)
    }
  }
  expect([...new Set(outcomes)].sort()).toEqual([
    'issue 200',
    'redeem 0000',
    'redeem 0051',
    'reverse of nothing 0057',
    'reverse of something 0000',
  ])
  const { balances } = await client.ledger(FINE)
  expect(balances.cash + balances.dream).toBe(expected)
  expect(await client.check()).toMatchObject({ ok: true, problems: [] })
})
