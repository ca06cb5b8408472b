import type { HistoryShown, MemberTransaction } from '../../../contracts/api/member-history.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { SponsorName } from '../member/sponsor-name.tsx'
import { useMemberHistoryPage } from '../member/use-member-history.ts'
import styles from './member-history.module.css'

/** What the cashier has open of the customer's own history: asked for by this screen itself, and gone with it. */
export function CustomerHistory({ saleId, shown }: { readonly saleId: string; readonly shown: HistoryShown }) {
  const { t } = useWords()
  const { data, isPending } = useMemberHistoryPage(saleId, shown)
  const transactions = data?.kind === 'page' ? data.transactions : []
  const says = isPending
    ? 'memberHistory.loading'
    : data?.kind !== 'page'
      ? 'customer.historyFailed'
      : transactions.length === 0
        ? 'customer.historyEmpty'
        : null
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls when enlarged
    <section className={styles['history']} tabIndex={0} aria-label={t('customer.history')}>
      <header>
        <h1>{t('customer.history')}</h1>
        <p>{t(`memberHistory.ranges.${shown.range}`)}</p>
      </header>
      {says !== null && (
        <p role="status" className={styles['says']}>
          {t(says)}
        </p>
      )}
      <ul className="figures">
        {transactions.map((transaction, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a transaction has no name of its own here
          <Row key={index} transaction={transaction} />
        ))}
      </ul>
    </section>
  )
}

function Row({
  transaction: { at, description, activity, sponsor, miles },
}: {
  readonly transaction: MemberTransaction
}) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const kind = activity === null ? null : t(`memberHistory.activity.${activity}`)
  return (
    <li>
      <span className={styles['date']}>{at === null ? t('memberHistory.noDate') : format.shortDay(at)}</span>
      <span className="words">
        <span>{description ?? kind}</span>
        {sponsor && (
          <small>
            <SponsorName sponsor={sponsor} />
          </small>
        )}
      </span>
      {miles !== null && <strong>{milesText(miles)}</strong>}
    </li>
  )
}
