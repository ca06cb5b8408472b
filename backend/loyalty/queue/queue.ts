import type {
  CorrectEntry,
  CreditMiles,
  GiveMiles,
  Queue,
  QueueAction,
  QueueDetail,
  ResolveEntry,
  SecretRefused,
  ResolveNotice,
  TakeBack,
} from '../../../contracts/loyalty/queue.ts'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import { isoOf } from '../../core/clock.ts'
import type { Tx } from '../../core/db/transact.ts'
import { followingId } from '../../sales/sale/sale-id.ts'
import { ProblemError } from '../../core/problem.ts'
import { exceptionMessages } from '../../core/i18n.ts'
import { movesMiles, type MilesOperation } from '../../core/outbox/operation.ts'
import { type RequestFacts, isNameless, issuedMiles, requestOf, queueSummaryOf } from './queue-facts.ts'
import { createBulk, createCorrections, refuseNumbers, cardSlipsOf } from './queue-actions.ts'
import { detailOf, entryOf, noticeOf } from './queue-view.ts'
import { QUEUE_PAGE } from '../../../contracts/loyalty/kinds.ts'
import { queueRowsOf } from './queue.sql.ts'
import { issuancesOf } from '../calls/issue.ts'
import { issuanceClientOf } from '../services/issuance.ts'
import { cardReadsOf } from '../../core/devices/reads.ts'
import { salesOf } from '../../sales/sales.ts'
import { centralOf } from '../../core/central/services.ts'
import { reversalsOf } from '../calls/reverse.ts'
import { epochOf } from '../../core/db/database.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

export type QueueService = ReturnType<typeof queueOf>

const queueStateOf = perLane((ctx: Ctx) => {
  const epoch = epochOf(ctx.db)
  const corrections = createCorrections(ctx)
  const bulk = createBulk(
    ctx,
    (operation) => !isNameless(operation, ctx.outbox.journal),
    (id, staffId) => sendAgain(ctx, id, staffId),
  )
  return {
    epoch,
    corrections,
    bulk,
  }
})

const secretRefusedSince = (ctx: Ctx) => centralOf(ctx).secret.refusedSince ?? centralOf(ctx).central.refusedSince

function find(ctx: Ctx, id: string): MilesOperation {
  const operation = ctx.outbox.journal.get(id)
  if (!operation || !movesMiles(operation)) throw new ProblemError('not-found')
  return operation
}

const detail = (ctx: Ctx, id: string): QueueDetail => detailOf(ctx, find(ctx, id))

/**
 * Returns the operation if the action is still allowed. Throws ProblemError `not-found` or `queue-entry-changed`
 * otherwise.
 */
function requireAction(ctx: Ctx, id: string, action: QueueAction): MilesOperation {
  const operation = find(ctx, id)
  if (!detailOf(ctx, operation).actions.includes(action)) throw new ProblemError('queue-entry-changed')
  return operation
}

function record(
  ctx: Ctx,
  tx: Tx,
  action: QueueAction,
  operation: MilesOperation,
  staffId: string,
  facts: Record<string, string | number | null>,
): void {
  ctx.audit.record(tx, {
    kind: `queue-${action}`,
    actorId: staffId,
    subject: operation.id,
    detail: { saleId: operation.saleId, ...facts },
  })
}

function collectorOf(
  ctx: Ctx,
  operation: MilesOperation,
  request: RequestFacts,
  readId: string | undefined,
): { collectorNumber: string | undefined; collectorHash: Buffer } {
  if (readId === undefined)
    return { collectorNumber: request.collectorNumber, collectorHash: Buffer.from(operation.collector, 'hex') }
  const card = cardReadsOf(ctx).take(readId)
  if (!card) throw new ProblemError('card-read-expired')
  return { collectorNumber: card.collectorNumber, collectorHash: ctx.seal.keyedHash(card.collectorNumber) }
}

function newestCopy(ctx: Ctx, id: string): MilesOperation {
  const copy = queueRowsOf(ctx).correctedBy(id)
  return copy === null ? find(ctx, id) : newestCopy(ctx, copy)
}

/**
 * Returns the newest copy of the issuing call. A call that takes miles back must use the collector and id of that copy
 * (specification 3 §2.1).
 */
function followed(ctx: Ctx, operation: MilesOperation): { operation: MilesOperation; request: RequestFacts } | null {
  if (operation.afterOperationId === null) return null
  const newest = newestCopy(ctx, operation.afterOperationId)
  return { operation: newest, request: requestOf(ctx.outbox.journal, newest) }
}

function announce(ctx: Ctx, saleId: string): void {
  const sales = salesOf(ctx)
  queueSummaryOf(ctx).announce()
  if (sales.exists(saleId)) sales.publish(saleId, 'issuance')
}

