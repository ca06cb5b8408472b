import type { Voucher, VoucherId, VoucherKind } from '../../../contracts/payments/vouchers.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { cents } from '../../../contracts/core/money.ts'
import { isoOf } from '../../core/clock.ts'
import { ProblemError } from '../../core/problem.ts'
import { placeOf } from '../../core/integrity/seal.ts'
import { CREDITED } from '../../loyalty/queue/queue.sql.ts'
import { perLane, type Ctx } from '../../core/context.ts'

export interface VoucherRow {
  readonly id: VoucherId
  readonly kind: VoucherKind
  readonly codeSealed: Buffer
  readonly last4: string
  readonly issuedAt: number
  readonly balanceCents: number
  /** Id of the return or sale for which the voucher was issued. */
  readonly issuedFor: string
  readonly forReturn: 0 | 1
  readonly cashierId: string
}

export type VoucherSource =
  | { readonly returnId: string; readonly operationId: string | null }
  | { readonly saleId: string; readonly saleLineNumber: number }
  | { readonly saleId: string; readonly operationId: string }

export interface GiftCardRow {
  readonly lineNumber: number
  readonly codeHash: Buffer | null
  readonly codeSealed: Buffer | null
}

const VOUCHER = `SELECT voucher.id AS id, voucher.kind AS kind, code_sealed AS codeSealed, last4, issued_at AS issuedAt,
  coalesce(issued.return_id, issued.sale_id) AS issuedFor, issued.return_id IS NOT NULL AS forReturn,
  coalesce(sale_return.cashier_id, sale.served_by, sale.cashier_id) AS cashierId,
  (SELECT sum(CASE kind WHEN 'redeemed' THEN -amount_cents ELSE amount_cents END) FROM voucher_entry
  WHERE voucher_id = voucher.id) AS balanceCents
  FROM voucher JOIN voucher_entry AS issued ON issued.voucher_id = voucher.id AND issued.kind = 'issued'
  LEFT JOIN sale_return ON sale_return.id = issued.return_id LEFT JOIN sale ON sale.id = issued.sale_id`

/**
 * SQL for the vouchers whose documents belong to a sale: sold gift cards, store credit for miles reversed too late, and
 * store credit of an exchange whose document was first printed at the end of the sale. Exported for the test of its
 * query plan.
 */
export const DOCUMENTS_OF_SALE = `${VOUCHER} WHERE voucher.id IN (
  SELECT voucher_id FROM voucher_entry WHERE sale_id = @saleId AND sale_line_number IS NOT NULL
  UNION SELECT voucher_id FROM voucher_entry WHERE sale_id = @saleId AND kind = 'issued' AND operation_id IS NOT NULL
  AND sale_id IS NOT NULL
  UNION SELECT tender.voucher_id FROM tender JOIN sale AS ended ON ended.id = tender.sale_id
  JOIN print_job AS first ON first.voucher_id = tender.voucher_id AND first.created_at >= ended.closed_at
    WHERE tender.sale_id = @saleId AND first.copy = 0) ORDER BY issued.id`

/**
 * SQL for whether a gift card is on an open or held sale. Starts from these sales, which are few. Exported for the test
 * of its query plan.
 */
export const BEING_SOLD = `SELECT EXISTS (SELECT 1 FROM sale_gift_card WHERE code_hash = @hash AND sale_id IN (
  SELECT id FROM sale WHERE lane = @lane AND state = 'open' AND held_at IS NULL
  UNION ALL SELECT id FROM sale WHERE lane = @lane AND held_at IS NOT NULL))`

const OF_NOTHING = { returnId: null, operationId: null, saleId: null, saleLineNumber: null }

