import { reprint, reprintInOtherLanguage } from '../payments/receipt/documents.ts'
import { openDelivery } from '../payments/receipt/delivery.ts'
import { EARLIER_SALES_PATH } from '../payments/earlier-sales/earlier-sales.ts'
import { RETURN_PATH } from '../payments/returns/returns.ts'
import { reprintVouchers } from '../payments/receipt/reprint-vouchers.ts'
import { idle, onSale, type Action } from './action.ts'

export const PAPER_ACTIONS = [
  {
    id: 'reprint',
    labelKey: 'actions.reprint',
    keys: ['F11'],
    group: 'terminal',
    when: (c) => onSale(c) && c.panel === 'after' && c.state.closed?.state === 'completed' && idle(c, 'print'),
    perform: (c) => reprint(c.state.closed?.id ?? null),
  },
  {
    id: 'reprint-language',
    labelKey: 'actions.reprint-language',
    keys: ['Ctrl+F11'],
    group: 'terminal',
    when: (c) =>
      ((onSale(c) && c.panel === 'after' && c.state.closed?.state === 'completed') ||
        (c.path === EARLIER_SALES_PATH && c.chosenSale !== null)) &&
      idle(c, 'print'),
    perform: (c) => reprintInOtherLanguage(c.path === EARLIER_SALES_PATH ? c.chosenSale : (c.state.closed?.id ?? null)),
  },
  {
    id: 'gift-receipt',
    labelKey: 'actions.gift-receipt',
    keys: ['Shift+F9'],
    group: 'terminal',
    when: (c) => onSale(c) && c.panel === 'after' && c.state.closed?.state === 'completed' && idle(c, 'print'),
    perform: (c) => reprint(c.state.closed?.id ?? null, 'gift'),
  },
  {
    id: 'email-receipt',
    labelKey: 'actions.email-receipt',
    keys: ['Ctrl+F9'],
    group: 'terminal',
    when: (c) =>
      c.emailsReceipts && onSale(c) && c.panel === 'after' && c.state.closed?.state === 'completed' && idle(c, 'print'),
    perform: (c) => openDelivery(c.state.closed?.id ?? null),
  },
  {
    id: 'email-chosen',
    labelKey: 'actions.email-receipt',
    keys: ['Ctrl+F9'],
    group: 'terminal',
    when: (c) =>
      (c.emailsReceipts || c.isManager) && c.path === EARLIER_SALES_PATH && c.chosenSale !== null && idle(c, 'print'),
    perform: (c) => openDelivery(c.chosenSale),
  },
  {
    id: 'reprint-voucher',
    labelKey: 'actions.reprint-voucher',
    keys: ['Ctrl+G'],
    group: 'terminal',
    when: (c) =>
      c.vouchersShown &&
      ((onSale(c) && c.panel === 'after') || (c.path === RETURN_PATH && c.returning.done !== null)) &&
      idle(c, 'print'),
    perform: () => reprintVouchers(),
  },
  {
    id: 'gift-receipt-chosen',
    labelKey: 'actions.gift-receipt',
    keys: ['Shift+F9'],
    group: 'terminal',
    when: (c) => c.path === EARLIER_SALES_PATH && c.chosenSale !== null && idle(c, 'print'),
    perform: (c) => reprint(c.chosenSale, 'gift'),
  },
  {
    id: 'reprint-last',
    labelKey: 'actions.reprint-last',
    keys: ['F11'],
    group: 'terminal',
    when: (c) =>
      onSale(c) &&
      c.state.current === null &&
      c.state.closed?.state !== 'completed' &&
      c.state.lastSaleId !== null &&
      idle(c, 'print'),
    perform: (c) => reprint(c.state.lastSaleId),
  },
  {
    id: 'reprint-chosen',
    labelKey: 'actions.reprint-chosen',
    keys: ['F11'],
    group: 'terminal',
    when: (c) => c.path === EARLIER_SALES_PATH && c.chosenReceipt !== null && idle(c, 'print'),
    perform: (c) => reprint(c.chosenReceipt?.id ?? null, c.chosenReceipt?.paper),
  },
] as const satisfies readonly Action[]
