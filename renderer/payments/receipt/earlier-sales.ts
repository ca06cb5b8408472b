import { navigate } from 'wouter/use-browser-location'
import { create } from 'zustand'
import type { EarlierSalesAsked } from '../../core/api/terminal-api.ts'

export const EARLIER_SALES_PATH = '/manager/receipts'

type Filter = NonNullable<EarlierSalesAsked['filter']>

/** A paper that can be printed again. */
export interface ChosenDocument {
  readonly paper: 'sale' | 'return'
  readonly id: string
}

interface EarlierSalesState {
  readonly filter: Filter
  /** What was typed or scanned to find a sale. */
  readonly text: string
  /** The paper of what is marked in the list, when it can be printed. */
  readonly chosen: ChosenDocument | null
  /** The sale that is marked in the list, when goods of it can come back. */
  readonly chosenSale: string | null
  /** The return that is marked in the list. */
  readonly chosenReturn: string | null
  /** The return that is looked at. */
  readonly opened: string | null
}

export const useEarlierSales = create<EarlierSalesState>()(() => ({
  filter: 'all',
  text: '',
  chosen: null,
  chosenSale: null,
  chosenReturn: null,
  opened: null,
}))

/**
 * Open the list of earlier sales: all of them, those not on paper, or the one whose paper was scanned; `opened`: the
 * return that is shown.
 */
export function showEarlierSales({
  filter = 'all',
  text = '',
  opened = null,
}: Partial<Pick<EarlierSalesState, 'filter' | 'text' | 'opened'>>): void {
  useEarlierSales.setState({ filter, text, opened })
  if (location.pathname !== EARLIER_SALES_PATH) navigate(EARLIER_SALES_PATH)
}
