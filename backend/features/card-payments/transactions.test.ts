import { expect, test } from 'vitest'
import { cents } from '../../../contracts/money.ts'
import type { CardApproval, CardMover } from '../../../contracts/card-terminal.ts'
import { SaleId } from '../../../contracts/ids.ts'
import { systemRng } from '../../clock.ts'
import { openSchema } from '../../db/schema.fixture.ts'
import { createTransact } from '../../db/transact.ts'
import { testClock, testLog } from '../../http/testing.ts'
import { ProblemError } from '../../http/problem.ts'
import { createCardRows } from '../sales/card-rows.ts'
import { createCardTransactions } from './transactions.ts'

const SALE = SaleId.parse('SALE0001')
const APPROVED: CardApproval = {
  kind: 'approved',
  amountCents: cents(500),
  authorisationCode: 'A1',
  transaction: { id: 'T1', timestamp: '2026-11-20T15:00:00Z' },
  card: { scheme: null, lastFour: null, entryMode: null },
  receipts: { customer: [], merchant: [] },
}

test('an approval that its sale cannot take goes back to the card, and the screens hear of both', async () => {
  const { db, insert } = await openSchema()
  insert('sale', { id: SALE })
  const { transact } = createTransact({
    db,
    onStop: () => undefined,
    refusal: (reason) => new ProblemError(reason),
    onMissed(error) {
      throw error
    },
  })
  const rows = createCardRows(db)
  const moved: string[] = []
  const terminal: CardMover = {
    pay: async () => APPROVED,
    refund: async () => APPROVED,
    cancel: async () => undefined,
    status: async () => APPROVED,
  }
  const cards = createCardTransactions({
    terminal,
    rows,
    transact,
    clock: testClock(),
    rng: systemRng,
    log: testLog().log,
  })
  cards.events.on('card-payment.approved', () => {
    throw new Error('the sale takes no payment')
  })
  cards.events.on('card-transaction.moved', (_tx, { kind, state }) => {
    transact.afterCommit(() => moved.push(`${kind} ${state}`))
  })
  transact((tx) => {
    cards.ask(tx, { saleId: SALE, kind: 'payment', original: null, returnId: null, amountCents: 500 })
  })
  await expect
    .poll(() =>
      rows
        .ofSale(SALE)
        .map(({ kind, state }) => `${kind} ${state}`)
        .toSorted(),
    )
    .toEqual(['payment approved', 'refund approved'])
  expect(moved).toEqual(['payment asked', 'payment approved', 'refund asked', 'refund approved'])
})
