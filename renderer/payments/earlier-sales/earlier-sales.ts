import { navigate } from 'wouter/use-browser-location'
import { create } from 'zustand'
import type { EarlierSale } from '../../../contracts/day/search.ts'
import { api, type EarlierSalesAsked } from '../../core/api/terminal-api.ts'
import { notify, report, settleTopic } from '../../core/state/notices.ts'
import { useSale } from '../../sales/sale.ts'
import { RETURN_PATH } from '../returns/returns.ts'
import { notifyReturnSlip, takeScannedReturn } from '../returns/scanned-papers.ts'

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

const TOPIC = 'receipt'

/**
 * The barcode of a paper before the scanner: a sale's receipt, or the slip of a return. What no list of this lane knows
 * is looked for as a sale, and said to be none.
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

/** A receipt is looked for at once between customers; in the middle of a sale the cashier is asked. */
function takeSaleReceipt(id: string): void {
  if (location.pathname === RETURN_PATH) takeScannedReturn(id)
  else if (betweenCustomers()) showEarlierSales({ text: id })
  else
    notify('info', ({ t }) => t('sale.receiptScanned', { id }), {
      topic: TOPIC,
      offer: {
        say: ({ t }) => t('sale.showReceipt'),
        perform: () => {
          settleTopic(TOPIC)
          showEarlierSales({ text: id })
        },
      },
    })
}

/**
 * The slip of a return opens that return; where goods are taken back it says that it brings none, and leads to the sale
 * that does.
 */
function takeReturnSlip({ id, ofSale }: EarlierSale): void {
  const open = (): void => {
    settleTopic(TOPIC)
    showEarlierSales({ text: id, opened: id })
  }
  if (location.pathname === RETURN_PATH) notifyReturnSlip({ id, ofSale })
  else if (betweenCustomers()) open()
  else
    notify('info', ({ t }) => t('sale.returnScanned', { id }), {
      topic: TOPIC,
      offer: { say: ({ t }) => t('sale.showReturn'), perform: open },
    })
}

const betweenCustomers = (): boolean => useSale.getState().current === null || location.pathname === EARLIER_SALES_PATH
