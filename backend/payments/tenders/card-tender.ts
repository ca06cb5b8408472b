import type { Sale } from '../../../contracts/sales/sales.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { ResolveCardTransaction, CardTransaction } from '../../../contracts/payments/tenders/card-terminal.ts'
import { isoOf } from '../../core/clock.ts'
import { ProblemError } from '../../core/problem.ts'
import { type CardRow, openCardPayment } from '../../sales/sale/sale-rows.sql.ts'
import { totalsOf } from '../../sales/sale/sale-parts.ts'
import { amountRow, checkAmount } from './take.ts'
import { isUnsettled, cardTransactionsOf } from './card-transactions.ts'
import type { App } from '../../core/http/app.ts'
import { paymentsContract } from '../../../contracts/payments/payments.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { salesOf } from '../../sales/sales.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { tendersOf } from './tenders.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { custodyOf } from '../../sales/drawer.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { queueSummaryOf } from '../../loyalty/queue/queue-facts.ts'
import { onStart } from '../../core/lifecycle.ts'

const cardTenderStateOf = perLane((ctx: Ctx) => {
  const hasTerminal = devicesOf(ctx).cardTerminal !== null

  cardTransactionsOf(ctx).events.on('card-payment.approved', (tx, { saleId, reference, approval }) => {
    const sale = salesOf(ctx).row(saleId)
    if (!approval || sale.state !== 'open') throw new Error('the sale of the card payment is not open')
    saleRowsOf(ctx).insertTender(tx, saleId, amountRow('card-terminal', approval.amountCents, reference), {
      at: ctx.clock.now(),
      shiftId: custodyOf(ctx).enter(tx, sale.servedBy),
    })
    saleRowsOf(ctx).touch(tx, saleId)
    tendersOf(ctx).completeWhenPaid(tx, saleId)
  })
  return {
    hasTerminal,
  }
})

function show(ctx: Ctx, { kind, state, saleId }: CardRow): void {
  const sales = salesOf(ctx)
  if (kind !== 'payment') return
  if (state === 'approved' && sales.row(saleId).state === 'completed') tendersOf(ctx).announce(saleId, true)
  else sales.publish(saleId, 'tender')
}

/**
 * Commits the request of a card payment, then sends it to the card terminal. Events publish its progress to the
 * screens.
 */
function pay(ctx: Ctx, saleId: Sale['id'], version: number, amountCents: number): Sale {
  const sales = salesOf(ctx)
  if (!cardTenderStateOf(ctx).hasTerminal) throw new ProblemError('card-terminal-missing')
  ctx.transact((tx) => {
    const now = sales.forPayment(saleId, version)
    if (!ctx.profile.payments.includes('card-terminal'))
      throw new ProblemError('body-invalid', [{ path: '/kind', message: 'this store does not accept it' }])
    const due = totalsOf(now, storeTaxesOf(ctx)()).dueCents
    if (due <= 0) throw new ProblemError('nothing-due')
    checkAmount(cents(amountCents), cents(due))
    saleRowsOf(ctx).touch(tx, saleId)
    sales.freezePrices(tx, saleId)
    tendersOf(ctx).serve(tx, saleId)
    cardTransactionsOf(ctx).ask(tx, { saleId, kind: 'payment', original: null, returnId: null, amountCents })
  })
  return sales.view(saleId)
}

/** Asks the card terminal to cancel the running payment. Throws ProblemError `card-not-asked` without one. */
function cancel(ctx: Ctx, saleId: Sale['id']): Sale {
  const row = openCardPayment(saleRowsOf(ctx).cards.ofSale(saleId))
  if (!row) throw new ProblemError('card-not-asked')
  cardTransactionsOf(ctx).cancel(row)
  return salesOf(ctx).view(saleId)
}

function watch(ctx: Ctx): void {
  cardTransactionsOf(ctx).events.on('card-transaction.moved', (_tx, row) => {
    ctx.transact.afterCommit(() => {
      queueSummaryOf(ctx).announce()
      show(ctx, row)
    })
  })
}

export const cardTenderOf = perLane((ctx: Ctx) => {
  cardTenderStateOf(ctx)
  onStart(ctx, () => watch(ctx), 'watch')
  return {
    ...bound(ctx, {
      pay,
      cancel,
    }),

    list: (): CardTransaction[] => saleRowsOf(ctx).cards.forPerson().map(viewOf),

    /**
     * Settles a card transaction as the manager found it in the card terminal's report, or records that a failed refund
     * was paid back in another form.
     */
    resolve(reference: string, { moved, note }: ResolveCardTransaction, staffId: string): CardTransaction[] {
      ctx.transact((tx) => {
        const row = saleRowsOf(ctx).cards.byReference(reference)
        if (!row) throw new ProblemError('not-found')
        const waits = saleRowsOf(ctx)
          .cards.forPerson()
          .some((one) => one.reference === reference)
        if (!waits) throw new ProblemError('card-not-asked')
        if (!moved && cardTransactionsOf(ctx).isInProgress(reference)) throw new ProblemError('card-in-progress')
        if (isUnsettled(row))
          cardTransactionsOf(ctx).resolveManually(tx, reference, {
            state: moved ? 'approved' : 'declined',
            reason: 'by-hand',
            approval: moved ? { ...MANUAL, amountCents: cents(row.amountCents) } : null,
            // A failed refund is still owed, so it remains listed until it is paid back in another form.
            ...(moved || row.kind === 'payment' ? { resolvedBy: staffId } : {}),
            note,
          })
        else saleRowsOf(ctx).cards.resolve(tx, reference, staffId, note)
        ctx.audit.record(tx, {
          kind: 'card-transaction-resolved',
          actorId: staffId,
          subject: row.saleId,
          detail: { reference, moved, amountCents: row.amountCents },
        })
      })
      return this.list()
    },
  }
})

const MANUAL = {
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
  // Only the portion that the card terminal did not refund is still owed.
  amountCents: cents(row.amountCents - (row.approval?.amountCents ?? 0)),
  state: row.state,
  reason: row.reason,
  askedAt: isoOf(row.askedAt),
})

export function cardPaymentsRoutes(ctx: Ctx, app: App): void {
  const cardTender = cardTenderOf(ctx)
  serve(app, paymentsContract['POST /sales/:id/card-payment'], (request) => ({
    sale: cardTender.pay(request.params.id, request.body.version, request.body.amountCents),
  }))
  serve(app, paymentsContract['POST /sales/:id/card-payment/cancel'], (request) => ({
    sale: cardTender.cancel(request.params.id),
  }))
  serve(app, paymentsContract['GET /card-transactions'], () => ({ entries: cardTender.list() }))
  serve(app, paymentsContract['POST /card-transactions/:reference/resolve'], (request) => ({
    entries: cardTender.resolve(request.params.reference, request.body, signedIn(request).id),
  }))
}
