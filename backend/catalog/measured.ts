import type { Item } from '../../contracts/catalog/catalog.ts'
import { checkDigit } from '../../contracts/catalog/goods.ts'
import type { LineMeasure, Measure } from '../../contracts/catalog/measure.ts'
import {
  GRAMS_PER_POUND,
  type MeasureUnit,
  UNIT_RULES,
  formatThousandths,
  measureOfPrice,
  priceOfMeasure,
} from '../../contracts/catalog/measure-units.ts'
import type { Locale, Names } from '../../contracts/core/locales.ts'
import { nameIn } from '../../contracts/core/names.ts'
import type { EmbeddedLayout } from '../../contracts/core/profile.ts'
import { LANGUAGES, LOCALES, perLocale } from '../../contracts/i18n/languages.ts'
import { receiptTexts } from '../core/paper/layout.ts'
import { ProblemError } from '../core/problem.ts'
import type { RungItem } from './packs.ts'

export const unitOfPrice = ({ unit }: Pick<Item, 'unit'>): MeasureUnit => unit ?? 'kg'

/** Quantity and price of a measured line as text: `0.437 kg × $19.99/kg`, with its tare. */
export function measureText(measure: LineMeasure, locale: Locale): string {
  const { t, money } = receiptTexts(locale)
  const { symbol, isWeight } = UNIT_RULES[measure.unit]
  const quantity = (thousandths: number): string =>
    `${formatThousandths(thousandths, isWeight ? 3 : 2, LANGUAGES[locale].paper.decimal)} ${symbol}`
  const price = t(`per-${measure.unit}`, { price: money(measure.unitPriceCents) })
  return measure.tareThousandths === undefined
    ? t('measured', { quantity: quantity(measure.netThousandths), price })
    : t('measured-net', {
        quantity: quantity(measure.netThousandths),
        price,
        tare: quantity(measure.tareThousandths),
      })
}

/**
 * Returns the names of a measured line for the previous release and for lists that show only names. If the price is
 * from a label, it is the price of the piece, and the names have no measure.
 */
export const measuredNames = (name: Names, measure: LineMeasure): Names =>
  measure.source === 'price-label'
    ? name
    : perLocale((locale) =>
        receiptTexts(locale).t('measured-name', {
          name: nameIn(name, locale),
          measure: measureText(measure, locale),
        }),
      )

function weighedName(locale: Locale): RegExp {
  const words = receiptTexts(locale).t('weighed', { name: '', kilograms: 'KILOGRAMS', price: 'PRICE' })
  const pattern = words.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
  return new RegExp(`${pattern.replace('KILOGRAMS', String.raw`\d+[.,]\d{3}`).replace('PRICE', '.+')}$`, 'u')
}

/** Whether a line has a measured quantity. The previous release stored it only in the name of the line. */
export const isMeasured = ({
  name,
  measure,
}: {
  readonly name: Names
  readonly measure: LineMeasure | null
}): boolean =>
  measure !== null || LOCALES.some((locale) => name[locale] !== undefined && weighedName(locale).test(name[locale]))

/** Returns an item rung with a measured quantity, at the price of that quantity. */
export function withMeasure(item: Item, measure: Omit<LineMeasure, 'unit' | 'unitPriceCents'>): RungItem {
  const unit = unitOfPrice(item)
  const priceCents = priceOfMeasure(measure.netThousandths, unit, item.priceCents)
  if (priceCents === null) throw new ProblemError('measure-out-of-bounds')
  return { ...item, priceCents, measure: { ...measure, unit, unitPriceCents: item.priceCents } }
}

/**
 * Prices a piece by its label: at the price on the label, from which the weight is calculated for reports, or else by
 * the weight on the label and the catalog's price per unit of weight. `isByWeight`: whether the item is sold by
 * measure.
 */
export function measuredItem(item: Item, measure: Measure, isByWeight: boolean): RungItem {
  const unit = unitOfPrice(item)
  if (measure.kind === 'price') {
    const netThousandths = isByWeight ? measureOfPrice(measure.cents, unit, item.priceCents) : 0
    const priced = { ...item, priceCents: measure.cents }
    return netThousandths < 1 || netThousandths > 999_999
      ? priced
      : { ...priced, measure: { unit, netThousandths, unitPriceCents: item.priceCents, source: 'price-label' } }
  }
  if (!UNIT_RULES[unit].isWeight) throw new ProblemError('label-price-refused')
  const pounds = measure.poundThousandths ?? Math.round((measure.grams * 1_000) / GRAMS_PER_POUND)
  const netThousandths = UNIT_RULES[unit].symbol === 'lb' ? pounds : measure.grams
  if (netThousandths < 1 || netThousandths > 999_999) throw new ProblemError('measure-out-of-bounds')
  return withMeasure(item, { netThousandths, source: 'label' })
}

/**
 * Returns a function that decides whether the catalog's price of an item is per unit of measure. An item without
 * `sold_by` is sold by weight if its barcode is its number on the store's weight labels, such a label with weight 0, or
 * a GTIN of variable measure (14 digits, the first a 9: GS1 General Specifications §2.1.11).
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
