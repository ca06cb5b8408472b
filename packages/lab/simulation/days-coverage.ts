import type { Database } from 'better-sqlite3'
import { clockChanges } from '../../../backend/core/zone.ts'

/** What days must have met, or they have shown nothing. */
export const MUST_HAPPEN = [
  'Z',
  'Z of several shifts',
  'Z of drawers of several people',
  'sale',
  'sale between count and Z',
  'sale over a midnight',
  'sale with a discount',
  'cancelled sale',
  'return',
  'exchange',
  'redemption',
  'redemption given back',
  'store credit for miles that came back too late',
  'gift card sold',
  'payment by gift card',
  'payment by store credit',
  'cash payment that was rounded',
  'paid-in',
  'paid-out',
  'drop',
  'pickup',
  'deposit',
  'no-sale',
  'held over a midnight',
  'shift over a midnight',
  'kill before a commit',
  'kill after a commit',
  'kill before a send',
  'kill before an answer',
  'clock set ahead',
  'clock set back',
  'summer time begins',
  'summer time ends',
] as const

/** What of it never happened. */
export const neverMet = (coverage: ReadonlyMap<string, number>): string[] =>
  MUST_HAPPEN.filter((name) => !coverage.has(name))

const HOUR_MS = 3_600_000

export interface PlayedDays {
  readonly met: (name: string, times?: number) => void
  /** The local date of a moment (epoch ms). */
  readonly dateOf: (at: number) => string
  /** The local date on which each sale was begun, by its id. */
  readonly began: ReadonlyMap<string, string>
  readonly timeZone: string
  /** Epoch ms. */
  readonly from: number
  readonly to: number
}

/** What there was of each kind, from the rows. */
export function coverRows(db: Database, { met, dateOf, began, timeZone, from, to }: PlayedDays): void {
  const number = (sql: string): number => db.prepare<[], number>(`SELECT count(*) FROM ${sql}`).pluck().get() ?? 0
  met('Z', number('z_report'))
  met('Z of several shifts', number('(SELECT 1 FROM shift GROUP BY z_number HAVING count(*) > 1)'))
  met(
    'Z of drawers of several people',
    number('(SELECT 1 FROM shift GROUP BY z_number HAVING count(DISTINCT drawer_of) > 1)'),
  )
  met('sale', number("sale WHERE state = 'completed'"))
  met('cancelled sale', number("sale WHERE state = 'cancelled'"))
  met('sale with a discount', number("sale WHERE state = 'completed' AND totals ->> '$.discountCents' > 0"))
  met('return', number('sale_return'))
  met('redemption', number("tender WHERE kind = 'miles' AND amount_cents > 0"))
  met('redemption given back', number("operation WHERE kind = 'redemption' AND state = 'reversed'"))
  met(
    'store credit for miles that came back too late',
    number("voucher_entry WHERE kind = 'issued' AND operation_id IS NOT NULL"),
  )
  met('gift card sold', number("voucher_entry WHERE kind = 'issued' AND sale_line_number IS NOT NULL"))
  met('payment by gift card', number("tender WHERE kind = 'gift-card' AND amount_cents > 0"))
  met('payment by store credit', number("tender WHERE kind = 'store-credit' AND amount_cents > 0"))
  met('cash payment that was rounded', number("tender WHERE kind = 'cash' AND rounding_cents <> 0"))
  for (const kind of ['paid-in', 'paid-out', 'drop', 'pickup', 'no-sale', 'deposit'])
    met(kind, number(`cash_movement WHERE kind = '${kind}'`))
  for (const { openedAt, countedAt } of db
    .prepare<[], { openedAt: number; countedAt: number }>(
      'SELECT opened_at AS openedAt, counted_at AS countedAt FROM shift WHERE counted_at IS NOT NULL',
    )
    .all())
    met('shift over a midnight', dateOf(openedAt) === dateOf(countedAt) ? 0 : 1)
  for (const { id, at } of db
    .prepare<[], { id: string; at: number }>("SELECT id, closed_at AS at FROM sale WHERE state = 'completed'")
    .all())
    met('sale over a midnight', (began.get(id) ?? dateOf(at)) === dateOf(at) ? 0 : 1)
  for (const { minutes, from: at } of clockChanges(timeZone, from, to).slice(1))
    met(
      (clockChanges(timeZone, at - HOUR_MS, at)[0]?.minutes ?? minutes) < minutes
        ? 'summer time begins'
        : 'summer time ends',
    )
}
