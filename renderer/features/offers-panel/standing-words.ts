import type { BasketOffer } from '../../../contracts/api/basket-offers.ts'
import { useWords } from '../../i18n/words.tsx'
import { awardOf } from '../basket-offers/offer-news.ts'
import { useMissingText } from '../basket-offers/offer-words.ts'

/** How an offer stands to the basket, and what would change that. */
export function useStandingText(): (offer: BasketOffer) => string {
  const { t, format } = useWords()
  const missingText = useMissingText()
  return (offer) => {
    const { standing, reached, next, coupon } = offer
    const award = awardOf(offer)
    switch (standing) {
      case 'earned':
        return t('offersPanel.says.earned', { award })
      case 'coupon-first':
        return reached ? t('offersPanel.says.coupon-first', { award }) : t('offersPanel.says.coupon-more')
      case 'opt-in-first':
        if (reached && coupon === 'to-apply') return t('offersPanel.says.opt-in-code')
        return reached ? t('offersPanel.says.opt-in-first', { award }) : t('offersPanel.says.opt-in-more')
      case 'nearly':
      case 'open':
        return next ? missingText(next.missing, next.award) : t('offersPanel.says.open')
      case 'shown':
        return t('offersPanel.says.shown')
      case 'coming':
        return t('offersPanel.says.coming', { date: format.date(offer.startsOn) })
    }
  }
}
