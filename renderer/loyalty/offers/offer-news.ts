import type { BasketOffer, BasketOffers, MissingForTier } from '../../../contracts/loyalty/basket-offers.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'

/**
 * The most useful fact about the basket's offers. `about`: the program's text of the condition, if the fact is about a
 * single offer; `others`: the number of further relevant offers.
 */
export type OfferNews = { readonly others: number; readonly about: string | null } & (
  | { readonly kind: 'changing' }
  | { readonly kind: 'opt-in'; readonly count: number; readonly miles: number | null }
  | { readonly kind: 'code'; readonly award: string }
  | { readonly kind: 'nearly'; readonly missing: MissingForTier; readonly award: string }
  | { readonly kind: 'earned'; readonly awards: readonly string[] }
  | { readonly kind: 'none' }
)

const MAX_AWARDS = 2

export const isEarned = ({ standing }: BasketOffer): boolean => standing === 'earned'
/** Whether the basket meets all conditions of an offer except the member's opt-in. */
export const waitsForOptIn = ({ standing, reached, coupon }: BasketOffer): boolean =>
  standing === 'opt-in-first' && reached !== null && coupon !== 'to-apply'
const waitsForCode = ({ standing, reached }: BasketOffer): boolean => standing === 'coupon-first' && reached !== null
export const isNearly = ({ standing, next }: BasketOffer): boolean =>
  next?.near === true && (standing === 'nearly' || standing === 'earned')

/** Whether an opt-in is pending. A pending save does not count, because it changes nothing for the basket. */
export const isOptingIn = (offers: readonly BasketOffer[]): boolean =>
  offers.some(({ changing }) => changing === 'opt-in')

/** The current or possible award of an offer: of the reached tier, else of the next tier, else the offer's own text. */
export const awardOf = ({ reached, next, award }: BasketOffer): string => (reached ?? next)?.award ?? award

/**
 * Chooses the text of the offer line by what can still be done: a pending opt-in, an opt-in by one press, a code, a
 * little more in the basket, an opt-in after a sign-in, earned offers. `canSignIn`: whether the member of this sale can
 * still sign in.
 */
export function offerNews({ offers, member, optInAll }: BasketOffers, canSignIn: boolean): OfferNews {
  const waiting = offers.filter(waitsForOptIn)
  const [code] = offers.filter(waitsForCode)
  const [near] = offers.filter(isNearly)
  const earned = offers.filter(isEarned)
  const relevantCount = offers.filter(
    (offer) => waitsForOptIn(offer) || waitsForCode(offer) || isNearly(offer) || isEarned(offer),
  ).length
  const of = (named: readonly BasketOffer[]): Pick<OfferNews, 'others' | 'about'> => ({
    others: relevantCount - named.length,
    about: named.length === 1 ? (named[0]?.qualifier ?? null) : null,
  })
  if (member && isOptingIn(offers)) return { kind: 'changing', ...of([]) }
  if (member && optInAll) {
    const named = waiting.filter(({ id }) => optInAll.offerIds.includes(id))
    return { kind: 'opt-in', count: optInAll.offerIds.length, miles: optInAll.miles, ...of(named) }
  }
  if (code) return { kind: 'code', award: awardOf(code), ...of([code]) }
  if (near?.next) return { kind: 'nearly', missing: near.next.missing, award: near.next.award, ...of([near]) }
  const optIn = { kind: 'opt-in', count: waiting.length, miles: milesOf(waiting), ...of(waiting) } as const
  if (canSignIn && waiting.length > 0) return optIn
  const named = earned.slice(0, MAX_AWARDS)
  if (named.length > 0) return { kind: 'earned', awards: named.map(awardOf), ...of(named) }
  return waiting.length > 0 ? optIn : { kind: 'none', ...of([]) }
}

/** Sum of the offers' miles; null where an offer has no number of miles. */
const milesOf = (offers: readonly BasketOffer[]): number | null =>
  offers.reduce<number | null>(
    (sum, { reached }) => (sum === null || reached?.miles == null ? null : sum + reached.miles),
    0,
  )

/** A card of the customer display for one offer. `spare`: hidden on a low screen. */
export type DisplayCard = Card & { readonly spare: boolean }
interface Card {
  readonly offer: BasketOffer
  readonly kind: 'earned' | 'nearly' | 'opt-in'
}

const MAX_CARDS = 3
const MAX_ON_LOW = 2

const cardOf = (offer: BasketOffer): Card[] => {
  if (waitsForOptIn(offer)) return [{ offer, kind: 'opt-in' }]
  if (isEarned(offer)) return [{ offer, kind: 'earned' }]
  return isNearly(offer) ? [{ offer, kind: 'nearly' }] : []
}

/** Chooses the offer cards of the customer display: the best of each kind before a second of any. */
export function displayCards({ offers }: Pick<BasketOffers, 'offers'>): readonly DisplayCard[] {
  const cards = offers.flatMap(cardOf)
  const firsts = cards.filter(({ kind }, at) => cards.findIndex((other) => other.kind === kind) === at)
  const chosen = [...firsts, ...cards.filter((card) => !firsts.includes(card))].slice(0, MAX_CARDS)
  return cards
    .filter((card) => chosen.includes(card))
    .map((card) => ({ ...card, spare: chosen.indexOf(card) >= MAX_ON_LOW }))
}

/** Describes what an offer still needs: "$3.20 more for 100 miles" / "One more item for 100 miles". */
export function useMissingText(): (missing: MissingForTier, award: string) => string {
  const { t, format } = useI18n()
  return ({ unit, amount }, award) =>
    unit === 'cents'
      ? t('basketOffers.moreCents', { amount: format.money(amount), award })
      : t('basketOffers.morePieces', { count: amount, award })
}

export function useNewsText(): (news: OfferNews) => string {
  const { t } = useI18n()
  const missingText = useMissingText()
  const milesText = useMilesText()
  return (news) => {
    switch (news.kind) {
      case 'changing':
        return t('basketOffers.lineChanging')
      case 'opt-in':
        return news.miles === null
          ? t('basketOffers.lineOptIn', { count: news.count })
          : t('basketOffers.lineOptInMiles', { count: news.count, miles: milesText(news.miles) })
      case 'code':
        return t('basketOffers.lineCode', { award: news.award })
      case 'nearly':
        return missingText(news.missing, news.award)
      case 'earned':
        return t('basketOffers.lineEarned', { awards: news.awards.join(', ') })
      case 'none':
        return t('basketOffers.lineNone')
    }
  }
}
