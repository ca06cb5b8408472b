import { holdsCollectorNumber } from '../../domain/masking.ts'
import { looksLikePaymentCard } from '../../domain/payment-card.ts'
import { ProblemError } from '../../http/problem.ts'

/** Notes stand in the open on the disk: no card number may get there by a slip. */
export function refuseNumbers(note: string): void {
  if (looksLikePaymentCard(note) || holdsCollectorNumber(note)) throw new ProblemError('note-holds-number')
}
