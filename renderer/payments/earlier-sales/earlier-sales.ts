import { navigate } from 'wouter/use-browser-location'
import { create } from 'zustand'
import type { EarlierSale } from '../../../contracts/day/search.ts'
import { api, type EarlierSalesFilter } from '../../core/api/terminal-api.ts'
import { notify, report, clearTopic } from '../../core/state/notices.ts'
import { useSale } from '../../sales/sale.ts'
import { RETURN_PATH } from '../returns/returns.ts'
import { notifyReturnSlip, takeScannedReturn } from '../returns/scanned-papers.ts'

export const EARLIER_SALES_PATH = '/manager/receipts'

type Filter = NonNullable<EarlierSalesFilter['filter']>

export interface ChosenDocument {
  readonly paper: 'sale' | 'return'
  readonly id: string
}

interface EarlierSalesState {
  readonly filter: Filter
  readonly text: string
  /** The paper of the selected sale or return; null if it cannot be printed. */
  readonly chosen: ChosenDocument | null
  /** Id of the selected sale; null if its goods cannot be returned. */
  readonly chosenSale: string | null
  readonly chosenReturn: string | null
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
 * Opens the list of earlier sales: all, the unprinted ones, or those with the number `text`. `opened`: the return whose
 * dialog is open.
 */
export function showEarlierSales({
  filter = 'all',
  text = '',
  opened = null,
}: Partial<Pick<EarlierSalesState, 'filter' | 'text' | 'opened'>>): void {
  useEarlierSales.setState({ filter, text, opened })
  if (location.pathname !== EARLIER_SALES_PATH) navigate(EARLIER_SALES_PATH)
}

const TOPIC = 'receipt'

/**
 * Handles the barcode of a receipt or of a return's paper. A number that is no return known here is handled as that of
 * a sale, even if no sale has it.
 */
export async function takeScannedReceipt(id: string): Promise<void> {
  try {
    const returned = (await api.earlierSales({ q: id, limit: 1 })).sales.find(
      (entry) => entry.id === id && entry.state === 'returned',
    )
    if (returned) takeReturnSlip(returned)
    else takeSaleReceipt(id)
  } catch (error) {
    report(error)
  }
}

/** Opens the sale of a scanned receipt at once between customers; during a sale a notice offers to open it. */
function takeSaleReceipt(id: string): void {
  if (location.pathname === RETURN_PATH) takeScannedReturn(id)
  else if (betweenCustomers()) showEarlierSales({ text: id })
  else
    notify('info', ({ t }) => t('sale.receiptScanned', { id }), {
      topic: TOPIC,
      offer: {
        text: ({ t }) => t('sale.showReceipt'),
        perform: () => {
          clearTopic(TOPIC)
          showEarlierSales({ text: id })
        },
      },
    })
}

/**
 * Opens the return whose paper was scanned; during a sale a notice offers to open it. On the return screen a notice
 * explains that this paper returns no goods, and offers the original sale.
 */
function takeReturnSlip({ id, ofSale }: EarlierSale): void {
  const open = (): void => {
    clearTopic(TOPIC)
    showEarlierSales({ text: id, opened: id })
  }
  if (location.pathname === RETURN_PATH) notifyReturnSlip({ id, ofSale })
  else if (betweenCustomers()) open()
  else
    notify('info', ({ t }) => t('sale.returnScanned', { id }), {
      topic: TOPIC,
      offer: { text: ({ t }) => t('sale.showReturn'), perform: open },
    })
}

const betweenCustomers = (): boolean => useSale.getState().current === null || location.pathname === EARLIER_SALES_PATH
