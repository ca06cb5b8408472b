import type { Cents } from '../core/money.ts'
import type { DayTotals, TenderTotals } from './day-end.ts'

type PaidTotals = Pick<DayTotals, 'tenders' | 'manufacturerCoupons'>

const lessBy = (one: TenderTotals['taken'], other: TenderTotals['taken']) => ({
  count: one.count - other.count,
  amountCents: (one.amountCents - other.amountCents) as Cents,
})

/**
 * Totals by payment type, with manufacturers' coupons as a type. Stored reports count them as cheques, because the
 * previous release does not know them. They are refunded as store credit, which is another type. The screens load this
 * file, so it imports no schemas.
 */
export function tenderRows({ tenders, manufacturerCoupons: { taken, givenBack } }: PaidTotals): TenderTotals[] {
  if (taken.count === 0 && givenBack.count === 0) return tenders
  const netCents = (taken.amountCents - givenBack.amountCents) as Cents
  const none = { count: 0, amountCents: 0 as Cents }
  return tenders.flatMap((row) => {
    if (row.kind !== 'cheque') return [row]
    const cheques = {
      ...row,
      taken: lessBy(row.taken, taken),
      givenBack: lessBy(row.givenBack, givenBack),
      netCents: (row.netCents - netCents) as Cents,
    }
    const coupons = {
      kind: 'manufacturer-coupon' as const,
      taken,
      givenBack,
      refunded: none,
      netCents,
      roundingCents: 0 as Cents,
    }
    return cheques.taken.count === 0 && cheques.givenBack.count === 0 ? [coupons] : [cheques, coupons]
  })
}
