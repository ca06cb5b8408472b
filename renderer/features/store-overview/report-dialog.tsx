import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheckBig, Download, FileCheck2 } from 'lucide-react'
import type { StoreReconciliationFile } from '../../../contracts/api/store-overview.ts'
import type { StoreReconciliation, StoreReconciliationDays } from '../../../contracts/store/overview.ts'
import { storeApi } from '../../api/store-api.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useKeptFocus } from '../../ui/kept-focus.ts'
import { LoadFailed, TableWrap, pageStyles } from '../../ui/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Tag } from '../../ui/surface.tsx'
import styles from '../queue/queue.module.css'

type Day = StoreReconciliationDays['days'][number]

const saveCsv = ({ fileName, csv }: StoreReconciliationFile): void => saveFile(`${fileName}.csv`, 'text/csv', csv)

/** The report of a day of all lanes: to look at, to export once, and to export again as a copy. */
export function StoreReportDialog({ day, onClose }: { readonly day: Day; readonly onClose: () => void }) {
  const { t, format } = useWords()
  const queries = useQueryClient()
  const { businessDay, state } = day
  const preview = useQuery({
    queryKey: ['store', 'reconciliation', businessDay],
    queryFn: () => storeApi.storeReconciliationDay(businessDay),
  })
  const make = useMutation({
    mutationFn: () => storeApi.exportStoreReconciliation(businessDay),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['store', 'reconciliation'] }),
  })
  const save = useMutation({
    mutationFn: () => storeApi.storeReconciliationOriginal(businessDay),
    onSuccess: saveCsv,
  })
  const made = make.data
  const report = made?.report ?? preview.data
  const panel = useKeptFocus(make.status)
  return (
    <Dialog open onClose={onClose} size="l" title={t('reconciliation.reportTitle', { day: format.date(businessDay) })}>
      <div ref={panel} tabIndex={-1} className={styles['panel']}>
        {preview.isPending && <p role="status">{t('app.loading')}</p>}
        {preview.isError && <LoadFailed error={preview.error} retry={() => void preview.refetch()} />}
        {make.isError && <LoadFailed error={make.error} retry={() => make.mutate()} />}
        {save.isError && <LoadFailed error={save.error} retry={() => save.mutate()} />}
        {report && (
          <>
            {made ? <Made report={made.report} /> : <p>{t(`wholeStore.reconciliation.about.${state}`)}</p>}
            <Missing lanes={report.missing} isMade={made !== undefined || state === 'exported'} />
            <div className={styles['orders']}>
              {!made && state === 'exported' && (
                <Button look="primary" icon={<Download />} isDisabled={save.isPending} onPress={() => save.mutate()}>
                  {t('reconciliation.saveOriginal')}
                </Button>
              )}
              {made && (
                <Button look="primary" icon={<Download />} onPress={() => saveCsv(made)}>
                  {t('reconciliation.saveCsv')}
                </Button>
              )}
              {!made && state !== 'open' && (
                <Button
                  look={state === 'due' ? 'primary' : 'plain'}
                  icon={<FileCheck2 />}
                  isDisabled={make.isPending}
                  onPress={() => make.mutate()}
                >
                  {t(
                    make.isPending
                      ? 'reconciliation.exporting'
                      : state === 'due'
                        ? 'reconciliation.export'
                        : 'reconciliation.exportCopy',
                  )}
                </Button>
              )}
            </div>
            <ReportTable report={report} />
          </>
        )}
      </div>
    </Dialog>
  )
}

function Made({ report: { status, copy, sameAsOriginal } }: { readonly report: StoreReconciliation }) {
  const { t } = useWords()
  return (
    <div className={styles['done']} role="status">
      <CircleCheckBig aria-hidden="true" />
      <span>
        {t(`reconciliation.made.${status === 'copy' ? 'copy' : 'original'}`, { number: String(copy) })}
        {sameAsOriginal === false && ` ${t('reconciliation.differs')}`}
      </span>
    </div>
  )
}

/** Which lanes had not told everything of the day. */
function Missing({ lanes, isMade }: { readonly lanes: readonly string[]; readonly isMade: boolean }) {
  const { t } = useWords()
  if (lanes.length === 0)
    return (
      <p>
        <Tag tone="ok">{t('wholeStore.reconciliation.complete')}</Tag>
      </p>
    )
  const words = { lanes: lanes.join(', ') }
  return <p>{t(isMade ? 'wholeStore.reconciliation.missing' : 'wholeStore.reconciliation.missingYet', words)}</p>
}

function ReportTable({ report }: { readonly report: StoreReconciliation }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  return (
    <TableWrap>
      <table
        className={`${pageStyles['table']} ${styles['entries']} selectable`}
        aria-label={t('wholeStore.reconciliation.title')}
      >
        <thead>
          <tr>
            <th scope="col">{t('wholeStore.lane')}</th>
            <th scope="col">{t('reconciliation.approvedAt')}</th>
            <th scope="col">{t('queue.sale')}</th>
            <th scope="col">{t('queue.confirmation')}</th>
            <th scope="col">{t('queue.collector')}</th>
            <th scope="col">{t('queue.amount')}</th>
            <th scope="col">{t('queue.miles')}</th>
            <th scope="col">{t('queue.state')}</th>
          </tr>
        </thead>
        <tbody>
          {report.rows.map((row) => (
            <tr key={row.operationId}>
              <th scope="row">{row.lane}</th>
              <td className={styles['folds']}>{format.dateTime(row.approvedAt)}</td>
              <td>{row.saleId}</td>
              <td>{row.confirmationNumber}</td>
              <td>{row.collector}</td>
              <td>{format.money(row.amountCents)}</td>
              <td>{format.miles(row.miles)}</td>
              <td>
                <Tag tone={row.state === 'approved' ? 'ok' : 'neutral'}>{t(`queue.states.${row.state}`)}</Tag>
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row" colSpan={5}>
              {t('reconciliation.total', { count: report.totals.rows })}
            </th>
            <td>
              <strong>{format.money(report.totals.amountCents)}</strong>
            </td>
            <td colSpan={2}>
              <strong>{milesText(report.totals.miles)}</strong>
            </td>
          </tr>
        </tbody>
      </table>
    </TableWrap>
  )
}
