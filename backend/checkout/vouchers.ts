import type { Receipts } from '../features/receipts/service.ts'
import type { Sales } from '../features/sales/service.ts'
import { createStoreVouchersRepository } from '../features/store-vouchers/repository.ts'
import { createStoreVouchers } from '../features/store-vouchers/service.ts'
import type { VoucherLedger } from '../features/vouchers/ledger.ts'
import { createVouchers } from '../features/vouchers/service.ts'
import { createShownVouchers } from '../features/vouchers/shown.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

interface Parts {
  readonly sales: Sales
  readonly receipts: Receipts
  readonly ledger: VoucherLedger
}

/** Gift cards and store credit: of this lane, and those that the lanes of the store share. */
export function composeVouchers(options: CheckoutOptions, ground: Ground, { sales, receipts, ledger }: Parts) {
  const { seal, profile, lane, clock, rng, log, audit, signedIn, staffName } = options
  const { transact, locale, publish, events, guard, saleRows, voucherRows } = ground
  const rows = createStoreVouchersRepository(options.db)
  const shown = createShownVouchers({ sales, clock, shownMs: profile.limits.cardReadMs })
  const storeVouchers =
    options.store &&
    createStoreVouchers({
      repository: rows,
      store: options.store,
      seal,
      audit,
      reserveDollars: () => profile.store.voucherReserveDollars ?? 0,
      shown,
      transact,
      clock,
      rng,
      log,
    })
  const vouchers = createVouchers({
    repository: voucherRows,
    rows,
    shared: storeVouchers ?? null,
    shown,
    ledger,
    events,
    sales,
    saleRows,
    transact,
    receipts,
    guard,
    seal,
    profile,
    lane,
    clock,
    rng,
    publish,
    staffName,
    signedIn,
    locale,
    log,
  })
  return { vouchers, storeVouchers }
}
