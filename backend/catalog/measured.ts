import type { Item } from '../../contracts/catalog/catalog.ts'
import { LANGUAGES, LOCALES, perLocale } from '../../contracts/i18n/languages.ts'
import type { Locale, Names } from '../../contracts/core/locales.ts'
import { checkDigit } from '../../contracts/catalog/goods.ts'
import { type Cents, cents } from '../../contracts/core/money.ts'
import { receiptTexts } from '../core/paper/layout.ts'
import type { EmbeddedLayout } from '../../contracts/core/profile.ts'
import { nameIn } from '../../contracts/core/names.ts'
import type { Measure } from '../../contracts/catalog/measure.ts'

const GRAMS_PER_KILOGRAM = 1_000

/** Returns the price of a weight in grams; rounds half cents up. */
export const priceOfWeight = (grams: number, perKilogram: Cents): Cents =>
  cents(Math.floor((grams * perKilogram + GRAMS_PER_KILOGRAM / 2) / GRAMS_PER_KILOGRAM))

function weighedName(locale: Locale): RegExp {
  const words = receiptTexts(locale).say('weighed', { name: '', kilograms: 'KILOGRAMS', price: 'PRICE' })
  const pattern = words.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
  return new RegExp(`${pattern.replace('KILOGRAMS', String.raw`\d+[.,]\d{3}`).replace('PRICE', '.+')}$`, 'u')
}

/** Whether a line with this name is a weighed piece, whose price depends on its weight. */
export const isWeighed = (name: Names): boolean =>
  LOCALES.some((locale) => name[locale] !== undefined && weighedName(locale).test(name[locale]))

/**
 * Prices a piece by its label. A price on the label takes precedence. For a weight, the catalog's price is per
 * kilogram, and the line names weight and price per kilogram.
 */
export function measuredItem(item: Item, measure: Measure): Item {
  if (measure.kind === 'price') return { ...item, priceCents: measure.cents }
  const name = (locale: Locale): string => {
    const { say, money } = receiptTexts(locale)
    const whole = Math.floor(measure.grams / GRAMS_PER_KILOGRAM)
    const grams = String(measure.grams % GRAMS_PER_KILOGRAM).padStart(3, '0')
    const kilograms = `${whole}${LANGUAGES[locale].paper.decimal}${grams}`
    return say('weighed', { name: nameIn(item.name, locale), kilograms, price: money(item.priceCents) })
  }
  return {
    ...item,
    name: perLocale(name),
    priceCents: priceOfWeight(measure.grams, item.priceCents),
  }
}

/**
 * Returns a function that decides whether the catalog's price of an item is per kilogram. An item without `sold_by` is
 * sold by weight if its barcode is its number on the store's weight labels, such a label with weight 0, or a GTIN of
 * variable measure (14 digits, the first a 9: GS1 General Specifications §2.1.11).
 */
export function weightReader(
  layouts: readonly EmbeddedLayout[],
): (item: Pick<Item, 'barcode' | 'codes' | 'soldBy'>) => boolean {
  const weights = layouts.map(({ layout }) => layout).filter((layout) => layout.includes('W'))
  const itemDigits = new Set(weights.map((layout) => layout.replaceAll(/[^I]/g, '').length))
  const bases = weights.map(baseOf)
  const isOfLabel = (barcode: string): boolean =>
    /^\d+$/.test(barcode) &&
    (itemDigits.has(barcode.length) ||
      /^9\d{13}$/.test(barcode) ||
      bases.some((isBase) => isBase(barcode.length === 12 ? `0${barcode}` : barcode)))
  return ({ barcode, codes = [], soldBy }) => {
    if (soldBy !== undefined) return soldBy === 'kg'
    return [...(barcode === null ? [] : [barcode]), ...codes].some(isOfLabel)
  }
}

function baseOf(layout: string): (barcode: string) => boolean {
  const body = layout.slice(0, -1)
  const pattern = new RegExp(`^${body.replaceAll('I', String.raw`\d`).replaceAll(/[VW]/g, '0')}\\d$`)
  return (barcode) => pattern.test(barcode) && Number(barcode.at(-1)) === checkDigit(barcode.slice(0, -1))
}
