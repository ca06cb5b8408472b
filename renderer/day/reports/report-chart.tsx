import { Bar, CartesianGrid, ComposedChart, ResponsiveContainer, XAxis, YAxis } from 'recharts'
import { useI18n } from '../../core/i18n/i18n.ts'
import chartStyles from '../../core/ui/chart.module.css'

export interface ChartBar {
  readonly label: string
  readonly now: number
  readonly before: number
}

const HATCH = 'report-before'
const TICK = { fill: 'var(--ink-2)', fontSize: 12 } as const
const MARGIN = { top: 8, right: 8, bottom: 0, left: 0 } as const
const WIDE = 84

/**
 * Draws the chart of the table below it. The previous week is hatched, so that color is not needed to distinguish it.
 */
export default function ReportChart({
  bars,
  write,
}: {
  readonly bars: readonly ChartBar[]
  readonly write: (value: number) => string
}) {
  const { t } = useI18n()
  return (
    <figure>
      <figcaption>
        <span className={`inline gap-1 middle dim ${chartStyles['legend']}`} data-of="now">
          {t('reports.chartNow')}
        </span>
        <span className={`inline gap-1 middle dim ${chartStyles['legend']}`} data-of="before">
          {t('reports.chartBefore')}
        </span>
      </figcaption>
      <ResponsiveContainer width="100%" height={200}>
        <ComposedChart data={[...bars]} accessibilityLayer={false} margin={MARGIN} barCategoryGap="16%" barGap={1}>
          <defs>
            <pattern id={HATCH} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="6" height="6" fill="var(--surface-3)" />
              <rect width="3" height="6" fill="var(--ink-2)" />
            </pattern>
          </defs>
          <CartesianGrid stroke="var(--line)" vertical={false} />
          <XAxis dataKey="label" tick={TICK} stroke="var(--line-strong)" minTickGap={24} />
          <YAxis tick={TICK} stroke="var(--line-strong)" width={WIDE} allowDecimals={false} tickFormatter={write} />
          <Bar dataKey="now" fill="var(--brand)" isAnimationActive={false} />
          <Bar dataKey="before" fill={`url(#${HATCH})`} isAnimationActive={false} />
        </ComposedChart>
      </ResponsiveContainer>
    </figure>
  )
}
