import type { MissingForTier } from '../../../contracts/api/basket-offers.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import type { OfferNews } from './offer-news.ts'

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
