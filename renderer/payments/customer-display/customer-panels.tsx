import { BadgeCheck, Gift, LoaderCircle, Smartphone, TrendingUp } from 'lucide-react'
import type { BasketOffer } from '../../../contracts/loyalty/basket-offers.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { useBasketOffers } from '../../loyalty/offers/basket-offers.ts'
import { type MemberSessionShown, sessionOf, useMemberSession } from '../../loyalty/member/member-session.ts'
import { type DisplayCard, awardOf, displayCards, isOptingIn, useMissingText } from '../../loyalty/offers/offer-news.ts'
import styles from './customer-panels.module.css'
import type { HistoryShown, MemberTransaction } from '../../../contracts/loyalty/member.ts'
import { SponsorName } from '../../loyalty/member/member-card.tsx'
import { useMemberHistoryPage } from '../../loyalty/member/member-history.ts'
import { useEffect } from 'react'
import { isQrText } from '../../../contracts/core/symbols/qr.ts'
import { holdShownCode } from '../receipt/shown-vouchers.ts'
import { QrCode } from '../../core/ui/qr-code.tsx'

const ICONS = { earned: BadgeCheck, nearly: TrendingUp, 'opt-in': Gift } as const

/**
 * Offers that the basket earns, nearly earns, or would earn after an opt-in, readable from a metre. Hidden while the
 * sign-in code is shown. Contains no member data.
 */
