import { create } from 'zustand'
import type { Item } from '../../contracts/catalog/catalog.ts'

/** The open dialog for a change: of a line by its number, of the sale with null. */
export type ChangeDialog =
  | { readonly kind: 'menu' | 'coupon' | 'exemption' }
  | { readonly kind: 'price'; readonly line: number }
  | { readonly kind: 'discount' | 'note'; readonly line: number | null }

interface ChangesState {
  readonly dialog: ChangeDialog | null
  /** Rung items that still need a price, oldest first: the next scan replaces none. */
  readonly unpriced: readonly Item[]
}

export const useChanges = create<ChangesState>()(() => ({ dialog: null, unpriced: [] }))

export const openChange = (dialog: ChangeDialog): void => useChanges.setState({ dialog })
export const closeChange = (): void => useChanges.setState({ dialog: null })
export const askPrice = (item: Item): void => useChanges.setState(({ unpriced }) => ({ unpriced: [...unpriced, item] }))
export const priceAnswered = (): void => useChanges.setState(({ unpriced }) => ({ unpriced: unpriced.slice(1) }))

/** Closes all change dialogs when the cashier leaves. */
export const forgetChanges = (): void => useChanges.setState({ dialog: null, unpriced: [] })
