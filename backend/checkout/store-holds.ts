import { contentOf, heldFactsOf, sealCollector } from '../features/held-sales/content.ts'
import { createHeldSalesRepository } from '../features/held-sales/repository.ts'
import { createStoreHolds, type StoreHolds } from '../features/held-sales/store-holds.ts'
import type { StoreHoldsRepository } from '../features/held-sales/store-holds-repository.ts'
import type { Members } from '../features/member/service.ts'
import type { Sales } from '../features/sales/service.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

interface Parts {
  readonly sales: Sales
  readonly members: Members
  readonly held: StoreHoldsRepository
}

/** Sales on hold over the lanes of the store; null where the lane has none to speak with. */
export function composeStoreHolds(
  { db, store, audit, lane, clock, rng, log, staffName }: CheckoutOptions,
  { transact, taxes, publish }: Ground,
  { sales, members, held }: Parts,
): StoreHolds | null {
  if (!store) return null
  const onHold = createHeldSalesRepository(db)
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
