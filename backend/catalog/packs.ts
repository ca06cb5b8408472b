import type { Item, Pack } from '../../contracts/catalog/catalog.ts'
import type { LineMeasure } from '../../contracts/catalog/measure.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import { nameIn } from '../../contracts/core/names.ts'
import { perLocale } from '../../contracts/i18n/languages.ts'
import { receiptTexts } from '../core/paper/layout.ts'

/**
 * An item as it is rung. A pack with its own price is one unit at that price, because a share of the price per piece
 * would not be whole cents: what is sent to the program, returned and printed stays exact (specification 3 §2.2).
 */
export type RungItem = Item & { readonly packPieces?: number; readonly measure?: LineMeasure }

/** Returns the item and quantity that one pack rings: its pieces, or one pack with its own price. */
export function packed(item: Item, pack: Pack): { readonly item: RungItem; readonly quantity: number } {
  const { quantity, priceCents } = pack
  if (priceCents === undefined) return { item, quantity }
  const name = (locale: Locale): string =>
    receiptTexts(locale).t('pack', { name: nameIn(item.name, locale), count: String(quantity) })
  return { item: { ...item, name: perLocale(name), priceCents, packPieces: quantity }, quantity: 1 }
}

/** Number of single pieces in a line. */
export const piecesIn = (line: { readonly quantity: number; readonly packPieces: number | null }): number =>
  line.quantity * (line.packPieces ?? 1)
