import type {
  CorrectEntry,
  CreditMiles,
  GiveMiles,
  Queue,
  QueueAction,
  QueueDetail,
  ResolveEntry,
  SecretRefused,
  SettleNotice,
  TakeBack,
} from '../../../contracts/loyalty/queue.ts'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import { isoOf } from '../../core/clock.ts'
import type { Tx } from '../../core/db/transact.ts'
import { followingId } from '../../sales/sale-id.ts'
import { ProblemError } from '../../core/problem.ts'
import { exceptionMessages } from '../../core/i18n.ts'
import { movesMiles, type MilesOperation } from '../../core/outbox/operation.ts'
import { type RequestFacts, isNameless, issuedMiles, requestOf, queueNewsOf } from './queue-facts.ts'
import { createBulk, createCorrections, refuseNumbers, cardSlipsOf } from './queue-actions.ts'
import { createQueueView } from './queue-view.ts'
import { QUEUE_PAGE } from '../../../contracts/loyalty/kinds.ts'
import { queueRowsOf } from './queue.sql.ts'
import { issuancesOf } from '../calls/issue.ts'
import { issuanceClientOf } from '../services/issuance.ts'
import { cardReadsOf } from '../../core/devices/reads.ts'
import { salesOf } from '../../sales/sales.ts'
import { centralOf } from '../../core/central/services.ts'
import { reversalsOf } from '../calls/reverse.ts'
import { epochOf } from '../../core/db/database.ts'
import { type Ctx, perLane, provided } from '../../core/context.ts'

export type QueueService = ReturnType<typeof queueOf>

/**
 * The manager's list and what a manager orders. Each order is checked, done and audited in one commit; then it goes
 * out.
 */
