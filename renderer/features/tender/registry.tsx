import { Coins, CreditCard, Gift, ScrollText, Ticket, WalletCards } from 'lucide-react'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import type { SaleTotals, Tender } from '../../../contracts/api/sales.ts'
import type { PaymentKind, TenderKind } from '../../../contracts/tenders/registry.ts'
import type { useWords } from '../../i18n/words.tsx'
import { useSale } from '../../state/sale.ts'
import { CardPanel } from './card-panel.tsx'
import { CashPanel } from './cash-panel.tsx'
import { TerminalPanel } from './terminal-panel.tsx'
import { ChequePanel } from './cheque-panel.tsx'
import { VoucherPanel } from './voucher-panel.tsx'

interface PanelProps {
  readonly totals: z.infer<typeof SaleTotals>
}

/** What the screens know of a tender type. */
interface TenderScreens {
  readonly icon: ReactNode
  /** Beside a payment, what proves it; `reference` is its number. */
  readonly proof: (tender: Tender, reference: string, words: ReturnType<typeof useWords>) => string
}

const byReference: TenderScreens['proof'] = (_tender, number, { t }) => t('tender.referenceShort', { number })
const ofVoucher: TenderScreens['proof'] = ({ leftCents }, number, { t, format }) =>
  t('tender.voucherShort', { number, left: format.money(leftCents ?? 0) })

export const TENDER_SCREENS: Readonly<Record<TenderKind, TenderScreens>> = {
  cash: { icon: <Coins />, proof: byReference },
  card: { icon: <CreditCard />, proof: byReference },
  'card-terminal': {
    icon: <CreditCard />,
    proof: ({ card }, number, { t }) =>
      t('tender.terminalShort', { scheme: card?.scheme ?? '', number: card?.lastFour ?? number }),
  },
  cheque: { icon: <ScrollText />, proof: (_tender, number, { t }) => t('tender.chequeShort', { number }) },
  miles: { icon: <Gift />, proof: (_tender, number, { t }) => t('tender.confirmationShort', { number }) },
  'store-credit': { icon: <Ticket />, proof: ofVoucher },
  'gift-card': { icon: <WalletCards />, proof: ofVoucher },
}

interface PaymentScreens {
  readonly icon: ReactNode
  /** The panel in which it is typed. */
  readonly Panel: (props: PanelProps) => ReactNode
}

export const PAYMENT_SCREENS: Readonly<Record<PaymentKind, PaymentScreens>> = {
  cash: { icon: <Coins />, Panel: CashPanel },
  card: { icon: <CreditCard />, Panel: CardPanel },
  'card-terminal': { icon: <CreditCard />, Panel: TerminalPanel },
  cheque: { icon: <ScrollText />, Panel: ChequePanel },
  voucher: { icon: <Ticket />, Panel: PresentedVoucher },
}

function PresentedVoucher({ totals }: PanelProps) {
  const voucher = useSale((state) => state.voucher)
  return <VoucherPanel key={voucher?.id} totals={totals} voucher={voucher} />
}
