import { createCashClient } from '../loyalty/services/cash.ts'
import { createIssuanceClient } from '../loyalty/services/issuance.ts'
import type { Answer, CentralService } from '../core/central/transport.ts'
import { createCardTransactions } from '../payments/card-payments/card-transactions.ts'
import { createCardSlips } from '../loyalty/queue/queue-actions.ts'
import { createQueueNews } from '../loyalty/queue/queue-facts.ts'
import { createIssuances } from '../loyalty/calls/issue.ts'
import { createRedemptions } from '../loyalty/calls/redeem.ts'
import { createReversals } from '../loyalty/calls/reverse.ts'
import type { Operation } from '../core/outbox/operation.ts'
import type { CheckoutOptions, Ground } from './checkout-ground.ts'
import { createClosings } from '../day/day-end/closings.ts'
import { createDayEndDocuments } from '../day/day-end/documents.ts'
import { createDayEndRepository } from '../day/day-end/day-end.sql.ts'
import { createDayEnd } from '../day/day-end/day-end.ts'
import type { Receipts } from '../payments/receipts/receipts.ts'
import { createShifts } from '../day/shifts/shifts.ts'

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

/** The money of a shift, the end of the day, and the closings of months and years. */
export function composeDay(options: CheckoutOptions, ground: Ground, { receipts }: { readonly receipts: Receipts }) {
  const { db, outbox, profile, lane, clock, audit, signedIn, staffName } = options
  const { transact, journal, shiftRows, custody, guard, locale, publish } = ground
  const documents = createDayEndDocuments({ profile, lane, staffName })
  const shifts = createShifts({
    repository: shiftRows,
    custody,
    transact,
    guard,
    audit,
    receipts,
    documents,
    clock,
    settings: () => profile.shifts,
    signedIn,
    staffName,
    locale,
    publish,
  })
  const dayEndRows = createDayEndRepository(db, lane.id)
  const dayEnd = createDayEnd({
    repository: dayEndRows,
    shifts: shiftRows,
    transact,
    journal,
    chain: outbox.chain,
    audit,
    receipts,
    documents,
    clock,
    profile,
    lane,
    staffName,
    locale,
    publish,
  })
  const closings = createClosings({
    repository: dayEndRows,
    shifts: shiftRows,
    transact,
    audit,
    receipts,
    documents,
    clock,
    profile,
    lane,
    locale,
  })
  return { shifts, dayEnd, closings }
}