export const queueOf = perLane((ctx: Ctx) => {
  const { transact, seal, audit, clock, profile, staffName } = ctx
  const journal = ctx.outbox.journal
  const repository = queueRowsOf(ctx)
  const issuances = issuancesOf(ctx)
  const issuance = issuanceClientOf(ctx)
  const cardReads = cardReadsOf(ctx)
  const news = queueNewsOf(ctx)
  const sales = salesOf(ctx)
  const secretRefusedSince = () => centralOf(ctx).secret.refusedSince ?? centralOf(ctx).central.refusedSince
  const reversals = reversalsOf(ctx)
  const slips = cardSlipsOf(ctx)
  const credit = creditLateReversalOf(ctx)
  const epoch = epochOf(ctx.db)
  const corrections = createCorrections(ctx)
  const { mode, rules } = profile.issuance
  /** Offers of the store's own rules: under them alone may miles be given by hand. */
  const offers = mode === 'partner' ? [...new Set(rules.map(({ offerCode }) => offerCode))] : []
  const view = createQueueView(ctx, { offers })

  function find(id: string): MilesOperation {
    const operation = journal.get(id)
    if (!operation || !movesMiles(operation)) throw new ProblemError('not-found')
    return operation
  }
  const detail = (id: string): QueueDetail => view.detailOf(find(id))

  /** The operation, when what the manager saw can still be done with it. */
  function ordered(id: string, action: QueueAction): MilesOperation {
    const operation = find(id)
    if (!view.detailOf(operation).actions.includes(action)) throw new ProblemError('queue-entry-changed')
    return operation
  }

  function record(
    tx: Tx,
    action: QueueAction,
    operation: MilesOperation,
    staffId: string,
    facts: Record<string, string | number | null>,
  ): void {
    audit.record(tx, {
      kind: `queue-${action}`,
      actorId: staffId,
      subject: operation.id,
      detail: { saleId: operation.saleId, ...facts },
    })
  }

  /** The collector's lane of a new call: of a card that was read just now, else the one that the old call took. */
  function collectorOf(
    operation: MilesOperation,
    request: RequestFacts,
    readId: string | undefined,
  ): { collectorNumber: string | undefined; collectorHash: Buffer } {
    if (readId === undefined)
      return { collectorNumber: request.collectorNumber, collectorHash: Buffer.from(operation.collector, 'hex') }
    const card = cardReads.take(readId)
    if (!card) throw new ProblemError('card-read-expired')
    return { collectorNumber: card.collectorNumber, collectorHash: seal.keyedHash(card.collectorNumber) }
  }

  /** The newest corrected copy of an operation, or itself. */
  function newestCopy(id: string): MilesOperation {
    const copy = repository.correctedBy(id)
    return copy === null ? find(id) : newestCopy(copy)
  }

  /**
   * What takes miles back follows the corrected copy of what issued them: its collector and its id (specification 3
   * §2.1).
   */
  function followed(operation: MilesOperation): { operation: MilesOperation; request: RequestFacts } | null {
    if (operation.afterOperationId === null) return null
    const newest = newestCopy(operation.afterOperationId)
    return { operation: newest, request: requestOf(journal, newest) }
  }

  /** The screens hear that the queue, and what the sale earned, has changed. */
  function announce(saleId: string): void {
    news.announce()
    if (sales.exists(saleId)) sales.publish(saleId, 'issuance')
  }

  function secretRefused(): SecretRefused | null {
    const since = secretRefusedSince()
    return since === null ? null : { since: isoOf(since), ...exceptionMessages({ state: 'secret-refused' }) }
  }

  const bulk = createBulk(ctx, {
    maySend: (operation) => !isNameless(operation, journal),
    sendAgain,
  })

  /** The same bytes under the same key go out again (decision 0019). */
  function sendAgain(id: string, staffId: string): void {
    transact((tx) => {
      const escalated = ordered(id, 'send-again')
      record(tx, 'send-again', escalated, staffId, { state: escalated.state })
      if (escalated.kind === 'redemption') reversals.again(tx, id, staffId)
      else issuances.sendAgain(tx, id, staffId)
    })
  }

  return {
    list({ sale: saleId, most = QUEUE_PAGE }: { sale?: string | undefined; most?: number } = {}): Queue {
      const operations =
        saleId === undefined
          ? [
              ...new Map(
                [...journal.attention(most), ...journal.oldestOpen(most), ...journal.accepted(most)].map(
                  (operation) => [operation.id, operation],
                ),
              ).values(),
            ]
          : [...journal.ofSale(saleId, 'redemption'), ...journal.ofSale(saleId, 'issuance')]
      return {
        summary: news.summary(),
        accepted: journal.acceptedCount(),
        sendable: saleId === undefined ? bulk.waiting() : 0,
        bulk: bulk.state(),
        secretRefused: saleId === undefined ? secretRefused() : null,
        notices: saleId === undefined ? journal.notices.standing().flatMap(view.noticeOf) : [],
        slips: saleId === undefined ? slips.open(staffName) : [],
        entries: operations.map(view.entryOf),
      }
    },

    detail,

    /** Writes down what was done about a standing notice. It comes back with the next answer that says the same. */
    settleNotice(id: number, staffId: string, { note }: SettleNotice): Queue {
      refuseNumbers(note)
      const notice = journal.notices.standing().find((standing) => standing.id === id)
      if (!notice) throw new ProblemError('queue-entry-changed')
      transact((tx) => {
        if (!journal.notices.settle(tx, id, staffId, note)) throw new ProblemError('queue-entry-changed')
        const { code, subject, times } = notice
        audit.record(tx, {
          kind: 'queue-notice-settled',
          actorId: staffId,
          subject: String(id),
          detail: { code, about: subject, times, note },
        })
      })
      news.announce()
      return this.list()
    },

    /** Writes down how the difference of a card slip was given back. */
    settleSlip(number: number, staffId: string, { note }: SettleNotice): Queue {
      refuseNumbers(note)
      transact((tx) => {
        const slip = slips.open(staffName).find((open) => open.number === number)
        if (!slip) throw new ProblemError('queue-entry-changed')
        const { saleId, reference, overCents } = slip
        const detail = { saleId, reference, overCents, note }
        audit.record(tx, { kind: 'card-slip-settled', actorId: staffId, subject: String(number), detail })
      })
      news.announce()
      return this.list()
    },

    sendAgain(id: string, staffId: string): QueueDetail {
      sendAgain(id, staffId)
      return detail(id)
    },

    /** Everything that may go again, oldest first, a capped number, one after another. */
    sendAllAgain(staffId: string): Queue {
      const ordered = bulk.start(staffId)
      return { ...this.list(), bulk: ordered }
    },

    /** What people ordered and settled, newest first. */
    corrections,

    stop: bulk.stop,

    /**
     * Store credit for miles that the program took, that paid nothing here and that can no longer go back: never cash
     * (specification 3 §4.5 rule 7). Once: the action is gone with the credit, and the database refuses a second.
     */
    credit(id: string, staffId: string, { amountCents }: CreditMiles): QueueDetail {
      const operation = transact((tx) => {
        const owed = ordered(id, 'credit')
        if (view.detailOf(owed).creditCents !== amountCents) throw new ProblemError('queue-entry-changed')
        credit(tx, owed, amountCents)
        record(tx, 'credit', owed, staffId, { amountCents })
        return owed
      })
      announce(operation.saleId)
      return detail(id)
    },

    /** Writes down what was found. The entry leaves the list; its state stays. */
    resolve(id: string, staffId: string, { found, note }: ResolveEntry): QueueDetail {
      refuseNumbers(note)
      const operation = transact((tx) => {
        const given = ordered(id, 'resolve')
        repository.resolve(tx, id, { at: clock.now(), staffId, found, note })
        record(tx, 'resolve', given, staffId, { found, note })
        return given
      })
      announce(operation.saleId)
      return detail(id)
    },

    /**
     * Sends a refused call as a new transaction: its own id and key, linked to the old one, which leaves the list.
     * Answers the new one.
     */
    correct(id: string, staffId: string, { readId, locationCode, note }: CorrectEntry): QueueDetail {
      refuseNumbers(note)
      const copy = transact((tx) => {
        const refused = ordered(id, 'correct')
        const request = requestOf(journal, refused)
        const original = followed(refused)
        const event = request.clientTransactionId !== undefined
        const type = operationTypeOf(refused)
        // Whoever gets miles taken back is whoever got them.
        if (refused.afterOperationId !== null && readId !== undefined)
          throw new ProblemError('body-invalid', [
            { path: '/readId', message: 'the card is that of the call before it' },
          ])
        const { collectorNumber, collectorHash } = original
          ? collectorOf(original.operation, original.request, undefined)
          : collectorOf(refused, request, readId)
        const transactionId = followingId(
          refused.saleId,
          'corrected',
          repository.countsOf(refused.saleId).corrected + 1,
          epoch,
        )
        const corrected = {
          ...request,
          ...(event ? { clientTransactionId: transactionId } : { checkoutTransactionId: transactionId }),
          ...(collectorNumber === undefined ? {} : { collectorNumber }),
          ...(locationCode === undefined ? {} : placedAt(locationCode, request, event)),
          ...(original ? namedNow(type, original) : {}),
          // The installer may have mended the profile since.
          sponsorCode: profile.program.sponsorCode,
        }
        const after = original?.operation.id ?? null
        const operation = issuances.enqueue(tx, {
          type,
          draft: type === 'post-reverse' && original !== null && original.operation.transactionId === null,
          saleId: refused.saleId,
          collectorHash,
          request: corrected,
          traceId: transactionId,
          dateTime: journal.call(id, refused.type).dateTime,
          expectedMiles: null,
          corrects: id,
          ...(after === null ? {} : { after }),
        })
        repository.resolve(tx, id, { at: clock.now(), staffId, found: 'corrected', note })
        record(tx, 'correct', refused, staffId, {
          copy: operation.id,
          transactionId,
          card: readId === undefined ? 'kept' : 'read',
          locationCode: locationCode ?? null,
          note,
        })
        return operation
      })
      announce(copy.saleId)
      return detail(copy.id)
    },

    /**
     * Takes miles back that were issued wrongly: REVERSE/EVENT under the offer that issued them (specification 3 §4.4).
     * Answers the new call.
     */
    takeBack(id: string, staffId: string, { issuanceOfferCode, miles, left, reason }: TakeBack): QueueDetail {
      refuseNumbers(reason)
      const taking = transact((tx) => {
        const issued = ordered(id, 'take-back')
        const offer = issuedMiles(issued, journal, repository).find(
          (one) => one.issuanceOfferCode === issuanceOfferCode,
        )
        if (!offer) throw new ProblemError('miles-not-issued')
        if (left !== offer.left) throw new ProblemError('queue-entry-changed')
        if (miles > left) throw new ProblemError('miles-not-issued')
        const request = requestOf(journal, issued)
        const transactionId = followingId(
          issued.saleId,
          'taken-back',
          repository.countsOf(issued.saleId).takenBack + 1,
          epoch,
        )
        const event = issuance.eventRequest({
          clientTransactionId: transactionId,
          collectorNumber: CollectorNumber.parse(request.collectorNumber),
          atMs: clock.now(),
          reason,
          issuances: [{ issuanceOfferCode, offerId: offer.offerId, milesAmount: miles }],
          // Only what the partner calculated can be named; ISSUE is not among them.
          ...(issued.type === 'issue'
            ? {}
            : { originalClientTransactionId: request.clientTransactionId ?? request.checkoutTransactionId }),
        })
        const operation = issuances.enqueue(tx, {
          type: 'reverse-event',
          saleId: issued.saleId,
          collectorHash: Buffer.from(issued.collector, 'hex'),
          request: event,
          traceId: transactionId,
          dateTime: event.transactionDateTime,
          expectedMiles: 0 - miles,
          after: id,
        })
        record(tx, 'take-back', issued, staffId, {
          call: operation.id,
          transactionId,
          issuanceOfferCode,
          miles,
          reason,
        })
        return operation
      })
      announce(taking.saleId)
      return detail(taking.id)
    },

    /**
     * Gives miles that a sale should have earned: POST/EVENT under an offer of the store's rules (specification 3
     * §4.4). Answers the new call.
     */
    give(id: string, staffId: string, { issuanceOfferCode, miles, given, reason }: GiveMiles): QueueDetail {
      refuseNumbers(reason)
      const giving = transact((tx) => {
        const posted = ordered(id, 'give')
        const rule = rules.find(({ offerCode }) => offerCode === issuanceOfferCode)
        const counts = repository.countsOf(posted.saleId)
        if (given !== counts.given) throw new ProblemError('queue-entry-changed')
        if (!rule) throw new ProblemError('offer-unknown')
        const request = requestOf(journal, posted)
        const transactionId = followingId(posted.saleId, 'given', counts.given + 1, epoch)
        const event = issuance.eventRequest({
          clientTransactionId: transactionId,
          collectorNumber: CollectorNumber.parse(request.collectorNumber),
          atMs: clock.now(),
          reason,
          issuances: [{ issuanceOfferCode, offerId: rule.offerId ?? rule.offerCode, milesAmount: miles }],
        })
        const operation = issuances.enqueue(tx, {
          type: 'post-event',
          saleId: posted.saleId,
          collectorHash: Buffer.from(posted.collector, 'hex'),
          request: event,
          traceId: transactionId,
          dateTime: event.transactionDateTime,
          expectedMiles: miles,
        })
        record(tx, 'give', posted, staffId, { call: operation.id, transactionId, issuanceOfferCode, miles, reason })
        return operation
      })
      announce(giving.saleId)
      return detail(giving.id)
    },
  }
})

/**
 * How a corrected copy names what it takes back: by what is known of it now, not by what was refused. RETURN takes the
 * ISSUE's transactionId or its checkoutTransactionId (specification 3 §2.1), REVERSE the POST's transactionId alone,
 * for which a draft waits; an event names the partner's own id (§4.4).
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
 * A basket names its location itself, and with every entry that the lane calculated; an event with its entries alone
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

/** Issues store credit for a redemption, with its paper. The payments provide it. */
export const creditLateReversalOf =
  provided<(tx: Tx, operation: MilesOperation, amountCents: number) => void>('the payments')
