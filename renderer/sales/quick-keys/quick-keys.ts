import { create } from 'zustand'
import { nextCustomer, setStage, useSale } from '../sale.ts'

interface QuickKeysState {
  readonly department: string | null
}

export const useQuickKeys = create<QuickKeysState>()(() => ({ department: null }))

/** Opens the quick keys, even from the screen after a sale: the next item belongs to the next customer. */
export function openQuickKeys(): void {
  const { current, closed } = useSale.getState()
  if (!current && closed) nextCustomer()
  useQuickKeys.setState({ department: null })
  setStage('quick')
}

/** Goes back one step: from the items to the departments, from the departments to the payment. */
export function leaveQuickKeys(): void {
  if (useQuickKeys.getState().department === null) setStage('ring')
  else useQuickKeys.setState({ department: null })
}

/**
 * Returns one page of a list, and the number of pages. `page` counts from 0; a number beyond the last page gives the
 * last.
 */
export function pageOf<Entry>(
  entries: readonly Entry[],
  page: number,
  size: number,
): { readonly shown: readonly Entry[]; readonly page: number; readonly pages: number } {
  const pages = Math.max(1, Math.ceil(entries.length / size))
  const at = Math.min(Math.max(page, 0), pages - 1)
  return { shown: entries.slice(at * size, (at + 1) * size), page: at, pages }
}
