import {
  CASH_PATHS,
  type CashResponseCode,
  EchoRequest,
  InquireRequest,
  RedeemRequest,
  ReverseRequest,
} from '../../../contracts/central/cash.ts'
import { type Cents, dollarsString, parseDollars } from '../../../contracts/core/money.ts'
import { hourOfNextDay, localTimestamp, startOfDay } from '../clock.ts'
import type { Answer, Flaw, Shape } from '../http/answer.ts'
import { type Call, type CallContext, type CallDependencies, serveCall } from '../http/call.ts'
import type { Ledger } from '../ledger.ts'
import type { Collector, ProgramRepository } from '../program.ts'
import { type Standing, availabilityOf, badCash, cashAnswer, decideRedeem, inquiryCode, refusalOf } from './rules.ts'
import type { CashRepository } from './cash.sql.ts'
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'

/** Reversal is open until this hour of the store's next day (specification 3 §3). */
// mutant: reversal-hour
const REVERSAL_HOUR = 3

export interface CashDependencies {
  readonly program: ProgramRepository
  readonly ledger: Ledger
  readonly redemptions: CashRepository
}

/** The cash redemption service: one function per operation, each the answer to one well-formed request. */
export function createCashService({ program, ledger, redemptions }: CashDependencies) {
  const stamp = (now: number, timeZone: string) => ({ transDateTime: localTimestamp(now, timeZone) })

  /** The day is that of the store where the collector stands; the units of an offer count over 24 hours (§8). */
  const standingOf = (collector: Collector, now: number, timeZone: string): Standing => {
    const offer = redemptions.findOffer(collector.redemptionOfferId)
    if (!offer) throw new Error(`redemption offer ${collector.redemptionOfferId} does not exist`)
    const redeemed = redemptions.redeemedBy(
      collector.number,
      offer.id,
      /* mutant: one-midnight */ startOfDay(now, timeZone),
      now,
    )
    return {
      cashMiles: ledger.balances(collector.number).cash,
      redeemedTodayCents: redeemed.cents + collector.redeemedElsewhereCents,
      redeemedUnits: redeemed.units,
      offer,
    }
  }

  /**
   * The balances that an answer carries; sent under 0001 too, where the receipt must keep them to itself (§4.5 rule 5).
   */
  const balanceFields = (collector: Collector, now: number, timeZone: string): Record<string, string> => {
    const balances = ledger.balances(collector.number)
    const available = availabilityOf(standingOf(collector, now, timeZone))
    return {
      availableCashBalance: String(available.miles),
      availableDollarAmount: dollarsString(available.cents as Cents),
      cashBalance: String(balances.cash),
      dreamBalance: String(balances.dream),
    }
  }

  const offerFields = (standing: Standing): Record<string, string> => ({
    availableOfferUnits: String(availabilityOf(standing).units),
    dailyOfferLimit: String(standing.offer.dailyUnitLimit),
    offerDescEn: standing.offer.descEn,
    offerDescFr: standing.offer.descFr,
    offerId: standing.offer.id,
    offerType: standing.offer.type,
    unitValueLoyaltyCash: String(standing.offer.unitMiles),
    unitValueDollars: dollarsString(standing.offer.unitCents as Cents),
  })

  /**
   * Checks that come before every operation on an account: sponsor, then collector; either may be out of the switch's
   * reach.
   */
  const findAccount = (request: { sponsorCode: string; collectorNumber: string }): Collector | CashResponseCode => {
    const sponsor = program.findSponsor(request.sponsorCode)
    if (sponsor?.switchAnswer) return sponsor.switchAnswer
    if (!sponsor || sponsor.state !== 'active') return '0035'
    const collector = program.findCollector(request.collectorNumber)
    if (!collector || collector.state === 'deleted') return '0025'
    if (collector.switchAnswer) return collector.switchAnswer
    return collector.state === 'active' ? collector : '0002'
  }

  const takeBack = (confirmationNumber: string, kind: 'REVERSE' | 'CANCEL', context: CallContext): void => {
    const redemption = redemptions.find(confirmationNumber)
    if (!redemption || !redemptions.end(redemption.id, kind === 'REVERSE' ? 'reversed' : 'cancelled')) return
    ledger.post(
      {
        kind,
        at: context.now,
        collectorNumber: redemption.collectorNumber,
        sponsorCode: redemption.sponsorCode,
        reference: redemption.traceId,
        idempotencyKey: context.idempotencyKey,
        undoes: redemption.operationId,
      },
      { cash: redemption.units * redemption.unitMiles },
      'redeemed',
    )
  }

  return {
    echo(request: EchoRequest, { now }: CallContext): Answer {
      const sponsor = program.findSponsor(request.sponsorCode)
      return cashAnswer(sponsor ? (sponsor.switchAnswer ?? '0000') : '0035', {
        ...request,
        ...stamp(now, program.timeZoneOfStore(request.sponsorCode, request.storeId)),
      })
    },

    inquire(request: InquireRequest, { now }: CallContext): Answer {
      const timeZone = program.timeZoneOfStore(request.sponsorCode, request.storeId)
      const echo = { ...request, ...stamp(now, timeZone) }
      if (request.cardEntryMode === 'KEYED') return cashAnswer('0009', echo)
      const collector = findAccount(request)
      if (typeof collector === 'string') return cashAnswer(collector, echo)
      const refusal = refusalOf(collector)
      if (refusal === '0067') return cashAnswer(refusal, echo)
      const balances = balanceFields(collector, now, timeZone)
      if (refusal) return cashAnswer(refusal, { ...echo, ...balances })
      const standing = standingOf(collector, now, timeZone)
      const code = inquiryCode(standing, collector.balancesSuppressed)
      // Only with enough miles and a day that is not used up (§2.4); the entry mode was seen to above.
      // mutant: offer-always-told
      const redeemable = code !== '0051' && availabilityOf(standing).units > 0
      return cashAnswer(code, { ...echo, ...balances, ...(redeemable ? offerFields(standing) : {}) })
    },

    redeem(request: RedeemRequest, context: CallContext): Answer {
      const { now } = context
      const timeZone = program.timeZoneOfStore(request.sponsorCode, request.storeId)
      const echo = { ...request, ...stamp(now, timeZone) }
      // mutant: keyed-redeems
      if (request.cardEntryMode === 'KEYED') return cashAnswer('0009', echo)
      const collector = findAccount(request)
      if (typeof collector === 'string') return cashAnswer(collector, echo)
      const refusal = refusalOf(collector)
      if (refusal) return cashAnswer(refusal, echo)
      const standing = standingOf(collector, now, timeZone)
      const decision = decideRedeem(
        standing,
        parseDollars(request.dollarRedeemRequest) ?? 0,
        parseDollars(request.postTaxBasketAmount) ?? 0,
      )
      if (decision.kind === 'decline')
        return cashAnswer(decision.code, { ...echo, ...balanceFields(collector, now, timeZone) })
      const { offer } = standing
      const milesRedeemed = decision.units * offer.unitMiles
      const operationId = ledger.post(
        {
          kind: 'REDEEM',
          at: now,
          collectorNumber: collector.number,
          sponsorCode: request.sponsorCode,
          reference: request.traceId,
          idempotencyKey: context.idempotencyKey,
        },
        { cash: -milesRedeemed },
        'redeemed',
      )
      const confirmationNumber = redemptions.nextConfirmationNumber(now)
      redemptions.add({
        confirmationNumber,
        operationId,
        collectorNumber: collector.number,
        sponsorCode: request.sponsorCode,
        traceId: request.traceId,
        offerId: offer.id,
        units: decision.units,
        unitMiles: offer.unitMiles,
        unitCents: offer.unitCents,
        transactedAt: now,
        timeZone,
      })
      return cashAnswer(
        collector.balancesSuppressed ? '0001' : '0000',
        {
          ...echo,
          ...balanceFields(collector, now, timeZone),
          ...offerFields(standingOf(collector, now, timeZone)),
          milesRedeemed: String(milesRedeemed),
          unitsRedeemed: String(decision.units),
          txnConfirmationNumber: confirmationNumber,
        },
        () => takeBack(confirmationNumber, 'CANCEL', context),
      )
    },

    /**
     * A whole redemption comes back to the account that paid it. The card need not be there (assumption: fields not
     * shown).
     */
    reverse(request: ReverseRequest, context: CallContext): Answer {
      const { now } = context
      const timeZone = program.timeZoneOfStore(request.sponsorCode, request.storeId)
      const echo = { ...request, ...stamp(now, timeZone) }
      const collector = findAccount(request)
      if (typeof collector === 'string') return cashAnswer(collector, echo)
      const redemption = redemptions.find(request.txnConfirmationNumber)
      if (
        !redemption ||
        redemption.state !== 'applied' ||
        redemption.collectorNumber !== request.collectorNumber ||
        redemption.sponsorCode !== request.sponsorCode
      ) {
        return cashAnswer('0057', echo)
      }
      if (parseDollars(request.dollarRedeemRequest) !== redemption.units * redemption.unitCents)
        return cashAnswer('0035', echo)
      if (now >= hourOfNextDay(redemption.transactedAt, redemption.timeZone, REVERSAL_HOUR))
        return cashAnswer('0080', echo)
      takeBack(redemption.confirmationNumber, 'REVERSE', context)
      return cashAnswer(collector.balancesSuppressed ? '0001' : '0000', {
        ...echo,
        ...balanceFields(collector, now, timeZone),
        milesRedeemed: String(redemption.units * redemption.unitMiles),
        unitsRedeemed: String(redemption.units),
      })
    },
  }
}

