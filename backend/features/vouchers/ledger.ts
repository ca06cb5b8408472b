import type { Voucher } from '../../../contracts/api/vouchers.ts'
import { cents } from '../../../contracts/money.ts'
import { isoOf } from '../../clock.ts'
import { ProblemError } from '../../http/problem.ts'
import { placeOf, type Seal } from '../../outbox/seal.ts'
import type { VoucherRow, VouchersRepository } from './repository.ts'

export type VoucherLedger = ReturnType<typeof createVoucherLedger>

/** What stands of the vouchers that this lane has issued. */
export function createVoucherLedger({
  repository,
  seal,
}: {
  repository: VouchersRepository
  seal: Pick<Seal, 'open'>
}) {
  /** Throws ProblemError `not-found`. */
  function find(id: string): VoucherRow {
    const voucher = repository.byId(id)
    if (!voucher) throw new ProblemError('not-found')
    return voucher
  }
  return {
    find,
    view: (id: string): Voucher => viewOf(find(id)),
    /** For the printer alone. */
    codeOf: (id: string): string => seal.open(find(id).codeSealed, placeOfCode(id)).toString(),
    /** True once store credit was issued in the place of a redemption's miles. */
    isCredited: repository.isCredited,
  }
}

export const placeOfCode = (id: string): string => placeOf('voucher', 'code_sealed', id)

export const viewOf = ({ id, kind, last4, issuedAt, balanceCents }: VoucherRow): Voucher => ({
  id,
  kind,
  last4,
  issuedAt: isoOf(issuedAt),
  balanceCents: cents(balanceCents),
})
