import type { SaleId } from '../../../contracts/core/ids.ts'
import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { Tx } from '../../core/db/transact.ts'
import { perLane } from '../../core/context.ts'

export interface CashOutRow {
  readonly saleId: SaleId
  readonly voucherId: VoucherId
  readonly at: number
  readonly staffId: string
  readonly approvedBy: string | null
  readonly shiftId: number
  readonly amountCents: number
  readonly cashCents: number
}

export const cashOutRowsOf = perLane(({ db }) => {
  const insert = db.prepare(`INSERT INTO gift_card_cash_out
    (sale_id, voucher_id, at, staff_id, approved_by, shift_id, amount_cents, cash_cents)
    VALUES (@saleId, @voucherId, @at, @staffId, @approvedBy, @shiftId, @amountCents, @cashCents)`)
  return {
    insert(tx: Tx, { saleId, voucherId, at, staffId, approvedBy, shiftId, amountCents, cashCents }: CashOutRow): void {
      tx.run(insert, { saleId, voucherId, at, staffId, approvedBy, shiftId, amountCents, cashCents })
    },
  }
})
