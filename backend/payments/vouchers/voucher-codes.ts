import type { LaneValue } from '../../../contracts/store/vouchers.ts'
import { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { Ctx } from '../../core/context.ts'
import type { Tx } from '../../core/db/transact.ts'
import { placeOf } from '../../core/integrity/seal.ts'
import { lastFour } from '../../core/scan-codes.ts'
import { storeOf } from '../../store/store-link.ts'
import { type NewVoucher, storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'

/** Returns the hash of a voucher code, which is the same at every lane of the store. */
export function sharedHashOf(ctx: Ctx, code: string): string {
  const shared = storeOf(ctx).seal()
  if (shared === null) throw new Error('the lane has not connected to its store server yet')
  return shared.hash('voucher', code)
}

export function hashOfVoucher(ctx: Ctx, id: VoucherId): string {
  const sealed = storeVoucherRowsOf(ctx).sealedOf(id)
  if (sealed === null) throw new Error('a drawn voucher has no row')
  return sharedHashOf(ctx, ctx.seal.open(sealed, placeOf('voucher', 'code_sealed', id)).toString())
}

export function newVoucher(
  { seal, rng }: Ctx,
  code: string,
  { kind, issuedAt }: Pick<NewVoucher, 'kind' | 'issuedAt'>,
): NewVoucher {
  const id = VoucherId.parse(rng.uuid().replaceAll('-', '').toUpperCase())
  return {
    id,
    kind,
    codeHash: seal.keyedHash(`voucher ${code}`),
    codeSealed: seal.seal(Buffer.from(code), placeOf('voucher', 'code_sealed', id)),
    last4: lastFour(code),
    issuedAt,
  }
}

/**
 * Builds the row of a voucher from the store server's record. Only the key of the store's lanes decrypts the code in
 * it. Throws if the decryption fails.
 */
export function rowOfRecord(
  ctx: Ctx,
  { sealed, about, voucherKind: kind, issuedAt }: LaneValue['vouchers'][number],
): NewVoucher {
  const opened: unknown = JSON.parse(storeOf(ctx).seal()?.open(sealed, about) ?? 'null')
  if (typeof opened !== 'object' || opened === null || !('code' in opened))
    throw new Error('the decrypted record contains no code')
  return newVoucher(ctx, String(opened.code), { kind, issuedAt })
}

/** Prevents earlier programs from opening this database. Call in the transaction that writes the first shared data. */
export function share(ctx: Ctx, tx: Tx): void {
  const rows = storeVoucherRowsOf(ctx)
  if (rows.isMarked()) return
  rows.mark(tx)
  ctx.audit.record(tx, { kind: 'vouchers-shared', actorId: null })
}
