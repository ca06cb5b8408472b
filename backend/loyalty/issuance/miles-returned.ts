import type { z } from 'zod'
import { type GivenIssuance, IssueRequest, PartnerBasketRequest } from '../../../contracts/central/issuance.ts'
import { jsonOf } from '../../core/central/wire.ts'
import { type BasketLine, saleLineOf, without } from '../../sales/sale/basket.ts'
import { milesOf, milesToTakeBack } from './partner-miles.ts'
import { wasGiven, calculatedEntries } from '../services/issue-answer.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import type { EarlierReturn, ReturnedGoods } from '../../sales/sale/domain-events.ts'
import { type SaleParts, pricedLines } from '../../sales/sale/sale-parts.ts'
import { earnedByRules, earningOf, rulesOf } from './issuing-options.ts'
import { type IssuanceBasket, issuanceClientOf } from '../services/issuance.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { MilesTaken } from '../../../contracts/payments/returns.ts'
import { miles } from '../../../contracts/core/money.ts'
import { followingId } from '../../sales/sale/sale-id.ts'
import { isOpen } from '../../core/outbox/states.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { issuancesOf } from '../calls/issue.ts'
import { collectorMutexOf } from '../../store/collector-turns.ts'
import { centralOf } from '../../core/central/services.ts'
import { epochOf } from '../../core/db/database.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'

/** Goods of a return, with their sale. */
export type OfSale = ReturnedGoods & { readonly sale: SaleParts }
/** Goods of a return that is not made yet. */
export type QuotedGoods = Pick<OfSale, 'sale' | 'lines' | 'left' | 'earlier' | 'totals'>

/** REVERSE and REVERSE/EVENT name what they take back in one way (specification 3 §4.4). */
const Reversed = PartnerBasketRequest.pick({ issuances: true })

/** What a return takes back of miles that the store calculated itself (specification 3 §4.4). */
const takingBackOf = perLane((ctx: Ctx) => {
  const { profile } = ctx
  const journal = ctx.outbox.journal
  const rules = rulesOf(ctx)
  /**
   * What earlier returns of a sale at this lane and a manager's corrections took back; of a refused call and its
   * corrected copy, the copy. `byHand`: beside the returns.
   */
  function takenBackOf(saleId: string): Record<'all' | 'byHand', GivenIssuance[]> {
    const reverses = journal
      .ofSale(saleId, 'issuance')
      .filter(({ type }) => type === 'post-reverse' || type === 'reverse-event')
    const corrected = new Set(reverses.map(({ correctsId }) => correctsId))
    const issuancesOf = (of: typeof reverses): GivenIssuance[] =>
      of.flatMap(({ id, type }) => Reversed.parse(jsonOf(journal.call(id, type).request)).issuances)
    const standing = reverses.filter(({ id }) => !corrected.has(id))
    return { all: issuancesOf(standing), byHand: issuancesOf(standing.filter(({ type }) => type === 'reverse-event')) }
  }

  return {
    /** As far as it was not taken back before. `post`: the call that gave it. */
    ofOwnSale(
      { sale: now, lines, left, earlier }: Pick<OfSale, 'sale' | 'lines' | 'left' | 'earlier'>,
      { id }: Operation,
      post: z.infer<typeof PartnerBasketRequest>,
    ): GivenIssuance[] {
      // What the program rejected was never given.
      const answered = journal.entriesOf(id)
      const given = post.issuances.filter(({ issuanceOfferCode }) => wasGiven(issuanceOfferCode, answered))
      const earnedBy = earnedByRules(profile, now, rules.ofSale(now.sale.id))
      const skus = lines.map(({ sku }) => sku)
      const taken = takenBackOf(now.sale.id)
      if (earlier.every(({ isHere }) => isHere)) return milesToTakeBack(given, taken.all, earnedBy(left), skus)
      // What other lanes took back stands in no book of this lane; each took what its goods had earned, as this one
      // does.
      const gone = (basket: readonly BasketLine[]) => milesToTakeBack(given, [], earnedBy(basket), [])
      const before =
        taken.byHand.length === 0
          ? gone(together(left, lines))
          : [...taken.all, ...takenElsewhere(pricedLines(now), earlier, gone)]
      return milesToTakeBack(given, before, earnedBy(left), skus)
    },

    /** By what the basket of another lane's sale still earned before these goods and after. */
    ofForeignSale(now: SaleParts, lines: readonly BasketLine[], left: readonly BasketLine[]): GivenIssuance[] {
      const issued = now.elsewhere?.issuance
      if (!issued) return []
      const given = issued.given.filter(({ issuanceOfferCode }) => wasGiven(issuanceOfferCode, issued.answered))
      const earnedBy = earnedByRules(profile, now, issued.rules)
      const takenBefore = milesToTakeBack(given, [], earnedBy(together(left, lines)), [])
      const skus = lines.map(({ sku }) => sku)
      return milesToTakeBack(given, takenBefore, earnedBy(left), skus)
    },
  }
})

