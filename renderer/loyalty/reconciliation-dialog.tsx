import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheckBig, Download, FileCheck2, Send } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ReconciliationDay, ReconciliationReport } from '../../contracts/loyalty/reconciliation.ts'
import { useMilesText, useI18n } from '../core/i18n/i18n.ts'
import { Button } from '../core/ui/button.tsx'
import { Dialog } from '../core/ui/dialog.tsx'
import { useContainerFocus, useTries } from '../core/ui/focus.ts'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { saveFile } from '../core/ui/save-file.ts'
import styles from './queue/queue.module.css'
import { Tag } from '../core/ui/surface.tsx'
import { Form } from 'react-aria-components'
import { showAnswer, storeApi } from '../core/api/store-api.ts'
import { NoteField, noteFits } from './queue/entry-forms.tsx'

type Shown = Pick<ReconciliationReport, 'status' | 'copy' | 'sameAsOriginal'>

interface Exported<Report> {
  readonly report: Report
  readonly csv: string
  readonly fileName: string
}

export interface ReportSource<Report> {
  readonly queryKey: QueryKey
  readonly preview: (day: string) => Promise<Report>
  readonly make: (day: string) => Promise<Exported<Report>>
  readonly original: (day: string) => Promise<Exported<Report>>
}

const saveCsv = ({ fileName, csv }: Exported<unknown>): void => saveFile(`${fileName}.csv`, 'text/csv', csv)
const saveJson = ({ fileName, report }: Exported<unknown>): void =>
  saveFile(`${fileName}.json`, 'application/json', JSON.stringify(report, null, 2))

/**
 * Reconciliation report of a day: a preview, the original export, and further exports as copies. An export stays in the
 * dialog, which can save it as CSV and, with `hasJson`, as JSON.
 */
export function ReportDialog<Report extends Shown>({
  day: { businessDay, state },
  about,
  source,
  hasJson = false,
  onClose,
  children,
}: {
  readonly day: Pick<ReconciliationDay, 'businessDay' | 'state'>
  readonly about: string
  readonly source: ReportSource<Report>
  readonly hasJson?: boolean
  readonly onClose: () => void
  readonly children: (report: Report, isMade: boolean) => ReactNode
}) {
  const { t, format } = useI18n()
  const queries = useQueryClient()
  const { queryKey } = source
  const preview = useQuery({ queryKey: [...queryKey, businessDay], queryFn: () => source.preview(businessDay) })
  const make = useMutation({
    mutationFn: () => source.make(businessDay),
    // Reload after a failure too, because an original whose answer was lost exists all the same.
    onSettled: () => void queries.invalidateQueries({ queryKey }),
  })
  const save = useMutation({ mutationFn: () => source.original(businessDay), onSuccess: saveCsv })
  const made = make.data
  const report = made?.report ?? preview.data
  const isExported = state === 'exported' || state === 'sent'
  const panel = useContainerFocus(make.status)
  return (
    <Dialog open onClose={onClose} size="l" title={t('reconciliation.reportTitle', { day: format.date(businessDay) })}>
      <div ref={panel} tabIndex={-1} className="stack-4 ringless">
        {preview.isPending && <p role="status">{t('app.loading')}</p>}
        {!report && preview.isError && <LoadFailed error={preview.error} retry={() => void preview.refetch()} />}
        {make.isError && <LoadFailed error={make.error} retry={() => make.mutate()} />}
        {save.isError && <LoadFailed error={save.error} retry={() => save.mutate()} />}
        {report && (
          <>
            {made ? <Made report={made.report} /> : <p>{about}</p>}
            <div className={`wrap-3 ${styles['actions']}`}>
              {!made && isExported && (
                <Button look="primary" icon={<Download />} isDisabled={save.isPending} onPress={() => save.mutate()}>
                  {t('reconciliation.saveOriginal')}
                </Button>
              )}
              {made && (
                <Button look="primary" icon={<Download />} onPress={() => saveCsv(made)}>
                  {t('reconciliation.saveCsv')}
                </Button>
              )}
              {made && hasJson && (
                <Button icon={<Download />} onPress={() => saveJson(made)}>
                  {t('reconciliation.saveJson')}
                </Button>
              )}
              {!made && state !== 'open' && (
                <MakeButton state={state} isPending={make.isPending} onPress={() => make.mutate()} />
              )}
            </div>
            {children(report, made !== undefined || isExported)}
          </>
        )}
      </div>
    </Dialog>
  )
}

