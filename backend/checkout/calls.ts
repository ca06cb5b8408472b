import { createCashClient } from '../central/cash.ts'
import { createIssuanceClient } from '../central/issuance.ts'
import type { Answer, CentralService } from '../central/transport.ts'
import { createCardTransactions } from '../features/card-payments/transactions.ts'
import { createCardSlips } from '../features/queue/card-slips.ts'
import { createQueueNews } from '../features/queue/news.ts'
import { createIssuances } from '../loyalty/issue.ts'
import { createRedemptions } from '../loyalty/redeem.ts'
import { createReversals } from '../loyalty/reverse.ts'
import type { Operation } from '../outbox/operation.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

export type Calls = ReturnType<typeof composeCalls>

/** What leaves the lane and must be neither lost nor doubled: miles, charges of cards, and what is told of them. */
export function composeCalls(options: CheckoutOptions, ground: Ground) {
  const { profile, lane, transport, central, load, clock, rng, log } = options
  const { transact, journal, collectorMutex, saleRows, returnRows, publish } = ground
  const heardOf = (service: CentralService) => ({
    onResponse: (answer: Answer) => {
      central.onResponse(service, answer)
    },
  })
  const cash = createCashClient({ profile, lane, transport, rng, ...heardOf('cash') })
  const issuance = createIssuanceClient({ profile, lane, transport, ...heardOf('issuance'), ...(load ? { load } : {}) })
  const engine = { journal, transact, collectorMutex, clock, rng, log }
  const issuances = createIssuances({ ...engine, issuance, startsAlone: options.startsAlone ?? false })
  const hasPaid = ({ id, saleId }: Pick<Operation, 'id' | 'saleId'>): boolean =>
    saleRows.paidBy(saleId, id) > 0 || returnRows.reversedBy(id) !== undefined
  const reversals = createReversals({ ...engine, cash, hasPaid })
  const redemptions = createRedemptions({
    ...engine,
    cash,
    reversals,
    retryDeadlineMs: profile.limits.redeemRetryDeadlineMs,
    saleIsOpen: (saleId) => saleRows.byId(saleId)?.state === 'open',
  })
  const cards = createCardTransactions({
    terminal: options.cardTerminal ?? null,
    rows: saleRows.cards,
    transact,
    clock,
    rng,
    log,
  })
  const slips = createCardSlips(options.db)
  const news = createQueueNews({
    journal,
    transact,
    central,
    alsoForPerson: () => saleRows.cards.forPersonCount() + slips.openCount(),
    clock,
    publish,
    ...(options.secret ? { secret: options.secret } : {}),
  })
  central.onThere(issuances.centralIsBack)
  return { cash, issuance, issuances, reversals, redemptions, cards, slips, news }
}