/** Every entry was rejected: there is nothing to take back. */
export const gaveNothing = ({ state, miles: earned, pendingMiles }: Operation): boolean =>
  state === 'rejected' && earned === 0 && pendingMiles === 0
/** Of a call that gave miles: it was answered for good, and can be named. */
export const ANSWERED: ReadonlySet<string> = new Set(['confirmed', 'accepted', 'rejected'])

/** What was there before goods came back: pieces of a line are one line. */
const together = (left: readonly BasketLine[], returned: readonly BasketLine[]): BasketLine[] => {
  const before = new Map(left.map((line) => [line.number, line]))
  for (const line of returned) {
    const rest = before.get(line.number)
    before.set(line.number, rest ? { ...rest, quantity: rest.quantity + line.quantity } : line)
  }
  return [...before.values()]
}

/** What returns at other lanes took back, each by what was there before it and after; `gone`: of a basket. */
function takenElsewhere(
  sold: readonly BasketLine[],
  earlier: readonly EarlierReturn[],
  gone: (basket: readonly BasketLine[]) => GivenIssuance[],
): GivenIssuance[] {
  let there = without(sold, [])
  return earlier.flatMap(({ isHere, lines }) => {
    const before = there
    there = without(before, lines)
    return isHere ? [] : milesToTakeBack(gone(there), gone(before), [], [])
  })
}