export function createVouchersRepository(db: Database) {
  const insert = db.prepare(
    `INSERT INTO voucher (id, kind, code_hash, code_sealed, last4, issued_at)
      VALUES (@id, @kind, @codeHash, @codeSealed, @last4, @issuedAt)`,
  )
  const insertEntry =
    db.prepare(`INSERT INTO voucher_entry (voucher_id, at, kind, amount_cents, return_id, operation_id, sale_id,
      sale_line_number)
    VALUES (@voucherId, @at, @kind, @amountCents, @returnId, @operationId, @saleId, @saleLineNumber)`)
  const byId = db.prepare<[string], VoucherRow>(`${VOUCHER} WHERE voucher.id = ?`)
  const byHash = db.prepare<[Buffer], VoucherRow>(`${VOUCHER} WHERE code_hash = ?`)
  const hashKnown = db.prepare<[Buffer], number>('SELECT 1 FROM voucher WHERE code_hash = ?').pluck()
  const ofReturn = db.prepare<[string], VoucherRow>(
    `${VOUCHER} WHERE voucher.id IN (SELECT voucher_id FROM voucher_entry WHERE return_id = ?) ORDER BY issued.id`,
  )
  const documentsOfSale = db.prepare<{ saleId: string }, VoucherRow>(DOCUMENTS_OF_SALE)
  const credited = db.prepare(CREDITED)
  const insertGiftCard = db.prepare(
    'INSERT INTO sale_gift_card (sale_id, line_number, code_hash, code_sealed) VALUES (?, ?, ?, ?)',
  )
  const giftCards = db.prepare<[string], GiftCardRow>(
    `SELECT line_number AS lineNumber, code_hash AS codeHash, code_sealed AS codeSealed FROM sale_gift_card
      WHERE sale_id = +? ORDER BY line_number`,
  )

  const isBeingSold = db.prepare<{ lane: string; hash: Buffer }, number>(BEING_SOLD).pluck()

  return {
    insert(
      tx: Tx,
      voucher: {
        id: VoucherId
        kind: VoucherKind
        codeHash: Buffer
        codeSealed: Buffer
        last4: string
        issuedAt: number
      },
    ): void {
      tx.run(insert, voucher)
    },
    issued(tx: Tx, voucherId: VoucherId, at: number, amountCents: number, source: VoucherSource): void {
      tx.run(insertEntry, { ...OF_NOTHING, voucherId, at, kind: 'issued', amountCents, ...source })
    },
    /** Records a payment by voucher, or that the payment was given back. The database rejects more than the balance. */
    moved(
      tx: Tx,
      voucherId: VoucherId,
      at: number,
      kind: 'redeemed' | 'given-back',
      amountCents: number,
      saleId: string,
    ): void {
      tx.run(insertEntry, { ...OF_NOTHING, voucherId, at, kind, amountCents, saleId })
    },
    byId: (id: string): VoucherRow | undefined => byId.get(id),
    byHash: (hash: Buffer): VoucherRow | undefined => byHash.get(hash),
    isKnown: (hash: Buffer): boolean => hashKnown.get(hash) !== undefined,
    isCredited: (operationId: string): boolean => credited.get(operationId) !== undefined,
    ofReturn: (returnId: string): VoucherRow[] => ofReturn.all(returnId),
    documentsOfSale: (saleId: string): VoucherRow[] => documentsOfSale.all({ saleId }),
    insertGiftCard: (tx: Tx, saleId: string, lineNumber: number, hash: Buffer | null, sealed: Buffer | null): void =>
      void tx.run(insertGiftCard, saleId, lineNumber, hash, sealed),
    giftCards: (saleId: string): GiftCardRow[] => giftCards.all(saleId),
    /** Whether the gift card is on an open or held sale, including on a void line, since that can be undone. */
    isBeingSold: (lane: string, hash: Buffer): boolean => isBeingSold.get({ lane, hash }) === 1,
  }
}

export const voucherLedgerOf = perLane((ctx: Ctx) => {
  const { seal } = ctx
  const repository = voucherRowsOf(ctx)
  function find(id: string): VoucherRow {
    const voucher = repository.byId(id)
    if (!voucher) throw new ProblemError('not-found')
    return voucher
  }
  return {
    find,
    view: (id: string): Voucher => viewOf(find(id)),
    /** Decrypts the code of a voucher, which only the printer may get. */
    codeOf: (id: string): string => seal.open(find(id).codeSealed, placeOfCode(id)).toString(),
    isCredited: repository.isCredited,
  }
})

export const placeOfCode = (id: string): string => placeOf('voucher', 'code_sealed', id)

export const viewOf = ({ id, kind, last4, issuedAt, balanceCents }: VoucherRow): Voucher => ({
  id,
  kind,
  last4,
  issuedAt: isoOf(issuedAt),
  balanceCents: cents(balanceCents),
})

export const voucherRowsOf = perLane(({ db }) => createVouchersRepository(db))
