import type { z } from 'zod'
import { type GivenIssuance, IssueRequest, PartnerBasketRequest } from '../../../contracts/central/issuance.ts'
import { jsonOf } from '../../core/central/wire.ts'
import type { StoreTax } from '../../catalog/tax.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { type BasketLine, lineAmount, saleLineOf, totalBasket, without } from '../../sales/sale/basket.ts'
import { isSent } from '../../sales/sale/charges.ts'
import { milesOf, milesToTakeBack } from './partner-miles.ts'
import { isIssued, calculatedEntries } from '../services/issue-answer.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import type { EarlierReturn, ReturnedGoods } from '../../sales/sale/domain-events.ts'
import { type SaleParts, pricedLines, taxesOfSale } from '../../sales/sale/sale-parts.ts'
import { earnedByRules, earningOf, rulesOf } from './issuing-options.ts'
import { type IssuanceBasket, issuanceClientOf } from '../services/issuance.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { MilesTaken } from '../../../contracts/payments/returns.ts'
import { cents, miles } from '../../../contracts/core/money.ts'
import { followingId } from '../../sales/sale/sale-id.ts'
import { isOpen } from '../../core/outbox/states.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { issuancesOf } from '../calls/issue.ts'
import { collectorMutexOf } from '../../store/collector-lock.ts'
import { centralOf } from '../../core/central/services.ts'
import { epochOf } from '../../core/db/database.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'

export type OfSale = ReturnedGoods & { readonly sale: SaleParts }
export type QuotedGoods = Pick<OfSale, 'sale' | 'lines' | 'left' | 'earlier' | 'totals'>

const Reversed = PartnerBasketRequest.pick({ issuances: true })

const withdrawalCalculatorOf = perLane((ctx: Ctx) => {
  const { profile } = ctx
  const journal = ctx.outbox.journal
  const rules = rulesOf(ctx)
  /**
   * Miles of the sale that were taken back by returns at this lane and by a manager's corrections. A call that was
   * refused and corrected counts by its corrected copy. `byHand`: only the manager's corrections.
   */
  function takenBackOf(saleId: string): Record<'all' | 'byHand', GivenIssuance[]> {
    const reverses = journal
      .ofSale(saleId, 'issuance')
      .filter(({ type }) => type === 'post-reverse' || type === 'reverse-event')
    const corrected = new Set(reverses.map(({ correctsId }) => correctsId))
    const issuancesOf = (of: typeof reverses): GivenIssuance[] =>
      of.flatMap(({ id, type }) => Reversed.parse(jsonOf(journal.call(id, type).request)).issuances)
    const effective = reverses.filter(({ id }) => !corrected.has(id))
    return {
      all: issuancesOf(effective),
      byHand: issuancesOf(effective.filter(({ type }) => type === 'reverse-event')),
    }
  }

  return {
    /**
     * Miles to take back for a return of this lane's own sale, less those already taken back. `post`: the call that
     * issued the miles.
     */
    ofOwnSale(
      { sale: now, lines, left, earlier }: Pick<OfSale, 'sale' | 'lines' | 'left' | 'earlier'>,
      { id }: Operation,
      post: z.infer<typeof PartnerBasketRequest>,
    ): GivenIssuance[] {
      // Leave out entries that the program rejected, because they issued nothing.
      const answered = journal.entriesOf(id)
      const issued = post.issuances.filter(({ issuanceOfferCode }) => isIssued(issuanceOfferCode, answered))
      const earnedBy = earnedByRules(profile, now, rules.ofSale(now.sale.id))
      const skus = lines.map(({ sku }) => sku)
      const taken = takenBackOf(now.sale.id)
      if (earlier.every(({ isHere }) => isHere)) return milesToTakeBack(issued, taken.all, earnedBy(left), skus)
      // Calls of other lanes are not stored here. Repeat their calculation, which is the same at every lane.
      const takenBackFor = (basket: readonly BasketLine[]) => milesToTakeBack(issued, [], earnedBy(basket), [])
      const before =
        taken.byHand.length === 0
          ? takenBackFor(mergeLines(left, lines))
          : [...taken.all, ...takenAtOtherLanes(pricedLines(now), earlier, takenBackFor)]
      return milesToTakeBack(issued, before, earnedBy(left), skus)
    },

    /**
     * Miles to take back for a return of another lane's sale: the miles earned by the goods that were left before the
     * return, less those earned by the goods that are left after it.
     */
    ofForeignSale(now: SaleParts, lines: readonly BasketLine[], left: readonly BasketLine[]): GivenIssuance[] {
      const issued = now.elsewhere?.issuance
      if (!issued) return []
      const given = issued.given.filter(({ issuanceOfferCode }) => isIssued(issuanceOfferCode, issued.answered))
      const earnedBy = earnedByRules(profile, now, issued.rules)
      const takenBefore = milesToTakeBack(given, [], earnedBy(mergeLines(left, lines)), [])
      const skus = lines.map(({ sku }) => sku)
      return milesToTakeBack(given, takenBefore, earnedBy(left), skus)
    },
  }
})

