import { randomUUID } from 'node:crypto'
import type {
  CalculateRequest,
  IssuanceErrorCode,
  IssueRequest,
  RecordRequest,
  ReturnRequest,
} from '../../../contracts/central/issuance.ts'
import { type Answer, present } from '../http/answer.ts'
import type { CallContext } from '../http/call.ts'
import type { Collector, ProgramRepository, Sponsor } from '../program.ts'
import { badIssuance, issuanceError, rejected } from './requests.ts'
import { type IssuanceDependencies, settlePending, splitFor, standsFor } from './settlement.ts'
import { type Basket, type Earned, earn, remainingBasket } from './earning.ts'
import type { Entry, IssuanceKind, IssuanceRow, IssuanceStatus } from './issuance.sql.ts'

/**
 * A request's fields as they come back in every answer (specification 3 §2.3), without `issuances`, which the answer
 * has its own of.
 */
const echoOf = (request: object): Record<string, unknown> => {
  const { issuances: _given, ...echo } = request as Record<string, unknown>
  return echo
}

/** The service-calculated half of the issuance service, and RECORD. */
export function createIssuanceService(dependencies: IssuanceDependencies) {
  const { program, ledger, issuances } = dependencies

  const optedInto = (collectorNumber: string): ((offerId: string) => boolean) => {
    const states = dependencies.offerStates.of(collectorNumber)
    return (offerId) => states.get(offerId)?.some(({ name }) => name === 'OPT_IN') ?? false
  }

  const checkParties = partiesOf(program)

  const entryOf = (
    { offer, miles, contributingItemIds }: Earned,
    now: number,
    status: IssuanceStatus,
    locationCode: string | undefined,
    waits: IssuanceErrorCode | null,
  ): Entry =>
    present({
      issuanceOfferCode: offer.code,
      offerId: offer.offerId,
      offerDescription: offer.descriptionEn,
      milesAmount: miles,
      contributingItemIds,
      locationCode,
      confirmationNumber: randomUUID(),
      processedDateTime: new Date(now).toISOString(),
      status,
      errors: waits === null ? undefined : [issuanceError(waits)],
    })

  /** Writes what was decided, moves the miles unless it waits, and answers 200 or 202. */
  const conclude = (
    kind: IssuanceKind,
    request: IssueRequest,
    original: IssuanceRow | null,
    entries: readonly Entry[],
    collector: Collector,
    waits: IssuanceErrorCode | null,
    context: CallContext,
  ): Answer => {
    const transactionId = randomUUID()
    const total = entries.reduce((sum, entry) => sum + entry.milesAmount, 0)
    const status: IssuanceStatus = waits === null ? 'CONFIRMED' : 'PENDING'
    const operationId =
      status === 'PENDING' || total === 0
        ? null
        : ledger.post(
            {
              kind,
              at: context.now,
              collectorNumber: collector.number,
              sponsorCode: request.sponsorCode,
              reference: request.checkoutTransactionId,
              idempotencyKey: context.idempotencyKey,
            },
            splitFor(issuances, original?.id ?? null, total, collector.cashSharePercent),
            'issued',
          )
    issuances.add(
      {
        transactionId,
        kind,
        at: context.now,
        sponsorCode: request.sponsorCode,
        collectorNumber: collector.number,
        checkoutTransactionId: request.checkoutTransactionId,
        originalId: original?.id ?? null,
        status,
        basket: basketOf(request),
        entries,
        idempotencyKey: context.idempotencyKey,
      },
      operationId,
    )
    const error =
      waits === null
        ? {}
        : { responseCode: waits, message: issuanceError(waits).errorReason, errors: [issuanceError(waits)] }
    return {
      status: waits === null ? 200 : 202,
      body: present({ ...echoOf(request), issuances: entries, transactionId, ...error }),
      final: true,
    }
  }

  const findOriginal = (request: {
    sponsorCode: string
    collectorNumber: string
    originalTransactionId: string
  }): IssuanceRow | undefined => {
    const found =
      issuances.findByTransactionId(request.originalTransactionId) ??
      issuances.findByPartnerId(request.sponsorCode, 'ISSUE', request.originalTransactionId)
    return found &&
      found.kind === 'ISSUE' &&
      found.sponsorCode === request.sponsorCode &&
      found.collectorNumber === request.collectorNumber
      ? found
      : undefined
  }

  /**
   * What a return takes back of each offer: what was earned and is left, less what the remaining basket still earns.
   * Miles negative.
   */
  const withdrawals = (original: IssuanceRow, returned: Basket): Earned[] | undefined => {
    const before = issuances.takenBackFrom(original.id)
    const left = remainingBasket(original.basket, [...before.map((row) => row.basket), returned])
    if (!left) return undefined
    const offers = issuances.offersAt(original.sponsorCode, original.at)
    const still = new Map(
      earn(left, offers, optedInto(original.collectorNumber)).map((earned) => [earned.offer.code, earned.miles]),
    )
    return offers.flatMap((offer) => {
      const kept = [original, ...before]
        .flatMap((row) => row.entries)
        .filter((entry) => entry.issuanceOfferCode === offer.code && standsFor(entry))
        .reduce((sum, entry) => sum + entry.milesAmount, 0)
      const miles = kept - (still.get(offer.code) ?? 0)
      const contributingItemIds = [...new Set((returned.items ?? []).map((item) => item.id))]
      return miles > 0 ? [{ offer, miles: -miles, contributingItemIds }] : []
    })
  }

  return {
    /**
     * Computes and issues nothing; a location that is missing or wrong only matters once miles are issued (no 202 here,
     * §4.2).
     */
    calculate(request: CalculateRequest, { now, language }: CallContext): Answer {
      const parties = checkParties(request)
      if (typeof parties === 'string') return rejected(parties, echoOf(request))
      let earned: Earned[]
      const { originalTransactionId } = request
      if (request.transactionType === 'RETURN' && originalTransactionId !== undefined) {
        const original = findOriginal({ ...request, originalTransactionId })
        const withdrawn = original && withdrawals(original, request)
        if (!withdrawn)
          return badIssuance(
            [{ path: 'originalTransactionId', message: 'names no issue of this collector that holds these items' }],
            request,
          )
        earned = withdrawn
      } else {
        const sign = request.transactionType === 'RETURN' ? -1 : 1
        earned = earn(request, issuances.offersAt(request.sponsorCode, now), optedInto(request.collectorNumber)).map(
          (one) => ({ ...one, miles: sign * one.miles }),
        )
      }
      const entries = earned.map(({ offer, miles, contributingItemIds }) =>
        present({
          issuanceOfferCode: offer.code,
          offerId: offer.offerId,
          offerDescription: language === 'fr' ? offer.descriptionFr : offer.descriptionEn,
          milesAmount: miles,
          contributingItemIds,
          locationCode: request.locationCode,
        }),
      )
      return {
        status: 200,
        body: present({ ...echoOf(request), issuances: entries, transactionId: randomUUID() }),
        final: true,
      }
    },

    issue(request: IssueRequest, context: CallContext): Answer {
      const parties = checkParties(request)
      if (typeof parties === 'string') return rejected(parties, echoOf(request))
      if (issuances.findByPartnerId(request.sponsorCode, 'ISSUE', request.checkoutTransactionId)) {
        return badIssuance(
          [{ path: 'checkoutTransactionId', message: 'was issued before; it must be unique' }],
          request,
        )
      }
      const { collector, waits } = parties
      const entries = earn(
        request,
        issuances.offersAt(request.sponsorCode, context.now),
        optedInto(request.collectorNumber),
      ).map((earned) =>
        entryOf(earned, context.now, waits === null ? 'CONFIRMED' : 'PENDING', request.locationCode, waits),
      )
      return conclude('ISSUE', request, null, entries, collector, waits, context)
    },

    return(request: ReturnRequest, context: CallContext): Answer {
      const parties = checkParties(request)
      if (typeof parties === 'string') return rejected(parties, echoOf(request))
      if (issuances.findByPartnerId(request.sponsorCode, 'RETURN', request.checkoutTransactionId)) {
        return badIssuance(
          [{ path: 'checkoutTransactionId', message: 'was returned before; it must be unique' }],
          request,
        )
      }
      const original = findOriginal(request)
      if (!original)
        return badIssuance([{ path: 'originalTransactionId', message: 'names no issue of this collector' }], request)
      const withdrawn = withdrawals(original, request)
      if (!withdrawn)
        return badIssuance(
          [{ path: 'items', message: 'more is returned than was issued for and not returned yet' }],
          request,
        )
      // What has not been credited yet cannot be withdrawn: the return waits behind its issue.
      const waits = parties.waits ?? (original.status === 'PENDING' ? '000' : null)
      const entries = withdrawn.map((one) =>
        entryOf(one, context.now, waits === null ? 'CONFIRMED' : 'PENDING', request.locationCode, waits),
      )
      return conclude('RETURN', request, original, entries, parties.collector, waits, context)
    },

    /** Keeps the transaction and issues nothing (§4.3). */
    record(request: RecordRequest, { now }: CallContext): Answer {
      if (!program.findSponsor(request.sponsorCode)) return rejected('221', request)
      const transactionId = randomUUID()
      issuances.record(transactionId, now, request.sponsorCode, request)
      return { status: 200, body: present({ ...request, transactionId }), final: true }
    },

    /**
     * Settles what waits since `until` or longer (epoch milliseconds), oldest first. Returns how many. Runs in a
     * transaction.
     */
    settle: (now: number, until: number): number => settlePending(dependencies, now, until),
    /** Whether anything waits since `until` or longer. */
    isWaiting: (until: number): boolean => issuances.isPending(until),
  }
}

