import { CollectorNumber } from '../../contracts/core/ids.ts'
import type { Ctx } from '../core/context.ts'
import type { Tx } from '../core/db/transact.ts'
import type { ReadCard } from '../core/devices/reads.ts'
import { placeOf } from '../core/integrity/seal.ts'
import { ProblemError } from '../core/problem.ts'
import { salePromotionsOf } from './pricing/sale-promotions.ts'
import type { SaleChange } from './sale/sale-rows.sql.ts'
import { type MemberColumns, type SaleRow, saleRowsOf } from './sale/sales.sql.ts'
import { salesOf } from './sales.ts'

/** The collector of a sale, for undo, with the number encrypted. */

type SealedCard = NonNullable<Extract<SaleChange['before'], { of: 'member' }>['card']>

const placeOfMember = (saleId: string): string => placeOf('sale', 'member_sealed', saleId)

const NO_COLLECTOR: MemberColumns = {
  memberLast4: null,
  memberEntryMode: null,
  memberSealed: null,
  memberHash: null,
  memberState: null,
  inquiry: null,
}

/** Returns the decrypted number of a sale's collector; null without a collector. */
export function collectorOf(ctx: Ctx, sale: SaleRow): CollectorNumber | null {
  return sale.memberSealed === null
    ? null
    : CollectorNumber.parse(ctx.seal.open(sale.memberSealed, placeOfMember(sale.id)).toString('utf8'))
}

/** Adds a collector to an open sale. INQUIRE is sent once the sale is published. */
export function attachCollector(ctx: Ctx, tx: Tx, saleId: string, card: ReadCard): void {
  saleRowsOf(ctx).setMember(tx, saleId, {
    memberLast4: card.last4,
    memberEntryMode: card.entryMode === 'PREREGISTERED' ? null : card.entryMode,
    memberSealed: ctx.seal.seal(Buffer.from(card.collectorNumber, 'utf8'), placeOfMember(saleId)),
    memberHash: ctx.seal.keyedHash(card.collectorNumber),
    memberState: 'pending',
    inquiry: null,
  })
}

/**
 * Removes the collector from the sale and returns the sealed card data, for undo. Throws ProblemError
 * `redemption-in-flight`, `member-tied`, or `prices-frozen` if a payment fixed prices for members.
 */
export function detachCollector(ctx: Ctx, tx: Tx, sale: SaleRow): SealedCard | null {
  refuseWhenTied(ctx, sale.id)
  if (salePromotionsOf(ctx).hasMemberPrices(sale)) throw new ProblemError('prices-frozen')
  saleRowsOf(ctx).setMember(tx, sale.id, NO_COLLECTOR)
  return sealedCardOf(sale)
}

/**
 * Restores the sealed collector that a sale had before a change; removes the collector if `card` is null. Throws
 * ProblemError `redemption-in-flight` or `member-tied`.
 */
export function restoreCollector(ctx: Ctx, tx: Tx, id: string, card: SealedCard | null): void {
  refuseWhenTied(ctx, id)
  saleRowsOf(ctx).setMember(
    tx,
    id,
    card === null
      ? NO_COLLECTOR
      : {
          memberLast4: card.last4,
          memberEntryMode: card.entryMode,
          memberSealed: Buffer.from(card.sealed, 'base64'),
          memberHash: Buffer.from(card.hash, 'base64'),
          memberState: 'pending',
          inquiry: null,
        },
  )
}

/** Throws while a redemption ties the sale to its collector: any but a declined or a reversed one. */
export function refuseWhenTied(ctx: Ctx, saleId: string): void {
  const state = salesOf(ctx).parts(saleId).redemption?.state
  if (state === 'intent' || state === 'retry') throw new ProblemError('redemption-in-flight')
  if (state !== undefined && state !== 'declined' && state !== 'reversed') throw new ProblemError('member-tied')
}

export const sealedCardOf = ({ memberLast4, memberEntryMode, memberSealed, memberHash }: SaleRow): SealedCard | null =>
  memberLast4 === null || !memberSealed || !memberHash
    ? null
    : {
        last4: memberLast4,
        entryMode: memberEntryMode,
        sealed: memberSealed.toString('base64'),
        hash: memberHash.toString('base64'),
      }