export const issuedNothing = ({ state, miles: earned, pendingMiles }: Operation): boolean =>
  state === 'rejected' && earned === 0 && pendingMiles === 0
export const ANSWERED: ReadonlySet<string> = new Set(['confirmed', 'accepted', 'rejected'])

const mergeLines = (left: readonly BasketLine[], returned: readonly BasketLine[]): BasketLine[] => {
  const before = new Map(left.map((line) => [line.number, line]))
  for (const line of returned) {
    const rest = before.get(line.number)
    before.set(line.number, rest ? { ...rest, quantity: rest.quantity + line.quantity } : line)
  }
  return [...before.values()]
}

/**
 * Calculates the miles that returns at other lanes took back, from the basket before and after each return.
 * `takenBackFor` calculates the miles that are taken back in total when this basket remains.
 */
function takenAtOtherLanes(
  sold: readonly BasketLine[],
  earlier: readonly EarlierReturn[],
  takenBackFor: (basket: readonly BasketLine[]) => GivenIssuance[],
): GivenIssuance[] {
  let there = without(sold, [])
  return earlier.flatMap(({ isHere, lines }) => {
    const before = there
    there = without(before, lines)
    return isHere ? [] : milesToTakeBack(takenBackFor(there), takenBackFor(before), [], [])
  })
}

/**
 * Takes back the miles of a sale with the counterpart of the call that issued them: RETURN for ISSUE, REVERSE for POST.
 */
export const returnCallsOf = perLane((ctx: Ctx) => {
  const { seal } = ctx
  const journal = ctx.outbox.journal
  const issuances = issuancesOf(ctx)
  const issuance = issuanceClientOf(ctx)
  const takingBack = withdrawalCalculatorOf(ctx)
  return {
    enqueue(tx: Tx, goods: OfSale, basket: IssuanceBasket): boolean {
      const { sale: now, returnId } = goods
      const original = now.issuance
      if (!original) return false
      const entry = {
        saleId: now.sale.id,
        collectorHash: Buffer.from(original.collector, 'hex'),
        traceId: returnId,
        after: original.id,
      }
      const first = jsonOf(journal.call(original.id, original.type).request)
      // Use the collector of the issuing call: a corrected copy may have issued miles to another card than the sale's.
      const { collectorNumber, checkoutTransactionId } = IssueRequest.parse(first)
      if (original.type === 'issue') {
        const named = original.transactionId ?? checkoutTransactionId
        const request = issuance.returnRequest({ ...basket, collectorNumber }, named)
        const dateTime = request.checkoutDateTime
        issuances.enqueue(tx, { ...entry, type: 'return', expectedMiles: null, request, dateTime })
        return true
      }
      const taking = takingBack.ofOwnSale(goods, original, PartnerBasketRequest.parse(first))
      if (taking.length === 0) return false
      // REVERSE names only the transactionId of the POST (specification 3 §4.4). Without it, queue a draft that waits
      // for the answer to the POST.
      const { transactionId } = original
      const request = issuance.postReverseRequest({ ...basket, collectorNumber }, taking, transactionId)
      issuances.enqueue(tx, {
        ...entry,
        type: 'post-reverse',
        draft: transactionId === null,
        expectedMiles: -milesOf(taking),
        request,
        dateTime: request.checkoutDateTime,
      })
      return true
    },

    /**
     * Takes back the miles of another lane's sale. Returns `later` until the store server reports the outcome of the
     * issuing call.
     */
    enqueueElsewhere(tx: Tx, goods: OfSale, basket: IssuanceBasket): 'queued' | 'nothing' | 'later' {
      const { sale: now, returnId, lines, left } = goods
      const issued = now.elsewhere?.issuance
      const collectorNumber = now.elsewhere?.secret.earner ?? now.elsewhere?.secret.collector
      if (!issued || !collectorNumber || issued.state === 'dead') return 'nothing'
      if (now.issuance && issuedNothing(now.issuance)) return 'nothing'
      if (!ANSWERED.has(issued.state ?? '')) return 'later'
      const entry = { saleId: returnId, collectorHash: seal.keyedHash(collectorNumber), traceId: returnId }
      if (issued.type === 'issue') {
        const named = issued.transactionId ?? now.sale.id
        const request = issuance.returnRequest({ ...basket, collectorNumber }, named)
        const dateTime = request.checkoutDateTime
        issuances.enqueue(tx, { ...entry, type: 'return', expectedMiles: null, request, dateTime })
        return 'queued'
      }
      const taking = takingBack.ofForeignSale(now, lines, left)
      if (taking.length === 0 || issued.transactionId === null) return 'nothing'
      const request = issuance.postReverseRequest({ ...basket, collectorNumber }, taking, issued.transactionId)
      const expectedMiles = -milesOf(taking)
      const dateTime = request.checkoutDateTime
      issuances.enqueue(tx, { ...entry, type: 'post-reverse', expectedMiles, request, dateTime })
      return 'queued'
    },
  }
})

