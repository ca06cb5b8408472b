import type { Breakdown, BreakdownRow, ReportFigure, ReportRange } from '../../../contracts/day/reports.ts'
import { type BreakdownKind, breakdownRows, CASH_ROUNDING, taxOfRow } from '../../../contracts/day/report-kinds.ts'
import type { Format } from '../../core/i18n/format.ts'
import type { Translate } from '../../core/i18n/message-key.ts'
import { ArrowDown, ArrowUp, Equal } from 'lucide-react'
import styles from './reports.module.css'

export const RANGES = ['today', 'yesterday', 'week', 'month', 'year'] as const
export type RangeName = (typeof RANGES)[number]
const DAYS = { today: 1, yesterday: 1, week: 7, month: 30, year: 365 } as const satisfies Record<RangeName, number>
const DAY_MS = 86_400_000

const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toJSON().slice(0, day.length)

export function rangeOf(name: RangeName, today: string): ReportRange {
  const to = name === 'yesterday' ? daysAfter(today, -1) : today
  return { from: daysAfter(to, 1 - DAYS[name]), to }
}

/** Returns the share of `part` in `whole` in parts per million; null if `whole` is 0. */
export const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1_000_000)

export const valueOf = ({ money }: Pick<Breakdown, 'money'>, figure: ReportFigure): number =>
  money ? figure.cents : figure.count

export function nameOfRow(
  kind: BreakdownKind,
  { id, name }: Pick<BreakdownRow, 'id' | 'name'>,
  { t, format }: Written,
): string {
  if (name !== null) return typeof name === 'string' ? name : format.text(name)
  const rows = breakdownRows(kind)
  if (rows === 'hour') return t('reports.hour', { hour: id })
  if (rows === 'day') return format.date(id)
  if (id === CASH_ROUNDING) return t('dayEnd.rounding')
  if (rows === 'tender') return t(`dayEnd.tender.${id}` as 'dayEnd.tender.cash')
  if (rows === 'tax') {
    const { code, isReturned } = taxOfRow(id)
    const tax = t(`reports.taxes.${code}` as 'reports.taxes.GST')
    return isReturned ? t('reports.taxReturned', { tax }) : tax
  }
  return id
}
export interface Written {
  readonly t: Translate
  readonly format: Format
}

/** Describes the change against a week earlier as text, so that neither sign nor color is needed. */
export function changeOf({ now, before }: Sides, write: (value: number) => string, { t, format }: Written): Change {
  const difference = now - before
  if (difference === 0) return { direction: 'same', text: t('reports.same') }
  const share = shareOf(Math.abs(difference), Math.abs(before))
  const amount = write(Math.abs(difference))
  const direction = difference > 0 ? 'up' : 'down'
  return {
    direction,
    text:
      share === null
        ? t(`reports.${direction}`, { amount })
        : t(`reports.${direction}Share`, { amount, share: format.percent(share) }),
  }
}
export interface Sides {
  readonly now: number
  readonly before: number
}
export interface Change {
  readonly direction: 'up' | 'down' | 'same'
  readonly text: string
}

/** Maximum number of bars in a chart, one for each of the first rows; a chart by day or hour has all its bars. */
export const BARS = 12
export interface BarOf extends Pick<BreakdownRow, 'id' | 'name'>, Sides {}
export function barsOf(kind: BreakdownKind, breakdown: Breakdown): readonly BarOf[] {
  const bars = breakdown.rows.map(({ id, name, now, before }): BarOf => ({
    id,
    name,
    now: valueOf(breakdown, now),
    before: valueOf(breakdown, before),
  }))
  const rows = breakdownRows(kind)
  if (rows === 'day') return bars
  if (rows !== 'hour') return bars.slice(0, BARS)
  const hours = bars.map(({ id }) => Number(id))
  const first = Math.min(...hours)
  return Array.from({ length: Math.max(...hours) - first + 1 }, (_, index) => {
    const id = String(first + index).padStart(2, '0')
    return bars.find((bar) => bar.id === id) ?? { id, name: null, now: 0, before: 0 }
  })
}

const ICONS = { up: <ArrowUp />, down: <ArrowDown />, same: <Equal /> } as const

/** Shows the change against a week earlier. More is not always better, so no color rates it. */
export function ChangeText({ direction, text }: Change) {
  return (
    <span className={`inline middle text-s ${styles['change']}`}>
      <span aria-hidden="true">{ICONS[direction]}</span>
      {text}
    </span>
  )
}
