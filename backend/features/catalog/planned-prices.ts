import type { CancelPlanned, PlannedList, PlanPrice } from '../../../contracts/api/catalog-manager.ts'
import type { z } from 'zod'
import { cents } from '../../../contracts/money.ts'
import { plannedSubject } from '../../../contracts/store/changes.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import { parseDateTime } from '../../domain/zone.ts'
import { ProblemError } from '../../http/problem.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { CatalogService } from './service.ts'
import type { CatalogViews } from './shared/views.ts'

export interface PlannedPricesOptions {
  readonly catalog: CatalogService
  readonly transact: Transact
  readonly audit: AuditTrail
  readonly clock: Clock
  readonly timeZone: string
  /** Where a price was planned; left out: the lane is alone. */
  readonly elsewhere?: CatalogViews['elsewhere'] | undefined
}

const PAGE = 50

export type PlannedPrices = ReturnType<typeof createPlannedPrices>

/** Prices that hold from a moment on. The file of the catalog looks them up when an item is asked for. */
export function createPlannedPrices(options: PlannedPricesOptions) {
  const { catalog, transact, audit, clock, timeZone, elsewhere } = options

  function list(after?: string): PlannedList {
    const [at, ...sku] = (after ?? '').split(' ')
    const now = clock.now()
    // Behind every SKU of this moment: what begins now has begun.
    const from = after === undefined ? { fromAt: now, sku: '\u{10FFFF}' } : { fromAt: Number(at), sku: sku.join(' ') }
    const rows = catalog.planned(from, PAGE + 1)
    const page = rows.slice(0, PAGE)
    const last = page.at(-1)
    return {
      prices: page.map((row) => ({
        ...row,
        fromAt: isoOf(row.fromAt),
        ...elsewhere?.('planned-price', plannedSubject(row)),
      })),
      next: rows.length > PAGE && last ? `${last.fromAt} ${last.sku}` : null,
    }
  }

  return {
    list,
    /** Throws `item-unknown`, `price-from-past` and `body-invalid` for a day that there is not. */
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
    /** Throws `not-found` where nothing is planned then, or it has begun. */
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
}
