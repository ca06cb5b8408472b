import { Area, Bar, CartesianGrid, ComposedChart, Line, ResponsiveContainer, XAxis, YAxis } from 'recharts'
import type { ConnectionPeriod, ConnectionPoint } from '../../../contracts/operations/connection.ts'
import type { Format } from '../../core/i18n/format.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import chartStyles from '../../core/ui/chart.module.css'

/** A segment of the chart, with its times in percent of its length; unknown time stays empty. */
interface Drawn {
  readonly label: string
  readonly up: number
  /** Share of downtime, made wide enough to be visible; null where there was no downtime. */
  readonly down: number | null
  readonly mean: number | null
  readonly max: number | null
}

const scaleLabel = (format: Format, period: ConnectionPeriod, iso: string): string =>
  period === 'day' ? format.time(iso) : format.shortDay(iso)

const drawnOf = (format: Format, period: ConnectionPeriod, point: ConnectionPoint): Drawn => {
  const length = Date.parse(point.to) - Date.parse(point.from)
  const share = (ms: number): number => Math.min(100, (ms / length) * 100)
  return {
    label: scaleLabel(format, period, point.from),
    up: share(point.onMs - point.downMs),
    down: point.downMs > 0 ? Math.max(THINNEST, share(point.downMs)) : null,
    mean: point.latencyMeanMs,
    max: point.latencyMaxMs,
  }
}

const THINNEST = 2
const HATCH = 'connection-down'
const TICK = { fill: 'var(--ink-2)', fontSize: 12 } as const

/**
 * Draws the chart of the table next to it. Downtime is hatched and unknown time is empty, so that color is not needed.
 */
export default function ConnectionChart({
  points,
  period,
}: {
  readonly points: readonly ConnectionPoint[]
  readonly period: ConnectionPeriod
}) {
  const { t, format } = useI18n()
  const data = points.map((point) => drawnOf(format, period, point))
  const axes = (
    <>
      <CartesianGrid stroke="var(--line)" vertical={false} />
      <XAxis dataKey="label" tick={TICK} stroke="var(--line-strong)" minTickGap={24} />
    </>
  )
  return (
    <>
      <figure>
        <figcaption>
          <span>{t('connection.chartUptime')}</span>
          <span className={`inline gap-1 middle dim ${chartStyles['legend']}`} data-of="up">
            {t('connection.up')}
          </span>
          <span className={`inline gap-1 middle dim ${chartStyles['legend']}`} data-of="down">
            {t('connection.down')}
          </span>
          <span className={`inline gap-1 middle dim ${chartStyles['legend']}`} data-of="off">
            {t('connection.off')}
          </span>
        </figcaption>
        <ResponsiveContainer width="100%" height={180}>
          <ComposedChart data={data} accessibilityLayer={false} margin={MARGIN} barCategoryGap="12%">
            <defs>
              <pattern id={HATCH} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="6" height="6" fill="var(--danger-soft)" />
                <rect width="3" height="6" fill="var(--danger)" />
              </pattern>
            </defs>
            {axes}
            <YAxis tick={TICK} stroke="var(--line-strong)" width={48} domain={PERCENT} ticks={PERCENT_TICKS} unit="%" />
            <Bar dataKey="up" stackId="time" fill="var(--ok)" isAnimationActive={false} />
            <Bar dataKey="down" stackId="time" fill={`url(#${HATCH})`} isAnimationActive={false} />
          </ComposedChart>
        </ResponsiveContainer>
      </figure>
      <figure>
        <figcaption>
          <span>{t('connection.chartLatency')}</span>
          <span className={`inline gap-1 middle dim ${chartStyles['legend']}`} data-of="mean">
            {t('connection.mean')}
          </span>
          <span className={`inline gap-1 middle dim ${chartStyles['legend']}`} data-of="most">
            {t('connection.most')}
          </span>
        </figcaption>
        <ResponsiveContainer width="100%" height={180}>
          <ComposedChart data={data} accessibilityLayer={false} margin={MARGIN}>
            {axes}
            <YAxis tick={TICK} stroke="var(--line-strong)" width={48} />
            <Area dataKey="most" stroke="var(--line-strong)" fill="var(--surface-3)" isAnimationActive={false} />
            <Line dataKey="mean" stroke="var(--brand)" strokeWidth={2} dot={false} isAnimationActive={false} />
          </ComposedChart>
        </ResponsiveContainer>
      </figure>
    </>
  )
}

const MARGIN = { top: 8, right: 8, bottom: 0, left: 0 } as const
const PERCENT: [number, number] = [0, 100]
const PERCENT_TICKS = [0, 50, 100]
