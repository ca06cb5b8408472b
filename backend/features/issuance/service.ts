import type { z } from 'zod'
import type { MilesTaken } from '../../../contracts/api/returns.ts'
import { IssueRequest, PartnerBasketRequest, type GivenIssuance } from '../../../contracts/central/issuance.ts'
import type { CollectorNumber, SaleId } from '../../../contracts/ids.ts'
import type { Locale } from '../../../contracts/locales.ts'
import { miles } from '../../../contracts/miles.ts'
import type { PartnerRule, Profile } from '../../../contracts/profile.ts'
import type { IssuanceBasket, IssuanceClient } from '../../central/issuance.ts'
import { jsonOf } from '../../central/json.ts'
import type { Transact, Tx } from '../../db/transact.ts'
import { saleLineOf, type BasketLine } from '../../domain/basket.ts'
import { isGiftCard } from '../../domain/gift-card.ts'
import { calculatedEntries } from '../../domain/issue-answer.ts'
import { dayAt, milesOf, milesToTakeBack, partnerMiles, type EarningBasket } from '../../domain/partner-miles.ts'
import { without } from '../../domain/returns.ts'
import { wasGiven } from '../../domain/reverse-draft.ts'
import { followingId } from '../../domain/sale-id.ts'
import type { Issuances } from '../../loyalty/issue.ts'
import type { KeyedMutex } from '../../outbox/keyed-mutex.ts'
import type { Seal } from '../../outbox/seal.ts'
import { isOpen } from '../../outbox/states.ts'
import type { Journal } from '../../outbox/journal.ts'
import type { Operation } from '../../outbox/operation.ts'
import type { DomainEvents, EarlierReturn, ReturnedGoods } from '../domain-events.ts'
import { basketOf, wholeBasketOf } from '../member/basket.ts'
import type { Members } from '../member/service.ts'
import type { Sales } from '../sales/service.ts'
import { couponsOf, noEarningOf, pricedLines, type SaleParts } from '../sales/view.ts'
import type { RulesRepository } from './repository.ts'

export interface IssuingOptions {
  readonly profile: Profile
  readonly journal: Journal
  readonly transact: Transact
  readonly sales: Pick<Sales, 'exists' | 'publish'>
  readonly events: DomainEvents
  readonly issuances: Pick<Issuances, 'enqueue'>
  readonly issuance: IssuanceClient
  readonly members: Members
  readonly rules: RulesRepository
  readonly seal: Seal
  readonly locale: () => Locale
  readonly collectorMutex: Pick<KeyedMutex, 'run' | 'busy'>
  /** The lane's: see lane_epoch. */
  readonly epoch: number
  /** True while nobody answers: then the program is not asked for what nobody must wait for. */
  readonly centralIsAway: () => boolean
}

/** Goods of a return that is not made yet. */
export type QuotedGoods = Pick<OfSale, 'sale' | 'lines' | 'left' | 'earlier' | 'totals'>
type OfSale = ReturnedGoods & { readonly sale: SaleParts }

interface Recorded {
  readonly id: SaleId
  readonly collectorHash: Uint8Array
  readonly collectorNumber: CollectorNumber | null
}

/** REVERSE and REVERSE/EVENT name what they take back in one way (specification 3 §4.4). */
const Reversed = PartnerBasketRequest.pick({ issuances: true })

/** Every entry was rejected: there is nothing to take back. */
const gaveNothing = ({ state, miles: earned, pendingMiles }: Operation): boolean =>
  state === 'rejected' && earned === 0 && pendingMiles === 0

const gaveNone = (issued: Operation | undefined): boolean => issued !== undefined && gaveNothing(issued)
/** Of a call that gave miles: it was answered for good, and can be named. */
const ANSWERED: ReadonlySet<string> = new Set(['confirmed', 'accepted', 'rejected'])

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

export type Issuing = ReturnType<typeof createIssuing>

/**
 * What the program is told of sales and returns, and by which call (specification 3 §1): ISSUE and RETURN where it
 * calculates the miles, POST and REVERSE where the store does, RECORD by the profile's policy. Everything is queued in
 * the commit of the sale or the return that it tells of.
 */
