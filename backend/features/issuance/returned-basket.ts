import type { Locale } from '../../../contracts/locales.ts'
import type { IssuanceBasket } from '../../central/issuance.ts'
import { saleLineOf } from '../../domain/basket.ts'
import type { ReturnedGoods } from '../domain-events.ts'

/** What came back, as the program is told of it: in positive amounts. */
export const returnedBasket = (
  {
    returnId,
    at,
    lines,
    totals,
    tenders,
  }: Omit<ReturnedGoods, 'returnId' | 'sale' | 'left' | 'earlier'> & { readonly returnId: string },
  locale: Locale,
): IssuanceBasket => ({
  saleId: returnId,
  atMs: at,
  totals,
  tenders,
  locale,
  lines: lines.map((line) => ({
    ...saleLineOf(line, []),
    departmentId: line.departmentId,
    categoryId: line.categoryId,
  })),
})
