import type { EarlierSale } from '../../contracts/api/earlier-sales.ts'
import { api } from '../api/terminal-api.ts'
import { EARLIER_SALES_PATH, showEarlierSales } from './earlier-sales.ts'
import { notify, report, settleTopic } from './notices.ts'
import { RETURN_PATH, showReturn, takeScannedReturn, useReturn } from './returns.ts'
import { useSale } from './sale.ts'

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

/** Goods come back by the receipt of their sale, never by the slip of a return. */
export function notifyReturnSlip({ id, ofSale }: Pick<EarlierSale, 'id' | 'ofSale'>): void {
  if (ofSale === null) return notify('warning', ({ t }) => t('returns.slipUnrecorded', { id }), { topic: TOPIC })
  const known = useReturn.getState().sale?.saleId === ofSale
  notify('warning', ({ t }) => t('returns.slip', { id, sale: ofSale }), {
    topic: TOPIC,
    offer: known
      ? null
      : {
          say: ({ t }) => t('returns.openSale'),
          perform: () => {
            settleTopic(TOPIC)
            void showReturn(ofSale)
          },
        },
  })
}

const betweenCustomers = (): boolean => useSale.getState().current === null || location.pathname === EARLIER_SALES_PATH
