import { create } from 'zustand'
import type { Item } from '../../contracts/catalog/catalog.ts'

/** What the cashier is changing: on a line by its number, on the sale with null. */
export type ChangeDialog =
  | { readonly kind: 'menu' | 'coupon' | 'exemption' }
  | { readonly kind: 'price'; readonly line: number }
  | { readonly kind: 'discount' | 'note'; readonly line: number | null }

interface ChangesState {
  readonly dialog: ChangeDialog | null
  /**
   * Items that were rung and whose price is still to be entered, oldest first: the next scan takes none of them away.
   */
  readonly unpriced: readonly Item[]
}

export const useChanges = create<ChangesState>()(() => ({ dialog: null, unpriced: [] }))

export const openChange = (dialog: ChangeDialog): void => useChanges.setState({ dialog })
export const closeChange = (): void => useChanges.setState({ dialog: null })
export const askPrice = (item: Item): void => useChanges.setState(({ unpriced }) => ({ unpriced: [...unpriced, item] }))
export const priceAnswered = (): void => useChanges.setState(({ unpriced }) => ({ unpriced: unpriced.slice(1) }))

/** Whoever was serving has left: nothing of theirs stays open. */
export const forgetChanges = (): void => useChanges.setState({ dialog: null, unpriced: [] })
