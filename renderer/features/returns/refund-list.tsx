import { Coins, CreditCard, Gift, Ticket } from 'lucide-react'
import type { RefundKind } from '../../../contracts/api/returns.ts'
import type { RefundReason } from '../../../contracts/tenders/registry.ts'
import { useWords } from '../../i18n/words.tsx'
import styles from './returns.module.css'

const ICONS = {
  cash: <Coins />,
  card: <CreditCard />,
  'card-terminal': <CreditCard />,
  miles: <Gift />,
  'store-credit': <Ticket />,
} as const satisfies Record<RefundKind, unknown>

/** In which form how much goes back, and why in that one. Cash as it is handed out: in five cents. */
export function RefundList({
  refunds,
}: {
  readonly refunds: readonly {
    readonly kind: RefundKind
    readonly amountCents: number
    readonly roundingCents: number
    readonly why: RefundReason
  }[]
}) {
  const { t, format } = useWords()
  return (
    <ul className={styles['refunds']} aria-label={t('returnScreen.goesBack')}>
      {refunds.map(({ kind, amountCents, roundingCents, why }) => (
        <li key={`${kind} ${why} ${amountCents}`} className="figures">
          <span aria-hidden="true">{ICONS[kind]}</span>
          <span className="words">
            {t(`returnScreen.kind.${kind}`)}
            <small>{t(`tender.whyBack.${why}`)}</small>
          </span>
          <strong>{format.money(amountCents + roundingCents)}</strong>
        </li>
      ))}
    </ul>
  )
}
