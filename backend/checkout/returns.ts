import type { Issuing } from '../features/issuance/service.ts'
import type { Receipts } from '../features/receipts/service.ts'
import { createReturnDocuments } from '../features/returns/documents.ts'
import { createReturns } from '../features/returns/service.ts'
import type { Sales } from '../features/sales/service.ts'
import type { StoreReturnRows } from '../features/store-returns/rows.ts'
import type { StoreReturns } from '../features/store-returns/service.ts'
import type { Tenders } from '../features/tenders/service.ts'
import type { Vouchers } from '../features/vouchers/service.ts'
import type { Calls } from './calls.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

interface Parts {
  readonly calls: Pick<Calls, 'reversals' | 'cards'>
  readonly sales: Sales
  readonly issuing: Issuing
  readonly receipts: Receipts
  readonly storeReturns: StoreReturns
  readonly storeReturnRows: StoreReturnRows
  readonly vouchers: Vouchers
  readonly tenders: Tenders
}

/** Goods that come back, of a sale of any lane of the store, or of none. */
export function composeReturns(options: CheckoutOptions, ground: Ground, parts: Parts) {
  const { profile, lane, clock, audit, staffName } = options
  const { transact, taxes, locale, events, custody, guard, saleRows, returnRows } = ground
  const { calls, sales, issuing, receipts, storeReturns, storeReturnRows, vouchers, tenders } = parts
  return createReturns({
    repository: returnRows,
    events,
    sales,
    saleRows,
    transact,
    issuing,
    reversals: calls.reversals,
    cards: calls.cards,
    receipts,
    store: storeReturns,
    storeRows: storeReturnRows,
    documents: createReturnDocuments({
      partsOf: (saleId) => storeReturns.foreign(saleId) ?? sales.parts(saleId),
      profile,
      lane,
      taxes,
      staffName,
    }),
    vouchers,
    tenders,
    custody,
    audit,
    guard,
    findBySku: options.catalog.findBySku,
    clock,
    profile,
    lane,
    taxes,
    locale,
  })
}
