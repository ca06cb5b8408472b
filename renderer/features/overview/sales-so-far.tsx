import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useWords } from '../../i18n/words.tsx'
import { LoadFailed, pageStyles } from '../../ui/page.tsx'
import { changeOf, rangeOf } from '../reports/report-figures.ts'
import { Facts } from '../reports/report-summary.tsx'
import { useReportRun } from '../reports/use-report-run.ts'

const FIGURES = ['sales', 'netCents', 'totalCents', 'giftCardCents', 'returnCents'] as const

/** Today beside the same weekday a week earlier, both up to this time of the day. */
export function SalesSoFar() {
  const words = useWords()
  const { t, format } = words
  const [today] = useState(() => rangeOf('today', format.localDate(new Date().toJSON())))
  const { start, run } = useReportRun()
  const { mutate: show } = start
  const shown = useRef(false)
  useEffect(() => {
    if (shown.current) return
    shown.current = true
    show(today)
  }, [show, today])
  const failed = start.error ?? run.error ?? (run.data?.state === 'failed' ? new Error('failed') : null)
  if (failed) return <LoadFailed error={failed} retry={() => show(today)} />
  const report = run.data?.report
  if (!report) return <p role="status">{t('app.loading')}</p>
  const { now, before } = report.summary
  const names = {
    sales: t('reports.sales'),
    netCents: t('reports.net'),
    totalCents: t('reports.total'),
    giftCardCents: t('reports.giftCards'),
    returnCents: t('reports.returns'),
  }
  return (
    <>
      <Facts
        title={t('overview.soFar')}
        facts={FIGURES.map((name) => {
          const write = name === 'sales' ? format.miles : format.money
          return {
            label: names[name],
            value: write(now[name]),
            change: changeOf({ now: now[name], before: before[name] }, write, words),
          }
        })}
      />
      <p>
        {t('overview.soFarHelp', { time: format.time(report.until), day: format.date(report.before.from) })}{' '}
        <Link href="/manager/reports" className={pageStyles['link'] ?? ''}>
          {t('overview.allReports')}
        </Link>
      </p>
    </>
  )
}
