import type { Issuing } from '../features/issuance/service.ts'
import { createMilesDue } from '../features/store-returns/miles-due.ts'
import { createStoreReturnsRepository } from '../features/store-returns/repository.ts'
import { createStoreReturnRows } from '../features/store-returns/rows.ts'
import { createStoreReturns } from '../features/store-returns/service.ts'
import type { Calls } from './calls.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

interface Parts {
  readonly calls: Pick<Calls, 'cash'>
  readonly issuing: Pick<Issuing, 'takeBackNow'>
}

/** What the store has to say to goods that come back, and what stands here of sales of its other lanes. */
export function composeStoreReturns(options: CheckoutOptions, ground: Ground, { calls, issuing }: Parts) {
  const { db, seal, profile, lane, clock, rng, log } = options
  const { transact, journal, events, saleRows, returnRows } = ground
  const repository = createStoreReturnsRepository(db, seal)
  const link = options.store ?? null
  const storeReturns = createStoreReturns({
    link,
    repository,
    transact,
    isOwn: (saleId) => saleRows.byId(saleId) !== undefined,
    isOfEarlierEpoch: saleRows.isOfEarlierEpoch,
    lane: lane.id,
    timeZone: profile.timeZone,
    clock,
    rng,
    log,
  })
  const storeReturnRows = createStoreReturnRows({
    repository,
    store: storeReturns,
    journal,
    cash: calls.cash,
    seal,
    rng,
  })
  const milesDue = createMilesDue({
    link,
    repository,
    returns: returnRows,
    store: storeReturns,
    events,
    takeBackNow: issuing.takeBackNow,
    transact,
    clock,
    log,
  })
  return { storeReturns, storeReturnRows, milesDue }
}
