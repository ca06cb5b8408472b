import type { MilesTaken } from '../../../contracts/api/returns.ts'
import { IssueRequest, PartnerBasketRequest, type GivenIssuance } from '../../../contracts/central/issuance.ts'
import { miles } from '../../../contracts/miles.ts'
import { jsonOf } from '../../central/json.ts'
import { calculatedEntries } from '../../domain/issue-answer.ts'
import { milesOf } from '../../domain/partner-miles.ts'
import { followingId } from '../../domain/sale-id.ts'
import type { Operation } from '../../outbox/operation.ts'
import { isOpen } from '../../outbox/states.ts'
import { pricedLines, type SaleParts } from '../sales/view.ts'
import { earningOf } from './earning.ts'
import type { IssuingOptions } from './options.ts'
import { returnedBasket } from './returned-basket.ts'
import { ANSWERED, gaveNothing, type QuotedGoods, type TakingBack } from './taking-back.ts'

export interface ReturnEstimatesOptions extends Pick<
  IssuingOptions,
  'journal' | 'issuance' | 'locale' | 'collectorMutex' | 'epoch' | 'centralIsAway'
> {
  readonly takingBack: TakingBack
}

/** How many miles a return would take back, before it is made. Moves nothing. */
export function createReturnEstimates(options: ReturnEstimatesOptions) {
  const { journal, issuance, takingBack } = options
  const returnsOf = (saleId: string): Operation[] =>
    journal.ofSale(saleId, 'issuance').filter(({ type }) => type === 'return')

  /**
   * Null where the goods earned none. RETURN is calculated by the program: for a part of a sale only about.
   */
  function milesTaken({ sale: now, lines, left, earlier: cameBack, totals }: QuotedGoods): MilesTaken | null {
    const original = now.issuance
    if (!original || original.state === 'dead' || gaveNothing(original)) return null
    if (now.elsewhere) return milesTakenElsewhere({ sale: now, lines, left, totals }, original)
    if (original.type === 'post') {
      const post = PartnerBasketRequest.parse(jsonOf(journal.call(original.id, 'post').request))
      return exactly(takingBack.ofOwnSale({ sale: now, lines, left, earlier: cameBack }, original, post))
    }
    if ((original.state !== 'confirmed' && original.state !== 'rejected') || original.miles === null)
      return { certainty: 'later' }
    const earlier = returnsOf(now.sale.id)
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
    { sale: now, lines, left, totals }: Omit<QuotedGoods, 'earlier'>,
    original: Operation,
  ): MilesTaken | null {
    if (!ANSWERED.has(original.state) || original.miles === null) return { certainty: 'later' }
    if (original.type === 'post') return exactly(takingBack.ofForeignSale(now, lines, left))
    const soldCents = earningCents(now)
    if (soldCents === 0) return null
    return {
      certainty: totals.subtotalCents === soldCents ? 'exact' : 'about',
      miles: shareOf(original.miles, totals, soldCents),
    }
  }

  return {
    milesTaken,

    /**
     * The same as the program itself calculates it (CALCULATE with RETURN, specification 3 §4.2), where it can be asked
     * at once; else the lane's own estimate.
     */
    async milesTakenAsked(goods: QuotedGoods, at: number): Promise<MilesTaken | null> {
      const estimate = milesTaken(goods)
      const { sale: now } = goods
      const original = now.elsewhere ? undefined : now.issuance
      if (estimate === null || estimate.certainty === 'later' || !original || original.type !== 'issue') return estimate
      const earlier = returnsOf(now.sale.id)
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
      const basket = returnedBasket(
        {
          ...goods,
          at,
          returnId: followingId(now.sale.id, 'returned', earlier.length + 1, options.epoch),
          tenders: [],
        },
        options.locale(),
      )
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

/** What of a sale earned, in cents. */
const earningCents = (now: SaleParts): number =>
  earningOf(pricedLines(now), []).lines.reduce((sum, { amountCents }) => sum + amountCents, 0)

const shareOf = (earned: number, { subtotalCents }: QuotedGoods['totals'], soldCents: number) =>
  miles(Math.round((earned * subtotalCents) / soldCents))

const exactly = (taking: readonly GivenIssuance[]): MilesTaken | null =>
  taking.length === 0 ? null : { certainty: 'exact', miles: miles(milesOf(taking)) }
