import { Smartphone } from 'lucide-react'
import { useEffect } from 'react'
import { isQrText } from '../../../contracts/symbols/qr.ts'
import { useWords } from '../../i18n/words.tsx'
import { useBasketOffers } from '../../state/basket-offers.ts'
import { sessionOf, useMemberSession, type MemberSessionShown } from '../../state/member-session.ts'
import { holdShownCode } from '../../state/shown-code.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { isOptingIn } from '../basket-offers/offer-news.ts'
import styles from './phone-sign-in.module.css'

type Waiting = Extract<MemberSessionShown['session'], { state: 'waiting' }>

/**
 * What the customer's phone needs to sign in: a code to scan, and the same to type. Before the cashier has asked for a
 * code, how a member (`isMember`) gets one.
 */
export function CustomerPhone({ saleId, isMember }: { readonly saleId: string; readonly isMember: boolean }) {
  const { t } = useWords()
  const session = useMemberSession((now) => sessionOf(saleId, now))
  const isOffered = useMemberSession(({ offered }) => offered)
  const optedIn = useBasketOffers(({ answer }) => answer?.member?.optedIn ?? null)
  const optingIn = useBasketOffers(({ answer }) => isOptingIn(answer?.offers ?? []))
  if (session?.state === 'signed-in')
    return (
      <p className={styles['signedIn']} role="status">
        {t('customer.phoneSignedIn')}
        {(optingIn || optedIn !== null) && (
          <small>{optingIn ? t('customer.optingIn') : t('customer.optedIn', { count: optedIn ?? 0 })}</small>
        )}
      </p>
    )
  if (session?.state === 'waiting') return <Code session={session} />
  if (!isMember || !isOffered || session?.state === 'asking') return null
  return (
    <section className={styles['ask']} aria-label={t('customer.phone')}>
      <Smartphone aria-hidden="true" />
      <p>
        <strong>{t('customer.phone')}</strong>
        <span>{t('customer.phoneAsk')}</span>
      </p>
    </section>
  )
}

function Code({ session }: { readonly session: Waiting }) {
  const { t } = useWords()
  const { userCode } = session
  useEffect(() => holdShownCode(userCode), [userCode])
  const scanned = [session.pageWithCode, session.page].find(isQrText)
  return (
    <section className={styles['phone']} aria-label={t('customer.phone')}>
      {scanned !== undefined && (
        <div className={styles['symbol']}>
          <QrCode text={scanned} label={t('customer.phoneScan')} />
        </div>
      )}
      <div className={styles['words']}>
        <h2>{t('customer.phone')}</h2>
        <p>{t('customer.phoneScan')}</p>
        <p className={styles['typed']}>
          {t('customer.phoneType')} <span className={styles['page']}>{session.page.replace(/^https?:\/\//, '')}</span>
        </p>
        <strong className={styles['code']}>{userCode}</strong>
      </div>
    </section>
  )
}
