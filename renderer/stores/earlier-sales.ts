import { navigate } from 'wouter/use-browser-location'
import { create } from 'zustand'
import type { EarlierSalesAsked } from '../api/terminal-api.ts'

export const EARLIER_SALES_PATH = '/manager/receipts'

type Filter = NonNullable<EarlierSalesAsked['filter']>

interface EarlierSalesState {
  readonly filter: Filter
  /** What was typed or scanned to find a sale. */
  readonly text: string
  /** The sale that is marked in the list, when its receipt can be printed. */
  readonly chosen: string | null
  /** The sale that is marked in the list, when goods of it can come back. */
  readonly chosenSale: string | null
}

export const useEarlierSales = create<EarlierSalesState>()(() => ({ filter: 'all', text: '', chosen: null, chosenSale: null }))

/** Open the list of earlier sales: all of them, those not on paper, or the one whose receipt was scanned. */
export function showEarlierSales({ filter = 'all', text = '' }: Partial<Pick<EarlierSalesState, 'filter' | 'text'>>): void {
  useEarlierSales.setState({ filter, text })
  if (location.pathname !== EARLIER_SALES_PATH) navigate(EARLIER_SALES_PATH)
}
