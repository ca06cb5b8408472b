import { createRulesRepository } from '../features/issuance/repository.ts'
import { createIssuing } from '../features/issuance/service.ts'
import { createPreview } from '../features/member/preview.ts'
import { createMembers } from '../features/member/service.ts'
import { createSales } from '../features/sales/service.ts'
import type { Calls } from './calls.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

/** The sale itself, its collector, and the miles that it earns. */
export function composeSale(options: CheckoutOptions, ground: Ground, { cash, issuance, issuances }: Calls) {
  const { db, seal, profile, lane, clock, rng, log, cardReads, central, signedIn } = options
  const { transact, journal, collectorMutex, taxes, locale, publish, events, epoch, custody, guard, saleRows } = ground
  const sales = createSales({
    repository: saleRows,
    transact,
    journal,
    findBySku: options.catalog.findBySku,
    publish,
    clock,
    rng,
    profile,
    lane,
    taxes,
    signedIn,
    guard,
    custody,
    noteEarlyPrice: options.noteEarlyPrice,
  })
  const members = createMembers({
    sales,
    repository: saleRows,
    transact,
    cardReads,
    cash,
    seal,
    clock,
    taxes,
    locale,
    log,
  })
  const issuing = createIssuing({
    profile,
    journal,
    transact,
    events,
    sales,
    issuances,
    issuance,
    members,
    rules: createRulesRepository(db),
    seal,
    locale,
    collectorMutex,
    epoch,
    centralIsAway: () => central.state === 'offline',
  })
  const preview = createPreview({
    sales,
    members,
    issuance,
    issuing,
    collectorMutex,
    clock,
    taxes,
    locale,
    language: () => signedIn()?.locale ?? profile.locales.default,
    log,
  })
  return { sales, members, issuing, preview }
}