function secretRefused(ctx: Ctx): SecretRefused | null {
  const since = secretRefusedSince(ctx)
  return since === null ? null : { since: isoOf(since), ...exceptionMessages({ state: 'secret-refused' }) }
}

/** Sends an escalated call again for a staff member: the same bytes under the same key (decision 10). */
function sendAgain(ctx: Ctx, id: string, staffId: string): void {
  ctx.transact((tx) => {
    const escalated = requireAction(ctx, id, 'send-again')
    record(ctx, tx, 'send-again', escalated, staffId, { state: escalated.state })
    if (escalated.kind === 'redemption') reversalsOf(ctx).resend(tx, id, staffId)
    else issuancesOf(ctx).sendAgain(tx, id, staffId)
  })
}

function list(ctx: Ctx, { sale: saleId, most = QUEUE_PAGE }: { sale?: string | undefined; most?: number } = {}): Queue {
  const state = queueStateOf(ctx)
  const operations =
    saleId === undefined
      ? [
          ...new Map(
            [
              ...ctx.outbox.journal.attention(most),
              ...ctx.outbox.journal.oldestOpen(most),
              ...ctx.outbox.journal.accepted(most),
            ].map((operation) => [operation.id, operation]),
          ).values(),
        ]
      : [...ctx.outbox.journal.ofSale(saleId, 'redemption'), ...ctx.outbox.journal.ofSale(saleId, 'issuance')]
  return {
    summary: queueSummaryOf(ctx).summary(),
    accepted: ctx.outbox.journal.acceptedCount(),
    sendable: saleId === undefined ? state.bulk.waiting() : 0,
    bulk: state.bulk.state(),
    secretRefused: saleId === undefined ? secretRefused(ctx) : null,
    notices: saleId === undefined ? ctx.outbox.journal.notices.active().flatMap((notice) => noticeOf(ctx, notice)) : [],
    slips: saleId === undefined ? cardSlipsOf(ctx).open(ctx.staffName) : [],
    entries: operations.map((operation) => entryOf(ctx, operation)),
  }
}

/**
 * Issues store credit, never cash, for miles that the program took, that paid nothing and that can no longer be
 * reversed (specification 3 §4.5 rule 7). This happens only once: the action disappears, and the database rejects a
 * second store credit.
 */
function credit(ctx: Ctx, id: string, staffId: string, { amountCents }: CreditMiles): QueueDetail {
  const operation = ctx.transact((tx) => {
    const owed = requireAction(ctx, id, 'credit')
    if (detailOf(ctx, owed).creditCents !== amountCents) throw new ProblemError('queue-entry-changed')
    reversalsOf(ctx).events.emit('redemption.credited', tx, owed, amountCents)
    record(ctx, tx, 'credit', owed, staffId, { amountCents })
    return owed
  })
  announce(ctx, operation.saleId)
  return detail(ctx, id)
}

function resolve(ctx: Ctx, id: string, staffId: string, { found, note }: ResolveEntry): QueueDetail {
  refuseNumbers(note)
  const operation = ctx.transact((tx) => {
    const given = requireAction(ctx, id, 'resolve')
    queueRowsOf(ctx).resolve(tx, id, { at: ctx.clock.now(), staffId, found, note })
    record(ctx, tx, 'resolve', given, staffId, { found, note })
    return given
  })
  announce(ctx, operation.saleId)
  return detail(ctx, id)
}

/**
 * Sends a refused call as a new transaction with its own id and key, linked to the refused call, which is then
 * resolved. Returns the new call.
 */
