import { Gift, Smartphone, Tag as TagIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import type { BasketOffer, BasketOffers } from '../../../contracts/loyalty/basket-offers.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { refreshBasketOffers, useBasketOffers } from './basket-offers.ts'
import { useMemberSession } from '../member/member-session.ts'
import { useSale } from '../../sales/sale.ts'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import { Key } from '../../core/ui/key.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import { Empty, Tag, type TagTone } from '../../core/ui/surface.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { OfferDetail } from './offer-detail.tsx'
import { useCanSignIn } from './offers-dialog.tsx'
import { awardOf } from './offer-news.ts'
import styles from './offers-panel.module.css'

const TONES: Record<BasketOffer['standing'], TagTone> = {
  earned: 'ok',
  'coupon-first': 'miles',
  'opt-in-first': 'miles',
  nearly: 'warn',
  open: 'neutral',
  shown: 'neutral',
  coming: 'neutral',
}

export default function OffersPanel() {
  const { t } = useI18n()
  const { answer, failed } = useBasketOffers()
  return (
    <div className="stack-3 single">
      {failed && (
        <>
          <p className="weight-600">{t('basketOffers.failed')}</p>
          <LoadFailed error={failed} retry={() => void refreshBasketOffers()} />
        </>
      )}
      {!answer && !failed && <p role="status">{t('basketOffers.loading')}</p>}
      {answer && <MemberOffers answer={answer} />}
      {answer && <List answer={answer} />}
    </div>
  )
}

function MemberOffers({ answer: { member, offers, stale, fetchedAt } }: { readonly answer: BasketOffers }) {
  const { t, format } = useI18n()
  const optIn = useAction('offers-opt-in')
  const askOptIn = member === null && offers.some(({ optIn: step }) => step === 'to-do')
  return (
    <div className={`wrap gap-2-3 middle ${styles['head']}`}>
      {stale && fetchedAt !== null && (
        <Tag tone="warn">{t('offersPanel.stale', { time: format.dateTime(fetchedAt) })}</Tag>
      )}
      {member?.state === 'loading' && <p role="status">{t('offersPanel.memberLoading')}</p>}
      {member?.state === 'failed' && (
        <p role="alert" className={`tone-warn weight-550 round-s pad-2-3 ${styles['warning']}`}>
          {t('offersPanel.memberFailed')}
        </p>
      )}
      {member && member.optedIn !== null && (
        <Tag tone="miles">{t('offersPanel.optedInCount', { count: member.optedIn })}</Tag>
      )}
      {member && member.changing > 0 && <p role="status">{t('offersPanel.changing', { count: member.changing })}</p>}
      {askOptIn && <SignInFirst />}
      {optIn.enabled && (
        <ActionButton id="offers-opt-in" look="miles" label={t('offersPanel.optInAll')} icon={<Gift />} />
      )}
    </div>
  )
}

function SignInFirst() {
  const { t } = useI18n()
  const offered = useMemberSession((now) => now.offered)
  const hasMember = useSale(({ current }) => current?.member != null)
  const canSignIn = useCanSignIn()
  const begin = useAction('member-sign-in')
  return (
    <>
      <p className={`note ${styles['how']}`}>
        {t(!offered ? 'offersPanel.signInOff' : hasMember ? 'offersPanel.signIn' : 'offersPanel.signInCard')}
      </p>
      {canSignIn && begin.enabled && (
        <Button icon={<Smartphone />} onPress={signInInstead(begin.perform)}>
          {begin.label} <Key name="Ctrl+J" />
        </Button>
      )}
    </>
  )
}

/** Closes the dialog and starts a sign-in: the customer display shows the code, and the cashier continues the sale. */
const signInInstead = (begin: () => void) => (): void => {
  useBasketOffers.setState({ open: false })
  begin()
}

function List({ answer: { offers, fetchedAt } }: { readonly answer: BasketOffers }) {
  const { t } = useI18n()
  const [chosen, setChosen] = useState<string | null>(null)
  const offer = offers.find(({ id }) => id === chosen) ?? offers[0]
  useActionKeys()
  if (!offer) {
    const never = fetchedAt === null
    return (
      <Empty
        icon={<TagIcon />}
        title={t(never ? 'offersPanel.neverTitle' : 'offersPanel.emptyTitle')}
        text={t(never ? 'offersPanel.never' : 'offersPanel.empty')}
      />
    )
  }
  return (
    <div className={`stack-4 ${styles['both']}`}>
      <ListBox
        aria-label={t('offersPanel.list')}
        autoFocus
        className={`scroll ringless ${styles['list']}`}
        items={offers}
        dependencies={[t]}
        disallowEmptySelection
        selectionMode="single"
        selectionBehavior="replace"
        selectedKeys={[offer.id]}
        onSelectionChange={(keys) => {
          const [key] = keys === 'all' ? [] : keys
          if (typeof key === 'string') setChosen(key)
        }}
      >
        {(one) => <Row offer={one} />}
      </ListBox>
      <OfferDetail key={offer.id} offer={offer} />
    </div>
  )
}

function Row({ offer }: { readonly offer: BasketOffer }) {
  const { t } = useI18n()
  const award = awardOf(offer)
  const relation = t(`offersPanel.standing.${offer.standing}`)
  return (
    <ListBoxItem
      id={offer.id}
      textValue={`${award}, ${relation}`}
      className={`grid target round-s pad-2-3 default-cursor option ${styles['row']}`}
    >
      <strong className="weight-650 prose">{award}</strong>
      <span className="wrap gap-1">
        <Tag tone={TONES[offer.standing]}>{relation}</Tag>
        {offer.endingSoon && <Tag tone="warn">{t('offersPanel.endingSoon')}</Tag>}
        {offer.targeted && <Tag tone="miles">{t('offersPanel.targeted')}</Tag>}
        {offer.saved && <Tag>{t('offersPanel.saved')}</Tag>}
      </span>
      <small className="note prose">{offer.qualifier}</small>
    </ListBoxItem>
  )
}

/** Handles the keys that opt in to all offers and start a sign-in: an open dialog disables the terminal's keys. */
function useActionKeys(): void {
  const optIn = useAction('offers-opt-in')
  const begin = useAction('member-sign-in')
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.ctrlKey || event.altKey || event.metaKey || event.repeat) return
      const key = event.key.toUpperCase()
      if (key === 'Y' && optIn.enabled) optIn.perform()
      else if (key === 'J' && begin.enabled) signInInstead(begin.perform)()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  })
}
