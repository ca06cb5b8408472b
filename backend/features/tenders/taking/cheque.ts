import { amountRow, checkAmount, type Take } from './take.ts'

export const takeCheque: Take<'cheque'> = ({ dueCents }, { amountCents, reference }) => {
  checkAmount(amountCents, dueCents)
  return amountRow('cheque', amountCents, reference)
}