export function CustomerOffers({ saleId }: { readonly saleId: string }) {
  const { t } = useI18n()
  const answer = useBasketOffers((state) => state.answer)
  const session = useMemberSession((now) => sessionOf(saleId, now)?.state)
  const cards = answer === null || session === 'asking' || session === 'waiting' ? [] : displayCards(answer)
  if (cards.length === 0) return null
  return (
    <section className={styles['offers']} aria-label={t('customer.offersHere')}>
      <ul className="stack-3">
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
  const { t } = useI18n()
  const missingText = useMissingText()
  const isChanging = offer.changing === 'opt-in'
  const Icon = isChanging ? LoaderCircle : ICONS[kind]
  const text = {
    earned: t('customer.offerEarned'),
    nearly: t('customer.offerNearly'),
    'opt-in': isChanging ? t('customer.optingIn') : t(isSignedIn ? 'customer.offerOptIn' : 'customer.offerSignIn'),
  }[kind]
  return (
    <li className="grid middle tone-miles round-l line" data-kind={kind} data-changing={isChanging} data-spare={spare}>
      <Icon aria-hidden="true" />
      <span>{text}</span>
      <strong className="figures">{largeText(offer, kind, missingText)}</strong>
      <small className="text-m">{offer.qualifier}</small>
    </li>
  )
}

const largeText = (
  offer: BasketOffer,
  kind: DisplayCard['kind'],
  missingText: ReturnType<typeof useMissingText>,
): string => (kind === 'nearly' && offer.next ? missingText(offer.next.missing, offer.next.award) : awardOf(offer))

/**
 * The history page that the cashier has open. The display loads the page itself, and discards it when the cashier
 * closes the history.
 */
export function CustomerHistory({ saleId, shown }: { readonly saleId: string; readonly shown: HistoryShown }) {
  const { t } = useI18n()
  const { data, isPending } = useMemberHistoryPage(saleId, shown)
  const transactions = data?.kind === 'page' ? data.transactions : []
  const messageKey = isPending
    ? 'memberHistory.loading'
    : data?.kind !== 'page'
      ? 'customer.historyFailed'
      : transactions.length === 0
        ? 'customer.historyEmpty'
        : null
  return (
    <section
      className={`stack-3 top full-height scroll-y ${styles['history']}`}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls when enlarged
      tabIndex={0}
      aria-label={t('customer.history')}
    >
      <header className="wrap baseline">
        <h1>{t('customer.history')}</h1>
        <p>{t(`memberHistory.ranges.${shown.range}`)}</p>
      </header>
      {messageKey === null ? (
        <ul className="grid top figures">
          {transactions.map((transaction, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a transaction has no unique id
            <Row key={index} transaction={transaction} />
          ))}
        </ul>
      ) : (
        <p role="status" className={`text-2xl dim center ${styles['message']}`}>
          {t(messageKey)}
        </p>
      )}
    </section>
  )
}

function Row({
  transaction: { at, description, activity, sponsor, miles },
}: {
  readonly transaction: MemberTransaction
}) {
  const { t, format } = useI18n()
  const milesText = useMilesText()
  const kind = activity === null ? null : t(`memberHistory.activity.${activity}`)
  return (
    <li className="grid baseline">
      <span className="dim">{at === null ? t('memberHistory.noDate') : format.shortDay(at)}</span>
      <span className="prose">
        <span>{description ?? kind}</span>
        {sponsor && (
          <small>
            <SponsorName sponsor={sponsor} />
          </small>
        )}
      </span>
      {miles !== null && <strong className="right">{milesText(miles)}</strong>}
    </li>
  )
}

type Waiting = Extract<MemberSessionShown['session'], { state: 'waiting' }>

/**
 * The sign-in code for the customer's phone, to scan and to type. Before a code is requested, explains how to get one,
 * if the customer is a member (`isMember`).
 */
export function CustomerPhone({ saleId, isMember }: { readonly saleId: string; readonly isMember: boolean }) {
  const { t } = useI18n()
  const session = useMemberSession((now) => sessionOf(saleId, now))
  const isOffered = useMemberSession(({ offered }) => offered)
  const optedIn = useBasketOffers(({ answer }) => answer?.member?.optedIn ?? null)
  const optingIn = useBasketOffers(({ answer }) => isOptingIn(answer?.offers ?? []))
  if (session?.state === 'signed-in')
    return (
      <p className="rigid tone-miles text-xl round-m pad-3-5" role="status">
        {t('customer.phoneSignedIn')}
        {(optingIn || optedIn !== null) && (
          <small className="block text-l weight-600">
            {optingIn ? t('customer.optingIn') : t('customer.optedIn', { count: optedIn ?? 0 })}
          </small>
        )}
      </p>
    )
  if (session?.state === 'waiting') return <Code session={session} />
  if (!isMember || !isOffered || session?.state === 'asking') return null
  return (
    <section
      className={`flex gap-4 middle rigid framed tone-miles text-l pad-3-5 ${styles['invite']}`}
      aria-label={t('customer.phone')}
    >
      <Smartphone aria-hidden="true" />
      <p className="grid">
        <strong className="grid">{t('customer.phone')}</strong>
        <span>{t('customer.phoneAsk')}</span>
      </p>
    </section>
  )
}

function Code({ session }: { readonly session: Waiting }) {
  const { t } = useI18n()
  const { userCode } = session
  useEffect(() => holdShownCode(userCode), [userCode])
  const scanned = [session.pageWithCode, session.page].find(isQrText)
  return (
    <section
      className={`stack-4 middle rigid text-l ink round-l line surface-1 pad-4-5 ${styles['phone']}`}
      aria-label={t('customer.phone')}
    >
      {scanned !== undefined && (
        <div className={`round-m ${styles['symbol']}`}>
          <QrCode text={scanned} label={t('customer.phoneScan')} />
        </div>
      )}
      <div className="stack-2 min-width-0">
        <h2 className="text-xl">{t('customer.phone')}</h2>
        <p>{t('customer.phoneScan')}</p>
        <p className={`dim ${styles['typed']}`}>
          {t('customer.phoneType')} <span className="anywhere">{session.page.replace(/^https?:\/\//, '')}</span>
        </p>
        <strong className={`nowrap ${styles['code']}`}>{userCode}</strong>
      </div>
    </section>
  )
}
