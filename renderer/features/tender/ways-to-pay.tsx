import { ScrollText } from 'lucide-react'
import type { PaymentKind } from '../../../contracts/tenders/registry.ts'
import { useWords } from '../../i18n/words.tsx'
import { NO_PAYMENTS, PAYMENTS } from '../../state/payments.ts'
import { useTerminal } from '../../state/terminal.ts'
import { ActionButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'
import { PAYMENT_SCREENS } from './registry.tsx'
import styles from './ways-to-pay.module.css'

/**
 * A button for each way to pay that the sale may take. On a lane with a card terminal "Card" is the terminal; beside it
 * stands a part of the amount, and last the slip of another one, for when it is away: both where there is room.
 */
export function WaysToPay({ withMore = true }: { readonly withMore?: boolean }) {
  const accepted = useTerminal((state) => state.terminal?.payments) ?? NO_PAYMENTS
  const slip = useAction('card-slip')
  const hasTerminal = accepted.includes('card-terminal')
  const shown = PAYMENTS.filter((kind) => accepted.includes(kind) && !(kind === 'card' && hasTerminal))
  return (
    <>
      {shown.map((kind) => (
        <Way key={kind} kind={kind} withMore={withMore} />
      ))}
      {withMore && slip.enabled && <ActionButton id="card-slip" look="quiet" wide icon={<ScrollText />} />}
    </>
  )
}

function Way({ kind, withMore }: { readonly kind: PaymentKind; readonly withMore: boolean }) {
  const { t } = useWords()
  const { enabled } = useAction(kind)
  const part = useAction('card-part')
  const { icon, isCommon } = PAYMENT_SCREENS[kind]
  if (kind === 'card-terminal' && withMore && part.enabled)
    return (
      <div className={styles['withPart']} data-part>
        <ActionButton id={kind} size="l" wide icon={icon} />
        <ActionButton id="card-part" size="l" label={t('tender.part')} hint={false} />
      </div>
    )
  if (isCommon) return <ActionButton id={kind} size="l" wide icon={icon} />
  return enabled && <ActionButton id={kind} look="quiet" wide icon={icon} />
}
