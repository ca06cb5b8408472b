import { BookmarkMinus, BookmarkPlus, Check, Circle, Gift, TicketMinus, TicketPlus, TrendingUp } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { BasketOffer, OfferChange } from '../../../contracts/loyalty/basket-offers.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { applyOfferCoupon, changeKind, changeOffer, isRefused, useBasketOffers } from './basket-offers.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { Button } from '../../core/ui/button.tsx'
import { Key } from '../../core/ui/key.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import { awardOf, useMissingText } from './offer-news.ts'
import { Conditions } from './offer-page.tsx'
import styles from './offers-panel.module.css'

export function OfferDetail({ offer }: { readonly offer: BasketOffer }) {
  const { t, format } = useI18n()
  const relationText = useRelationText()
  const place = useRef<HTMLElement>(null)
  // A pressed button disappears when its command is done. Move the focus to the details, because without focus no key
  // would leave the dialog.
  useEffect(() => {
    if (document.activeElement === document.body) place.current?.focus()
  }, [offer])
  return (
    <section
      ref={place}
      className={`stack-3 top scroll-y round-s ${styles['detail']}`}
      aria-label={offer.award}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
      tabIndex={0}
    >
      <div className="flex gap-3">
        <Picture path={offer.image} />
        <div>
          <h3 className="text-xl miles-ink">{offer.award}</h3>
          <p className="weight-600">{offer.qualifier}</p>
          <p className="note">{[offer.partner, offer.category].filter((part) => part !== null).join(' · ')}</p>
        </div>
      </div>
      <p className={`weight-600 round-s surface-3 pad-2-3 ${styles['relation']}`} data-standing={offer.standing}>
        {relationText(offer)}
      </p>
      {isRefused(offer) && offer.refused && (
        <p className={`tone-warn weight-550 round-s pad-2-3 ${styles['warning']}`} role="alert">
          {t(`basketOffers.refused.${offer.refused}`)}
          {offer.refusedReference !== null && (
            <small className="block anywhere weight-400">
              {t('offersPanel.reference', { id: offer.refusedReference })}
            </small>
          )}
        </p>
      )}
      <Steps offer={offer} />
      {offer.ladder.length > 1 && <Ladder offer={offer} />}
      {offer.description && <p>{offer.description}</p>}
      <p className="note">
        {t('offersPanel.days', { from: format.date(offer.startsOn), until: format.date(offer.endsOn) })}
      </p>
      <Conditions text={offer.legalText} level={4} />
    </section>
  )
}

/** The picture of an offer; hidden if the lane does not have it. */
function Picture({ path }: { readonly path: string | null }) {
  const [broken, setBroken] = useState(false)
  return path === null || broken ? null : (
    <img className={`rigid round-s surface-2 ${styles['picture']}`} src={path} alt="" onError={() => setBroken(true)} />
  )
}

function Ladder({ offer: { ladder, reached, next } }: { readonly offer: BasketOffer }) {
  const { t } = useI18n()
  const missingText = useMissingText()
  return (
    <ol className={`stack-1 ${styles['ladder']} figures`} aria-label={t('offersPanel.ladder')}>
      {ladder.map((rung, tier) => {
        const isNext = next?.tier === tier
        const Icon = rung.isReached ? Check : isNext ? TrendingUp : Circle
        return (
          <li
            className="flex gap-2 dim"
            key={tier}
            data-reached={rung.isReached}
            data-best={reached?.tier === tier}
            data-next={isNext}
          >
            <Icon aria-hidden="true" />
            <span className="prose">
              {t('offersPanel.rung', { award: rung.award, qualifier: rung.qualifier })}
              <small className="block text-s">
                {rung.isReached
                  ? t('offersPanel.reached')
                  : isNext
                    ? missingText(next.missing, next.award)
                    : t('offersPanel.notReached')}
              </small>
            </span>
          </li>
        )
      })}
    </ol>
  )
}

interface Step {
  readonly key: string
  readonly text: string
  readonly icon: ReactNode
  readonly pending: boolean
  readonly look: 'miles' | 'plain'
  readonly run: () => unknown
}

function useSteps(offer: BasketOffer): readonly Step[] {
  const { t } = useI18n()
  const member = useBasketOffers(({ answer }) => answer?.member ?? null)
  const isSending = useInFlight(changeKind(offer.id))
  const isApplying = useInFlight('change')
  // Until the member's offer states are loaded, a press might request a state that already exists.
  const canChange = member !== null && member.state !== 'loading'
  const changing = (wanted: OfferChange): boolean => offer.changing === wanted
  const pending = isSending || offer.changing !== null
  const change = (wanted: OfferChange) => (): unknown => changeOffer(offer.id, wanted)
  const saving = changing('save') || changing('unsave')
  const wanted = offer.saved ? 'unsave' : 'save'
  return [
    ...(offer.coupon === 'none'
      ? []
      : [
          {
            key: 'C',
            text: t(offer.coupon === 'applied' ? 'offersPanel.removeCode' : 'offersPanel.applyCode'),
            icon: offer.coupon === 'applied' ? <TicketMinus /> : <TicketPlus />,
            pending: isApplying,
            look: offer.coupon === 'applied' ? ('plain' as const) : ('miles' as const),
            run: () => applyOfferCoupon(offer.id, offer.coupon !== 'applied'),
          },
        ]),
    ...(canChange && offer.optIn === 'to-do'
      ? [
          {
            key: 'I',
            text: t(changing('opt-in') ? 'offersPanel.optingIn' : 'offersPanel.optIn'),
            icon: <Gift />,
            pending,
            look: 'miles' as const,
            run: change('opt-in'),
          },
        ]
      : []),
    ...(canChange
      ? [
          {
            key: 'S',
            text: saving
              ? t(changing('unsave') ? 'offersPanel.unsaving' : 'offersPanel.saving')
              : t(`offersPanel.${wanted}`),
            icon: offer.saved ? <BookmarkMinus /> : <BookmarkPlus />,
            pending,
            look: 'plain' as const,
            run: change(wanted),
          },
        ]
      : []),
  ]
}

function Steps({ offer }: { readonly offer: BasketOffer }) {
  const { t } = useI18n()
  const steps = useSteps(offer)
  useEffect(() => {
    // Handles a letter as an action's key, before the list uses it to search for an offer that begins with it.
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return
      if (event.target instanceof HTMLInputElement) return
      const step = steps.find(({ key }) => key === event.key.toUpperCase())
      if (!step) return
      event.preventDefault()
      event.stopPropagation()
      if (!step.pending) void step.run()
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [steps])
  const tags = [
    ...(offer.optIn === 'done' ? [t('offersPanel.optedIn')] : []),
    ...(offer.coupon === 'applied' ? [t('offersPanel.applied')] : []),
  ]
  if (steps.length === 0 && tags.length === 0) return null
  return (
    <div className="row-2 wraps">
      {tags.map((text) => (
        <Tag key={text} tone="ok">
          {text}
        </Tag>
      ))}
      {steps.map(({ key, text, icon, pending, look, run }) => (
        <Button key={key} look={look} icon={icon} isPending={pending} onPress={() => void run()}>
          {text} <Key name={key} />
        </Button>
      ))}
    </div>
  )
}

export function useRelationText(): (offer: BasketOffer) => string {
  const { t, format } = useI18n()
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
