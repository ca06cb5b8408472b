import { ChartColumn, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Report, ReportRange as Range, ReportRun } from '../../../contracts/api/reports.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'
import { AccountingExports, ReportExports } from './report-exports.tsx'
import { ReportBreakdown } from './report-breakdown.tsx'
import { ReportRange } from './report-range.tsx'
import { ReportSummary } from './report-summary.tsx'
import { rangeOf } from './report-figures.ts'
import { useReportRun } from './use-report-run.ts'
import styles from './reports.module.css'

/** What was sold and done over days, beside the week before. */
export function ReportsPage() {
  const { t, format } = useWords()
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
  const { t } = useWords()
  if (run?.state === 'failed') return <LoadFailed error={new Error('failed')} retry={retry} />
  if (run?.state === 'cancelled')
    return (
      <div className={styles['nothing']}>
        <Empty icon={<ChartColumn />} title={t('reports.cancelledTitle')} text={t('reports.cancelled')} />
      </div>
    )
  if (!run) return <p role="status">{t('app.loading')}</p>
  return (
    <div className={styles['progress']}>
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
  const { t, format } = useWords()
  const days = ({ from, to }: Range, one: (day: string) => string, several: (from: string, to: string) => string) =>
    from === to ? one(format.date(from)) : several(format.date(from), format.date(to))
  return (
    <>
      <p className={styles['days']}>
        <strong>
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
