import type { Item } from '../../../contracts/api/catalog.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Format } from '../../i18n/format.ts'
import type { Words } from '../../i18n/message-key.ts'

/** What of an item is another than before, beside its price, a line each. */
export function changedFields(
  before: Item | null,
  after: Item | null,
  { t, format }: { readonly t: Words; readonly format: Format },
): readonly string[] {
  if (before === null || after === null) return []
  const nothing = t('catalog.import.nothing')
  const bounds = ({ openPrice }: Item): string =>
    openPrice
      ? t('catalog.import.bounds', {
          least: format.money(openPrice.leastCents),
          most: format.money(openPrice.mostCents),
        })
      : nothing
  const soldBy = (item: Item): string => t(`catalog.items.soldBy.${item.soldBy ?? 'barcode'}`)
  const lines: string[] = []
  const note = (
    field: 'barcode' | 'name' | 'openPrice' | 'taxCategory' | 'departmentId' | 'categoryId' | 'minimumAge' | 'soldBy',
    was: string,
    is: string,
  ): void => {
    if (was !== is) lines.push(t(`catalog.import.changed.${field}`, { before: was, after: is }))
  }
  for (const locale of LOCALES) note('name', before.name[locale] ?? nothing, after.name[locale] ?? nothing)
  note('barcode', before.barcode ?? nothing, after.barcode ?? nothing)
  note('openPrice', bounds(before), bounds(after))
  note('taxCategory', t(`catalog.items.tax.${before.taxCategory}`), t(`catalog.items.tax.${after.taxCategory}`))
  note('departmentId', before.departmentId, after.departmentId)
  note('categoryId', before.categoryId ?? nothing, after.categoryId ?? nothing)
  note('minimumAge', String(before.minimumAge ?? nothing), String(after.minimumAge ?? nothing))
  note('soldBy', soldBy(before), soldBy(after))
  return lines
}
