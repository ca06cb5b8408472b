import type { Sale } from '../../../contracts/api/sales.ts'
import { cents } from '../../../contracts/money.ts'
import type { Profile } from '../../../contracts/profile.ts'
import type { CardTransaction, ResolveCardTransaction } from '../../../contracts/tenders/card-terminal.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import type { StoreTaxes } from '../../domain/tax.ts'
import { ProblemError } from '../../http/problem.ts'
import { openCardPayment, type CardRow } from '../sales/card-rows.ts'
import type { SalesRepository } from '../sales/repository.ts'
import type { Sales } from '../sales/service.ts'
import type { Custody } from '../shifts/custody.ts'
import { totalsOf } from '../sales/view.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { Tenders } from '../tenders/service.ts'
import { amountRow, checkAmount } from '../tenders/taking/take.ts'
import { isUnsettled, type CardTransactions } from './transactions.ts'

export interface CardTenderOptions {
  readonly transactions: CardTransactions
  readonly hasTerminal: boolean
  readonly sales: Sales
  readonly repository: SalesRepository
  readonly tenders: Pick<Tenders, 'serve' | 'completeWhenPaid' | 'announce'>
  readonly transact: Transact
  readonly audit: AuditTrail
  readonly custody: Pick<Custody, 'enter'>
  readonly clock: Clock
  readonly taxes: StoreTaxes
  readonly profile: Pick<Profile, 'payments'>
}

export type CardTender = ReturnType<typeof createCardTender>

/**
 * Paying by a card terminal: what a screen may ask for, what an approval does to the sale, what a person may settle.
 */
export function createCardTender(options: CardTenderOptions) {
  const { transactions, sales, repository, tenders, transact, clock, taxes } = options

  transactions.events.on('card-payment.approved', (tx, { saleId, reference, approval }) => {
    const sale = sales.row(saleId)
    if (!approval || sale.state !== 'open') throw new Error('the sale takes no payment')
    repository.insertTender(tx, saleId, amountRow('card-terminal', approval.amountCents, reference), {
      at: clock.now(),
      shiftId: options.custody.enter(tx, sale.servedBy),
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
      if (!options.hasTerminal) throw new ProblemError('card-terminal-missing')
      transact((tx) => {
        const now = sales.parts(saleId)
        if (now.sale.state !== 'open') throw new ProblemError('sale-not-open')
        if (version !== now.sale.version) throw new ProblemError('sale-stale')
        if (!now.lines.some((line) => line.voided === 0)) throw new ProblemError('sale-empty')
        sales.refuseDuringPayment(now)
        sales.refuseUnchecked(now)
        sales.refuseEarlierEpoch(now)
        if (!options.profile.payments.includes('card-terminal'))
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
        options.audit.record(tx, {
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
}

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
