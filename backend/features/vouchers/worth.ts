import type { VoucherId } from '../../../contracts/api/vouchers.ts'
import type { Clock } from '../../clock.ts'
import { ProblemError } from '../../http/problem.ts'
import { lanesAwaited } from '../../store/lanes-awaited.ts'
import type { StoreVouchersRepository } from '../store-vouchers/repository.ts'
import type { StoreVouchers } from '../store-vouchers/service.ts'
import type { VoucherLedger } from './ledger.ts'

/** So long what the store said is used for the paper that asked for it, which follows at once. */
const KEPT_MS = 5_000

export interface WorthOptions {
  readonly rows: StoreVouchersRepository
  readonly ledger: Pick<VoucherLedger, 'codeOf'>
  /** Null: this lane has no store server. */
  readonly shared: StoreVouchers | null
  readonly clock: Pick<Clock, 'now'>
}

/** What a voucher is worth wherever its value lies, for a paper that says so. */
export function createWorth({ rows, ledger, shared, clock }: WorthOptions) {
  const known = new Map<VoucherId, { readonly cents: number; readonly until: number }>()
  return {
    /**
     * Asks the store. Throws ProblemError `voucher-store-away`, `voucher-restored` or `voucher-lanes-awaited` where it
     * alone would know.
     */
    async ask(id: VoucherId): Promise<void> {
      if (shared === null || rows.byId(id) === null) return
      if (shared.isFrozen(id)) throw new ProblemError('voucher-restored')
      const found = await shared.find(ledger.codeOf(id))
      if (found?.kind !== 'known') {
        if (rows.hasMoved(id)) throw new ProblemError('voucher-store-away')
        return
      }
      if (found.awaits.length > 0) throw lanesAwaited('voucher-lanes-awaited', found.awaits)
      const elsewhere = found.at.reduce((sum, { cents }) => sum + cents, found.heldCents)
      known.set(id, { cents: rows.here(id) + rows.onItsWay(id) + elsewhere, until: clock.now() + KEPT_MS })
    },
    /** As the store has just said, in cents; null where it was not asked. */
    of(id: VoucherId): number | null {
      const asked = known.get(id)
      known.delete(id)
      return asked && asked.until > clock.now() ? asked.cents : null
    },
  }
}
