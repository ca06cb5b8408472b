import type {
  CashResponseCode,
  EchoRequest,
  InquireRequest,
  RedeemRequest,
  ReverseRequest,
} from '../../../contracts/central/cash.ts'
import { type Cents, dollarsString, parseDollars } from '../../../contracts/core/money.ts'
import { hourOfNextDay, localTimestamp, startOfDay } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Answer } from '../http/answer.ts'
import type { Caller } from '../http/call.ts'
import type { Collector } from '../program.ts'
import {
  type RedemptionOffer,
  type RedemptionStatus,
  availabilityOf,
  cashAnswer,
  decideRedeem,
  inquiryCode,
  refusalOf,
} from './rules.ts'

/** Reversals close at this hour of the store's next day (specification 3 §3). */
const REVERSAL_HOUR = 3

type StoreRequest = Pick<InquireRequest, 'sponsorCode' | 'storeId'>

const timeZoneOf = ({ program }: Context, { sponsorCode, storeId }: StoreRequest): string =>
  program.timeZoneOfStore(sponsorCode, storeId)

const echoOf = <Request extends StoreRequest>(request: Request, now: number, timeZone: string) => ({
  ...request,
  transDateTime: localTimestamp(now, timeZone),
})

/**
 * Returns how much a collector has redeemed. The daily limit follows the calendar day of the store; the units of a
 * redemption offer count over 24 hours (specification 3 §8).
 */
function redemptionStatusOf(
  { ledger, redemptions }: Context,
  collector: Collector,
  now: number,
  timeZone: string,
): RedemptionStatus {
  const offer = redemptions.findOffer(collector.redemptionOfferId)
  if (!offer) throw new Error(`redemption offer ${collector.redemptionOfferId} does not exist`)
  const redeemed = redemptions.redeemedBy(collector.number, offer.id, startOfDay(now, timeZone), now)
  return {
    cashMiles: ledger.balances(collector.number).cash,
    redeemedTodayCents: redeemed.cents + collector.redeemedElsewhereCents,
    redeemedUnits: redeemed.units,
    offer,
  }
}

/**
 * Fields with the balances. They are sent under code 0001 too; the receipt must not print them then (specification 3
 * §4.5 rule 5).
 */
function balanceFields(ctx: Context, collector: Collector, now: number, timeZone: string): Record<string, string> {
  const balances = ctx.ledger.balances(collector.number)
  const available = availabilityOf(redemptionStatusOf(ctx, collector, now, timeZone))
  return {
    availableCashBalance: String(available.miles),
    availableDollarAmount: dollarsString(available.cents as Cents),
    cashBalance: String(balances.cash),
    dreamBalance: String(balances.dream),
  }
}

const offerFields = (status: RedemptionStatus): Record<string, string> => ({
  availableOfferUnits: String(availabilityOf(status).units),
  dailyOfferLimit: String(status.offer.dailyUnitLimit),
  offerDescEn: status.offer.descEn,
  offerDescFr: status.offer.descFr,
  offerId: status.offer.id,
  offerType: status.offer.type,
  unitValueLoyaltyCash: String(status.offer.unitMiles),
  unitValueDollars: dollarsString(status.offer.unitCents as Cents),
})

/**
 * Checks the sponsor, then the collector. For either, test data can set a code that the switch in front of the service
 * returns instead of the service's own answer.
 */
function findAccount(
  { program }: Context,
  request: { sponsorCode: string; collectorNumber: string },
): Collector | CashResponseCode {
  const sponsor = program.findSponsor(request.sponsorCode)
  if (sponsor?.switchAnswer) return sponsor.switchAnswer
  if (!sponsor || sponsor.state !== 'active') return '0035'
  const collector = program.findCollector(request.collectorNumber)
  if (!collector || collector.state === 'deleted') return '0025'
  if (collector.switchAnswer) return collector.switchAnswer
  return collector.state === 'active' ? collector : '0002'
}

function takeBack(
  { ledger, redemptions }: Context,
  confirmationNumber: string,
  kind: 'REVERSE' | 'CANCEL',
  caller: Caller,
): void {
  const redemption = redemptions.find(confirmationNumber)
  if (!redemption || !redemptions.end(redemption.id, kind === 'REVERSE' ? 'reversed' : 'cancelled')) return
  ledger.post(
    {
      kind,
      at: caller.now,
      collectorNumber: redemption.collectorNumber,
      sponsorCode: redemption.sponsorCode,
      reference: redemption.traceId,
      idempotencyKey: caller.idempotencyKey,
      undoes: redemption.operationId,
    },
    { cash: redemption.units * redemption.unitMiles },
    'redeemed',
  )
}

export function echo(ctx: Context, request: EchoRequest, { now }: Caller): Answer {
  const sponsor = ctx.program.findSponsor(request.sponsorCode)
  return cashAnswer(sponsor ? (sponsor.switchAnswer ?? '0000') : '0035', echoOf(request, now, timeZoneOf(ctx, request)))
}

