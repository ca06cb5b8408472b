import { Banknote, CircleCheckBig, ScrollText, SquareSplitHorizontal } from 'lucide-react'
import { Fragment } from 'react'
import { NO_PAYMENTS, PAYMENTS } from '../../state/payments.ts'
import { useTerminal } from '../../state/terminal.ts'
import { ActionButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'
import styles from './pay-keys.module.css'
import { PAYMENT_SCREENS } from './registry.tsx'

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
    <div className={styles['keys']} data-pay-keys data-count={shown.length + Number(hasTerminal) + Number(hasSlip)}>
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
