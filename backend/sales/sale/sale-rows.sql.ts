import { z } from 'zod'
import { CardReason, CardReceiptLine, CardState } from '../../../contracts/payments/tenders/card-terminal.ts'
import { Cents, cents } from '../../../contracts/core/money.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import { type Database, namesOf } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import {
  BuyerGroup,
  DiscountReason,
  Exemption,
  type DiscountScope,
  type DiscountAmount,
  UndoKind,
} from '../../../contracts/sales/sale-changes.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import type { GrantedDiscount } from './discounts.ts'

export const StoredApproval = z.object({
  amountCents: Cents,
  authorisationCode: z.string().nullable(),
  /** The card terminal's id of the transaction; null for a manual approval, which the card terminal cannot refund. */
  transaction: z.object({ id: z.string(), timestamp: z.string() }).nullable(),
  card: z.object({
    scheme: z.string().nullable(),
    lastFour: z.string().nullable(),
    entryMode: z.enum(['chip', 'contactless', 'magnetic-stripe', 'keyed', 'on-file']).nullable(),
  }),
  customerLines: z.array(CardReceiptLine),
})
export type StoredApproval = z.infer<typeof StoredApproval>

export interface CardRow {
  readonly reference: string
  readonly saleId: SaleId
  readonly kind: 'payment' | 'refund'
  readonly original: string | null
  readonly returnId: string | null
  readonly amountCents: number
  readonly state: CardState
  readonly reason: CardReason | null
  readonly approval: StoredApproval | null
  readonly askedAt: number
}

export interface CardSettlement {
  readonly state: Exclude<CardState, 'asked'>
  readonly reason: CardReason | null
  readonly approval: StoredApproval | null
  readonly resolvedBy?: string
  readonly note?: string
}

type StoredCard = Omit<CardRow, 'state' | 'reason' | 'approval'> & {
  state: string
  reason: string | null
  approval: string | null
}

const SELECT = `SELECT reference, sale_id AS saleId, kind, original, return_id AS returnId, amount_cents AS amountCents,
  state, reason, approval, asked_at AS askedAt FROM card_transaction`
/**
 * SQL condition for card transactions that need a person: payments of unknown outcome, and refunds that failed, were
 * partial or may have failed.
 */
const FOR_A_PERSON = `state = 'unknown'
  OR (kind = 'refund' AND state IN ('declined', 'cancelled') AND resolved_by IS NULL)
  OR (kind = 'refund' AND state = 'approved' AND resolved_by IS NULL
    AND json_extract(approval, '$.amountCents') < amount_cents)`

