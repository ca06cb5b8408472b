import type { LineMeasure } from '../../contracts/catalog/measure.ts'
import { type MeasureUnit, UNIT_RULES, formatThousandths } from '../../contracts/catalog/measure-units.ts'
import { LANGUAGES } from '../../contracts/i18n/languages.ts'
import { useI18n } from '../core/i18n/i18n.ts'

const NO_BREAK_SPACE = '\u{a0}'
const MINUS = '\u{2212}'

/** Texts of measured quantities and prices in the language of the screen. */
export function useMeasureTexts() {
  const { t, format } = useI18n()
  const quantity = (thousandths: number, symbol: string, decimals: number): string =>
    `${formatThousandths(thousandths, decimals, LANGUAGES[format.locale].paper.decimal)}${NO_BREAK_SPACE}${symbol}`
  const ofUnit = (thousandths: number, unit: MeasureUnit): string =>
    quantity(thousandths, UNIT_RULES[unit].symbol, UNIT_RULES[unit].isWeight ? 3 : 2)
  const price = (cents: number, unit: MeasureUnit): string => t(`weighing.per.${unit}`, { price: format.money(cents) })
  return {
    quantity,
    /** Text of a sum that is negative if returns exceed sales. */
    signed: (thousandths: number, symbol: string): string =>
      `${thousandths < 0 ? MINUS : ''}${quantity(Math.abs(thousandths), symbol, 3)}`,
    ofUnit,
    price,
    /** Net quantity, price per unit and tare of a line; null for a price from a label. */
    line: ({ unit, netThousandths, tareThousandths, unitPriceCents, source }: LineMeasure): string | null =>
      source === 'price-label'
        ? null
        : tareThousandths === undefined
          ? t('weighing.line', { quantity: ofUnit(netThousandths, unit), price: price(unitPriceCents, unit) })
          : t('weighing.lineNet', {
              quantity: ofUnit(netThousandths, unit),
              price: price(unitPriceCents, unit),
              tare: ofUnit(tareThousandths, unit),
            }),
  }
}