const returnEstimatesStateOf = perLane((ctx: Ctx) => {
  const epoch = epochOf(ctx.db)
  return {
    epoch,
  }
})

const isCentralOffline = (ctx: Ctx) => centralOf(ctx).central.state === 'offline'

const returnsOf = (ctx: Ctx, saleId: string): Operation[] =>
  ctx.outbox.journal.ofSale(saleId, 'issuance').filter(({ type }) => type === 'return')

/**
 * Returns the miles that a return will take back; null if the goods earned none. The program calculates RETURN itself,
 * so for a portion of a sale the number is an estimate.
 */
function withdrawalOf(ctx: Ctx, { sale: now, lines, left, earlier: returned }: QuotedGoods): MilesTaken | null {
  const original = now.issuance
  if (!original || original.state === 'dead' || issuedNothing(original)) return null
  if (now.elsewhere) return withdrawalOfForeignSale(ctx, { sale: now, lines, left }, original)
  if (original.type === 'post') {
    const post = PartnerBasketRequest.parse(jsonOf(ctx.outbox.journal.call(original.id, 'post').request))
    return exactly(withdrawalCalculatorOf(ctx).ofOwnSale({ sale: now, lines, left, earlier: returned }, original, post))
  }
  if ((original.state !== 'confirmed' && original.state !== 'rejected') || original.miles === null)
    return { certainty: 'later' }
  const earlier = returnsOf(ctx, now.sale.id)
  const known = earlier.reduce((sum, { miles: taken, pendingMiles }) => sum + (taken ?? 0) + (pendingMiles ?? 0), 0)
  // The answers to RETURN calls of other lanes are not known here, so the miles that they took back are unknown.
  if (returned.every(({ isHere }) => isHere) && earningOf(left, []).lines.length === 0)
    return {
      certainty: earlier.every(({ state }) => state === 'confirmed') ? 'exact' : 'about',
      miles: miles(Math.max(0, original.miles + known)),
    }
  const soldCents = earningCents(now)
  return soldCents === 0 ? null : { certainty: 'about', miles: shareOf(original.miles, lines, soldCents) }
}

function withdrawalOfForeignSale(
  ctx: Ctx,
  { sale: now, lines, left }: Omit<QuotedGoods, 'earlier' | 'totals'>,
  original: Operation,
): MilesTaken | null {
  if (!ANSWERED.has(original.state) || original.miles === null) return { certainty: 'later' }
  if (original.type === 'post') return exactly(withdrawalCalculatorOf(ctx).ofForeignSale(now, lines, left))
  const soldCents = earningCents(now)
  if (soldCents === 0) return null
  return {
    certainty: sentCents(lines) === soldCents ? 'exact' : 'about',
    miles: shareOf(original.miles, lines, soldCents),
  }
}

/**
 * Asks the program for the miles that a return takes back (CALCULATE with RETURN, specification 3 §4.2) if that is
 * possible immediately; otherwise returns the estimate.
 */
