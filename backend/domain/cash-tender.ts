import { cents, type Cents } from '../../contracts/money.ts'
import { cashDueOf } from './basket.ts'

/** The amounts of a cash tender: `amountCents + roundingCents = tenderedCents - changeCents`. */
export interface CashTender {
  /** What it pays of the sale. */
  readonly amountCents: Cents
  /** What the sale gains (+) or forgoes (−) by rounding; 0 unless this tender settles the sale. */
  readonly roundingCents: Cents
  readonly tenderedCents: Cents
  readonly changeCents: Cents
}

/**
 * Cash handed over against what is due. Cash that reaches the rounded due settles the sale and gives change;
 * less pays a part, without rounding: only the last cash rounds, and only once.
 * Null when it cannot be: nothing due, a negative amount, or an amount that Canadian coins cannot make
 * (not a multiple of five cents). Nothing handed over settles only a due that rounds to nothing (one or two cents).
 */
export function cashTender(dueCents: Cents, tenderedCents: Cents): CashTender | null {
  if (dueCents <= 0 || tenderedCents < 0 || tenderedCents % 5 !== 0) return null
  const cashDue = cashDueOf(dueCents)
  if (tenderedCents >= cashDue) {
    return {
      amountCents: dueCents,
      roundingCents: cents(cashDue - dueCents),
      tenderedCents,
      changeCents: cents(tenderedCents - cashDue),
    }
  }
  if (tenderedCents === 0) return null
  return { amountCents: tenderedCents, roundingCents: cents(0), tenderedCents, changeCents: cents(0) }
}
