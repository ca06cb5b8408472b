import { ChartColumn } from 'lucide-react'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import type { Breakdown, Report } from '../../../contracts/day/reports.ts'
import { BREAKDOWNS, type BreakdownKind } from '../../../contracts/day/report-kinds.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { loadChunk } from '../../core/loading/chunks.ts'
import chartStyles from '../../core/ui/chart.module.css'
import { ChoiceField, FilterRow } from '../../core/ui/filter-fields.tsx'
import { pageStyles, TableWrap } from '../../core/ui/page.tsx'
import { useMeasureTexts } from '../../sales/measure-texts.ts'
import { Empty } from '../../core/ui/surface.tsx'
import { BARS, ChangeText, barsOf, changeOf, nameOfRow, valueOf } from './report-figures.tsx'
import styles from './reports.module.css'

// The chart library is loaded only with pages that have a chart.
const ReportChart = lazy(() => loadChunk(() => import('./report-chart.tsx')))

/** Chart and table of one selectable breakdown of the report. `children`: buttons for the selected breakdown. */
export function ReportBreakdown({
  report,
  children,
}: {
  readonly report: Report
  readonly children: (by: BreakdownKind) => ReactNode
}) {
  const { t } = useI18n()
  const [by, setBy] = useState<BreakdownKind>(report.from === report.to ? 'hours' : 'days')
  const breakdown = report.breakdowns[by]
  return (
    <section className={pageStyles['section']} aria-label={t(`reports.by.${by}`)}>
      <FilterRow label={t('reports.breakdown')}>
        <ChoiceField
          label={t('reports.breakdown')}
          value={by}
          onChange={(value) => setBy(BREAKDOWNS.find((kind) => kind === value) ?? by)}
        >
          {BREAKDOWNS.map((kind) => (
            <option key={kind} value={kind}>
              {t(`reports.by.${kind}`)}
            </option>
          ))}
        </ChoiceField>
        {children(by)}
      </FilterRow>
      <p className="dim below-3">{t(`reports.about.${by}`)}</p>
      {breakdown.rows.length === 0 ? (
        <div className={styles['nothing']}>
          <Empty icon={<ChartColumn />} title={t('reports.emptyTitle')} text={t('reports.empty')} />
        </div>
      ) : (
        <>
          <Chart by={by} breakdown={breakdown} />
          <BreakdownTable by={by} breakdown={breakdown} />
        </>
      )}
    </section>
  )
}

interface Shown {
  readonly by: BreakdownKind
  readonly breakdown: Breakdown
}

function Chart({ by, breakdown }: Shown) {
  const i18n = useI18n()
  const { t, format } = i18n
  const bars = barsOf(by, breakdown)
  return (
    <>
      {bars.length < breakdown.rows.length && <p>{t('reports.chartTop', { count: String(BARS) })}</p>}
      <div className={`stack-4 below-4 ${chartStyles['chart']}`} aria-hidden="true">
        <Suspense fallback={<p>{t('app.loading')}</p>}>
          <ReportChart
            write={breakdown.money ? format.money : format.miles}
            bars={bars.map((bar) => ({ label: nameOfRow(by, bar, i18n), now: bar.now, before: bar.before }))}
          />
        </Suspense>
      </div>
    </>
  )
}

function BreakdownTable({ by, breakdown }: Shown) {
  const i18n = useI18n()
  const { t, format } = i18n
  const { money, rows, others } = breakdown
  const write = money ? format.money : format.miles
  const texts = useMeasureTexts()
  const line = (
    id: string,
    name: string,
    { now, before, measured }: Pick<(typeof rows)[number], 'now' | 'before' | 'measured'>,
  ) => (
    <tr key={id}>
      <th scope="row">
        {name}
        {measured?.map((sum) => (
          <small className="block dim" key={sum.symbol}>
            {texts.signed(sum.now, sum.symbol)}
          </small>
        ))}
      </th>
      <td className="right">{format.miles(now.count)}</td>
      {money && <td className="right">{format.money(now.cents)}</td>}
      <td className="right">{write(valueOf(breakdown, before))}</td>
      <td>
        <ChangeText {...changeOf({ now: valueOf(breakdown, now), before: valueOf(breakdown, before) }, write, i18n)} />
      </td>
    </tr>
  )
  return (
    <div className={chartStyles['tall']}>
      <TableWrap>
        <table className={`${pageStyles['table']} selectable`} aria-label={t(`reports.by.${by}`)}>
          <thead>
            <tr>
              <th scope="col">{t(`reports.by.${by}`)}</th>
              <th scope="col" className="right">
                {t('reports.count')}
              </th>
              {money && (
                <th scope="col" className="right">
                  {t('reports.amount')}
                </th>
              )}
              <th scope="col" className="right">
                {t('reports.before')}
              </th>
              <th scope="col">{t('reports.change')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => line(row.id, nameOfRow(by, row, i18n), row))}
            {others && line('', t('reports.others', { count: others.rows }), others)}
          </tbody>
        </table>
      </TableWrap>
    </div>
  )
}
