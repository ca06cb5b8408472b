import type { ReconciliationReport } from '../../../contracts/api/reconciliation.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import { Tag } from '../../ui/surface.tsx'
import styles from '../queue/queue.module.css'

/** The approvals of a day. Of a store each begins with its lane; of one lane each says its code. */
export function ReportTable({
  report: { rows, totals },
  label,
  ofStore,
}: {
  readonly report: Pick<ReconciliationReport, 'rows' | 'totals'>
  readonly label: string
  readonly ofStore: boolean
}) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['entries']} selectable`} aria-label={label}>
        <thead>
          <tr>
            {ofStore && <th scope="col">{t('wholeStore.lane')}</th>}
            <th scope="col">{t('reconciliation.approvedAt')}</th>
            <th scope="col">{t('queue.sale')}</th>
            <th scope="col">{t('queue.confirmation')}</th>
            <th scope="col">{t('queue.collector')}</th>
            <th scope="col">{t('queue.amount')}</th>
            <th scope="col">{t('queue.miles')}</th>
            {!ofStore && <th scope="col">{t('queue.code')}</th>}
            <th scope="col">{t('queue.state')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.operationId}>
              {ofStore && <th scope="row">{row.lane}</th>}
              {ofStore ? (
                <td className={styles['folds']}>{format.dateTime(row.approvedAt)}</td>
              ) : (
                <th scope="row" className={styles['folds']}>
                  {format.dateTime(row.approvedAt)}
                </th>
              )}
              <td>{row.saleId}</td>
              <td>{row.confirmationNumber}</td>
              <td>{row.collector}</td>
              <td>{format.money(row.amountCents)}</td>
              <td>{format.miles(row.miles)}</td>
              {!ofStore && <td>{row.responseCode}</td>}
              <td>
                <Tag tone={row.state === 'approved' ? 'ok' : 'neutral'}>{t(`queue.states.${row.state}`)}</Tag>
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row" colSpan={ofStore ? 5 : 4}>
              {t('reconciliation.total', { count: totals.rows })}
            </th>
            <td>
              <strong>{format.money(totals.amountCents)}</strong>
            </td>
            <td colSpan={ofStore ? 2 : 3}>
              <strong>{milesText(totals.miles)}</strong>
            </td>
          </tr>
        </tbody>
      </table>
    </TableWrap>
  )
}
