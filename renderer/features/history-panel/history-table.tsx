import type { MemberTransaction } from '../../../contracts/api/member-history.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { pageStyles, TableWrap } from '../../ui/page.tsx'
import { SponsorName } from '../member/sponsor-name.tsx'
import styles from './history-panel.module.css'

/** Transactions of a member: no card number and no balance (specification 3 §4.5 rule 4). */
export function HistoryTable({ transactions }: { readonly transactions: readonly MemberTransaction[] }) {
  const { t } = useWords()
  return (
    <div className={styles['rows']}>
      <TableWrap>
        <table className={pageStyles['table']} aria-label={t('memberHistory.title')}>
          <thead>
            <tr>
              <th scope="col">{t('historyPanel.date')}</th>
              <th scope="col">{t('historyPanel.sponsors')}</th>
              <th scope="col">{t('historyPanel.what')}</th>
              <th scope="col" className={styles['right']}>
                {t('historyPanel.miles')}
              </th>
            </tr>
          </thead>
          <tbody>
            {transactions.map((transaction, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- a transaction has no name of its own here
              <Row key={index} transaction={transaction} />
            ))}
          </tbody>
        </table>
      </TableWrap>
    </div>
  )
}

function Row({ transaction }: { readonly transaction: MemberTransaction }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const { at, sponsor, miles, cashPart, dreamPart, description, offer, activity } = transaction
  const kind = activity === null ? null : t(`memberHistory.activity.${activity}`)
  const more = [description === null ? null : kind, offer].filter((words) => words !== null)
  return (
    <tr>
      <td className={styles['date']}>{at === null ? t('memberHistory.noDate') : format.dateTime(at)}</td>
      <td>{sponsor && <SponsorName sponsor={sponsor} />}</td>
      <td className="words">
        <strong>{description ?? kind}</strong>
        {more.map((words) => (
          <small key={words}>{words}</small>
        ))}
      </td>
      <td className={`${styles['right']} figures`}>
        {miles !== null && <strong>{milesText(miles)}</strong>}
        {cashPart !== null && dreamPart !== null && (
          <small>{t('historyPanel.parts', { cash: format.miles(cashPart), dream: format.miles(dreamPart) })}</small>
        )}
      </td>
    </tr>
  )
}
