import { Sale } from '../../../contracts/sales/sales.ts'
import { cents } from '../../../contracts/core/money.ts'
import {
  type CardTransaction,
  CardTransactions,
  ChargeCard,
  ResolveCardTransaction,
} from '../../../contracts/payments/tenders/card-terminal.ts'
import { isoOf } from '../../core/clock.ts'
import { ProblemError } from '../../core/problem.ts'
import { type CardRow, openCardPayment } from '../../sales/sale-rows.sql.ts'
import { totalsOf } from '../../sales/sale-view.ts'
import { amountRow, checkAmount } from '../tenders/take.ts'
import { isUnsettled, cardTransactionsOf } from './card-transactions.ts'
import { z } from 'zod'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { salesOf } from '../../sales/sales.ts'
import { saleRowsOf } from '../../sales/sales.sql.ts'
import { tendersOf } from '../tenders/tenders.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { custodyOf } from '../../sales/drawer.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export type CardTender = ReturnType<typeof cardTenderOf>

/**
 * Paying by a card terminal: what a screen may ask for, what an approval does to the sale, what a person may settle.
 */
export const cardTenderOf = perLane((ctx: Ctx) => {
  const { transact, clock, profile, audit } = ctx
  const transactions = cardTransactionsOf(ctx)
  const sales = salesOf(ctx)
  const repository = saleRowsOf(ctx)
  const tenders = tendersOf(ctx)
  const taxes = storeTaxesOf(ctx)
  const custody = custodyOf(ctx)
  const hasTerminal = devicesOf(ctx).cardTerminal !== null

  transactions.events.on('card-payment.approved', (tx, { saleId, reference, approval }) => {
    const sale = sales.row(saleId)
    if (!approval || sale.state !== 'open') throw new Error('the sale takes no payment')
    repository.insertTender(tx, saleId, amountRow('card-terminal', approval.amountCents, reference), {
      at: clock.now(),
      shiftId: custody.enter(tx, sale.servedBy),
    })
    repository.touch(tx, saleId)
    tenders.completeWhenPaid(tx, saleId)
  })

  function show({ kind, state, saleId }: CardRow): void {
    if (kind !== 'payment') return
    if (state === 'approved' && sales.row(saleId).state === 'completed') tenders.announce(saleId, true)
    else sales.publish(saleId, 'tender')
  }

  return {
    /** The request leaves when it is on the disk; what becomes of it the screens hear by events. */
    pay(saleId: Sale['id'], version: number, amountCents: number): Sale {
      if (!hasTerminal) throw new ProblemError('card-terminal-missing')
      transact((tx) => {
        const now = sales.forPayment(saleId, version)
        if (!profile.payments.includes('card-terminal'))
          throw new ProblemError('body-invalid', [{ path: '/kind', message: 'this store does not accept it' }])
        const due = totalsOf(now, taxes()).dueCents
        if (due <= 0) throw new ProblemError('nothing-due')
        checkAmount(cents(amountCents), cents(due))
        // From here on every screen that has not seen this is out of date: a second tap finds nothing to act on.
        repository.touch(tx, saleId)
        tenders.serve(tx, saleId)
        transactions.ask(tx, { saleId, kind: 'payment', original: null, returnId: null, amountCents })
      })
      return sales.view(saleId)
    },

    /** Asks the terminal to stop the payment that runs. Throws ProblemError `card-not-asked` where none does. */
    cancel(saleId: Sale['id']): Sale {
      const row = openCardPayment(repository.cards.ofSale(saleId))
      if (!row) throw new ProblemError('card-not-asked')
      transactions.cancel(row)
      return sales.view(saleId)
    },

    /** What a manager must look at. */
    list: (): CardTransaction[] => repository.cards.forPerson().map(viewOf),

    /**
     * What a manager found in the terminal's own report settles what the terminal does not tell; a refund that the card
     * did not get was given in another form.
     */
    resolve(reference: string, { moved, note }: ResolveCardTransaction, staffId: string): CardTransaction[] {
      transact((tx) => {
        const row = repository.cards.byReference(reference)
        if (!row) throw new ProblemError('not-found')
        const waits = repository.cards.forPerson().some((one) => one.reference === reference)
        if (!waits) throw new ProblemError('card-not-asked')
        if (!moved && transactions.isInProgress(reference)) throw new ProblemError('card-in-progress')
        if (isUnsettled(row))
          transactions.settleByHand(tx, reference, {
            state: moved ? 'approved' : 'declined',
            reason: 'by-hand',
            approval: moved ? { ...BY_HAND, amountCents: cents(row.amountCents) } : null,
            // A refund that the card did not get is still owed: it stays on the list until it is given otherwise.
            ...(moved || row.kind === 'payment' ? { resolvedBy: staffId } : {}),
            note,
          })
        else repository.cards.resolve(tx, reference, staffId, note)
        audit.record(tx, {
          kind: 'card-transaction-resolved',
          actorId: staffId,
          subject: row.saleId,
          detail: { reference, moved, amountCents: row.amountCents },
        })
      })
      return this.list()
    },

    /** From now on the screens see every change of a payment by card. */
    watch(): void {
      transactions.events.on('card-transaction.moved', (_tx, row) => {
        transact.afterCommit(() => {
          show(row)
        })
      })
    },
  }
})

const BY_HAND = {
  authorisationCode: null,
  transaction: null,
  card: { scheme: null, lastFour: null, entryMode: null },
  customerLines: [],
}

const viewOf = (row: CardRow): CardTransaction => ({
  reference: row.reference,
  saleId: row.saleId,
  returnId: row.returnId,
  kind: row.kind,
  // Of a refund that the card got in part: what it still lacks.
  amountCents: cents(row.amountCents - (row.approval?.amountCents ?? 0)),
  state: row.state,
  reason: row.reason,
  askedAt: isoOf(row.askedAt),
})

const byId = z.object({ id: SaleId })
const byReference = z.object({ reference: z.string().regex(/^[A-Z0-9]{1,10}$/) })
const answer = { 200: z.object({ sale: Sale }) }
const access = 'manager'

/** Payments by the lane's card terminal, and what a manager settles of them. */
export const cardPaymentsRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const cardTender = cardTenderOf(ctx)
    app.post(
      '/api/sales/:id/card-payment',
      {
        schema: {
          summary: 'Ask the card terminal for an amount; the outcome comes by events',
          params: byId,
          body: ChargeCard,
          response: answer,
        },
      },
      (request) => ({
        sale: cardTender.pay(request.params.id, request.body.version, request.body.amountCents),
      }),
    )
    app.post(
      '/api/sales/:id/card-payment/cancel',
      {
        schema: { summary: 'Ask the terminal to stop the payment that runs', params: byId, response: answer },
      },
      (request) => ({ sale: cardTender.cancel(request.params.id) }),
    )
    app.get(
      '/api/card-transactions',
      {
        config: { access },
        schema: {
          summary: 'Card payments and refunds that a person must look at',
          response: { 200: CardTransactions },
        },
      },
      () => ({ entries: cardTender.list() }),
    )
    app.post(
      '/api/card-transactions/:reference/resolve',
      {
        config: { access },
        schema: {
          summary: 'What the terminal’s own report says of one',
          params: byReference,
          body: ResolveCardTransaction,
          response: { 200: CardTransactions },
        },
      },
      (request) => ({
        entries: cardTender.resolve(request.params.reference, request.body, signedIn(request).id),
      }),
    )
  }
