import { BadgeCheck, Gift, LoaderCircle, Smartphone, Tag, TicketPercent, TrendingUp } from 'lucide-react'
import { Button as AriaButton } from 'react-aria-components'
import { useWords } from '../../i18n/words.tsx'
import { useBasketOffers } from '../../state/basket-offers.ts'
import { useSale } from '../../state/sale.ts'
import { ActionButton } from '../../ui/button.tsx'
import { Key } from '../../ui/key.tsx'
import { useAction } from '../../ui/use-actions.ts'
import { useCanSignIn } from './can-sign-in.ts'
import styles from './offer-line.module.css'
import { offerNews, type OfferNews } from './offer-news.ts'
import { useNewsText } from './offer-words.ts'

const ICONS = {
  changing: LoaderCircle,
  'opt-in': Gift,
  code: TicketPercent,
  nearly: TrendingUp,
  earned: BadgeCheck,
  none: Tag,
} as const satisfies Record<OfferNews['kind'], unknown>

/**
 * The most useful thing about the offers, under the basket. It has its place as long as the lane has offers, whatever
 * it says: nothing moves while items are scanned. No live region: a scan is heard once, as its line.
 */
export function OfferLine() {
  const hasSale = useSale(({ current }) => current !== null)
  const shown = useBasketOffers(({ listed, answer }) => (answer ? answer.offers.length > 0 : listed))
  return hasSale && shown ? <Line /> : null
}

function Line() {
  const { t } = useWords()
  const { answer, failed } = useBasketOffers()
  const canSignIn = useCanSignIn()
  const newsText = useNewsText()
  const show = useAction('basket-offers')
  const optIn = useAction('offers-opt-in')
  const news = answer && offerNews(answer, canSignIn)
  const Icon = !news ? Tag : news.kind === 'opt-in' && answer.member === null ? Smartphone : ICONS[news.kind]
  const words = news ? newsText(news) : t(failed ? 'basketOffers.failed' : 'basketOffers.loading')
  const about = news?.about ?? ''
  const others = news && news.others > 0 ? t('basketOffers.others', { count: news.others }) : ''
  return (
    <div className={styles['place']} role="group" aria-label={t('basketOffers.line')}>
      <AriaButton
        className={`${styles['line']} ${styles[news?.kind ?? 'none']}`}
        aria-label={[words, about, others, show.label].filter((part) => part !== '').join(' ')}
        isDisabled={!show.enabled}
        onPress={show.perform}
      >
        <Icon aria-hidden="true" />
        <span className={styles['words']}>
          <strong className="figures">{words}</strong>{' '}
          {about !== '' && <span className={styles['about']}>{about}</span>}
        </span>{' '}
        {others !== '' && <small>{others}</small>}
        <Key name="Ctrl+F" />
      </AriaButton>
      {optIn.enabled && (
        <ActionButton id="offers-opt-in" look="miles" label={t('basketOffers.optInShort')} icon={<Gift />} />
      )}
    </div>
  )
}
