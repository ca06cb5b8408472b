import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheckBig, Download, FileCheck2 } from 'lucide-react'
import type { z } from 'zod'
import type { ReconciliationReport } from '../../../contracts/api/reconciliation.ts'
import { api } from '../../api/terminal-api.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useKeptFocus } from '../../ui/kept-focus.ts'
import { LoadFailed, TableWrap, pageStyles } from '../../ui/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Tag } from '../../ui/surface.tsx'
import styles from '../queue/queue.module.css'
import { SentForm } from './sent-form.tsx'

type Report = z.infer<typeof ReconciliationReport>
type Days = Awaited<ReturnType<typeof api.reconciliationDays>>

/**
 * A day's report: to look at, to export once, and to export again as a copy. An export stays here to be saved in both
 * forms.
 */
export function DayDialog({ day, onClose }: { readonly day: Report['businessDay']; readonly onClose: () => void }) {
  const { t, format } = useWords()
  const queries = useQueryClient()
  const state =
    queries.getQueryData<Days>(['reconciliation'])?.days.find(({ businessDay }) => businessDay === day)?.state ?? 'open'
  const preview = useQuery({ queryKey: ['reconciliation', day], queryFn: () => api.reconciliationDay(day) })
  const make = useMutation({
    mutationFn: () => api.exportReconciliation(day),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['reconciliation'] })
    },
  })
  const save = useMutation({
    mutationFn: () => api.originalReport(day),
    onSuccess: (original) => saveFile(`${original.fileName}.csv`, 'text/csv', original.csv),
  })
  const made = make.data
  const report = made?.report ?? preview.data
  const panel = useKeptFocus(make.status)
  return (
    <Dialog open onClose={onClose} size="l" title={t('reconciliation.reportTitle', { day: format.date(day) })}>
      <div ref={panel} tabIndex={-1} className={styles['panel']}>
        {preview.isPending && <p role="status">{t('app.loading')}</p>}
        {preview.isError && <LoadFailed error={preview.error} retry={() => void preview.refetch()} />}
        {make.isError && <LoadFailed error={make.error} retry={() => make.mutate()} />}
        {save.isError && <LoadFailed error={save.error} retry={() => save.mutate()} />}
        {report && (
          <>
            {made ? (
              <div className={styles['done']} role="status">
                <CircleCheckBig aria-hidden="true" />
                <span>
                  {t(`reconciliation.made.${made.report.status === 'copy' ? 'copy' : 'original'}`, {
                    number: String(made.report.copy),
                  })}
                  {made.report.sameAsOriginal === false && ` ${t('reconciliation.differs')}`}
                </span>
              </div>
            ) : (
              <p>{t(`reconciliation.about.${state}`)}</p>
            )}
            <div className={styles['orders']}>
              {!made && (state === 'exported' || state === 'sent') && (
                <Button look="primary" icon={<Download />} isDisabled={save.isPending} onPress={() => save.mutate()}>
                  {t('reconciliation.saveOriginal')}
                </Button>
              )}
              {made ? (
                <>
                  <Button
                    look="primary"
                    icon={<Download />}
                    onPress={() => saveFile(`${made.fileName}.csv`, 'text/csv', made.csv)}
                  >
                    {t('reconciliation.saveCsv')}
                  </Button>
                  <Button
                    icon={<Download />}
                    onPress={() =>
                      saveFile(`${made.fileName}.json`, 'application/json', JSON.stringify(made.report, null, 2))
                    }
                  >
                    {t('reconciliation.saveJson')}
                  </Button>
                </>
              ) : (
                state !== 'open' && (
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
                )
              )}
            </div>
            {(state === 'exported' || state === 'sent') && <SentForm day={day} isSent={state === 'sent'} />}
            <ReportTable report={report} />
          </>
        )}
      </div>
    </Dialog>
  )
}

function ReportTable({ report }: { readonly report: Report }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  return (
    <TableWrap>
      <table
        className={`${pageStyles['table']} ${styles['entries']} selectable`}
        aria-label={t('reconciliation.title')}
      >
        <thead>
          <tr>
            <th scope="col">{t('reconciliation.approvedAt')}</th>
            <th scope="col">{t('queue.sale')}</th>
            <th scope="col">{t('queue.confirmation')}</th>
            <th scope="col">{t('queue.collector')}</th>
            <th scope="col">{t('queue.amount')}</th>
            <th scope="col">{t('queue.miles')}</th>
            <th scope="col">{t('queue.code')}</th>
            <th scope="col">{t('queue.state')}</th>
          </tr>
        </thead>
        <tbody>
          {report.rows.map((row) => (
            <tr key={row.operationId}>
              <th scope="row" className={styles['folds']}>
                {format.dateTime(row.approvedAt)}
              </th>
              <td>{row.saleId}</td>
              <td>{row.confirmationNumber}</td>
              <td>{row.collector}</td>
              <td>{format.money(row.amountCents)}</td>
              <td>{format.miles(row.miles)}</td>
              <td>{row.responseCode}</td>
              <td>
                <Tag tone={row.state === 'approved' ? 'ok' : 'neutral'}>{t(`queue.states.${row.state}`)}</Tag>
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row" colSpan={4}>
              {t('reconciliation.total', { count: report.totals.rows })}
            </th>
            <td>
              <strong>{format.money(report.totals.amountCents)}</strong>
            </td>
            <td colSpan={3}>
              <strong>{milesText(report.totals.miles)}</strong>
            </td>
          </tr>
        </tbody>
      </table>
    </TableWrap>
  )
}
