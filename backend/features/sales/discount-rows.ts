import { z } from 'zod'
import { DiscountReason, type Reach, type TakenOff } from '../../../contracts/api/sale-changes.ts'
import type { Names } from '../../../contracts/locales.ts'
import { cents } from '../../../contracts/money.ts'
import { namesOf } from '../../db/names.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'
import type { GrantedDiscount } from '../../domain/discounts.ts'

/** A discount or a coupon of a sale as it was granted. */
export interface DiscountRow extends GrantedDiscount {
  /** Null: a coupon. */
  readonly reason: DiscountReason | null
  readonly coupon: { readonly code: string; readonly name: Names } | null
}
export type NewDiscount = Omit<DiscountRow, 'number' | 'byHand'> & { readonly approvedBy: string | null }

export const Reaches = z.enum(['line', 'item', 'department', 'sale'])
/** A row of sale_discount. `names` is JSON. */
interface Stored {
  number: number
  reaches: z.infer<typeof Reaches>
  target: string | null
  offCents: number | null
  offPpm: number | null
  minimumCents: number
  reason: string | null
  coupon: string | null
  names: string | null
}

export type DiscountRows = ReturnType<typeof createDiscountRows>

export function createDiscountRows(db: Database) {
  const standing = db.prepare<
    [string],
    Stored
  >(`SELECT number, reaches, target, off_cents AS offCents, off_ppm AS offPpm, minimum_cents AS minimumCents, reason,
    coupon, names
    FROM sale_discount WHERE sale_id = +? AND removed = 0 ORDER BY number`)
  const newest = db.prepare<[string], number | null>('SELECT max(number) FROM sale_discount WHERE sale_id = +?').pluck()
  const insert =
    db.prepare(`INSERT INTO sale_discount (sale_id, number, reaches, target, off_cents, off_ppm, minimum_cents, reason,
      coupon, names, approved_by)
    VALUES (@saleId, @number, @reaches, @target, @offCents, @offPpm, @minimumCents, @reason, @coupon, @names,
    @approvedBy)`)
  const setRemoved = db.prepare(
    'UPDATE sale_discount SET removed = ? WHERE sale_id = ? AND number = ? AND removed <> ?',
  )

  return {
    /** Those that stand, oldest first. */
    ofSale: (saleId: string): DiscountRow[] => standing.all(saleId).map(discountRowOf),
    /** Answers its number. */
    insert(tx: Tx, saleId: string, { reach, off, minimumCents, reason, coupon, approvedBy }: NewDiscount): number {
      const number = (newest.get(saleId) ?? 0) + 1
      tx.run(insert, {
        saleId,
        number,
        reaches: reach.kind,
        target: targetOf(reach),
        minimumCents,
        reason,
        approvedBy,
        offCents: off?.kind === 'amount' ? off.cents : null,
        offPpm: off?.kind === 'percent' ? off.ppm : null,
        coupon: coupon?.code ?? null,
        names: coupon && JSON.stringify(coupon.name),
      })
      return number
    },
    /** False where it stood so already, or never was. */
    setRemoved: (tx: Tx, saleId: string, number: number, removed: boolean): boolean =>
      tx.run(setRemoved, removed ? 1 : 0, saleId, number, removed ? 1 : 0).changes === 1,
  }
}

function targetOf(reach: Reach): string | null {
  switch (reach.kind) {
    case 'line':
      return String(reach.number)
    case 'item':
      return reach.sku
    case 'department':
      return reach.departmentId
    case 'sale':
      return null
  }
}

function reachOf({ reaches, target }: Stored): Reach {
  switch (reaches) {
    case 'line':
      return { kind: 'line', number: Number(target) }
    case 'item':
      return { kind: 'item', sku: target ?? '' }
    case 'department':
      return { kind: 'department', departmentId: target ?? '' }
    case 'sale':
      return { kind: 'sale' }
  }
}

function offOf({ offCents, offPpm }: Stored): TakenOff | null {
  if (offCents !== null) return { kind: 'amount', cents: cents(offCents) }
  return offPpm === null ? null : { kind: 'percent', ppm: offPpm }
}

export const discountRowOf = (row: Stored): DiscountRow => ({
  number: row.number,
  reach: reachOf(row),
  off: offOf(row),
  minimumCents: cents(row.minimumCents),
  byHand: row.coupon === null,
  reason: row.reason === null ? null : DiscountReason.parse(row.reason),
  coupon: row.coupon === null || row.names === null ? null : { code: row.coupon, name: namesOf(row.names) },
})