/** "ECHO headers also include `cache-control: no-cache`" (specification 3 §4.5). */
const noCache: Call<unknown>['checkHeaders'] = (headers): Flaw | undefined =>
  /(^|,)\s*no-cache\s*(,|$)/i.test(headers['cache-control'] ?? '')
    ? undefined
    : { path: 'cache-control', message: 'no-cache is required' }

/** `reversePath` is not shown in the specification: a setting. */
export function cashRoutes(
  dependencies: CallDependencies,
  reversePath: string,
  service: ReturnType<typeof createCashService>,
) {
  return (app: FastifyInstance): void => {
    const operation = <Input>(
      call: Omit<Call<Input>, 'input' | 'refuse' | 'exclusive' | 'outage'> & {
        input: z.ZodType<Input> & { shape: Shape }
      },
    ): void => {
      const refuse: Call<Input>['refuse'] = (flaws, body) =>
        badCash(flaws, body, call.input.shape, dependencies.clock.now())
      app.post(call.path, (request, reply) =>
        serveCall(dependencies, { ...call, exclusive: false, refuse, outage: cashAnswer('0092', {}) }, request, reply),
      )
    }
    operation({
      path: CASH_PATHS.echo,
      input: EchoRequest,
      repeats: 'none',
      // mutant: echo-without-no-cache
      checkHeaders: noCache,
      perform: service.echo,
    })
    operation({ path: CASH_PATHS.inquire, input: InquireRequest, repeats: 'none', perform: service.inquire })
    operation({ path: CASH_PATHS.redeem, input: RedeemRequest, repeats: 'key-or-content', perform: service.redeem })
    operation({ path: reversePath, input: ReverseRequest, repeats: 'key-or-content', perform: service.reverse })
  }
}
