import { ProblemError } from '../../../http/problem.ts'
import type { AuditTrail } from '../../staff/audit.ts'
import { amountRow, checkAmount, type Take } from './take.ts'

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
