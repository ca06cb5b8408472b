import { ScrollText } from 'lucide-react'
import type { PaymentKind } from '../../../contracts/tenders/registry.ts'
import { NO_PAYMENTS, PAYMENTS } from '../../state/payments.ts'
import { useTerminal } from '../../state/terminal.ts'
import { ActionButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'
import { PAYMENT_SCREENS } from './registry.tsx'

/**
 * A button for each way to pay that the sale may take. On a lane with a card terminal "Card" is the terminal; the slip
 * of another one, for when it is away, stands last where there is room for it.
 */
export function WaysToPay({ withSlip = true }: { readonly withSlip?: boolean }) {
  const accepted = useTerminal((state) => state.terminal?.payments) ?? NO_PAYMENTS
  const slip = useAction('card-slip')
  const hasTerminal = accepted.includes('card-terminal')
  const shown = PAYMENTS.filter((kind) => accepted.includes(kind) && !(kind === 'card' && hasTerminal))
  return (
    <>
      {shown.map((kind) => (
        <Way key={kind} kind={kind} />
      ))}
      {withSlip && slip.enabled && <ActionButton id="card-slip" look="quiet" wide icon={<ScrollText />} />}
    </>
  )
}

function Way({ kind }: { readonly kind: PaymentKind }) {
  const { enabled } = useAction(kind)
  const { icon, isCommon } = PAYMENT_SCREENS[kind]
  if (isCommon) return <ActionButton id={kind} size="l" wide icon={icon} />
  return enabled && <ActionButton id={kind} look="quiet" wide icon={icon} />
}
