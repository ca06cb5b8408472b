import type { PaymentKind } from '../../../contracts/tenders/registry.ts'
import { PAYMENTS } from '../../state/payments.ts'
import { useTerminal } from '../../state/terminal.ts'
import { ActionButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'
import { PAYMENT_SCREENS } from './registry.tsx'

/** A button for each way to pay that the sale may take. */
export function WaysToPay() {
  const accepted = useTerminal((state) => state.terminal?.payments)
  return PAYMENTS.filter((kind) => accepted?.includes(kind)).map((kind) => <Way key={kind} kind={kind} />)
}

function Way({ kind }: { readonly kind: PaymentKind }) {
  const { enabled } = useAction(kind)
  const { icon, isCommon } = PAYMENT_SCREENS[kind]
  if (isCommon) return <ActionButton id={kind} size="l" wide icon={icon} />
  return enabled && <ActionButton id={kind} look="quiet" wide icon={icon} />
}
