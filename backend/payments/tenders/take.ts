import { ProblemError } from '../../core/problem.ts'
import type { AuditTrail } from '../../core/audit.ts'
import { cashTender } from './types/cash.ts'
import type { Cents } from '../../../contracts/core/money.ts'
import type { AddTender } from '../../../contracts/payments/tenders/registry.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { NewTender } from '../../sales/sales.sql.ts'
import type { Vouchers } from '../vouchers/vouchers.ts'
import { MOST_LIKELY_CHANGE_CENTS } from '../../../contracts/core/denominations.ts'

export interface CardTakingOptions {
  readonly audit: Pick<AuditTrail, 'record'>
  /** The id of the signed-in person. */
  readonly actorId: () => string | null
  /** A slip is on the manager’s list; in the transaction of the payment. */
  readonly onExceeded: () => void
}

/** A slip of more than is due pays what is due; the difference is on the manager’s list. */
export const createTakeCard =
  ({ audit, actorId, onExceeded }: CardTakingOptions): Take<'card'> =>
  ({ tx, saleId, dueCents }, { amountCents, reference, confirmed }) => {
    if (amountCents <= dueCents) {
      checkAmount(amountCents, dueCents)
      return amountRow('card', amountCents, reference)
    }
    if (!confirmed) throw new ProblemError('slip-exceeds-due')
    audit.record(tx, {
      kind: 'card-slip-exceeded',
      actorId: actorId(),
      subject: saleId,
      detail: { reference, slipCents: amountCents, dueCents, overCents: amountCents - dueCents },
    })
    onExceeded()
    return amountRow('card', dueCents, reference)
  }

export const takeCash: Take<'cash'> = ({ dueCents }, { tenderedCents, confirmed }) => {
  const cash = cashTender(dueCents, tenderedCents)
  if (!cash) throw new ProblemError('tender-amount-invalid')
  if (cash.changeCents >= MOST_LIKELY_CHANGE_CENTS && !confirmed) throw new ProblemError('cash-unlikely')
  return { kind: 'cash', ...cash, reference: null, operationId: null }
}

export const takeCheque: Take<'cheque'> = ({ dueCents }, { amountCents, reference }) => {
  checkAmount(amountCents, dueCents)
  return amountRow('cheque', amountCents, reference)
}

/** Checks a payment and answers its row. Throws ProblemError where it cannot be taken. */
export type Take<Kind extends AddTender['kind']> = (
  payment: { readonly tx: Tx; readonly saleId: string; readonly dueCents: Cents },
  command: Extract<AddTender, { kind: Kind }>,
) => NewTender

/** A payment of an amount pays a part or all of what is due, and nothing over it. */
export function checkAmount(amountCents: Cents, dueCents: Cents): void {
  if (amountCents <= 0) throw new ProblemError('tender-amount-invalid')
  if (amountCents > dueCents) throw new ProblemError('tender-exceeds-due')
}

/** The row of a payment of an amount: what was tendered is what it pays. */
export const amountRow = (kind: NewTender['kind'], amountCents: Cents, reference: string | null): NewTender => ({
  kind,
  amountCents,
  roundingCents: 0,
  tenderedCents: amountCents,
  changeCents: 0,
  reference,
  operationId: null,
})

export type Taking = { readonly [Kind in AddTender['kind']]: Take<Kind> }

/** How each type of tender is taken. */
export const createTaking = ({
  vouchers,
  ...options
}: CardTakingOptions & { readonly vouchers: Pick<Vouchers, 'pay'> }): Taking => ({
  cash: takeCash,
  card: createTakeCard(options),
  cheque: takeCheque,
  voucher({ tx, saleId, dueCents }, { voucherId, amountCents }) {
    checkAmount(amountCents, dueCents)
    return vouchers.pay(tx, saleId, voucherId, amountCents)
  },
})
