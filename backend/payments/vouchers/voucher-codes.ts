import type { Standing } from '../../../contracts/store/vouchers.ts'
import { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { Ctx } from '../../core/context.ts'
import type { Tx } from '../../core/db/transact.ts'
import { placeOf } from '../../core/integrity/seal.ts'
import { lastFour } from '../../core/scan-codes.ts'
import { storeOf } from '../../store/store-link.ts'
import { type NewVoucher, storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'

/** The hash of a code that every lane of the store makes. */
export function sharedHashOf(ctx: Ctx, code: string): string {
  const shared = storeOf(ctx).seal()
  if (shared === null) throw new Error('the lane has not spoken with its store yet')
  return shared.hash('voucher', code)
}

/** The shared hash of a voucher that has a row here. */
export function hashOfVoucher(ctx: Ctx, id: VoucherId): string {
  const sealed = storeVoucherRowsOf(ctx).sealedOf(id)
  if (sealed === null) throw new Error('a voucher that is drawn has its row')
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

/** A row for a voucher of the store, whose code the key of the lanes opens. Throws where it does not. */
export function rowOfStanding(
  ctx: Ctx,
  { sealed, about, voucherKind: kind, issuedAt }: Standing['vouchers'][number],
): NewVoucher {
  const opened: unknown = JSON.parse(storeOf(ctx).seal()?.open(sealed, about) ?? 'null')
  if (typeof opened !== 'object' || opened === null || !('code' in opened)) throw new Error('it is no code')
  return newVoucher(ctx, String(opened.code), { kind, issuedAt })
}

/** Keeps earlier programs from this database, in the transaction of what they would not know. */
export function share(ctx: Ctx, tx: Tx): void {
  const rows = storeVoucherRowsOf(ctx)
  if (rows.isMarked()) return
  rows.mark(tx)
  ctx.audit.record(tx, { kind: 'vouchers-shared', actorId: null })
}
