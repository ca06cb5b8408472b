import type { z } from 'zod'
import { PartnerBasketRequest, type GivenIssuance } from '../../../contracts/central/issuance.ts'
import type { Profile } from '../../../contracts/profile.ts'
import { jsonOf } from '../../central/json.ts'
import type { BasketLine } from '../../domain/basket.ts'
import { milesToTakeBack } from '../../domain/partner-miles.ts'
import { without } from '../../domain/returns.ts'
import { wasGiven } from '../../domain/reverse-draft.ts'
import type { Journal } from '../../outbox/journal.ts'
import type { Operation } from '../../outbox/operation.ts'
import type { EarlierReturn, ReturnedGoods } from '../domain-events.ts'
import { pricedLines, type SaleParts } from '../sales/view.ts'
import { earnedByRules } from './earning.ts'
import type { RulesRepository } from './repository.ts'

/** Goods of a return, with their sale. */
export type OfSale = ReturnedGoods & { readonly sale: SaleParts }
/** Goods of a return that is not made yet. */
export type QuotedGoods = Pick<OfSale, 'sale' | 'lines' | 'left' | 'earlier' | 'totals'>

export interface TakingBackOptions {
  readonly profile: Pick<Profile, 'timeZone'>
  readonly journal: Pick<Journal, 'entriesOf' | 'ofSale' | 'call'>
  readonly rules: Pick<RulesRepository, 'ofSale'>
}

/** REVERSE and REVERSE/EVENT name what they take back in one way (specification 3 §4.4). */
const Reversed = PartnerBasketRequest.pick({ issuances: true })

export type TakingBack = ReturnType<typeof createTakingBack>

/** What a return takes back of miles that the store calculated itself (specification 3 §4.4). */
export function createTakingBack({ profile, journal, rules }: TakingBackOptions) {
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
}

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
