import { z } from 'zod'
import { CardReason, CardReceiptLine, CardState } from '../../../contracts/tenders/card-terminal.ts'
import { Cents } from '../../../contracts/money.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'

/** What the terminal said of an approval, or a person who looked at it. */
export const StoredApproval = z.object({
  amountCents: Cents,
  authorisationCode: z.string().nullable(),
  /** Null where a person says that it was approved: then it cannot be given back by the terminal. */
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
  /** Of a refund: the payment whose card gets it. */
  readonly original: string | null
  readonly returnId: string | null
  readonly amountCents: number
  readonly state: CardState
  readonly reason: CardReason | null
  readonly approval: StoredApproval | null
  readonly askedAt: number
}

/** How a request ended, or that nobody can tell. */
export interface CardSettlement {
  readonly state: Exclude<CardState, 'asked'>
  readonly reason: CardReason | null
  readonly approval: StoredApproval | null
  /** Who says so, where the terminal does not. */
  readonly resolvedBy?: string
  readonly note?: string
}

type Stored = Omit<CardRow, 'state' | 'reason' | 'approval'> & {
  state: string
  reason: string | null
  approval: string | null
}

const SELECT = `SELECT reference, sale_id AS saleId, kind, original, return_id AS returnId, amount_cents AS amountCents,
  state, reason, approval, asked_at AS askedAt FROM card_transaction`
/** Payments of which nobody can tell, and refunds that the card did not get, got in part, or may not have got. */
const FOR_A_PERSON = `state = 'unknown'
  OR (kind = 'refund' AND state IN ('declined', 'cancelled') AND resolved_by IS NULL)
  OR (kind = 'refund' AND state = 'approved' AND resolved_by IS NULL
    AND json_extract(approval, '$.amountCents') < amount_cents)`

export type CardRows = ReturnType<typeof createCardRows>

/** What was asked of the card terminal. Rows are never deleted; what was asked stays as it was sent. */
export function createCardRows(db: Database) {
  // A sale's requests keep their order, also where the clock was set back between them. `+@saleId`: see db/open.ts.
  const insert = db.prepare(`INSERT INTO card_transaction
    (reference, sale_id, kind, original, return_id, amount_cents, state, asked_at)
    VALUES (@reference, @saleId, @kind, @original, @returnId, @amountCents, 'asked',
    max(@askedAt, (SELECT coalesce(max(asked_at) + 1, 0) FROM card_transaction WHERE sale_id = +@saleId)))`)
  const settle = db.prepare(`UPDATE card_transaction SET state = @state, reason = @reason, approval = @approval,
    settled_at = @settledAt, resolved_by = @resolvedBy, note = @note WHERE reference = @reference`)
  const resolve = db.prepare(
    'UPDATE card_transaction SET resolved_by = @staffId, note = @note WHERE reference = @reference',
  )
  const byReference = db.prepare<[string], Stored>(`${SELECT} WHERE reference = ?`)
  // `+?`: see db/open.ts.
  const ofSale = db.prepare<[string], Stored>(`${SELECT} WHERE sale_id = +? ORDER BY asked_at, reference`)
  const unsettled = db.prepare<[], Stored>(`${SELECT} WHERE state IN ('asked', 'unknown') ORDER BY asked_at`)
  const forPerson = db.prepare<[], Stored>(`${SELECT} WHERE ${FOR_A_PERSON} ORDER BY asked_at`)
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
    /** `at` is when it ended; of what nobody can tell nothing has. */
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
    /** A person has given a refund in another form. */
    resolve(tx: Tx, reference: string, staffId: string, note: string): void {
      tx.run(resolve, { reference, staffId, note })
    },
    byReference: (reference: string): CardRow | undefined => rowOf(byReference.get(reference)),
    /** Oldest first. */
    ofSale: (saleId: string): CardRow[] => ofSale.all(saleId).map((row) => rowOf(row)),
    unsettled: (): CardRow[] => unsettled.all().map((row) => rowOf(row)),
    forPerson: (): CardRow[] => forPerson.all().map((row) => rowOf(row)),
    forPersonCount: (): number => forPersonCount.get() ?? 0,
    /** What went back of a payment, or may have, in cents. */
    refundedCents: (payment: string): number => refunded.get(payment) ?? 0,
  }
}

function rowOf(stored: Stored): CardRow
function rowOf(stored: Stored | undefined): CardRow | undefined
function rowOf(stored: Stored | undefined): CardRow | undefined {
  return (
    stored && {
      ...stored,
      state: CardState.parse(stored.state),
      reason: CardReason.nullable().parse(stored.reason),
      approval: stored.approval === null ? null : StoredApproval.parse(JSON.parse(stored.approval)),
    }
  )
}

/** The request that nobody knows the end of yet, if any. */
export const openCardPayment = (rows: readonly CardRow[]): CardRow | undefined =>
  rows.find(({ kind, state }) => kind === 'payment' && (state === 'asked' || state === 'unknown'))
