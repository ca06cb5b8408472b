import { BadgeCheck, Gift, LoaderCircle, TrendingUp } from 'lucide-react'
import type { BasketOffer } from '../../../contracts/api/basket-offers.ts'
import { useWords } from '../../i18n/words.tsx'
import { useBasketOffers } from '../../state/basket-offers.ts'
import { sessionOf, useMemberSession } from '../../state/member-session.ts'
import { awardOf, displayCards, type DisplayCard } from '../basket-offers/offer-news.ts'
import { useMissingText } from '../basket-offers/offer-words.ts'
import styles from './customer-offers.module.css'

const ICONS = { earned: BadgeCheck, nearly: TrendingUp, 'opt-in': Gift } as const

/**
 * What the basket earns, nearly earns, or would earn after an opt-in, to be read from a metre away. It gives way to
 * the code that a phone is to read. Of the member there is nothing in it.
 */
export function CustomerOffers({ saleId }: { readonly saleId: string }) {
  const { t } = useWords()
  const answer = useBasketOffers((state) => state.answer)
  const session = useMemberSession((now) => sessionOf(saleId, now)?.state)
  const cards = answer === null || session === 'asking' || session === 'waiting' ? [] : displayCards(answer)
  if (cards.length === 0) return null
  return (
    <section className={styles['offers']} aria-label={t('customer.offersHere')}>
      <ul>
        {cards.map((card) => (
          <Card key={card.offer.id} card={card} isSignedIn={answer?.member != null} />
        ))}
      </ul>
    </section>
  )
}

function Card({
  card: { offer, kind, spare },
  isSignedIn,
}: {
  readonly card: DisplayCard
  readonly isSignedIn: boolean
}) {
  const { t } = useWords()
  const missingText = useMissingText()
  const isChanging = offer.changing === 'opt-in'
  const Icon = isChanging ? LoaderCircle : ICONS[kind]
  const words = {
    earned: t('customer.offerEarned'),
    nearly: t('customer.offerNearly'),
    'opt-in': isChanging ? t('customer.optingIn') : t(isSignedIn ? 'customer.offerOptIn' : 'customer.offerSignIn'),
  }[kind]
  return (
    <li data-kind={kind} data-changing={isChanging} data-spare={spare}>
      <Icon aria-hidden="true" />
      <span>{words}</span>
      <strong className="figures">{bigWords(offer, kind, missingText)}</strong>
      <small>{offer.qualifier}</small>
    </li>
  )
}

const bigWords = (
  offer: BasketOffer,
  kind: DisplayCard['kind'],
  missingText: ReturnType<typeof useMissingText>,
): string => (kind === 'nearly' && offer.next ? missingText(offer.next.missing, offer.next.award) : awardOf(offer))
