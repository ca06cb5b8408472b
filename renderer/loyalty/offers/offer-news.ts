import type { BasketOffer, BasketOffers, MissingForTier } from '../../../contracts/loyalty/basket-offers.ts'
import { useMilesText, useWords } from '../../core/i18n/words.tsx'

/**
 * The one thing about the offers that is most use now; `about`: what the program says that it asks, where it is of one
 * offer; `others`: how many more offers have something to say.
 */
export type OfferNews = { readonly others: number; readonly about: string | null } & (
  | { readonly kind: 'changing' }
  | { readonly kind: 'opt-in'; readonly count: number; readonly miles: number | null }
  | { readonly kind: 'code'; readonly award: string }
  | { readonly kind: 'nearly'; readonly missing: MissingForTier; readonly award: string }
  | { readonly kind: 'earned'; readonly awards: readonly string[] }
  | { readonly kind: 'none' }
)

/** As many awards as a glance takes in. */
const MOST_AWARDS = 2

export const isEarned = ({ standing }: BasketOffer): boolean => standing === 'earned'
/** The basket has all that it asks, and the member's opt-in alone is missing. */
export const waitsForOptIn = ({ standing, reached, coupon }: BasketOffer): boolean =>
  standing === 'opt-in-first' && reached !== null && coupon !== 'to-apply'
const waitsForCode = ({ standing, reached }: BasketOffer): boolean => standing === 'coupon-first' && reached !== null
/** A little more gives it, or gives more of it. */
export const isNearly = ({ standing, next }: BasketOffer): boolean =>
  next?.near === true && (standing === 'nearly' || standing === 'earned')

/** An opt-in is on its way; a save is nothing that a basket waits for. */
export const isOptingIn = (offers: readonly BasketOffer[]): boolean =>
  offers.some(({ changing }) => changing === 'opt-in')

/** What an offer gives now, or would: the tier that is reached, else the next, else what it says of itself. */
export const awardOf = ({ reached, next, award }: BasketOffer): string => (reached ?? next)?.award ?? award

/**
 * What the line under the basket says, in the order of what can still be done about it: what is on its way, what one
 * press gives, a code, a little more in the basket, what a sign-in would give, and what is earned already.
 * `canSignIn`: the member of this sale can still sign in.
 */
export function offerNews({ offers, member, optInAll }: BasketOffers, canSignIn: boolean): OfferNews {
  const waiting = offers.filter(waitsForOptIn)
  const [code] = offers.filter(waitsForCode)
  const [near] = offers.filter(isNearly)
  const earned = offers.filter(isEarned)
  const worthAWord = offers.filter(
    (offer) => waitsForOptIn(offer) || waitsForCode(offer) || isNearly(offer) || isEarned(offer),
  ).length
  /** What is the same whatever the line says, of these offers. */
  const of = (told: readonly BasketOffer[]): Pick<OfferNews, 'others' | 'about'> => ({
    others: worthAWord - told.length,
    about: told.length === 1 ? (told[0]?.qualifier ?? null) : null,
  })
  if (member && isOptingIn(offers)) return { kind: 'changing', ...of([]) }
  if (member && optInAll) {
    const told = waiting.filter(({ id }) => optInAll.offerIds.includes(id))
    return { kind: 'opt-in', count: optInAll.offerIds.length, miles: optInAll.miles, ...of(told) }
  }
  if (code) return { kind: 'code', award: awardOf(code), ...of([code]) }
  if (near?.next) return { kind: 'nearly', missing: near.next.missing, award: near.next.award, ...of([near]) }
  const optIn = { kind: 'opt-in', count: waiting.length, miles: milesOf(waiting), ...of(waiting) } as const
  if (canSignIn && waiting.length > 0) return optIn
  const told = earned.slice(0, MOST_AWARDS)
  if (told.length > 0) return { kind: 'earned', awards: told.map(awardOf), ...of(told) }
  return waiting.length > 0 ? optIn : { kind: 'none', ...of([]) }
}

/** Miles of all of them; null where one does not say how many. */
const milesOf = (offers: readonly BasketOffer[]): number | null =>
  offers.reduce<number | null>(
    (sum, { reached }) => (sum === null || reached?.miles == null ? null : sum + reached.miles),
    0,
  )

/** `spare`: what a low screen has no room for. */
export type DisplayCard = Card & { readonly spare: boolean }
interface Card {
  readonly offer: BasketOffer
  readonly kind: 'earned' | 'nearly' | 'opt-in'
}

/** What the customer's screen has room for, and a low one. */
const MOST_CARDS = 3
const MOST_ON_LOW = 2

const cardOf = (offer: BasketOffer): Card[] => {
  if (waitsForOptIn(offer)) return [{ offer, kind: 'opt-in' }]
  if (isEarned(offer)) return [{ offer, kind: 'earned' }]
  return isNearly(offer) ? [{ offer, kind: 'nearly' }] : []
}

/** The cards of the customer's screen: the best of each kind before a second of any, each kind in its place. */
export function displayCards({ offers }: Pick<BasketOffers, 'offers'>): readonly DisplayCard[] {
  const cards = offers.flatMap(cardOf)
  const firsts = cards.filter(({ kind }, at) => cards.findIndex((other) => other.kind === kind) === at)
  const chosen = [...firsts, ...cards.filter((card) => !firsts.includes(card))].slice(0, MOST_CARDS)
  return cards
    .filter((card) => chosen.includes(card))
    .map((card) => ({ ...card, spare: chosen.indexOf(card) >= MOST_ON_LOW }))
}

/** "$3.20 more for 100 miles" / "One more item for 100 miles". */
export function useMissingText(): (missing: MissingForTier, award: string) => string {
  const { t, format } = useWords()
  return ({ unit, amount }, award) =>
    unit === 'cents'
      ? t('basketOffers.moreCents', { amount: format.money(amount), award })
      : t('basketOffers.morePieces', { count: amount, award })
}

/** The line under the basket. */
export function useNewsText(): (news: OfferNews) => string {
  const { t } = useWords()
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
