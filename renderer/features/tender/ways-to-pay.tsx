import type { PaymentKind } from '../../../contracts/tenders/registry.ts'
import { NO_PAYMENTS, PAYMENTS } from '../../state/payments.ts'
import { useTerminal } from '../../state/terminal.ts'
import { ActionButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'
import { PAYMENT_SCREENS } from './registry.tsx'

/** A button for each way to pay that the sale may take. */
export function WaysToPay() {
  const accepted = useTerminal(({ terminal }) => terminal?.payments) ?? NO_PAYMENTS
  // Cards go to the lane's own terminal: the slip of another one is for the day on which it is down.
  const bySlip = accepted.includes('card') && accepted.includes('card-terminal')
  const ways = PAYMENTS.filter((kind) => accepted.includes(kind) && !(bySlip && kind === 'card'))
  return (
    <>
      {ways.map((kind) => (
        <Way key={kind} kind={kind} />
      ))}
      {bySlip && <CardSlip />}
    </>
  )
}

function Way({ kind }: { readonly kind: PaymentKind }) {
  const { enabled } = useAction(kind)
  const { icon, isCommon } = PAYMENT_SCREENS[kind]
  if (isCommon) return <ActionButton id={kind} size="l" wide icon={icon} />
  return enabled && <ActionButton id={kind} look="quiet" wide icon={icon} />
}

function CardSlip() {
  const { enabled } = useAction('card-slip')
  return enabled && <ActionButton id="card-slip" look="quiet" wide icon={PAYMENT_SCREENS.card.icon} />
}
