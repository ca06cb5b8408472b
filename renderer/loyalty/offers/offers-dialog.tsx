import { Suspense, lazy } from 'react'
import { useI18n } from '../../core/i18n/i18n.ts'
import { loadChunk } from '../../core/loading/chunks.ts'
import { useBasketOffers } from './basket-offers.ts'
import { Dialog } from '../../core/ui/dialog.tsx'
import { BadgeCheck, Gift, LoaderCircle, Smartphone, Tag, TicketPercent, TrendingUp } from 'lucide-react'
import { Button as AriaButton } from 'react-aria-components'
import { useSale } from '../../sales/sale.ts'
import { ActionButton } from '../../core/ui/button.tsx'
import { Key } from '../../core/ui/key.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import styles from './offer-line.module.css'
import { type OfferNews, offerNews, useNewsText } from './offer-news.ts'
import { sessionOf, useMemberSession } from '../member/member-session.ts'

// The panel is loaded on demand, so that it does not delay the sale screen.
const OffersPanel = lazy(() => loadChunk(() => import('./offers-panel.tsx')))

export function OffersDialog() {
  const { t } = useI18n()
  const open = useBasketOffers((state) => state.open)
  return (
    <Dialog
      open={open}
      onClose={() => useBasketOffers.setState({ open: false })}
      title={t('basketOffers.title')}
      size="l"
    >
      <Suspense fallback={<p role="status">{t('app.loading')}</p>}>
        <OffersPanel />
      </Suspense>
    </Dialog>
  )
}

const ICONS = {
  changing: LoaderCircle,
  'opt-in': Gift,
  code: TicketPercent,
  nearly: TrendingUp,
  earned: BadgeCheck,
  none: Tag,
} as const satisfies Record<OfferNews['kind'], unknown>

/**
 * The offer line under the basket, with the most useful fact about the basket's offers. A lane with offers always
 * reserves the place, so that nothing moves during scans. It is no live region, because a scan is announced once, by
 * its sale line.
 */
export function OfferLine() {
  const hasSale = useSale(({ current }) => current !== null)
  const shown = useBasketOffers(({ listed, answer }) => (answer ? answer.offers.length > 0 : listed))
  return hasSale && shown ? <Line /> : null
}

function Line() {
  const { t } = useI18n()
  const { answer, failed } = useBasketOffers()
  const canSignIn = useCanSignIn()
  const newsText = useNewsText()
  const show = useAction('basket-offers')
  const optIn = useAction('offers-opt-in')
  const news = answer && offerNews(answer, canSignIn)
  const Icon = !news ? Tag : news.kind === 'opt-in' && answer.member === null ? Smartphone : ICONS[news.kind]
  const text = news ? newsText(news) : t(failed ? 'basketOffers.failed' : 'basketOffers.loading')
  const about = news?.about ?? ''
  const others = news && news.others > 0 ? t('basketOffers.others', { count: news.others }) : ''
  return (
    <div className={`row-2 ${styles['place']}`} role="group" aria-label={t('basketOffers.line')}>
      <AriaButton
        className={`row-3 target round-m surface-2 pad-0-3 icons-22 ${styles['line']} ${styles[news?.kind ?? 'none']}`}
        aria-label={[text, about, others, show.label].filter((part) => part !== '').join(' ')}
        isDisabled={!show.enabled}
        onPress={show.perform}
      >
        <Icon aria-hidden="true" />
        <span className={`grid min-width-0 line-tight ${styles['text']}`}>
          <strong className="weight-600 figures">{text}</strong>{' '}
          {about !== '' && <span className="text-s">{about}</span>}
        </span>{' '}
        {others !== '' && <small className="rigid note">{others}</small>}
        <Key name="Ctrl+F" />
      </AriaButton>
      {optIn.enabled && (
        <ActionButton id="offers-opt-in" look="miles" label={t('basketOffers.optInShort')} icon={<Gift />} />
      )}
    </div>
  )
}

export function useCanSignIn(): boolean {
  const sale = useSale(({ current }) => current)
  return useMemberSession((now) => {
    const session = sessionOf(sale?.id, now)
    return now.offered && sale?.member != null && session?.state !== 'signed-in'
  })
}
