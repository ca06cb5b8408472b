import { create } from 'zustand'
import type { PriceCheck } from '../../contracts/catalog/catalog.ts'
import { api } from '../core/api/terminal-api.ts'

interface PriceCheckState {
  readonly open: boolean
  /** The code that was scanned or typed last, with its price; `check` is null for an unknown code. */
  readonly asked: { readonly code: string; readonly check: PriceCheck | null } | null
}

/** The dialog that shows prices without ringing items. */
export const usePriceCheck = create<PriceCheckState>()(() => ({ open: false, asked: null }))

export const openPriceCheck = (): void => usePriceCheck.setState({ open: true, asked: null })
export const closePriceCheck = (): void => usePriceCheck.setState({ open: false, asked: null })

/** Checks the price of a typed code or SKU. Throws ApiProblem. */
export async function checkPrice(code: string): Promise<void> {
  const { check } = await api.checkPrice(code)
  if (usePriceCheck.getState().open) usePriceCheck.setState({ asked: { code, check } })
}