const basketOf = ({ basketPreTaxAmount, items, coupon }: IssueRequest): Basket => ({
  basketPreTaxAmount,
  ...(items ? { items } : {}),
  ...(coupon ? { coupon } : {}),
})

export interface Parties {
  readonly sponsor: Sponsor
  readonly collector: Collector
  readonly waits: IssuanceErrorCode | null
}

/** What a location code is worth to a sponsor (specification 3 §7.1, 205 and 230). Null: fine. */
export function locationError(program: ProgramRepository, sponsorCode: string, code: string): IssuanceErrorCode | null {
  const location = program.findLocation(sponsorCode, code)
  if (!location) return '230'
  return location.active ? null : '205'
}

/**
 * Why the parties of a request keep it from being processed at all (400: a code), or make it wait (202: `waits`);
 * specification 3 §7.1.
 */
export function partiesOf(program: ProgramRepository) {
  return (request: {
    sponsorCode: string
    collectorNumber: string
    locationCode?: string | undefined
  }): Parties | IssuanceErrorCode => {
    const sponsor = program.findSponsor(request.sponsorCode)
    if (!sponsor) return '221'
    const collector = program.findCollector(request.collectorNumber)
    if (!collector) return '234'
    if (collector.state === 'deleted') return '232'
    if (collector.state === 'closed') return '224'
    const unknown: IssuanceErrorCode | null = collector.issuanceDelayed ? '000' : null
    if (sponsor.state === 'expired') return { sponsor, collector, waits: '225' }
    if (request.locationCode === undefined)
      return { sponsor, collector, waits: sponsor.locationRequired ? '202' : unknown }
    return { sponsor, collector, waits: locationError(program, sponsor.code, request.locationCode) ?? unknown }
  }
}
