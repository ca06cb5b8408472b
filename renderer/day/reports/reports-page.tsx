import { ChartColumn, Download, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Report, ReportExportRequest, ReportRange as Range, ReportRun } from '../../../contracts/day/reports.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, Views, pageStyles } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import { ReportBreakdown } from './report-breakdown.tsx'
import { ReportSummary } from './report-summary.tsx'
import { RANGES, type RangeName, rangeOf } from './report-figures.tsx'
import { useReportRun } from './use-report-run.ts'
import styles from './reports.module.css'
import { DayField, FilterRow } from '../../core/ui/filter-fields.tsx'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { BreakdownKind } from '../../../contracts/day/report-kinds.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { clearProblems, notify, report } from '../../core/state/notices.ts'
import { saveBlob } from '../../core/ui/save-file.ts'

export function ReportsPage() {
  const { t, format } = useI18n()
  const [today] = useState(() => format.localDate(new Date().toJSON()))
  const { start, run, cancel } = useReportRun()
  const { mutate: show } = start
  const shown = useRef(false)
  useEffect(() => {
    if (shown.current) return
    shown.current = true
    show(rangeOf('today', today))
  }, [show, today])
  const again = (): void => show(start.variables ?? rangeOf('today', today))
  const failed = start.error ?? run.error ?? cancel.error
  return (
    <>
      <PageHead title={t('reports.title')} intro={t('reports.intro')} />
      <ReportRange today={today} onShow={show} />
      {failed && <LoadFailed error={failed} retry={again} />}
      {!failed && run.data?.state !== 'done' && (
        <Waiting run={run.data} onCancel={(running) => cancel.mutate(running)} retry={again} />
      )}
      {run.data?.report && <Shown key={run.data.id} run={run.data.id} report={run.data.report} />}
    </>
  )
}

function Waiting({
  run,
  onCancel,
  retry,
}: {
  readonly run: ReportRun | undefined
  readonly onCancel: (id: number) => void
  readonly retry: () => void
}) {
  const { t } = useI18n()
  if (run?.state === 'failed') return <LoadFailed error={new Error('failed')} retry={retry} />
  if (run?.state === 'cancelled')
    return (
      <div className={styles['nothing']}>
        <Empty icon={<ChartColumn />} title={t('reports.cancelledTitle')} text={t('reports.cancelled')} />
      </div>
    )
  if (!run) return <p role="status">{t('app.loading')}</p>
  return (
    <div className={`row-3 wraps ${styles['progress']}`}>
      <p role="status">{t('reports.reading')}</p>
      <p>{t('reports.progress', { read: String(run.read), days: run.days })}</p>
      <progress aria-label={t('reports.reading')} value={run.read} max={run.days} />
      <Button icon={<X />} onPress={() => onCancel(run.id)}>
        {t('reports.cancel')}
      </Button>
    </div>
  )
}

function Shown({ run, report }: { readonly run: number; readonly report: Report }) {
  const { t, format } = useI18n()
  const days = ({ from, to }: Range, one: (day: string) => string, several: (from: string, to: string) => string) =>
    from === to ? one(format.date(from)) : several(format.date(from), format.date(to))
  return (
    <>
      <p className="dim">
        <strong className="ink">
          {days(
            report,
            (day) => day,
            (from, to) => t('reports.days', { from, to }),
          )}
        </strong>{' '}
        {t('reports.asOf', { time: format.dateTime(report.until) })} ·{' '}
        {days(
          report.before,
          (day) => t('reports.comparedDay', { day }),
          (from, to) => t('reports.compared', { from, to }),
        )}
      </p>
      <ReportSummary report={report} />
      <ReportBreakdown report={report}>{(by) => <ReportExports run={run} by={by} />}</ReportBreakdown>
      <AccountingExports range={{ from: report.from, to: report.to }} />
    </>
  )
}

const LONGEST_MS = 366 * 86_400_000
const isRange = ({ from, to }: { readonly from: string | null; readonly to: string | null }): boolean =>
  from !== null && to !== null && from <= to && Date.parse(to) - Date.parse(from) < LONGEST_MS

export function ReportRange({ today, onShow }: { readonly today: string; readonly onShow: (range: Range) => void }) {
  const { t } = useI18n()
  const [chosen, setChosen] = useState<RangeName | null>('today')
  const [typed, setTyped] = useState<{ readonly from: string | null; readonly to: string | null }>({
    from: today,
    to: today,
  })
  const day = (name: 'from' | 'to') => (
    <DayField
      key={`${name}-${chosen}`}
      begin={typed[name] ?? ''}
      label={t(`reports.${name}`)}
      onChange={(value) => setTyped({ ...typed, [name]: value })}
    />
  )
  const complete = typed.from !== null && typed.to !== null
  return (
    <>
      <Views
        label={t('reports.range')}
        views={RANGES}
        texts={(name) => t(`reports.ranges.${name}`)}
        view={chosen}
        onChange={(name) => {
          const range = rangeOf(name, today)
          setChosen(name)
          setTyped(range)
          onShow(range)
        }}
      />
      <FilterRow label={t('reports.range')}>
        {day('from')}
        {day('to')}
        <Button
          look="primary"
          icon={<ChartColumn />}
          isDisabled={!isRange(typed)}
          onPress={() => {
            const { from, to } = typed
            if (from !== null && to !== null) onShow({ from, to })
          }}
        >
          {t('reports.run')}
        </Button>
      </FilterRow>
      {complete && !isRange(typed) && <p role="alert">{t('reports.rangeInvalid')}</p>}
    </>
  )
}

/** Requests an export file, which the audit trail records, and then downloads it. */
function useExport() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (asked: ReportExportRequest) => {
      const { number, fileName } = await storeApi.requestReportExport(asked)
      saveBlob(fileName, await storeApi.reportExport(number))
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (i18n) => i18n.t('reports.exported'))
    },
    onError: report,
    onSettled: () => queries.invalidateQueries({ queryKey: ['audit'] }),
  })
}

export function ReportExports({ run, by }: { readonly run: number; readonly by: BreakdownKind }) {
  const { t } = useI18n()
  const { mutate, isPending } = useExport()
  return (
    <>
      <Button
        icon={<Download />}
        isDisabled={isPending}
        onPress={() => mutate({ of: 'report', run, by, format: 'csv' })}
      >
        {t('reports.exportCsv')}
      </Button>
      <Button
        icon={<Download />}
        isDisabled={isPending}
        onPress={() => mutate({ of: 'report', run, by, format: 'json' })}
      >
        {t('reports.exportJson')}
      </Button>
    </>
  )
}

export function AccountingExports({ range }: { readonly range: Range }) {
  const { t } = useI18n()
  const { mutate, isPending } = useExport()
  return (
    <section className={pageStyles['section']} aria-label={t('reports.accountingTitle')}>
      <h3>{t('reports.accountingTitle')}</h3>
      <p className="dim below-3">{t('reports.accounting')}</p>
      <div className="wrap-2">
        <Button
          icon={<Download />}
          isDisabled={isPending}
          onPress={() => mutate({ of: 'accounting', range, format: 'csv' })}
        >
          {t('reports.accountingCsv')}
        </Button>
        <Button
          icon={<Download />}
          isDisabled={isPending}
          onPress={() => mutate({ of: 'accounting', range, format: 'json' })}
        >
          {t('reports.accountingJson')}
        </Button>
      </div>
    </section>
  )
}
