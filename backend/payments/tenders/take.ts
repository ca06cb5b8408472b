import { ProblemError } from '../../core/problem.ts'
import { cashTender } from '../tender-types/cash.ts'
import type { Cents } from '../../../contracts/core/money.ts'
import type { AddTender } from '../../../contracts/payments/tenders/registry.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { Who } from '../../sales/approvals/guard.ts'
import type { NewTender } from '../../sales/sale/sales.sql.ts'
import { MOST_LIKELY_CHANGE_CENTS } from '../../../contracts/core/denominations.ts'
import type { Ctx } from '../../core/context.ts'
import { queueSummaryOf } from '../../loyalty/queue/queue-facts.ts'

/**
 * Takes a payment with a card slip. If the amount of the slip exceeds the amount due, the difference is listed for the
 * manager, who pays it back.
 */
export const createTakeCard =
  (ctx: Ctx): Take<'card'> =>
  ({ tx, saleId, dueCents }, { amountCents, reference, confirmed }) => {
    const { audit } = ctx
    const actorId = (): string | null => ctx.signedIn()?.id ?? null
    const onExceeded = (): void => ctx.transact.afterCommit(queueSummaryOf(ctx).announce)
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

/** Checks a payment and returns its row. Throws ProblemError if the payment cannot be taken. */
export type Take<Kind extends AddTender['kind']> = (
  payment: { readonly tx: Tx; readonly saleId: string; readonly dueCents: Cents; readonly who: Who },
  command: Extract<AddTender, { kind: Kind }>,
) => NewTender

/** Rejects a payment of zero, below zero or above the amount due. */
export function checkAmount(amountCents: Cents, dueCents: Cents): void {
  if (amountCents <= 0) throw new ProblemError('tender-amount-invalid')
  if (amountCents > dueCents) throw new ProblemError('tender-exceeds-due')
}

export const amountRow = (kind: NewTender['kind'], amountCents: Cents, reference: string | null): NewTender => ({
  kind,
  amountCents,
  roundingCents: 0,
  tenderedCents: amountCents,
  changeCents: 0,
  reference,
  operationId: null,
})