async function quotedWithdrawal(ctx: Ctx, goods: QuotedGoods, at: number): Promise<MilesTaken | null> {
  const collectorMutex = collectorMutexOf(ctx)
  const estimate = withdrawalOf(ctx, goods)
  const { sale: now } = goods
  const original = now.elsewhere ? undefined : now.issuance
  if (estimate === null || estimate.certainty === 'later' || !original || original.type !== 'issue') return estimate
  const earlier = returnsOf(ctx, now.sale.id)
  // CALCULATE is only for a quote: skip it while returns of this sale are open, a call of this collector runs, or the
  // program is unreachable.
  if (earlier.some(({ state }) => isOpen(state)) || collectorMutex.busy(original.collector) || isCentralOffline(ctx))
    return estimate
  const { collectorNumber, checkoutTransactionId } = IssueRequest.parse(
    jsonOf(ctx.outbox.journal.call(original.id, 'issue').request),
  )
  const basket = returnedBasket(
    {
      ...goods,
      at,
      returnId: followingId(now.sale.id, 'returned', earlier.length + 1, returnEstimatesStateOf(ctx).epoch),
      tenders: [],
    },
    receiptLocaleOf(ctx)(),
    storeTaxesOf(ctx)(),
  )
  const named = original.transactionId ?? checkoutTransactionId
  const answer = await collectorMutex.run(original.collector, 'queued', () =>
    issuanceClientOf(ctx).calculateReturn({ ...basket, collectorNumber }, named),
  )
  const entries = answer.kind === 'answer' && answer.status === 200 ? calculatedEntries(jsonOf(answer.bytes)) : null
  if (entries === null) return estimate
  // Ignore the sign of the amounts, which the specification does not define: a return always takes miles back.
  const taken = entries.reduce((sum, { milesAmount }) => sum + Math.abs(milesAmount), 0)
  return taken === 0 ? null : { certainty: 'exact', miles: miles(taken) }
}

export const returnEstimatesOf = perLane((ctx: Ctx) => {
  returnEstimatesStateOf(ctx)
  return bound(ctx, {
    withdrawalOf,
    quotedWithdrawal,
  })
})

const earningCents = (now: SaleParts): number =>
  earningOf(pricedLines(now), []).lines.reduce((sum, { amountCents }) => sum + amountCents, 0)

const sentCents = (lines: readonly BasketLine[]): number =>
  lines.filter(isSent).reduce((sum, line) => sum + lineAmount(line), 0)

const shareOf = (earned: number, lines: readonly BasketLine[], soldCents: number) =>
  miles(Math.round((earned * sentCents(lines)) / soldCents))

const exactly = (taking: readonly GivenIssuance[]): MilesTaken | null =>
  taking.length === 0 ? null : { certainty: 'exact', miles: miles(milesOf(taking)) }

/**
 * Converts returned goods to the basket of a call, with positive amounts. Leaves out deposits and fees that earned
 * nothing; the totals are then those of the earning goods before the return, minus those after it.
 */
export function returnedBasket(
  {
    returnId,
    sale,
    at,
    lines,
    left,
    totals,
    tenders,
  }: Omit<ReturnedGoods, 'returnId' | 'earlier'> & { readonly returnId: string },
  locale: Locale,
  taxes: readonly StoreTax[],
): IssuanceBasket {
  const sent = lines.filter(isSent)
  return {
    saleId: returnId,
    atMs: at,
    totals:
      sent.length === lines.length
        ? totals
        : differenceOf(sent, left.filter(isSent), sale ? taxesOfSale(sale.sale, taxes) : taxes),
    tenders,
    locale,
    lines: sent.map((line) => ({
      ...saleLineOf(line, []),
      departmentId: line.departmentId,
      categoryId: line.categoryId,
    })),
  }
}

function differenceOf(
  returned: readonly BasketLine[],
  left: readonly BasketLine[],
  taxes: readonly StoreTax[],
): IssuanceBasket['totals'] {
  const [before, after] = [totalBasket([...returned, ...left], taxes, []), totalBasket(left, taxes, [])]
  return {
    subtotalCents: cents(before.subtotalCents - after.subtotalCents),
    taxes: before.taxes.map(({ code, amountCents }) => ({
      code,
      amountCents: cents(amountCents - (after.taxes.find((tax) => tax.code === code)?.amountCents ?? 0)),
    })),
    totalCents: cents(before.totalCents - after.totalCents),
  }
}
