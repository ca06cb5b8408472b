import { miles } from '../../../contracts/miles.ts'
import { cents } from '../../../contracts/money.ts'
import type { StoreTotals } from '../../../contracts/store/overview.ts'

type Figures = StoreTotals['tenders']

/** What the lanes come to together. */
export function totalOf(lanes: readonly StoreTotals[]): StoreTotals {
  const summed = (of: (lane: StoreTotals) => number): number => lanes.reduce((sum, lane) => sum + of(lane), 0)
  const money = (of: (lane: StoreTotals) => number) => cents(summed(of))
  return {
    summary: {
      sales: summed(({ summary }) => summary.sales),
      grossCents: money(({ summary }) => summary.grossCents),
      discountCents: money(({ summary }) => summary.discountCents),
      netCents: money(({ summary }) => summary.netCents),
      taxCents: money(({ summary }) => summary.taxCents),
      totalCents: money(({ summary }) => summary.totalCents),
      giftCardCents: money(({ summary }) => summary.giftCardCents),
      returns: summed(({ summary }) => summary.returns),
      returnCents: money(({ summary }) => summary.returnCents),
    },
    tenders: figuresOf(lanes.flatMap(({ tenders }) => tenders)),
    taxes: figuresOf(lanes.flatMap(({ taxes }) => taxes)),
    miles: {
      issued: miles(summed(({ miles: { issued } }) => issued)),
      redeemed: miles(summed(({ miles: { redeemed } }) => redeemed)),
      redeemedCents: money(({ miles: { redeemedCents } }) => redeemedCents),
      redeemedSales: summed(({ miles: { redeemedSales } }) => redeemedSales),
    },
  }
}

function figuresOf(all: Figures): Figures {
  const sums = new Map<string, Figures[number]>()
  for (const { id, count, cents: amount } of all) {
    const before = sums.get(id)
    sums.set(id, { id, count: (before?.count ?? 0) + count, cents: cents((before?.cents ?? 0) + amount) })
  }
  return [...sums.values()].toSorted((one, other) => one.id.localeCompare(other.id))
}
