import { randomUUID } from 'node:crypto'
import type {
  CalculateRequest,
  IssuanceErrorCode,
  IssueRequest,
  RecordRequest,
  ReturnRequest,
} from '../../../contracts/central/issuance.ts'
import type { Context } from '../context.ts'
import { type Answer, present } from '../http/answer.ts'
import type { Caller } from '../http/call.ts'
import type { Collector, ProgramRepository, Sponsor } from '../program.ts'
import { type Basket, type Earned, earn, remainingBasket } from './earning.ts'
import type { Entry, IssuanceRow } from './issuance.sql.ts'
import { badIssuance, issuanceError, rejected } from './requests.ts'
import { conclude, isNotRejected } from './settlement.ts'

/**
 * Returns the request fields that every answer echoes (specification 3 §2.3), without `issuances`, because answers have
 * their own.
 */
const echoOf = (request: object): Record<string, unknown> => {
  const { issuances: _given, ...echo } = request as Record<string, unknown>
  return echo
}

const optedInto = ({ offerStates }: Context, collectorNumber: string): ((offerId: string) => boolean) => {
  const states = offerStates.of(collectorNumber)
  return (offerId) => states.get(offerId)?.some(({ name }) => name === 'OPT_IN') ?? false
}

const entryOf = (
  { offer, miles, contributingItemIds }: Earned,
  now: number,
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
    status: waits === null ? ('CONFIRMED' as const) : ('PENDING' as const),
    errors: waits === null ? undefined : [issuanceError(waits)],
  })

function findOriginal(
  { issuances }: Context,
  request: { sponsorCode: string; collectorNumber: string; originalTransactionId: string },
): IssuanceRow | undefined {
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
 * Returns the miles that a return withdraws per offer, as negative numbers: the miles still credited less those that
 * the remaining basket earns.
 */
function withdrawals(ctx: Context, original: IssuanceRow, returned: Basket): Earned[] | undefined {
  const before = ctx.issuances.takenBackFrom(original.id)
  const left = remainingBasket(original.basket, [...before.map((row) => row.basket), returned])
  if (!left) return undefined
  const offers = ctx.issuances.offersAt(original.sponsorCode, original.at)
  const still = new Map(
    earn(left, offers, optedInto(ctx, original.collectorNumber)).map((earned) => [earned.offer.code, earned.miles]),
  )
  return offers.flatMap((offer) => {
    const credited = [original, ...before]
      .flatMap((row) => row.entries)
      .filter((entry) => entry.issuanceOfferCode === offer.code && isNotRejected(entry))
      .reduce((sum, entry) => sum + entry.milesAmount, 0)
    const miles = credited - (still.get(offer.code) ?? 0)
    const contributingItemIds = [...new Set((returned.items ?? []).map((item) => item.id))]
    return miles > 0 ? [{ offer, miles: -miles, contributingItemIds }] : []
  })
}

/**
 * Calculates miles without issuing them. A missing or wrong location is an error only when miles are issued (CALCULATE
 * has no answer 202, specification 3 §4.2).
 */
export function calculate(ctx: Context, request: CalculateRequest, { now, language }: Caller): Answer {
  const parties = partiesOf(ctx.program, request)
  if (typeof parties === 'string') return rejected(parties, echoOf(request))
  let earned: Earned[]
  const { originalTransactionId } = request
  if (request.transactionType === 'RETURN' && originalTransactionId !== undefined) {
    const original = findOriginal(ctx, { ...request, originalTransactionId })
    const withdrawn = original && withdrawals(ctx, original, request)
    if (!withdrawn)
      return badIssuance(
        [{ path: 'originalTransactionId', message: 'names no issue of this collector that holds these items' }],
        request,
      )
    earned = withdrawn
  } else {
    const sign = request.transactionType === 'RETURN' ? -1 : 1
    earned = earnedBy(ctx, request, now).map((one) => ({ ...one, miles: sign * one.miles }))
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
}

const earnedBy = (ctx: Context, request: IssueRequest, now: number): Earned[] =>
  earn(request, ctx.issuances.offersAt(request.sponsorCode, now), optedInto(ctx, request.collectorNumber))

export function issue(ctx: Context, request: IssueRequest, caller: Caller): Answer {
  const parties = partiesOf(ctx.program, request)
  if (typeof parties === 'string') return rejected(parties, echoOf(request))
  if (ctx.issuances.findByPartnerId(request.sponsorCode, 'ISSUE', request.checkoutTransactionId)) {
    return badIssuance([{ path: 'checkoutTransactionId', message: 'was issued before; it must be unique' }], request)
  }
  const { collector, waits } = parties
  const entries = earnedBy(ctx, request, caller.now).map((earned) =>
    entryOf(earned, caller.now, request.locationCode, waits),
  )
  return conclude(ctx, { ...decidedOf(request, collector), kind: 'ISSUE', original: null, entries, waits }, caller)
}

export function takeReturn(ctx: Context, request: ReturnRequest, caller: Caller): Answer {
  const parties = partiesOf(ctx.program, request)
  if (typeof parties === 'string') return rejected(parties, echoOf(request))
  if (ctx.issuances.findByPartnerId(request.sponsorCode, 'RETURN', request.checkoutTransactionId)) {
    return badIssuance([{ path: 'checkoutTransactionId', message: 'was returned before; it must be unique' }], request)
  }
  const original = findOriginal(ctx, request)
  if (!original)
    return badIssuance([{ path: 'originalTransactionId', message: 'names no issue of this collector' }], request)
  const withdrawn = withdrawals(ctx, original, request)
  if (!withdrawn)
    return badIssuance(
      [{ path: 'items', message: 'more is returned than was issued for and not returned yet' }],
      request,
    )
  // Miles that are not credited yet cannot be withdrawn: the return stays pending as long as its ISSUE.
  const waits = parties.waits ?? (original.status === 'PENDING' ? '000' : null)
  const entries = withdrawn.map((one) => entryOf(one, caller.now, request.locationCode, waits))
  return conclude(ctx, { ...decidedOf(request, parties.collector), kind: 'RETURN', original, entries, waits }, caller)
}

export function record({ program, issuances }: Context, request: RecordRequest, { now }: Caller): Answer {
  if (!program.findSponsor(request.sponsorCode)) return rejected('221', request)
  const transactionId = randomUUID()
  issuances.record(transactionId, now, request.sponsorCode, request)
  return { status: 200, body: present({ ...request, transactionId }), final: true }
}

const decidedOf = (request: IssueRequest, collector: Collector) => ({
  partnerId: request.checkoutTransactionId,
  sponsorCode: request.sponsorCode,
  collector,
  basket: basketOf(request),
  echo: echoOf(request),
})

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

/** Validates a location code of a sponsor (specification 3 §7.1, codes 205 and 230). Returns null if it is valid. */
export function locationError(program: ProgramRepository, sponsorCode: string, code: string): IssuanceErrorCode | null {
  const location = program.findLocation(sponsorCode, code)
  if (!location) return '230'
  return location.active ? null : '205'
}

/**
 * Returns the code with which the request is refused (status 400), or its sponsor and collector. `waits`: the code with
 * which the request stays pending (status 202, specification 3 §7.1); null if it does not.
 */
export function partiesOf(
  program: ProgramRepository,
  request: { sponsorCode: string; collectorNumber: string; locationCode?: string | undefined },
): Parties | IssuanceErrorCode {
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
