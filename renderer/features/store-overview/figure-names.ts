import { CASH_ROUNDING, taxOfRow } from '../../../contracts/report-kinds.ts'
import { useWords } from '../../i18n/words.tsx'

const TENDERS = {
  cash: 'dayEnd.tender.cash',
  card: 'dayEnd.tender.card',
  'card-terminal': 'dayEnd.tender.card-terminal',
  cheque: 'dayEnd.tender.cheque',
  miles: 'dayEnd.tender.miles',
  'store-credit': 'dayEnd.tender.store-credit',
  'gift-card': 'dayEnd.tender.gift-card',
} as const
const TAXES = {
  GST: 'reports.taxes.GST',
  HST: 'reports.taxes.HST',
  'HST-FEDERAL': 'reports.taxes.HST-FEDERAL',
  PST: 'reports.taxes.PST',
  QST: 'reports.taxes.QST',
} as const
const isTender = (id: string): id is keyof typeof TENDERS => Object.hasOwn(TENDERS, id)
const isTax = (id: string): id is keyof typeof TAXES => Object.hasOwn(TAXES, id)

/** Payments and taxes in words; what another version of a lane has is shown by its own name. */
export function useFigureNames() {
  const { t } = useWords()
  return {
    tender: (id: string): string => (id === CASH_ROUNDING ? t('dayEnd.rounding') : isTender(id) ? t(TENDERS[id]) : id),
    tax: (id: string): string => {
      const { code, isReturned } = taxOfRow(id)
      const tax = isTax(code) ? t(TAXES[code]) : code
      return isReturned ? t('reports.taxReturned', { tax }) : tax
    },
  }
}
