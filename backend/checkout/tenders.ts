import { createCardTender } from '../features/card-payments/tender.ts'
import type { Members } from '../features/member/service.ts'
import type { Receipts } from '../features/receipts/service.ts'
import type { Sales } from '../features/sales/service.ts'
import { createMilesTender } from '../features/tenders/redemption.ts'
import { createTenders } from '../features/tenders/service.ts'
import { createTakeBack } from '../features/tenders/take-back.ts'
import { createTaking } from '../features/tenders/taking/registry.ts'
import type { Vouchers } from '../features/vouchers/service.ts'
import type { Calls } from './calls.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

interface Parts {
  readonly calls: Calls
  readonly sales: Sales
  readonly members: Members
  readonly receipts: Receipts
  readonly vouchers: Vouchers
}

/** How a sale is paid: by tenders of its own kinds, by card terminal and with miles; and what is taken back of it. */
export function composeTenders(options: CheckoutOptions, ground: Ground, parts: Parts) {
  const { profile, lane, clock, audit, signedIn, staffName } = options
  const { transact, journal, taxes, locale, publish, events, custody, guard, saleRows: repository } = ground
  const { calls, sales, members, receipts, vouchers } = parts
  const { cash, cards, redemptions, reversals } = calls
  const tenders = createTenders({
    sales,
    repository,
    transact,
    events,
    reversals,
    taking: createTaking({
      vouchers,
      audit,
      actorId: () => signedIn()?.id ?? null,
      onExceeded: () => {
        transact.afterCommit(calls.news.announce)
      },
    }),
    guard,
    cards,
    vouchers,
    custody,
    clock,
    taxes,
    profile,
    signedIn,
    publish,
  })
  const takeBack = createTakeBack({
    sales,
    repository,
    custody,
    transact,
    tenders,
    vouchers,
    receipts,
    audit,
    clock,
    profile,
    lane,
    locale,
    staffName,
  })
  const cardTender = createCardTender({
    transactions: cards,
    hasTerminal: options.cardTerminal != null,
    sales,
    repository,
    tenders,
    transact,
    audit,
    custody,
    clock,
    taxes,
    profile,
  })
  const milesTender = createMilesTender({
    sales,
    repository,
    members,
    tenders,
    redemptions,
    journal,
    transact,
    cash,
    clock,
    taxes,
    locale,
  })
  return { tenders, takeBack, cardTender, milesTender }
}