/** Requests to the card terminal. Rows are never deleted, and the data of a request never changes. */
export function createCardRows(db: Database) {
  // Keep the requests of a sale in order, even if the clock was set back. For the unary plus in `+@saleId`, see
  // core/db/database.ts.
  const insert = db.prepare(`INSERT INTO card_transaction
    (reference, sale_id, kind, original, return_id, amount_cents, state, asked_at)
    VALUES (@reference, @saleId, @kind, @original, @returnId, @amountCents, 'asked',
    max(@askedAt, (SELECT coalesce(max(asked_at) + 1, 0) FROM card_transaction WHERE sale_id = +@saleId)))`)
  const settle = db.prepare(`UPDATE card_transaction SET state = @state, reason = @reason, approval = @approval,
    settled_at = @settledAt, resolved_by = @resolvedBy, note = @note WHERE reference = @reference`)
  const resolve = db.prepare(
    'UPDATE card_transaction SET resolved_by = @staffId, note = @note WHERE reference = @reference',
  )
  const byReference = db.prepare<[string], StoredCard>(`${SELECT} WHERE reference = ?`)
  // For the unary plus in `+?`, see core/db/database.ts.
  const ofSale = db.prepare<[string], StoredCard>(`${SELECT} WHERE sale_id = +? ORDER BY asked_at, reference`)
  const unsettled = db.prepare<[], StoredCard>(`${SELECT} WHERE state IN ('asked', 'unknown') ORDER BY asked_at`)
  const forPerson = db.prepare<[], StoredCard>(`${SELECT} WHERE ${FOR_A_PERSON} ORDER BY asked_at`)
  const forPersonCount = db.prepare<[], number>(`SELECT count(*) FROM card_transaction WHERE ${FOR_A_PERSON}`).pluck()
  const refunded = db
    .prepare<[string], number>('SELECT coalesce(sum(amount_cents), 0) FROM card_transaction WHERE original = ?')
    .pluck()

  return {
    insert(
      tx: Tx,
      row: Pick<CardRow, 'reference' | 'saleId' | 'kind' | 'original' | 'returnId' | 'amountCents' | 'askedAt'>,
    ): void {
      tx.run(insert, row)
    },
    /** Records the result of a card transaction. `at`: time of the result; not stored while the outcome is unknown. */
    settle(tx: Tx, reference: string, { state, reason, approval, resolvedBy, note }: CardSettlement, at: number): void {
      tx.run(settle, {
        reference,
        state,
        reason,
        approval: approval && JSON.stringify(approval),
        settledAt: state === 'unknown' ? null : at,
        resolvedBy: resolvedBy ?? null,
        note: note ?? null,
      })
    },
    resolve(tx: Tx, reference: string, staffId: string, note: string): void {
      tx.run(resolve, { reference, staffId, note })
    },
    byReference: (reference: string): CardRow | undefined => rowOf(byReference.get(reference)),
    ofSale: (saleId: string): CardRow[] => ofSale.all(saleId).map((row) => rowOf(row)),
    unsettled: (): CardRow[] => unsettled.all().map((row) => rowOf(row)),
    forPerson: (): CardRow[] => forPerson.all().map((row) => rowOf(row)),
    forPersonCount: (): number => forPersonCount.get() ?? 0,
    refundedCents: (payment: string): number => refunded.get(payment) ?? 0,
  }
}

function rowOf(stored: StoredCard): CardRow
function rowOf(stored: StoredCard | undefined): CardRow | undefined
function rowOf(stored: StoredCard | undefined): CardRow | undefined {
  return (
    stored && {
      ...stored,
      state: CardState.parse(stored.state),
      reason: CardReason.nullable().parse(stored.reason),
      approval: stored.approval === null ? null : StoredApproval.parse(JSON.parse(stored.approval)),
    }
  )
}

export const openCardPayment = (rows: readonly CardRow[]): CardRow | undefined =>
  rows.find(({ kind, state }) => kind === 'payment' && (state === 'asked' || state === 'unknown'))

/** A discount, a coupon or the reduction of one line by a promotion. One of the last three fields is not null. */
export interface DiscountRow extends GrantedDiscount {
  readonly reason: DiscountReason | null
  readonly coupon: { readonly code: string; readonly name: Names } | null
  readonly promotion: { readonly id: string; readonly name: Names } | null
}
export type NewDiscount = Omit<DiscountRow, 'number' | 'source' | 'promotion'> & {
  readonly approvedBy: string | null
  readonly promotion?: DiscountRow['promotion']
}

export const Reaches = z.enum(['line', 'item', 'department', 'sale'])
interface StoredDiscount {
  number: number
  reaches: z.infer<typeof Reaches>
  target: string | null
  offCents: number | null
  offPpm: number | null
  minimumCents: number
  reason: string | null
  coupon: string | null
  names: string | null
  promotion?: string | null | undefined
  byGoods?: number | null | undefined
}

