import type { ReactNode } from 'react'
import type { ReconciliationDay } from '../../../contracts/api/reconciliation.ts'
import { useWords } from '../../i18n/words.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import { OpenCell } from '../day-end/open-cell.tsx'
import styles from '../queue/queue.module.css'

type Shown = Pick<ReconciliationDay, 'businessDay' | 'totals' | 'exportedAt' | 'exportedBy' | 'copies'> &
  Partial<Pick<ReconciliationDay, 'sentAt' | 'sentBy'>>

/** Days with approvals of a retry, of this lane or of its store: each opens its report. */
export function DayTable<Day extends Shown>({
  days,
  stateOf,
  onOpen,
}: {
  readonly days: readonly Day[]
  readonly stateOf: (day: Day) => ReactNode
  readonly onOpen: (day: Day['businessDay']) => void
}) {
  const { t, format } = useWords()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['entries']}`} aria-label={t('reconciliation.days')}>
        <thead>
          <tr>
            <th scope="col">{t('reconciliation.day')}</th>
            <th scope="col">{t('reconciliation.state')}</th>
            <th scope="col">{t('reconciliation.approvals')}</th>
            <th scope="col">{t('queue.amount')}</th>
            <th scope="col">{t('queue.miles')}</th>
            <th scope="col">
              <span className="spoken">{t('queue.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.businessDay}>
              <th scope="row">{format.date(day.businessDay)}</th>
              <td className={styles['folds']}>
                {stateOf(day)}
                <Made day={day} />
              </td>
              <td>{day.totals.rows}</td>
              <td>{format.money(day.totals.amountCents)}</td>
              <td>{format.miles(day.totals.miles)}</td>
              <OpenCell
                label={t('reconciliation.openDay', { day: format.date(day.businessDay) })}
                onOpen={() => onOpen(day.businessDay)}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

/** Who made the original of a day and sent it, and when. */
function Made({ day: { exportedAt, exportedBy, copies, sentAt, sentBy } }: { readonly day: Shown }) {
  const { t, format } = useWords()
  if (exportedAt === null) return null
  const name = exportedBy ?? t('reconciliation.byItself')
  return (
    <>
      <br />
      <small>
        {t('reconciliation.exportedBy', { time: format.dateTime(exportedAt), name })}{' '}
        {t('reconciliation.copies', { count: copies })}{' '}
        {sentAt && t('reconciliation.sentBy', { time: format.dateTime(sentAt), name: sentBy ?? '' })}
      </small>
    </>
  )
}
