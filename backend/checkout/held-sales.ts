import { contentOf, heldFactsOf, sealCollector } from '../features/held-sales/content.ts'
import { createHeldSalesRepository, type HeldSalesRepository } from '../features/held-sales/repository.ts'
import { createHeldSales } from '../features/held-sales/service.ts'
import { createStoreHolds, type StoreHolds } from '../features/held-sales/store-holds.ts'
import { createStoreHoldsRepository, type StoreHoldsRepository } from '../features/held-sales/store-holds-repository.ts'
import type { CouponTaking } from '../features/sale-changes/coupons.ts'
import type { Members } from '../features/member/service.ts'
import type { Sales } from '../features/sales/service.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

interface Parts {
  readonly sales: Sales
  readonly members: Members
  readonly coupons: Pick<CouponTaking, 'grantOf'>
}

interface Rows {
  readonly onHold: HeldSalesRepository
  readonly held: StoreHoldsRepository
}

/** Sales on hold: at this lane, and over the lanes of the store. `storeHolds`: null on a lane that is alone. */
export function composeHeldSales(options: CheckoutOptions, ground: Ground, parts: Parts) {
  const rows = { onHold: createHeldSalesRepository(options.db), held: createStoreHoldsRepository(options.db) }
  const storeHolds = composeStoreHolds(options, ground, parts, rows)
  const heldSales = createHeldSales({
    repository: rows.onHold,
    rows: ground.saleRows,
    custody: ground.custody,
    store: storeHolds,
    held: rows.held,
    sales: parts.sales,
    members: parts.members,
    transact: ground.transact,
    audit: options.audit,
    clock: options.clock,
    lane: options.lane,
    taxes: ground.taxes,
    staffName: options.staffName,
    guard: ground.guard,
    grantOf: parts.coupons.grantOf,
  })
  return { heldSales, storeHolds }
}

function composeStoreHolds(
  { store, audit, lane, clock, rng, log, staffName }: CheckoutOptions,
  { transact, taxes, publish }: Ground,
  { sales, members }: Omit<Parts, 'coupons'>,
  { onHold, held }: Rows,
): StoreHolds | null {
  if (!store) return null
  return createStoreHolds({
    link: store,
    repository: held,
    transact,
    audit,
    lane: lane.id,
    clock,
    rng,
    log,
    onChange: () => publish({ type: 'held-sales-changed' }),
    offerOf(saleId) {
      const parts = sales.parts(saleId)
      const row = onHold.row(saleId)
      const seal = store.seal()
      if (!row || seal === null) throw new Error('what is offered is on hold, at a lane of a store')
      return {
        sale: row.id,
        heldAt: row.heldAt,
        name: row.heldAs,
        ...heldFactsOf(row, parts, { taxes, staffName }),
        content: contentOf(parts),
        sealed: sealCollector(seal, row.id, members.collectorOf(parts.sale)),
      }
    },
  })
}
