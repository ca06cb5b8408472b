import type { Item } from '../../contracts/api/catalog.ts'
import { checkDigit } from '../../contracts/gtin.ts'
import type { EmbeddedLayout } from '../../contracts/profile.ts'

/**
 * Returns whether the catalog's price of an item is that of a kilogram. An item that does not say so is sold by weight
 * when its barcode is its number on the store's weight labels, the base barcode of such a label (weight 0), or a GTIN
 * of variable measure (14 digits, the first a 9: GS1 General Specifications §2.1.11).
 */
export function weightReader(layouts: readonly EmbeddedLayout[]): (item: Pick<Item, 'barcode' | 'soldBy'>) => boolean {
  const weights = layouts.map(({ layout }) => layout).filter((layout) => layout.includes('W'))
  const itemDigits = new Set(weights.map((layout) => layout.replaceAll(/[^I]/g, '').length))
  const bases = weights.map(baseOf)
  return ({ barcode, soldBy }) => {
    if (soldBy !== undefined) return soldBy === 'kg'
    if (barcode === null || !/^\d+$/.test(barcode)) return false
    return (
      itemDigits.has(barcode.length) ||
      /^9\d{13}$/.test(barcode) ||
      bases.some((isBase) => isBase(barcode.length === 12 ? `0${barcode}` : barcode))
    )
  }
}

/** Whether thirteen digits are a label of this layout with a weight of 0. */
function baseOf(layout: string): (barcode: string) => boolean {
  const body = layout.slice(0, -1)
  const pattern = new RegExp(`^${body.replaceAll('I', String.raw`\d`).replaceAll(/[VW]/g, '0')}\\d$`)
  return (barcode) => pattern.test(barcode) && Number(barcode.at(-1)) === checkDigit(barcode.slice(0, -1))
}
