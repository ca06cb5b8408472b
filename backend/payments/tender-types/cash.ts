import type { TenderType } from './type.ts'
import { type Cents, cents } from '../../../contracts/core/money.ts'
import { cashDueOf } from '../../sales/sale/basket.ts'

export const cash: TenderType = {
  opensDrawer: true,
  pool: 'cash',
  goesBack: { kind: 'cash', why: 'paid-in-cash' },
  displayName: ({ t }) => t('cash'),
  receiptRows: (tender, { tenders }, { t, money }, paper) =>
    tender.amountCents < 0
      ? [
          ...(tender.roundingCents === 0 ? [] : paper.row(t('cash-rounding'), money(tender.roundingCents))),
          ...paper.row(t('cash-paid-out'), money(0 - tender.tenderedCents), { bold: true }),
        ]
      : [
          ...(tender.roundingCents === 0 ? [] : paper.row(t('cash-rounding'), money(tender.roundingCents))),
          ...paper.row(t('cash'), money(tender.tenderedCents)),
          // Print the change in one row only: after an earlier payment in cash, a row with zero would look like a
          // second change.
          ...(tender.changeCents !== 0 || tender === tenders.findLast(({ kind }) => kind === 'cash')
            ? paper.row(t('change'), money(tender.changeCents), { bold: true })
            : []),
        ],
  // The slip of a cash payment given back shows the cash that the customer gets: rounded, and without the change
  // already given.
  givenBackRows: ({ tender }, { t, money }, paper) =>
    paper.row(t('refund-cash'), money(tender.tenderedCents - tender.changeCents), { bold: true }),
}

/** The amounts of a cash tender: `amountCents + roundingCents = tenderedCents - changeCents`. */
export interface CashTender {
  readonly amountCents: Cents
  /**
   * Cash rounding in cents: positive in the store's favour, negative in the customer's; 0 unless this tender pays
   * the amount due in full.
   */
  readonly roundingCents: Cents
  readonly tenderedCents: Cents
  readonly changeCents: Cents
}

/**
 * Applies tendered cash to the amount due. Cash that covers the rounded amount due pays it in full and gives change;
 * less cash pays a portion, without rounding, so that a sale rounds only once. Returns null with nothing due, a
 * negative amount, or an amount that is not a multiple of five cents. Zero pays only an amount due that rounds to zero
 * (one or two cents).
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
