import { create } from 'zustand'
import type { Item } from '../../contracts/catalog/catalog.ts'

/** The open dialog for a change. `line`: number of the line to change; null: the whole sale. */
export type ChangeDialog =
  | { readonly kind: 'menu' | 'coupon' | 'exemption' | 'buyers' }
  | { readonly kind: 'price' | 'shelf-price'; readonly line: number }
  | { readonly kind: 'discount' | 'note'; readonly line: number | null }

interface ChangesState {
  readonly dialog: ChangeDialog | null
  readonly unpriced: readonly Item[]
}

export const useChanges = create<ChangesState>()(() => ({ dialog: null, unpriced: [] }))

export const openChange = (dialog: ChangeDialog): void => useChanges.setState({ dialog })
export const closeChange = (): void => useChanges.setState({ dialog: null })
export const askPrice = (item: Item): void => useChanges.setState(({ unpriced }) => ({ unpriced: [...unpriced, item] }))
export const priceAnswered = (): void => useChanges.setState(({ unpriced }) => ({ unpriced: unpriced.slice(1) }))

export const forgetChanges = (): void => useChanges.setState({ dialog: null, unpriced: [] })