function MakeButton({
  state,
  isPending,
  onPress,
}: {
  readonly state: ReconciliationDay['state']
  readonly isPending: boolean
  readonly onPress: () => void
}) {
  const { t } = useI18n()
  const [look, label] =
    state === 'due'
      ? (['primary', 'reconciliation.export'] as const)
      : (['plain', 'reconciliation.exportCopy'] as const)
  return (
    <Button look={look} icon={<FileCheck2 />} isDisabled={isPending} onPress={onPress}>
      {t(isPending ? 'reconciliation.exporting' : label)}
    </Button>
  )
}

function Made({ report: { status, copy, sameAsOriginal } }: { readonly report: Shown }) {
  const { t } = useI18n()
  return (
    <div className="row-3 tone-ok weight-650 round-m pad-3-4 icons-24" role="status">
      <CircleCheckBig aria-hidden="true" />
      <span>
        {t(`reconciliation.made.${status === 'copy' ? 'copy' : 'original'}`, { number: String(copy) })}
        {sameAsOriginal === false && ` ${t('reconciliation.differs')}`}
      </span>
    </div>
  )
}

/**
 * Table of a day's approvals. The rows of a whole store begin with the lane; the rows of one lane show the response
 * code.
 */
export function ReportTable({
  report: { rows, totals },
  label,
  ofStore,
}: {
  readonly report: Pick<ReconciliationReport, 'rows' | 'totals'>
  readonly label: string
  readonly ofStore: boolean
}) {
  const { t, format } = useI18n()
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

/** Form that records, once, the recipient of a day's original report and how it was sent. */
export function SentForm({
  day,
  isSent,
}: {
  readonly day: ReconciliationReport['businessDay']
  readonly isSent: boolean
}) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const [open, setOpen] = useState(false)
  const [note, setNote] = useState('')
  const { tried, attempt, form } = useTries()
  const marking = useMutation({
    mutationFn: () => storeApi.markReportSent(day, { note: note.trim() }),
    onSuccess: (days) => showAnswer(queries, ['reconciliation'], days),
  })
  const submit = (): void => {
    attempt()
    if (noteFits(note) && !marking.isPending) marking.mutate()
  }
  if (marking.isSuccess)
    return (
      <div className="row-3 tone-ok weight-650 round-m pad-3-4 icons-24" role="status">
        <CircleCheckBig aria-hidden="true" />
        <span>{t('reconciliation.marked')}</span>
      </div>
    )
  if (isSent) return null
  if (!open)
    return (
      <div className={`wrap-3 ${styles['actions']}`}>
        <Button icon={<Send />} onPress={() => setOpen(true)}>
          {t('reconciliation.markSent')}
        </Button>
      </div>
    )
  return (
    <Form
      ref={form}
      className={`stack-4 ${styles['form']}`}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <p>{t('reconciliation.sentIntro')}</p>
      <NoteField label={t('reconciliation.sentNote')} note={note} onChange={setNote} tried={tried} />
      {marking.isError && <LoadFailed error={marking.error} retry={submit} />}
      <div className="stack-3 foot">
        <Button size="l" isDisabled={marking.isPending} onPress={() => setOpen(false)}>
          {t('queue.back')}
        </Button>
        <Button type="submit" size="l" look="primary" isDisabled={marking.isPending}>
          {marking.isPending ? t('queue.ordering') : t('reconciliation.markSent')}
        </Button>
      </div>
    </Form>
  )
}
