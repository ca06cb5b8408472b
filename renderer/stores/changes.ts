import { create } from 'zustand'
import type { Item } from '../../contracts/api/catalog.ts'
import type { Approval, ApprovalAction } from '../../contracts/api/sale-changes.ts'
import type { z } from 'zod'

/** The PIN of whoever approves, before the contract has branded it. */
export type GivenApproval = z.input<typeof Approval>

/** What the cashier is changing: on a line by its number, on the sale with null. */
export type ChangeDialog =
  | { readonly kind: 'menu' | 'coupon' | 'exemption' }
  | { readonly kind: 'price'; readonly line: number }
  | { readonly kind: 'discount' | 'note'; readonly line: number | null }

/** A command that was refused for want of a supervisor, ready to go again with a PIN in it. */
export interface AskedApproval {
  readonly action: ApprovalAction
  /** Throws ApiProblem. */
  readonly attempt: (approval: GivenApproval) => Promise<void>
}

interface ChangesState {
  readonly dialog: ChangeDialog | null
  readonly approval: AskedApproval | null
  /** Items that were rung and whose price is still to be entered, oldest first: the next scan takes none of them away. */
  readonly unpriced: readonly Item[]
}

export const useChanges = create<ChangesState>()(() => ({ dialog: null, approval: null, unpriced: [] }))

export const openChange = (dialog: ChangeDialog): void => useChanges.setState({ dialog })
export const closeChange = (): void => useChanges.setState({ dialog: null })
export const askPrice = (item: Item): void => useChanges.setState(({ unpriced }) => ({ unpriced: [...unpriced, item] }))
export const priceAnswered = (): void => useChanges.setState(({ unpriced }) => ({ unpriced: unpriced.slice(1) }))

/** Whoever was serving has left: nothing of theirs stays open. */
export const forgetChanges = (): void => useChanges.setState({ dialog: null, approval: null, unpriced: [] })
