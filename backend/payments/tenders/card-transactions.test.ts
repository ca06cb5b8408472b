import { expect, test } from 'vitest'
import { cents } from '../../../contracts/core/money.ts'
import type { CardApproval, CardMover } from '../../../contracts/payments/card-terminal.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Clock } from '../../core/clock.ts'
import { openSchema } from '../../core/db/schema.fixture.ts'
import { createTransact } from '../../core/db/transact.ts'
import { testClock, testLog } from '../../core/http/testing.ts'
import { ProblemError } from '../../core/problem.ts'
import { createCardRows } from '../../sales/sale/sale-rows.sql.ts'
import { cardTransactionsOf } from './card-transactions.ts'
import type { DeviceHub } from '../../core/devices/hub.ts'
import { type SalesRepository, saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { testContext, provideDevices } from '../../../packages/lab/testing/lane-context.ts'

const SALE = SaleId.parse('SALE0001')
const APPROVED: CardApproval = {
  kind: 'approved',
  amountCents: cents(500),
  authorisationCode: 'A1',
  transaction: { id: 'T1', timestamp: '2026-11-20T15:00:00Z' },
  card: { scheme: null, lastFour: null, entryMode: null },
  receipts: { customer: [], merchant: [] },
}

async function openCards(terminal: CardMover, clock: Clock) {
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
  const ctx = testContext({ db, transact, clock, log: testLog().log })
  provideDevices(ctx, { cardTerminal: terminal as DeviceHub['cardTerminal'] })
  saleRowsOf.provide(ctx, { cards: rows } as SalesRepository)
  const cards = cardTransactionsOf(ctx)
  return { cards, rows, transact }
}

test('a card approval that its sale rejects is refunded to the card, and events report both transactions', async () => {
  const moved: string[] = []
  const terminal: CardMover = {
    pay: async () => APPROVED,
    refund: async () => APPROVED,
    cancel: async () => undefined,
    status: async () => APPROVED,
  }
  const { cards, rows, transact } = await openCards(terminal, testClock())
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

test('cancelling a card payment of unknown outcome resets its status requests to the shortest interval', async () => {
  const waits: number[] = []
  let requestStatus: () => void = () => undefined
  const clock: Clock = {
    ...testClock(),
    after(ms, work) {
      waits.push(ms)
      requestStatus = work
      return () => {
        waits.push(-ms)
      }
    },
  }
  const terminal: CardMover = {
    pay: async () => ({ kind: 'unknown', reason: 'no-answer' }),
    refund: async () => APPROVED,
    cancel: async () => undefined,
    status: async () => ({ kind: 'in-progress' }),
  }
  const { cards, rows, transact } = await openCards(terminal, clock)
  transact((tx) => {
    cards.ask(tx, { saleId: SALE, kind: 'payment', original: null, returnId: null, amountCents: 500 })
  })
  await expect.poll(() => waits).toEqual([500])
  requestStatus()
  await expect.poll(() => waits).toEqual([500, 1000])
  requestStatus()
  await expect.poll(() => waits).toEqual([500, 1000, 2000])
  const [row] = rows.ofSale(SALE)
  if (!row) throw new Error('it was asked for')
  cards.cancel(row)
  await expect.poll(() => waits).toEqual([500, 1000, 2000, -2000, 500])
})
