import { RedeemRequest } from '../../../contracts/central/cash.ts'
import { encode, cashClientOf } from '../../loyalty/services/cash.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import type { RefundRow } from '../rows/returns.sql.ts'
import type { SaleParts } from '../../sales/sale/sale-parts.ts'
import type { Pieces } from '../../sales/sale/basket.ts'
import { storeReturnsRepositoryOf } from '../rows/store-returns.sql.ts'
import { storeReturnsOf } from './store-returns.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export interface StoreReturnRows {
  insertReturn(tx: Tx, row: ReturnElsewhere, pieces: readonly Pieces[]): void
  insertRefund(tx: Tx, returnId: string, refund: RefundRow): void
  /**
   * Records another lane's redemption as an operation of this lane, to reverse it here; undefined without a
   * redemption or its REDEEM request.
   */
  reversed(tx: Tx, returnId: string, now: SaleParts): Operation | undefined
}

interface ReturnElsewhere {
  readonly id: string
  readonly saleId: string
  readonly approvedBy: string | null
  readonly reason: string | null
}

export const storeReturnRowsOf = perLane((ctx: Ctx): StoreReturnRows => {
  const { seal, rng } = ctx
  const repository = storeReturnsRepositoryOf(ctx)
  const journal = ctx.outbox.journal
  const cash = cashClientOf(ctx)
  const store = storeReturnsOf(ctx)
  return {
    insertReturn(tx, { id, saleId, approvedBy, reason }, pieces) {
      const loaded = store.loaded(saleId)
      if (loaded) repository.storeSale(tx, loaded.receipt, loaded.secret)
      repository.insertReturn(tx, { id, saleId, approvedBy, reason }, pieces)
    },
    insertRefund: repository.insertRefund,
    reversed(tx, returnId, { redemption, elsewhere }) {
      if (!redemption || elsewhere?.secret.redeem === undefined) return undefined
      const redeemed = RedeemRequest.parse(elsewhere.secret.redeem)
      // The other lane sent this REDEEM. This copy is never sent; REVERSE takes its fields from it.
      const { id } = journal.open(tx, {
        kind: 'redemption',
        type: 'redeem',
        saleId: returnId,
        collectorHash: seal.keyedHash(redeemed.collectorNumber),
        state: 'intent',
        sending: false,
        call: {
          purpose: 'redeem',
          path: cash.pathOf('redeem'),
          idempotencyKey: rng.uuid(),
          traceId: redeemed.traceId,
          dateTime: redeemed.dateTime,
          request: encode(redeemed),
        },
        facts: {},
      })
      const { units, amountCents, miles, confirmationNumber, transDateTime } = redemption
      return journal.move(tx, id, 'approved', {
        facts: { units, amountCents, miles, confirmationNumber, transDateTime },
      })
    },
  }
})