export function createDiscountRows(db: Database) {
  const effective = db.prepare<
    [string],
    StoredDiscount
  >(`SELECT number, reaches, target, off_cents AS offCents, off_ppm AS offPpm, minimum_cents AS minimumCents, reason,
    coupon, names, promotion, by_goods AS byGoods
    FROM sale_discount WHERE sale_id = +? AND removed = 0 ORDER BY number`)
  const newest = db.prepare<[string], number | null>('SELECT max(number) FROM sale_discount WHERE sale_id = +?').pluck()
  const insert =
    db.prepare(`INSERT INTO sale_discount (sale_id, number, reaches, target, off_cents, off_ppm, minimum_cents, reason,
      coupon, names, approved_by, promotion, by_goods)
    VALUES (@saleId, @number, @reaches, @target, @offCents, @offPpm, @minimumCents, @reason, @coupon, @names,
    @approvedBy, @promotion, 1)`)
  const setRemoved = db.prepare(
    'UPDATE sale_discount SET removed = ? WHERE sale_id = ? AND number = ? AND removed <> ?',
  )

  return {
    ofSale: (saleId: string): DiscountRow[] => effective.all(saleId).map(discountRowOf),
    insert(tx: Tx, saleId: string, { promotion, ...discount }: NewDiscount): number {
      const { reach, off, minimumCents, reason, coupon, approvedBy } = discount
      const named = promotion ? { code: `${promotion.id} ${targetOf(reach)}`, name: promotion.name } : coupon
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
        coupon: named?.code ?? null,
        names: named && JSON.stringify(named.name),
        promotion: promotion?.id ?? null,
      })
      return number
    },
    /** Marks a discount as removed, or as not removed. Returns false if the discount is unknown or unchanged. */
    setRemoved: (tx: Tx, saleId: string, number: number, removed: boolean): boolean =>
      tx.run(setRemoved, removed ? 1 : 0, saleId, number, removed ? 1 : 0).changes === 1,
  }
}

