import {
  Banknote,
  CircleCheckBig,
  Coins,
  CreditCard,
  Gift,
  Recycle,
  Scissors,
  ScrollText,
  SquareSplitHorizontal,
  Ticket,
  WalletCards,
} from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import type { z } from 'zod'
import type { SaleTotals, Tender } from '../../../contracts/sales/sales.ts'
import type { PaymentKind, TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { useI18n } from '../../core/i18n/i18n.ts'
import { NO_PAYMENTS, PAYMENTS, useSale } from '../../sales/sale.ts'
import { CouponPanel } from './coupon-panel.tsx'
import { CardPanel, ChequePanel } from './reference-panel.tsx'
import { CashPanel } from './cash-panel.tsx'
import { TerminalPanel } from './terminal-panel.tsx'
import { VoucherPanel } from './voucher-panel.tsx'
import { useTerminal } from '../../core/state/terminal.ts'
import { ActionButton } from '../../core/ui/button.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import styles from './pay-keys.module.css'

interface PanelProps {
  readonly totals: z.infer<typeof SaleTotals>
}

interface TenderScreens {
  readonly icon: ReactNode
  /** Returns the text next to a payment that identifies its proof, for example a cheque; `reference` is its number. */
  readonly proof: (tender: Tender, reference: string, i18n: ReturnType<typeof useI18n>) => string
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
  'manufacturer-coupon': {
    icon: <Scissors />,
    proof: (_tender, number, { t }) => t('tender.couponShort', { number }),
  },
  miles: { icon: <Gift />, proof: (_tender, number, { t }) => t('tender.confirmationShort', { number }) },
  'store-credit': { icon: <Ticket />, proof: ofVoucher },
  'gift-card': { icon: <WalletCards />, proof: ofVoucher },
}

interface PaymentScreens {
  readonly icon: ReactNode
  readonly Panel: (props: PanelProps) => ReactNode
}

export const PAYMENT_SCREENS: Readonly<Record<PaymentKind, PaymentScreens>> = {
  cash: { icon: <Coins />, Panel: CashPanel },
  card: { icon: <CreditCard />, Panel: CardPanel },
  'card-terminal': { icon: <CreditCard />, Panel: TerminalPanel },
  cheque: { icon: <ScrollText />, Panel: ChequePanel },
  'manufacturer-coupon': { icon: <Scissors />, Panel: PresentedCoupon },
  voucher: { icon: <Ticket />, Panel: PresentedVoucher },
}

function PresentedCoupon({ totals }: PanelProps) {
  const coupon = useSale((state) => state.manufacturerCoupon)
  return <CouponPanel key={coupon?.code} totals={totals} coupon={coupon} />
}

function PresentedVoucher({ totals }: PanelProps) {
  const voucher = useSale((state) => state.voucher)
  return <VoucherPanel key={voucher?.id} totals={totals} voucher={voucher} />
}

/**
 * Buttons for each payment type of this lane and for exact cash. Their place and size depend on the lane and window
 * only and stay the same during the whole sale; an unavailable button is disabled. On a lane with its own card terminal
 * the button "Card" uses it; partial amounts are next to it, and the slip of another card terminal is last.
 */
export function PayKeys() {
  const accepted = useTerminal((state) => state.terminal?.payments) ?? NO_PAYMENTS
  const free = useAction('complete-free')
  const payOut = useAction('pay-out')
  const hasTerminal = accepted.includes('card-terminal')
  const shown = PAYMENTS.filter((kind) => accepted.includes(kind) && !(kind === 'card' && hasTerminal))
  const hasSlip = hasTerminal && accepted.includes('card')
  return (
    <div
      className={`stack-2 ${styles['keys']}`}
      data-pay-keys
      data-count={shown.length + Number(hasTerminal) + Number(hasSlip)}
    >
      {shown.map((kind) => (
        <Fragment key={kind}>
          <ActionButton id={kind} icon={PAYMENT_SCREENS[kind].icon} />
          {kind === 'card-terminal' && <ActionButton id="card-part" icon={<SquareSplitHorizontal />} />}
        </Fragment>
      ))}
      {hasSlip && <ActionButton id="card-slip" icon={<ScrollText />} />}
      {payOut.enabled ? (
        <ActionButton id="pay-out" look="primary" size="xl" icon={<Recycle />} />
      ) : free.enabled ? (
        <ActionButton id="complete-free" look="primary" size="xl" icon={<CircleCheckBig />} />
      ) : (
        <ActionButton id="cash-exact" look="primary" size="xl" icon={<Banknote />} />
      )}
    </div>
  )
}
