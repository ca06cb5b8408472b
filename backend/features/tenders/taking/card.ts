import { looksLikePaymentCard } from '../../../domain/payment-card.ts'
import { ProblemError } from '../../../http/problem.ts'
import { amountRow, checkAmount, type Take } from './take.ts'

export const takeCard: Take<'card'> = ({ dueCents }, { amountCents, reference }) => {
  checkAmount(amountCents, dueCents)
  // A card number typed where the slip's approval number belongs must reach no disk, paper or screen.
  if (looksLikePaymentCard(reference)) throw new ProblemError('reference-is-card')
  return amountRow('card', amountCents, reference)
}