export function inquire(ctx: Context, request: InquireRequest, { now }: Caller): Answer {
  const timeZone = timeZoneOf(ctx, request)
  const echoed = echoOf(request, now, timeZone)
  if (request.cardEntryMode === 'KEYED') return cashAnswer('0009', echoed)
  const collector = findAccount(ctx, request)
  if (typeof collector === 'string') return cashAnswer(collector, echoed)
  const refusal = refusalOf(collector)
  if (refusal === '0067') return cashAnswer(refusal, echoed)
  const balances = balanceFields(ctx, collector, now, timeZone)
  if (refusal) return cashAnswer(refusal, { ...echoed, ...balances })
  const status = redemptionStatusOf(ctx, collector, now, timeZone)
  const code = inquiryCode(status, collector.balancesSuppressed)
  // The fields of the redemption offer are sent only with enough miles and daily limit left (specification 3 §2.4). The
  // entry mode of the card was checked before.
  const redeemable = code !== '0051' && availabilityOf(status).units > 0
  return cashAnswer(code, { ...echoed, ...balances, ...(redeemable ? offerFields(status) : {}) })
}

export function redeem(ctx: Context, request: RedeemRequest, caller: Caller): Answer {
  const { now } = caller
  const timeZone = timeZoneOf(ctx, request)
  const echoed = echoOf(request, now, timeZone)
  if (request.cardEntryMode === 'KEYED') return cashAnswer('0009', echoed)
  const collector = findAccount(ctx, request)
  if (typeof collector === 'string') return cashAnswer(collector, echoed)
  const refusal = refusalOf(collector)
  if (refusal) return cashAnswer(refusal, echoed)
  const status = redemptionStatusOf(ctx, collector, now, timeZone)
  const decision = decideRedeem(
    status,
    parseDollars(request.dollarRedeemRequest) ?? 0,
    parseDollars(request.postTaxBasketAmount) ?? 0,
  )
  if (decision.kind === 'decline')
    return cashAnswer(decision.code, { ...echoed, ...balanceFields(ctx, collector, now, timeZone) })
  const txnConfirmationNumber = apply(ctx, request, status.offer, decision.units, timeZone, caller)
  return cashAnswer(
    collector.balancesSuppressed ? '0001' : '0000',
    {
      ...echoed,
      ...balanceFields(ctx, collector, now, timeZone),
      ...offerFields(redemptionStatusOf(ctx, collector, now, timeZone)),
      milesRedeemed: String(decision.units * status.offer.unitMiles),
      unitsRedeemed: String(decision.units),
      txnConfirmationNumber,
    },
    () => takeBack(ctx, txnConfirmationNumber, 'CANCEL', caller),
  )
}

function apply(
  { ledger, redemptions }: Context,
  { collectorNumber, sponsorCode, traceId }: RedeemRequest,
  offer: RedemptionOffer,
  units: number,
  timeZone: string,
  { now, idempotencyKey }: Caller,
): string {
  const operationId = ledger.post(
    { kind: 'REDEEM', at: now, collectorNumber, sponsorCode, reference: traceId, idempotencyKey },
    { cash: -units * offer.unitMiles },
    'redeemed',
  )
  const confirmationNumber = redemptions.nextConfirmationNumber(now)
  redemptions.add({
    confirmationNumber,
    operationId,
    collectorNumber,
    sponsorCode,
    traceId,
    offerId: offer.id,
    units,
    unitMiles: offer.unitMiles,
    unitCents: offer.unitCents,
    transactedAt: now,
    timeZone,
  })
  return confirmationNumber
}

/**
 * Returns all miles of a redemption to the account that paid. Needs no card (assumption: the specification shows no
 * card fields for this call).
 */
export function reverse(ctx: Context, request: ReverseRequest, caller: Caller): Answer {
  const { now } = caller
  const timeZone = timeZoneOf(ctx, request)
  const echoed = echoOf(request, now, timeZone)
  const collector = findAccount(ctx, request)
  if (typeof collector === 'string') return cashAnswer(collector, echoed)
  const redemption = ctx.redemptions.find(request.txnConfirmationNumber)
  if (
    !redemption ||
    redemption.state !== 'applied' ||
    redemption.collectorNumber !== request.collectorNumber ||
    redemption.sponsorCode !== request.sponsorCode
  ) {
    return cashAnswer('0057', echoed)
  }
  if (parseDollars(request.dollarRedeemRequest) !== redemption.units * redemption.unitCents)
    return cashAnswer('0035', echoed)
  if (now >= hourOfNextDay(redemption.transactedAt, redemption.timeZone, REVERSAL_HOUR))
    return cashAnswer('0080', echoed)
  takeBack(ctx, redemption.confirmationNumber, 'REVERSE', caller)
  return cashAnswer(collector.balancesSuppressed ? '0001' : '0000', {
    ...echoed,
    ...balanceFields(ctx, collector, now, timeZone),
    milesRedeemed: String(redemption.units * redemption.unitMiles),
    unitsRedeemed: String(redemption.units),
  })
}