function correct(ctx: Ctx, id: string, staffId: string, { readId, locationCode, note }: CorrectEntry): QueueDetail {
  const repository = queueRowsOf(ctx)
  refuseNumbers(note)
  const copy = ctx.transact((tx) => {
    const refused = requireAction(ctx, id, 'correct')
    const request = requestOf(ctx.outbox.journal, refused)
    const original = followed(ctx, refused)
    const event = request.clientTransactionId !== undefined
    const type = operationTypeOf(refused)
    // Miles are always taken back from the collector of the issuing call.
    if (refused.afterOperationId !== null && readId !== undefined)
      throw new ProblemError('body-invalid', [{ path: '/readId', message: 'the card is that of the call before it' }])
    const { collectorNumber, collectorHash } = original
      ? collectorOf(ctx, original.operation, original.request, undefined)
      : collectorOf(ctx, refused, request, readId)
    const transactionId = followingId(
      refused.saleId,
      'corrected',
      repository.countsOf(refused.saleId).corrected + 1,
      queueStateOf(ctx).epoch,
    )
    const corrected = {
      ...request,
      ...(event ? { clientTransactionId: transactionId } : { checkoutTransactionId: transactionId }),
      ...(collectorNumber === undefined ? {} : { collectorNumber }),
      ...(locationCode === undefined ? {} : placedAt(locationCode, request, event)),
      ...(original ? namedNow(type, original) : {}),
      // The profile's sponsor code may have been corrected since the refused call.
      sponsorCode: ctx.profile.program.sponsorCode,
    }
    const after = original?.operation.id ?? null
    const operation = issuancesOf(ctx).enqueue(tx, {
      type,
      draft: type === 'post-reverse' && original !== null && original.operation.transactionId === null,
      saleId: refused.saleId,
      collectorHash,
      request: corrected,
      traceId: transactionId,
      dateTime: ctx.outbox.journal.call(id, refused.type).dateTime,
      expectedMiles: null,
      corrects: id,
      ...(after === null ? {} : { after }),
    })
    repository.resolve(tx, id, { at: ctx.clock.now(), staffId, found: 'corrected', note })
    record(ctx, tx, 'correct', refused, staffId, {
      copy: operation.id,
      transactionId,
      card: readId === undefined ? 'kept' : 'read',
      locationCode: locationCode ?? null,
      note,
    })
    return operation
  })
  announce(ctx, copy.saleId)
  return detail(ctx, copy.id)
}

/**
 * Takes back wrongly issued miles by REVERSE/EVENT under the offer that issued them (specification 3 §4.4). Returns the
 * new call.
 */
function takeBack(
  ctx: Ctx,
  id: string,
  staffId: string,
  { issuanceOfferCode, miles, left, reason }: TakeBack,
): QueueDetail {
  const repository = queueRowsOf(ctx)
  refuseNumbers(reason)
  const taking = ctx.transact((tx) => {
    const issued = requireAction(ctx, id, 'take-back')
    const offer = issuedMiles(issued, ctx.outbox.journal, repository).find(
      (one) => one.issuanceOfferCode === issuanceOfferCode,
    )
    if (!offer) throw new ProblemError('miles-not-issued')
    if (left !== offer.left) throw new ProblemError('queue-entry-changed')
    if (miles > left) throw new ProblemError('miles-not-issued')
    const request = requestOf(ctx.outbox.journal, issued)
    const transactionId = followingId(
      issued.saleId,
      'taken-back',
      repository.countsOf(issued.saleId).takenBack + 1,
      queueStateOf(ctx).epoch,
    )
    const event = issuanceClientOf(ctx).eventRequest({
      clientTransactionId: transactionId,
      collectorNumber: CollectorNumber.parse(request.collectorNumber),
      atMs: ctx.clock.now(),
      reason,
      issuances: [{ issuanceOfferCode, offerId: offer.offerId, milesAmount: miles }],
      // An event can only name transactions whose miles the store calculated, which excludes ISSUE.
      ...(issued.type === 'issue'
        ? {}
        : { originalClientTransactionId: request.clientTransactionId ?? request.checkoutTransactionId }),
    })
    const operation = issuancesOf(ctx).enqueue(tx, {
      type: 'reverse-event',
      saleId: issued.saleId,
      collectorHash: Buffer.from(issued.collector, 'hex'),
      request: event,
      traceId: transactionId,
      dateTime: event.transactionDateTime,
      expectedMiles: 0 - miles,
      after: id,
    })
    record(ctx, tx, 'take-back', issued, staffId, {
      call: operation.id,
      transactionId,
      issuanceOfferCode,
      miles,
      reason,
    })
    return operation
  })
  announce(ctx, taking.saleId)
  return detail(ctx, taking.id)
}

/**
 * Gives miles that a sale should have earned, by POST/EVENT under an offer of the store's rules (specification 3 §4.4).
 * Returns the new call.
 */
