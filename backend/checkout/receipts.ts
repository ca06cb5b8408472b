import type { SaidOffers } from '../features/basket-offers/repository.ts'
import { createEarlierSalesRepository } from '../features/earlier-sales/repository.ts'
import { createEarlierSales } from '../features/earlier-sales/service.ts'
import { createReceiptsRepository } from '../features/receipts/repository.ts'
import { createReceipts } from '../features/receipts/service.ts'
import type { Sales } from '../features/sales/service.ts'
import type { StoreReturns } from '../features/store-returns/service.ts'
import { createVoucherLedger } from '../features/vouchers/ledger.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

interface Parts {
  readonly sales: Sales
  readonly storeReturns: StoreReturns
  readonly saidOffers: SaidOffers
}

/** What is printed of a sale, and the closed sales that it is looked up in. */
export function composeReceipts(options: CheckoutOptions, ground: Ground, { sales, storeReturns, saidOffers }: Parts) {
  const { db, seal, profile, lane, clock, rng, log, audit, signedIn, staffName } = options
  const { transact, journal, taxes, locale, publish, events, guard, saleRows, returnRows, voucherRows } = ground
  const earlierSales = createEarlierSales({
    repository: createEarlierSalesRepository(db, lane.id),
    parts: sales.parts,
    taxes,
    hasPrinter: options.printer !== null,
    store: storeReturns,
  })
  const ledger = createVoucherLedger({ repository: voucherRows, seal })
  const receipts = createReceipts({
    repository: createReceiptsRepository(db),
    events,
    transact,
    parts: sales.parts,
    printer: options.printer,
    logo: options.logo ?? null,
    profile,
    lane,
    taxes,
    locale,
    clock,
    rng,
    publish,
    log,
    staffName,
    audit,
    signedIn,
    notOnPaper: earlierSales.notOnPaper,
    returned: returnRows.returned,
    offersOf: saidOffers.ofSale,
    traceOf: (id) => journal.traceIdOf(id, 'redeem'),
    paidBy: saleRows.paidBy,
    vouchers: ledger,
    guard,
  })
  return { earlierSales, ledger, receipts }
}
