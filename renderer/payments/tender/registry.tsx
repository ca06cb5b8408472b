import {
  Banknote,
  CircleCheckBig,
  Coins,
  CreditCard,
  Gift,
  ScrollText,
  SquareSplitHorizontal,
  Ticket,
  WalletCards,
} from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import type { z } from 'zod'
import type { SaleTotals, Tender } from '../../../contracts/sales/sales.ts'
import type { PaymentKind, TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { useWords } from '../../core/i18n/words.tsx'
import { NO_PAYMENTS, PAYMENTS, useSale } from '../../sales/sale.ts'
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

/**
 * A button for each way to pay at this lane, and exact cash. They depend on the lane and the window alone: through the
 * whole sale each keeps its place and size, and one that cannot be used now is disabled. On a lane with a card terminal
 * "Card" is the terminal; a part of the amount stands beside it, and last the slip of another terminal.
 */
export function PayKeys() {
  const accepted = useTerminal((state) => state.terminal?.payments) ?? NO_PAYMENTS
  const free = useAction('complete-free')
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
      {free.enabled ? (
        <ActionButton id="complete-free" look="primary" size="xl" icon={<CircleCheckBig />} />
      ) : (
        <ActionButton id="cash-exact" look="primary" size="xl" icon={<Banknote />} />
      )}
    </div>
  )
}