function give(
  ctx: Ctx,
  id: string,
  staffId: string,
  { issuanceOfferCode, miles, given, reason }: GiveMiles,
): QueueDetail {
  refuseNumbers(reason)
  const giving = ctx.transact((tx) => {
    const posted = requireAction(ctx, id, 'give')
    const rule = ctx.profile.issuance.rules.find(({ offerCode }) => offerCode === issuanceOfferCode)
    const counts = queueRowsOf(ctx).countsOf(posted.saleId)
    if (given !== counts.given) throw new ProblemError('queue-entry-changed')
    if (!rule) throw new ProblemError('offer-unknown')
    const request = requestOf(ctx.outbox.journal, posted)
    const transactionId = followingId(posted.saleId, 'given', counts.given + 1, queueStateOf(ctx).epoch)
    const event = issuanceClientOf(ctx).eventRequest({
      clientTransactionId: transactionId,
      collectorNumber: CollectorNumber.parse(request.collectorNumber),
      atMs: ctx.clock.now(),
      reason,
      issuances: [{ issuanceOfferCode, offerId: rule.offerId ?? rule.offerCode, milesAmount: miles }],
    })
    const operation = issuancesOf(ctx).enqueue(tx, {
      type: 'post-event',
      saleId: posted.saleId,
      collectorHash: Buffer.from(posted.collector, 'hex'),
      request: event,
      traceId: transactionId,
      dateTime: event.transactionDateTime,
      expectedMiles: miles,
    })
    record(ctx, tx, 'give', posted, staffId, { call: operation.id, transactionId, issuanceOfferCode, miles, reason })
    return operation
  })
  announce(ctx, giving.saleId)
  return detail(ctx, giving.id)
}

/**
 * The exceptions queue and the manager's corrections. Each correction is checked, recorded and audited in one commit;
 * then the call is sent.
 */
export const queueOf = perLane((ctx: Ctx) => {
  queueStateOf(ctx)
  return {
    ...bound(ctx, {
      list,

      detail,
      credit,
      resolve,
      correct,
      takeBack,
      give,
    }),

    /** Settles a notice with a note. The next answer with the same code and subject opens the notice again. */
    resolveNotice(id: number, staffId: string, { note }: ResolveNotice): Queue {
      refuseNumbers(note)
      const notice = ctx.outbox.journal.notices.active().find((notice) => notice.id === id)
      if (!notice) throw new ProblemError('queue-entry-changed')
      ctx.transact((tx) => {
        if (!ctx.outbox.journal.notices.resolve(tx, id, staffId, note)) throw new ProblemError('queue-entry-changed')
        const { code, subject, times } = notice
        ctx.audit.record(tx, {
          kind: 'queue-notice-settled',
          actorId: staffId,
          subject: String(id),
          detail: { code, about: subject, times, note },
        })
      })
      queueSummaryOf(ctx).announce()
      return this.list()
    },

    resolveSlip(number: number, staffId: string, { note }: ResolveNotice): Queue {
      refuseNumbers(note)
      ctx.transact((tx) => {
        const slip = cardSlipsOf(ctx)
          .open(ctx.staffName)
          .find((open) => open.number === number)
        if (!slip) throw new ProblemError('queue-entry-changed')
        const { saleId, reference, overCents } = slip
        const detail = { saleId, reference, overCents, note }
        ctx.audit.record(tx, { kind: 'card-slip-settled', actorId: staffId, subject: String(number), detail })
      })
      queueSummaryOf(ctx).announce()
      return this.list()
    },

    sendAgain(id: string, staffId: string): QueueDetail {
      sendAgain(ctx, id, staffId)
      return detail(ctx, id)
    },

    sendAllAgain(staffId: string): Queue {
      const started = queueStateOf(ctx).bulk.start(staffId)
      return { ...this.list(), bulk: started }
    },

    corrections: queueStateOf(ctx).corrections,
  }
})

/**
 * Returns the field by which a corrected copy names the transaction whose miles it takes back: the newest copy of the
 * issuing call, not a refused one. RETURN names the ISSUE by transactionId or checkoutTransactionId (specification 3
 * §2.1). REVERSE names the POST by transactionId only, and waits as a draft until there is one. An event names the
 * partner's own id (specification 3 §4.4).
 */
function namedNow(
  type: MilesOperation['type'],
  { operation, request }: { operation: MilesOperation; request: RequestFacts },
): object {
  const partnersId = request.checkoutTransactionId ?? request.clientTransactionId
  switch (type) {
    case 'return':
      return { originalTransactionId: operation.transactionId ?? partnersId }
    case 'post-reverse':
      return { originalTransactionId: operation.transactionId ?? undefined }
    case 'reverse-event':
      return operation.type === 'issue' ? {} : { originalClientTransactionId: partnersId }
    default:
      return {}
  }
}

function operationTypeOf({ type }: MilesOperation) {
  if (type === 'redeem') throw new Error('a redemption is never corrected')
  return type
}

/**
 * Sets the location of a basket and of its lane-calculated entries. An event has its location only in its entries
 * (specification 3 §2.3, §4.4).
 */
const placedAt = (
  locationCode: string,
  { issuances }: RequestFacts,
  event: boolean,
): Pick<RequestFacts, 'locationCode' | 'issuances'> => ({
  ...(event ? {} : { locationCode }),
  ...(issuances === undefined ? {} : { issuances: issuances.map((entry) => ({ ...entry, locationCode })) }),
})