function targetOf(reach: DiscountScope): string | null {
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

function reachOf({ reaches, target }: StoredDiscount): DiscountScope {
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

function offOf({ offCents, offPpm }: StoredDiscount): DiscountAmount | null {
  if (offCents !== null) return { kind: 'amount', cents: cents(offCents) }
  return offPpm === null ? null : { kind: 'percent', ppm: offPpm }
}

export function discountRowOf(row: StoredDiscount): DiscountRow {
  const name = row.names === null ? {} : namesOf(row.names)
  const promotion = row.promotion == null ? null : { id: row.promotion, name }
  const coupon = row.coupon === null || promotion !== null ? null : { code: row.coupon, name }
  return {
    number: row.number,
    reach: reachOf(row),
    off: offOf(row),
    minimumCents: cents(row.minimumCents),
    source: promotion === null ? (coupon === null ? 'cashier' : 'coupon') : 'promotion',
    reason: row.reason === null ? null : DiscountReason.parse(row.reason),
    coupon,
    promotion,
    ...(row.byGoods == null ? { byLines: true as const } : {}),
  }
}

const LineBefore = z.object({
  quantity: z.int(),
  unitPriceCents: z.int(),
  regularPriceCents: z.int().nullable(),
  voided: z.union([z.literal(0), z.literal(1)]),
  note: z.string().nullable(),
  exemption: Exemption.nullable().default(null),
})

/** Correction of a line to the price on the shelf. Amounts are of one piece. */
export interface CorrectionRow {
  readonly lineNumber: number
  readonly scannedCents: number
  readonly shelfCents: number
  /** Number of the discount that compensates the error; null without compensation. */
  readonly discountNumber: number | null
}

export function createCorrectionRows(db: Database) {
  const ofSale = db.prepare<[string], CorrectionRow>(`SELECT line_number AS lineNumber, scanned_cents AS scannedCents,
    shelf_cents AS shelfCents, discount_number AS discountNumber FROM price_correction WHERE sale_id = ?`)
  const put =
    db.prepare(`INSERT INTO price_correction (sale_id, line_number, scanned_cents, shelf_cents, discount_number)
    VALUES (@saleId, @lineNumber, @scannedCents, @shelfCents, @discountNumber)
    ON CONFLICT (sale_id, line_number) DO UPDATE SET scanned_cents = excluded.scanned_cents,
    shelf_cents = excluded.shelf_cents, discount_number = excluded.discount_number`)
  return {
    ofSale: (saleId: string): CorrectionRow[] => ofSale.all(saleId),
    put: (tx: Tx, saleId: string, row: CorrectionRow): void => void tx.run(put, { saleId, ...row }),
  }
}

/**
 * A change of a sale with the values before it, for undo. Redemptions and tenders are excluded: they have their own
 * commands. The undo of a new line voids it, because no row is deleted.
 */
export const SaleChange = z.object({
  kind: UndoKind,
  before: z.discriminatedUnion('of', [
    z.object({
      of: z.literal('line'),
      number: z.int(),
      row: LineBefore.nullable(),
    }),
    z.object({
      of: z.literal('discount'),
      number: z.int(),
      removed: z.boolean(),
      /** Line whose price changed with the discount. */
      line: z.object({ number: z.int(), row: LineBefore }).optional(),
    }),
    /** The collector's number stays encrypted in a change too (base64). */
    z.object({
      of: z.literal('member'),
      card: z
        .object({
          last4: z.string(),
          entryMode: z.enum(['SWIPE', 'SCAN', 'KEYED']).nullable(),
          sealed: z.string(),
          hash: z.string(),
        })
        .nullable(),
    }),
    // A change of the buyers is stored as an unchanged note with an extra field, because the previous release does not
    // read further kinds.
    z.object({ of: z.literal('note'), text: z.string().nullable(), buyers: BuyerGroup.nullable().optional() }),
    z.object({ of: z.literal('exemption'), json: z.string().nullable() }),
  ]),
})
export type SaleChange = z.infer<typeof SaleChange>

const NEWEST_TENDER = `(SELECT coalesce(max(paid.number), 0) FROM tender AS paid WHERE paid.sale_id = +@saleId
  AND paid.takes_back IS NULL
  AND NOT EXISTS (SELECT 1 FROM tender AS back WHERE back.sale_id = paid.sale_id AND back.takes_back = paid.number))`

/**
 * The undo stack of open sales, newest last. Changes before an effective payment cannot be undone
 * (docs/decisions/0016-sale-commands-undo-and-giving-back.md).
 */
export function createUndoRows(db: Database) {
  // For the unary plus in `+?` and `+@saleId`, see core/db/database.ts.
  const put = db.prepare(`INSERT INTO sale_undo (sale_id, number, after_tender, change)
    VALUES (@saleId, (SELECT coalesce(max(number), 0) + 1 FROM sale_undo WHERE sale_id = +@saleId), ${NEWEST_TENDER},
    @change)`)
  const newest = db.prepare<[string], { change: string; afterTender: number }>(
    'SELECT change, after_tender AS afterTender FROM sale_undo WHERE sale_id = +? ORDER BY number DESC LIMIT 1',
  )
  const drop = db.prepare(
    `DELETE FROM sale_undo WHERE sale_id = +@saleId
      AND number = (SELECT max(number) FROM sale_undo WHERE sale_id = +@saleId)`,
  )
  const forget = db.prepare('DELETE FROM sale_undo WHERE sale_id = +?')
  const forgetCollectors = db.prepare(`DELETE FROM sale_undo WHERE sale_id = +@saleId
    AND number <= (SELECT max(number) FROM sale_undo WHERE sale_id = +@saleId
    AND json_extract(change, '$.before.card.sealed') IS NOT NULL)`)
  return {
    push: (tx: Tx, saleId: string, change: SaleChange): void => {
      tx.run(put, {
        saleId,
        change: JSON.stringify(change.kind === 'buyers' ? { ...change, kind: 'note' } : change),
      })
    },
    drop: (tx: Tx, saleId: string): void => {
      tx.run(drop, { saleId })
    },
    forget: (tx: Tx, saleId: string): void => {
      tx.run(forget, saleId)
    },
    /**
     * Removes encrypted numbers of former collectors from the undo stack, because a payment ties the sale to its
     * collector. Earlier changes are removed too, later ones remain.
     */
    forgetCollectors: (tx: Tx, saleId: string): void => {
      tx.run(forgetCollectors, { saleId })
    },
    /** Returns the newest change of a sale; null if a payment followed it that was not given back. */
    ofSale(saleId: string, newestTender: number): SaleChange | null {
      const row = newest.get(saleId)
      if (!row || row.afterTender < newestTender) return null
      const change = SaleChange.parse(JSON.parse(row.change))
      return change.before.of === 'note' && change.before.buyers !== undefined ? { ...change, kind: 'buyers' } : change
    },
  }
}