export function createIssuing(options: IssuingOptions) {
  const { profile, journal, transact, sales, issuance, members, rules, seal } = options
  const { mode, record } = profile.issuance

  const earningOf = (lines: readonly BasketLine[], coupons: readonly string[]): EarningBasket => ({
    coupons,
    lines: lines
      .filter((line) => !line.voided && line.quantity > 0 && !isGiftCard(line))
      .map((line) => ({ ...line, amountCents: saleLineOf(line, []).amountCents })),
  })
  const calculate = (now: SaleParts, at: number): GivenIssuance[] =>
    partnerMiles(profile.issuance.rules, earningOf(pricedLines(now), couponsOf(now)), dayAt(at, profile.timeZone))

  /**
   * A collector's lane is the keyed hash of eleven digits. That of a sale without one is the hash of a text that is
   * never digits alone, so the two cannot meet; it holds up nobody else.
   */
  const laneOf = (now: SaleParts): Uint8Array => now.sale.memberHash ?? seal.keyedHash(`sale ${now.sale.id}`)

  /** What a RECORD belongs to, whose lane it takes, and whose transaction it tells of. */
  const ofSale = (now: SaleParts): Recorded => ({
    id: now.sale.id,
    collectorHash: laneOf(now),
    collectorNumber: members.collectorOf(now.sale),
  })

  /** Goods of a sale that the lane does not know: RECORD alone can tell of them (§4.3). */
  const unknownSale = (returnId: SaleId): Recorded => ({
    id: returnId,
    collectorHash: seal.keyedHash(`return ${returnId}`),
    collectorNumber: null,
  })

  function enqueueRecord(
    tx: Tx,
    { id, collectorHash, collectorNumber }: Recorded,
    basket: IssuanceBasket,
    kind: { transactionType: 'PURCHASE' | 'RETURN'; originalTransactionId?: string },
  ): void {
    const request = issuance.recordRequest(basket, { ...kind, collectorNumber })
    options.issuances.enqueue(tx, {
      type: 'record',
      saleId: id,
      collectorHash,
      expectedMiles: null,
      request,
      traceId: basket.saleId,
      dateTime: request.checkoutDateTime,
    })
  }
  /** "Partners also use it for transactions not qualifying for the partner-calculated calls" (§4.3). */
  const recordIsDue = (isQueued: boolean): boolean => record === 'all' || (record === 'non-members' && !isQueued)

  function enqueueEarning(tx: Tx, now: SaleParts, basket: IssuanceBasket): boolean {
    const collectorNumber = members.collectorOf(now.sale)
    if (!collectorNumber || !now.sale.memberHash) return false
    const entry = {
      saleId: now.sale.id,
      collectorHash: now.sale.memberHash,
      traceId: now.sale.id,
      noEarning: noEarningOf(now),
    }
    if (mode === 'service') {
      const request = issuance.issueRequest({ ...basket, collectorNumber })
      options.issuances.enqueue(tx, {
        ...entry,
        type: 'issue',
        expectedMiles: now.previewMiles,
        request,
        dateTime: request.checkoutDateTime,
      })
      return true
    }
    const given = calculate(now, basket.atMs)
    if (given.length === 0) return false
    rules.keep(tx, now.sale.id, profile.issuance.rules)
    const request = issuance.postRequest({ ...basket, collectorNumber }, given)
    options.issuances.enqueue(tx, {
      ...entry,
      type: 'post',
      expectedMiles: milesOf(given),
      request,
      dateTime: request.checkoutDateTime,
    })
    return true
  }

  /**
   * Takes back what the sale gave, by the call that answers to the one that gave it. Undefined when there is nothing to
   * take back.
   */
  function enqueueReturn(tx: Tx, goods: OfSale, basket: IssuanceBasket): Operation | undefined {
    const { sale: now, returnId } = goods
    const original = now.issuance
    if (!original) return undefined
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
      const request = issuance.returnRequest(
        { ...basket, collectorNumber },
        original.transactionId ?? checkoutTransactionId,
      )
      return options.issuances.enqueue(tx, {
        ...entry,
        type: 'return',
        expectedMiles: null,
        request,
        dateTime: request.checkoutDateTime,
      })
    }
    const taking = takingOf(goods, original, PartnerBasketRequest.parse(first))
    if (taking.length === 0) return undefined
    // Named by the POST's transactionId alone (§4.4): while no answer has said it, the request waits for it.
    const { transactionId } = original
    const request = issuance.postReverseRequest({ ...basket, collectorNumber }, taking, transactionId)
    return options.issuances.enqueue(tx, {
      ...entry,
      type: 'post-reverse',
      draft: transactionId === null,
      expectedMiles: -milesOf(taking),
      request,
      dateTime: request.checkoutDateTime,
    })
  }

  /** What the store itself calculated for the goods, as far as it was not taken back before. */
  function takingOf(
    { sale: now, lines, left, earlier }: Pick<OfSale, 'sale' | 'lines' | 'left' | 'earlier'>,
    { id }: Operation,
    post: z.infer<typeof PartnerBasketRequest>,
  ): GivenIssuance[] {
    // What the program rejected was never given.
    const answered = journal.entriesOf(id)
    const given = post.issuances.filter(({ issuanceOfferCode }) => wasGiven(issuanceOfferCode, answered))
    const earnedBy = earnedByRules(now, rules.ofSale(now.sale.id))
    const skus = lines.map(({ sku }) => sku)
    const taken = takenBackOf(now.sale.id)
    if (earlier.every(({ isHere }) => isHere)) return milesToTakeBack(given, taken.all, earnedBy(left), skus)
    // What other lanes took back stands in no book of this lane; each took what its goods had earned, as this one does.
    const gone = (basket: readonly BasketLine[]) => milesToTakeBack(given, [], earnedBy(basket), [])
    const before =
      taken.byHand.length === 0
        ? gone(together(left, lines))
        : [...taken.all, ...takenElsewhere(pricedLines(now), earlier, gone)]
    return milesToTakeBack(given, before, earnedBy(left), skus)
  }

  /** What a basket of this sale earns by the rules that it earned by. */
  const earnedByRules =
    (now: SaleParts, by: readonly PartnerRule[]) =>
    (basket: readonly BasketLine[]): GivenIssuance[] =>
      partnerMiles(
        by,
        earningOf(basket, couponsOf(now)),
        dayAt(now.sale.closedAt ?? now.sale.openedAt, profile.timeZone),
      )

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

  /**
   * How many miles a return of these goods takes back; null where they earned none. RETURN is calculated by the
   * program: for a part of a sale only about.
   */
  function milesTaken({ sale: now, lines, left, earlier: cameBack, totals }: QuotedGoods): MilesTaken | null {
    const original = now.issuance
    if (!original || original.state === 'dead' || gaveNothing(original)) return null
    if (now.elsewhere) return milesTakenElsewhere({ sale: now, lines, left, totals }, original)
    const isHere = cameBack.every((one) => one.isHere)
    if (original.type === 'post') {
      const taking = takingOf(
        { sale: now, lines, left, earlier: cameBack },
        original,
        PartnerBasketRequest.parse(jsonOf(journal.call(original.id, 'post').request)),
      )
      return taking.length === 0 ? null : { certainty: 'exact', miles: miles(milesOf(taking)) }
    }
    if ((original.state !== 'confirmed' && original.state !== 'rejected') || original.miles === null)
      return { certainty: 'later' }
    const earlier = journal.ofSale(now.sale.id, 'issuance').filter(({ type }) => type === 'return')
    const known = earlier.reduce((sum, { miles: taken, pendingMiles }) => sum + (taken ?? 0) + (pendingMiles ?? 0), 0)
    // What RETURN took at other lanes is not known here.
    if (isHere && earningOf(left, []).lines.length === 0)
      return {
        certainty: earlier.every(({ state }) => state === 'confirmed') ? 'exact' : 'about',
        miles: miles(Math.max(0, original.miles + known)),
      }
    const soldCents = earningOf(pricedLines(now), []).lines.reduce((sum, { amountCents }) => sum + amountCents, 0)
    return soldCents === 0
      ? null
      : { certainty: 'about', miles: miles(Math.round((original.miles * totals.subtotalCents) / soldCents)) }
  }

  /** As `milesTaken`, of a sale of another lane: what that lane was told of its returns is not known here. */
  function milesTakenElsewhere(
    { sale: now, lines, left, totals }: Omit<QuotedGoods, 'earlier'>,
    original: Operation,
  ): MilesTaken | null {
    if (!ANSWERED.has(original.state) || original.miles === null) return { certainty: 'later' }
    if (original.type === 'post') {
      const taking = elsewhereTaking(now, lines, left)
      return taking.length === 0 ? null : { certainty: 'exact', miles: miles(milesOf(taking)) }
    }
    const soldCents = earningOf(pricedLines(now), []).lines.reduce((sum, { amountCents }) => sum + amountCents, 0)
    if (soldCents === 0) return null
    const isWhole = totals.subtotalCents === soldCents
    return {
      certainty: isWhole ? 'exact' : 'about',
      miles: miles(Math.round((original.miles * totals.subtotalCents) / soldCents)),
    }
  }

  /** What came back, as the program is told of it: in positive amounts. */
  const returnedBasket = ({
    returnId,
    at,
    lines,
    totals,
    tenders,
  }: Omit<ReturnedGoods, 'returnId' | 'sale' | 'left' | 'earlier'> & { returnId: string }): IssuanceBasket => ({
    saleId: returnId,
    atMs: at,
    totals,
    tenders,
    locale: options.locale(),
    lines: lines.map((line) => ({
      ...saleLineOf(line, []),
      departmentId: line.departmentId,
      categoryId: line.categoryId,
    })),
  })

  options.events.on('sale.completed', (tx, { parts: now, view, at }) => {
    // Gift cards alone are no purchase that earns: RECORD alone tells of them.
    const earns = !now.lines.some(isGiftCard) || earningOf(pricedLines(now), []).lines.length > 0
    const isQueued = earns && enqueueEarning(tx, now, basketOf(now, view, at, options.locale()))
    if (recordIsDue(isQueued))
      enqueueRecord(tx, ofSale(now), wholeBasketOf(now, view, at, options.locale()), { transactionType: 'PURCHASE' })
  })

  /**
   * Takes back what a sale of another lane gave. What became of the call that gave it is the store's to say: `later`
   * while that is not known.
   */
  function enqueueElsewhere(tx: Tx, goods: OfSale, basket: IssuanceBasket): 'queued' | 'nothing' | 'later' {
    const { sale: now, returnId, lines, left } = goods
    const issued = now.elsewhere?.issuance
    const collectorNumber = now.elsewhere?.secret.earner ?? now.elsewhere?.secret.collector
    if (!issued || !collectorNumber || issued.state === 'dead' || gaveNone(now.issuance)) return 'nothing'
    if (!ANSWERED.has(issued.state ?? '')) return 'later'
    const entry = { saleId: returnId, collectorHash: seal.keyedHash(collectorNumber), traceId: returnId }
    if (issued.type === 'issue') {
      const named = issued.transactionId ?? now.sale.id
      const request = issuance.returnRequest({ ...basket, collectorNumber }, named)
      const dateTime = request.checkoutDateTime
      options.issuances.enqueue(tx, { ...entry, type: 'return', expectedMiles: null, request, dateTime })
      return 'queued'
    }
    const taking = elsewhereTaking(now, lines, left)
    if (taking.length === 0 || issued.transactionId === null) return 'nothing'
    const request = issuance.postReverseRequest({ ...basket, collectorNumber }, taking, issued.transactionId)
    const expectedMiles = -milesOf(taking)
    const dateTime = request.checkoutDateTime
    options.issuances.enqueue(tx, { ...entry, type: 'post-reverse', expectedMiles, request, dateTime })
    return 'queued'
  }

  /** What the store calculated for these goods, by what the basket still earned before them and after. */
  function elsewhereTaking(now: SaleParts, lines: readonly BasketLine[], left: readonly BasketLine[]): GivenIssuance[] {
    const issued = now.elsewhere?.issuance
    if (!issued) return []
    const given = issued.given.filter(({ issuanceOfferCode }) => wasGiven(issuanceOfferCode, issued.answered))
    const earnedBy = earnedByRules(now, issued.rules)
    const takenBefore = milesToTakeBack(given, [], earnedBy(together(left, lines)), [])
    const skus = lines.map(({ sku }) => sku)
    return milesToTakeBack(given, takenBefore, earnedBy(left), skus)
  }

  options.events.on('return.committed', (tx, { sale, ...goods }) => {
    const basket = returnedBasket(goods)
    if (sale?.elsewhere) {
      const became = enqueueElsewhere(tx, { ...goods, sale }, basket)
      if (became === 'later') options.events.emit('return.miles-later', tx, goods.returnId, goods.left)
      const collectorNumber = sale.elsewhere.secret.collector ?? null
      if (recordIsDue(became !== 'nothing'))
        enqueueRecord(tx, { ...unknownSale(goods.returnId), collectorNumber }, basket, {
          transactionType: 'RETURN',
          originalTransactionId: sale.sale.id,
        })
      return
    }
    const isQueued = sale !== null && enqueueReturn(tx, { ...goods, sale }, basket) !== undefined
    if (!recordIsDue(isQueued)) return
    if (sale !== null)
      enqueueRecord(tx, ofSale(sale), basket, { transactionType: 'RETURN', originalTransactionId: sale.sale.id })
    else enqueueRecord(tx, unknownSale(goods.returnId), basket, { transactionType: 'RETURN' })
  })

  return {
    /** From now on the screens see what became of the miles of a sale. */
    watch(): void {
      journal.events.on('operation.moved', (_tx, { kind, saleId }) => {
        // A return without a record belongs to no sale that a screen could show.
        if (kind === 'issuance' && sales.exists(saleId))
          transact.afterCommit(() => {
            sales.publish(saleId, 'issuance')
          })
      })
    },

    /**
     * The miles of an open basket by the store's own rules, offer by offer; null where the program calculates and must
     * be asked.
     */
    preview: (now: SaleParts, at: number): GivenIssuance[] | null => (mode === 'partner' ? calculate(now, at) : null),

    milesTaken,

    /** Miles that had to wait for how they were given. False: it is still not known. */
    takeBackNow: (tx: Tx, { sale, ...goods }: OfSale): boolean =>
      enqueueElsewhere(tx, { ...goods, sale }, returnedBasket(goods)) !== 'later',

    /**
     * The same as the program itself calculates it (CALCULATE with RETURN, specification 3 §4.2), where it can be asked
     * at once; else the lane's own estimate. Moves nothing.
     */
    async milesTakenAsked(goods: QuotedGoods, at: number): Promise<MilesTaken | null> {
      const estimate = milesTaken(goods)
      const { sale: now } = goods
      const original = now.elsewhere ? undefined : now.issuance
      if (estimate === null || estimate.certainty === 'later' || !original || original.type !== 'issue') return estimate
      const earlier = journal.ofSale(now.sale.id, 'issuance').filter(({ type }) => type === 'return')
      // Of a return that is still on its way the program knows nothing yet; and no call of the collector is held up.
      if (
        earlier.some(({ state }) => isOpen(state)) ||
        options.collectorMutex.busy(original.collector) ||
        options.centralIsAway()
      )
        return estimate
      const { collectorNumber, checkoutTransactionId } = IssueRequest.parse(
        jsonOf(journal.call(original.id, 'issue').request),
      )
      const basket = returnedBasket({
        ...goods,
        at,
        returnId: followingId(now.sale.id, 'returned', earlier.length + 1, options.epoch),
        tenders: [],
      })
      const named = original.transactionId ?? checkoutTransactionId
      const answer = await options.collectorMutex.run(original.collector, 'queued', () =>
        issuance.calculateReturn({ ...basket, collectorNumber }, named),
      )
      const entries = answer.kind === 'answer' && answer.status === 200 ? calculatedEntries(jsonOf(answer.bytes)) : null
      if (entries === null) return estimate
      // Whether the answer signs them is not shown: they are taken back either way.
      const taken = entries.reduce((sum, { milesAmount }) => sum + Math.abs(milesAmount), 0)
      return taken === 0 ? null : { certainty: 'exact', miles: miles(taken) }
    },
  }
}
