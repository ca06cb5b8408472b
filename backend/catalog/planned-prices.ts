import type { CancelPlanned, Item, PlanPrice, PlannedList } from '../../contracts/catalog/catalog.ts'
import type { z } from 'zod'
import { cents } from '../../contracts/core/money.ts'
import { plannedSubject } from '../../contracts/store/changes.ts'
import { isoOf } from '../core/clock.ts'
import type { Tx } from '../core/db/transact.ts'
import { parseDateTime } from '../core/zone.ts'
import { ProblemError } from '../core/problem.ts'
import { catalogOf } from './catalog.ts'
import { laneTimeOf } from '../core/lane-time.ts'
import { type Ctx, perLane } from '../core/context.ts'
import { catalogViewsOf } from './catalog-views.ts'

const PAGE = 50

export type PlannedPrices = ReturnType<typeof plannedPricesOf>

/** Lists, adds and cancels planned prices. Each lookup of an item decides whether they apply. */
export const plannedPricesOf = perLane((ctx: Ctx) => {
  const { transact, audit, clock } = ctx
  const catalog = catalogOf(ctx)
  const { timeZone } = ctx.profile
  const elsewhere = catalogViewsOf(ctx).elsewhere

  function list(after?: string): PlannedList {
    const [at, ...sku] = (after ?? '').split(' ')
    const now = clock.now()
    // The first page starts after all prices that begin now: they are not planned any more.
    const from = after === undefined ? { fromAt: now, sku: '\u{10FFFF}' } : { fromAt: Number(at), sku: sku.join(' ') }
    const rows = catalog.planned(from, PAGE + 1)
    const page = rows.slice(0, PAGE)
    const last = page.at(-1)
    return {
      prices: page.map((row) => ({
        ...row,
        fromAt: isoOf(row.fromAt),
        ...elsewhere('planned-price', plannedSubject(row)),
      })),
      next: rows.length > PAGE && last ? `${last.fromAt} ${last.sku}` : null,
    }
  }

  return {
    list,
    /** Plans a price. Throws `item-unknown`, `price-from-past`, and `body-invalid` for a day that does not exist. */
    plan({ sku, priceCents, from }: PlanPrice, staffId: string): void {
      const item = catalog.findBySku(sku)
      if (item === undefined) throw new ProblemError('item-unknown')
      const fromAt = parseDateTime(from, timeZone)
      if (Number.isNaN(fromAt)) throw new ProblemError('body-invalid')
      if (fromAt <= clock.now()) throw new ProblemError('price-from-past')
      transact((tx) => {
        catalog.change(tx, staffId, { kind: 'plan', sku, fromAt, priceCents })
        audit.record(tx, {
          kind: 'catalog-price-planned',
          actorId: staffId,
          subject: sku,
          detail: { beforeCents: item.priceCents, afterCents: priceCents, from: isoOf(fromAt) },
        })
      })
    },
    /** Cancels a planned price. Throws `not-found` if none begins at that time, or if it has begun. */
    cancel({ sku, fromAt }: z.infer<typeof CancelPlanned>, staffId: string): void {
      const at = Date.parse(fromAt)
      const planned = catalog.plannedOf(sku).find((plan) => plan.fromAt === at)
      if (planned === undefined) throw new ProblemError('not-found')
      transact((tx) => {
        catalog.change(tx, staffId, { kind: 'cancel-plan', sku, fromAt: at })
        audit.record(tx, {
          kind: 'catalog-price-cancelled',
          actorId: staffId,
          subject: sku,
          detail: { amountCents: cents(planned.priceCents), from: isoOf(at) },
        })
      })
    },
  }
})

/** Records that an item was rung at a planned price before its beginning, in the transaction that rings the item. */
export type NoteEarlyPrice = (tx: Tx, saleId: string, item: Item) => void

/** Whether a price that begins at `from` applies only because the lane's clock is ahead of the expected time. */
export const isEarly = (times: {
  readonly from: number
  readonly expected: number
  readonly now: number
  readonly toleranceMs: number
}): boolean => times.now - times.expected > times.toleranceMs && times.from > times.expected

/**
 * A planned price applies by the lane's clock. If that clock was set ahead, the audit trail records that the price
 * applied early. The shown price is charged all the same, because the clock may be right.
 */
export const earlyPriceNoteOf = perLane((ctx: Ctx): NoteEarlyPrice => {
  const { audit, clock, signedIn } = ctx
  const catalog = catalogOf(ctx)
  const watch = laneTimeOf(ctx)
  const toleranceMs = ctx.profile.limits.clockToleranceMs
  return (tx, saleId, item) => {
    const now = clock.now()
    const expected = watch.expectedNow()
    const from = catalog.plannedSince(item.sku)
    if (from === null || !isEarly({ from, expected, now, toleranceMs })) return
    audit.record(tx, {
      kind: 'planned-price-early',
      actorId: signedIn()?.id ?? null,
      subject: item.sku,
      detail: {
        saleId,
        amountCents: item.priceCents,
        from: isoOf(from),
        laneClock: isoOf(now),
        expectedClock: isoOf(expected),
      },
    })
  }
})
