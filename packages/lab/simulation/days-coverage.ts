import type { Database } from 'better-sqlite3'
import { clockChanges } from '../../../backend/core/zone.ts'

/** Situations that must occur in a long run: without them the run proves nothing. */
export const REQUIRED_SITUATIONS = [
  'Z',
  'Z of several shifts',
  'Z of several cashiers’ drawers',
  'sale',
  'sale between count and Z',
  'sale across midnight',
  'sale with a discount',
  'cancelled sale',
  'return',
  'exchange',
  'redemption',
  'redemption reversed',
  'store credit for miles reversed too late',
  'gift card sold',
  'payment by gift card',
  'payment by store credit',
  'rounded cash payment',
  'paid-in',
  'paid-out',
  'drop',
  'pickup',
  'deposit',
  'no-sale',
  'held across midnight',
  'shift across midnight',
  'kill before a commit',
  'kill after a commit',
  'kill before a send',
  'kill before a response',
  'clock set ahead',
  'clock set back',
  'start of daylight saving time',
  'end of daylight saving time',
] as const

export const uncovered = (coverage: ReadonlyMap<string, number>): string[] =>
  REQUIRED_SITUATIONS.filter((name) => !coverage.has(name))

const HOUR_MS = 3_600_000

export interface PlayedDays {
  readonly met: (name: string, times?: number) => void
  readonly dateOf: (at: number) => string
  readonly began: ReadonlyMap<string, string>
  readonly timeZone: string
  /** Start and end of the played days in epoch milliseconds. */
  readonly from: number
  readonly to: number
}

export function coverRows(db: Database, { met, dateOf, began, timeZone, from, to }: PlayedDays): void {
  const number = (sql: string): number => db.prepare<[], number>(`SELECT count(*) FROM ${sql}`).pluck().get() ?? 0
  met('Z', number('z_report'))
  met('Z of several shifts', number('(SELECT 1 FROM shift GROUP BY z_number HAVING count(*) > 1)'))
  met(
    'Z of several cashiers’ drawers',
    number('(SELECT 1 FROM shift GROUP BY z_number HAVING count(DISTINCT drawer_of) > 1)'),
  )
  met('sale', number("sale WHERE state = 'completed'"))
  met('cancelled sale', number("sale WHERE state = 'cancelled'"))
  met('sale with a discount', number("sale WHERE state = 'completed' AND totals ->> '$.discountCents' > 0"))
  met('return', number('sale_return'))
  met('redemption', number("tender WHERE kind = 'miles' AND amount_cents > 0"))
  met('redemption reversed', number("operation WHERE kind = 'redemption' AND state = 'reversed'"))
  met(
    'store credit for miles reversed too late',
    number("voucher_entry WHERE kind = 'issued' AND operation_id IS NOT NULL"),
  )
  met('gift card sold', number("voucher_entry WHERE kind = 'issued' AND sale_line_number IS NOT NULL"))
  met('payment by gift card', number("tender WHERE kind = 'gift-card' AND amount_cents > 0"))
  met('payment by store credit', number("tender WHERE kind = 'store-credit' AND amount_cents > 0"))
  met('rounded cash payment', number("tender WHERE kind = 'cash' AND rounding_cents <> 0"))
  for (const kind of ['paid-in', 'paid-out', 'drop', 'pickup', 'no-sale', 'deposit'])
    met(kind, number(`cash_movement WHERE kind = '${kind}'`))
  for (const { openedAt, countedAt } of db
    .prepare<[], { openedAt: number; countedAt: number }>(
      'SELECT opened_at AS openedAt, counted_at AS countedAt FROM shift WHERE counted_at IS NOT NULL',
    )
    .all())
    met('shift across midnight', dateOf(openedAt) === dateOf(countedAt) ? 0 : 1)
  for (const { id, at } of db
    .prepare<[], { id: string; at: number }>("SELECT id, closed_at AS at FROM sale WHERE state = 'completed'")
    .all())
    met('sale across midnight', (began.get(id) ?? dateOf(at)) === dateOf(at) ? 0 : 1)
  for (const { minutes, from: at } of clockChanges(timeZone, from, to).slice(1))
    met(
      (clockChanges(timeZone, at - HOUR_MS, at)[0]?.minutes ?? minutes) < minutes
        ? 'start of daylight saving time'
        : 'end of daylight saving time',
    )
}