/** Takes back what a sale gave, by the call that answers to the one that gave it: RETURN to ISSUE, REVERSE to POST. */
export const returnCallsOf = perLane((ctx: Ctx) => {
  const { seal } = ctx
  const journal = ctx.outbox.journal
  const issuances = issuancesOf(ctx)
  const issuance = issuanceClientOf(ctx)
  const takingBack = takingBackOf(ctx)
  return {
    /** Answers whether there was anything to take back. */
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
      // Whoever gets miles taken back is whoever got them: a corrected copy may have gone to another card than the
      // sale's.
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
      // Named by the POST's transactionId alone (§4.4): while no answer has said it, the request waits for it.
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
     * The same for a sale of another lane. What became of the call that gave it is the store's to say: `later` while
     * that is not known.
     */
    enqueueElsewhere(tx: Tx, goods: OfSale, basket: IssuanceBasket): 'queued' | 'nothing' | 'later' {
      const { sale: now, returnId, lines, left } = goods
      const issued = now.elsewhere?.issuance
      const collectorNumber = now.elsewhere?.secret.earner ?? now.elsewhere?.secret.collector
      if (!issued || !collectorNumber || issued.state === 'dead') return 'nothing'
      if (now.issuance && gaveNothing(now.issuance)) return 'nothing'
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

const centralIsAway = (ctx: Ctx) => centralOf(ctx).central.state === 'offline'

const returnsOf = (ctx: Ctx, saleId: string): Operation[] =>
  ctx.outbox.journal.ofSale(saleId, 'issuance').filter(({ type }) => type === 'return')

/**
 * Null where the goods earned none. RETURN is calculated by the program: for a part of a sale only about.
 */
function milesTaken(ctx: Ctx, { sale: now, lines, left, earlier: cameBack, totals }: QuotedGoods): MilesTaken | null {
  const original = now.issuance
  if (!original || original.state === 'dead' || gaveNothing(original)) return null
  if (now.elsewhere) return milesTakenElsewhere(ctx, { sale: now, lines, left, totals }, original)
  if (original.type === 'post') {
    const post = PartnerBasketRequest.parse(jsonOf(ctx.outbox.journal.call(original.id, 'post').request))
    return exactly(takingBackOf(ctx).ofOwnSale({ sale: now, lines, left, earlier: cameBack }, original, post))
  }
  if ((original.state !== 'confirmed' && original.state !== 'rejected') || original.miles === null)
    return { certainty: 'later' }
  const earlier = returnsOf(ctx, now.sale.id)
  const known = earlier.reduce((sum, { miles: taken, pendingMiles }) => sum + (taken ?? 0) + (pendingMiles ?? 0), 0)
  // What RETURN took at other lanes is not known here.
  if (cameBack.every(({ isHere }) => isHere) && earningOf(left, []).lines.length === 0)
    return {
      certainty: earlier.every(({ state }) => state === 'confirmed') ? 'exact' : 'about',
      miles: miles(Math.max(0, original.miles + known)),
    }
  const soldCents = earningCents(now)
  return soldCents === 0 ? null : { certainty: 'about', miles: shareOf(original.miles, totals, soldCents) }
}

/** As `milesTaken`, of a sale of another lane: what that lane was told of its returns is not known here. */
function milesTakenElsewhere(
  ctx: Ctx,
  { sale: now, lines, left, totals }: Omit<QuotedGoods, 'earlier'>,
  original: Operation,
): MilesTaken | null {
  if (!ANSWERED.has(original.state) || original.miles === null) return { certainty: 'later' }
  if (original.type === 'post') return exactly(takingBackOf(ctx).ofForeignSale(now, lines, left))
  const soldCents = earningCents(now)
  if (soldCents === 0) return null
  return {
    certainty: totals.subtotalCents === soldCents ? 'exact' : 'about',
    miles: shareOf(original.miles, totals, soldCents),
  }
}

/**
 * The same as the program itself calculates it (CALCULATE with RETURN, specification 3 §4.2), where it can be asked
 * at once; else the lane's own estimate.
 */
async function milesTakenAsked(ctx: Ctx, goods: QuotedGoods, at: number): Promise<MilesTaken | null> {
  const collectorMutex = collectorMutexOf(ctx)
  const estimate = milesTaken(ctx, goods)
  const { sale: now } = goods
  const original = now.elsewhere ? undefined : now.issuance
  if (estimate === null || estimate.certainty === 'later' || !original || original.type !== 'issue') return estimate
  const earlier = returnsOf(ctx, now.sale.id)
  // Of a return that is still on its way the program knows nothing yet; and no call of the collector is held up.
  if (earlier.some(({ state }) => isOpen(state)) || collectorMutex.busy(original.collector) || centralIsAway(ctx))
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
  )
  const named = original.transactionId ?? checkoutTransactionId
  const answer = await collectorMutex.run(original.collector, 'queued', () =>
    issuanceClientOf(ctx).calculateReturn({ ...basket, collectorNumber }, named),
  )
  const entries = answer.kind === 'answer' && answer.status === 200 ? calculatedEntries(jsonOf(answer.bytes)) : null
  if (entries === null) return estimate
  // Whether the answer signs them is not shown: they are taken back either way.
  const taken = entries.reduce((sum, { milesAmount }) => sum + Math.abs(milesAmount), 0)
  return taken === 0 ? null : { certainty: 'exact', miles: miles(taken) }
}

/** How many miles a return would take back, before it is made. Moves nothing. */
export const returnEstimatesOf = perLane((ctx: Ctx) => {
  returnEstimatesStateOf(ctx)
  return bound(ctx, {
    milesTaken,
    milesTakenAsked,
  })
})

/** What of a sale earned, in cents. */
const earningCents = (now: SaleParts): number =>
  earningOf(pricedLines(now), []).lines.reduce((sum, { amountCents }) => sum + amountCents, 0)

const shareOf = (earned: number, { subtotalCents }: QuotedGoods['totals'], soldCents: number) =>
  miles(Math.round((earned * subtotalCents) / soldCents))

const exactly = (taking: readonly GivenIssuance[]): MilesTaken | null =>
  taking.length === 0 ? null : { certainty: 'exact', miles: miles(milesOf(taking)) }

/** What came back, as the program is told of it: in positive amounts. */
export const returnedBasket = (
  {
    returnId,
    at,
    lines,
    totals,
    tenders,
  }: Omit<ReturnedGoods, 'returnId' | 'sale' | 'left' | 'earlier'> & { readonly returnId: string },
  locale: Locale,
): IssuanceBasket => ({
  saleId: returnId,
  atMs: at,
  totals,
  tenders,
  locale,
  lines: lines.map((line) => ({
    ...saleLineOf(line, []),
    departmentId: line.departmentId,
    categoryId: line.categoryId,
  })),
})
