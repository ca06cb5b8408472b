import type { StoreDayReport } from '../../../contracts/api/store-overview.ts'
import { csvFile } from '../../../contracts/csv.ts'
import { cents, dollarsString } from '../../../contracts/money.ts'
import type { StoreTotals } from '../../../contracts/store/overview.ts'

const HEAD = [
  'day',
  'lane',
  'sales',
  'gross',
  'discounts',
  'net',
  'tax',
  'total',
  'returns',
  'returned',
  'gift_cards',
] as const
const MILES = ['miles_issued', 'miles_redeemed', 'miles_redeemed_dollars'] as const

/** The totals of a day, a line for each lane and one for all. The names of columns are for programs. */
export function storeDayCsv({ day, lanes, together }: StoreDayReport): string {
  const amount = (value: number): string => dollarsString(cents(value))
  const of = (figures: StoreTotals['tenders'], id: string): string =>
    amount(figures.find((figure) => figure.id === id)?.cents ?? 0)
  const tenders = together.tenders.map(({ id }) => id)
  const taxes = together.taxes.map(({ id }) => id)
  const line = (lane: string, { summary, miles, ...figures }: StoreTotals): (string | number)[] => [
    day,
    lane,
    summary.sales,
    amount(summary.grossCents),
    amount(summary.discountCents),
    amount(summary.netCents),
    amount(summary.taxCents),
    amount(summary.totalCents),
    summary.returns,
    amount(summary.returnCents),
    amount(summary.giftCardCents),
    miles.issued,
    miles.redeemed,
    amount(miles.redeemedCents),
    ...tenders.map((id) => of(figures.tenders, id)),
    ...taxes.map((id) => of(figures.taxes, id)),
  ]
  return csvFile(
    [...HEAD, ...MILES, ...tenders.map((id) => `paid_${id}`), ...taxes.map((id) => `tax_${id}`)],
    [...lanes.map(({ lane, ...totals }) => line(lane, totals)), line('all', together)],
  )
}
