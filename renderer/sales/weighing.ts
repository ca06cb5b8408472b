import { create } from 'zustand'
import type { Item } from '../../contracts/catalog/catalog.ts'
import { type LineMeasure, type MeasureUnit, UNIT_RULES, formatThousandths } from '../../contracts/catalog/measure.ts'
import { LANGUAGES } from '../../contracts/i18n/languages.ts'
import type { MeasuredGoods } from '../../contracts/payments/returns.ts'
import type { ScaleView, Weighing } from '../../contracts/sales/weighing.ts'
import { api } from '../core/api/terminal-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { report } from '../core/state/notices.ts'

/** Uses the quantity that the cashier confirmed. Throws ApiProblem; the dialog then stays open. */
type UseQuantity = (weighing: Weighing, measured: MeasuredGoods) => Promise<void>

interface WeighingState {
  /** Items whose quantity is asked for, one dialog after the other. */
  readonly asked: readonly { readonly item: Item; readonly done: UseQuantity }[]
  readonly scale: ScaleView | null
}

export const useWeighing = create<WeighingState>()(() => ({ asked: [], scale: null }))

/** Asks for the quantity of an item that is sold by measure, once the reading of the scale is known. */
export function askQuantity(item: Item, done: UseQuantity): void {
  void readScale().finally(() => useWeighing.setState(({ asked }) => ({ asked: [...asked, { item, done }] })))
}

async function readScale(): Promise<void> {
  try {
    const { scale } = await api.scale()
    useWeighing.setState({ scale })
  } catch (error) {
    report(error)
  }
}
export const quantityAnswered = (): void => useWeighing.setState(({ asked }) => ({ asked: asked.slice(1) }))
export const forgetWeighing = (): void => useWeighing.setState({ asked: [] })

/** Applies a reading from an answer or an event. After a restart of the backend, numbers start again. */
export const takeScale = (scale: ScaleView): void => useWeighing.setState({ scale })

export const isSoldByMeasure = ({ soldBy }: Pick<Item, 'soldBy'>): boolean => soldBy === 'kg'
export const unitOf = ({ unit }: Pick<Item, 'unit'>): MeasureUnit => unit ?? 'kg'

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
    /** A sum that returns may make negative. */
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
