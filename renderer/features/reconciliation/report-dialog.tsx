import { useMutation, useQuery, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { CircleCheckBig, Download, FileCheck2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ReconciliationDay, ReconciliationReport } from '../../../contracts/api/reconciliation.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useKeptFocus } from '../../ui/kept-focus.ts'
import { LoadFailed } from '../../ui/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import styles from '../queue/queue.module.css'

type Shown = Pick<ReconciliationReport, 'status' | 'copy' | 'sameAsOriginal'>

/** A report as it was exported, and the same as the text of a CSV file. */
interface Exported<Report> {
  readonly report: Report
  readonly csv: string
  readonly fileName: string
}

/** Where the report of a day comes from: this lane, or its store. */
export interface ReportSource<Report> {
  /** Under it the days are kept; whatever stands behind it too. */
  readonly queryKey: QueryKey
  readonly preview: (day: string) => Promise<Report>
  readonly make: (day: string) => Promise<Exported<Report>>
  readonly original: (day: string) => Promise<Exported<Report>>
}

const saveCsv = ({ fileName, csv }: Exported<unknown>): void => saveFile(`${fileName}.csv`, 'text/csv', csv)
const saveJson = ({ fileName, report }: Exported<unknown>): void =>
  saveFile(`${fileName}.json`, 'application/json', JSON.stringify(report, null, 2))

/**
 * A day's report: to look at, to export once, and to export again as a copy. An export stays here to be saved; in both
 * forms where `hasJson`.
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
  /** What is to be done with a report in this state. */
  readonly about: string
  readonly source: ReportSource<Report>
  readonly hasJson?: boolean
  readonly onClose: () => void
  readonly children: (report: Report, isMade: boolean) => ReactNode
}) {
  const { t, format } = useWords()
  const queries = useQueryClient()
  const { queryKey } = source
  const preview = useQuery({ queryKey: [...queryKey, businessDay], queryFn: () => source.preview(businessDay) })
  const make = useMutation({
    mutationFn: () => source.make(businessDay),
    // An original whose answer was lost was made all the same.
    onSettled: () => void queries.invalidateQueries({ queryKey }),
  })
  const save = useMutation({ mutationFn: () => source.original(businessDay), onSuccess: saveCsv })
  const made = make.data
  const report = made?.report ?? preview.data
  const isExported = state === 'exported' || state === 'sent'
  const panel = useKeptFocus(make.status)
  return (
    <Dialog open onClose={onClose} size="l" title={t('reconciliation.reportTitle', { day: format.date(businessDay) })}>
      <div ref={panel} tabIndex={-1} className={styles['panel']}>
        {preview.isPending && <p role="status">{t('app.loading')}</p>}
        {!report && preview.isError && <LoadFailed error={preview.error} retry={() => void preview.refetch()} />}
        {make.isError && <LoadFailed error={make.error} retry={() => make.mutate()} />}
        {save.isError && <LoadFailed error={save.error} retry={() => save.mutate()} />}
        {report && (
          <>
            {made ? <Made report={made.report} /> : <p>{about}</p>}
            <div className={styles['orders']}>
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
  const { t } = useWords()
  const [look, order] =
    state === 'due'
      ? (['primary', 'reconciliation.export'] as const)
      : (['plain', 'reconciliation.exportCopy'] as const)
  return (
    <Button look={look} icon={<FileCheck2 />} isDisabled={isPending} onPress={onPress}>
      {t(isPending ? 'reconciliation.exporting' : order)}
    </Button>
  )
}

function Made({ report: { status, copy, sameAsOriginal } }: { readonly report: Shown }) {
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
