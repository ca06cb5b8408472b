import type { Item } from '../../contracts/api/catalog.ts'
import { LANGUAGES, LOCALES, perLocale } from '../../contracts/i18n/languages.ts'
import type { Locale, Names } from '../../contracts/locales.ts'
import { nameIn } from '../../contracts/names.ts'
import type { Measure } from '../../contracts/measure.ts'
import { cents, type Cents } from '../../contracts/money.ts'
import { receiptWords } from './receipt-words.ts'

const GRAMS_PER_KILOGRAM = 1_000

/** Grams at a price per kilogram, halves of a cent up. */
export const priceOfWeight = (grams: number, perKilogram: Cents): Cents =>
  cents(Math.floor((grams * perKilogram + GRAMS_PER_KILOGRAM / 2) / GRAMS_PER_KILOGRAM))

/** Matches the name that `measuredItem` gives a weighed piece in one language. */
function weighedName(locale: Locale): RegExp {
  const words = receiptWords(locale).say('weighed', { name: '', kilograms: 'KILOGRAMS', price: 'PRICE' })
  const pattern = words.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
  return new RegExp(`${pattern.replace('KILOGRAMS', String.raw`\d+[.,]\d{3}`).replace('PRICE', '.+')}$`, 'u')
}

/** Whether a line with this name is a piece that was weighed, whose price is that of its own weight. */
export const isWeighed = (name: Names): boolean =>
  LOCALES.some((locale) => name[locale] !== undefined && weighedName(locale).test(name[locale]))

/**
 * The item as its label prices this piece. A label with a price says it; one with a weight is priced by the catalog,
 * whose price of such an item is that of a kilogram, and the line then names weight and price per kilogram.
 */
export function measuredItem(item: Item, measure: Measure): Item {
  if (measure.kind === 'price') return { ...item, priceCents: measure.cents }
  const name = (locale: Locale): string => {
    const { say, money } = receiptWords(locale)
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
