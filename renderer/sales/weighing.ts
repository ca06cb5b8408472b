import { create } from 'zustand'
import type { Item } from '../../contracts/catalog/catalog.ts'
import type { MeasureUnit } from '../../contracts/catalog/measure-units.ts'
import type { MeasuredGoods } from '../../contracts/payments/returns.ts'
import type { ScaleView, Weighing } from '../../contracts/sales/weighing.ts'
import { api } from '../core/api/terminal-api.ts'
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

export const takeScale = (scale: ScaleView): void => useWeighing.setState({ scale })

export const isSoldByMeasure = ({ soldBy }: Pick<Item, 'soldBy'>): boolean => soldBy === 'kg'
export const unitOf = ({ unit }: Pick<Item, 'unit'>): MeasureUnit => unit ?? 'kg'
