import { amountRow, checkAmount, type Take } from './take.ts'

export const takeCard: Take<'card'> = ({ dueCents }, { amountCents, reference }) => {
  checkAmount(amountCents, dueCents)
  return amountRow('card', amountCents, reference)
}
