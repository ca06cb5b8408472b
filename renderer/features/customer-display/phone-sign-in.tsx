import { isQrText } from '../../../contracts/symbols/qr.ts'
import { useWords } from '../../i18n/words.tsx'
import { useBasketOffers } from '../../state/basket-offers.ts'
import { sessionOf, useMemberSession } from '../../state/member-session.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { isOptingIn } from '../basket-offers/offer-news.ts'
import styles from './phone-sign-in.module.css'

/** What the customer's phone needs to sign in: a code to scan, and the same to type. Nothing when nobody signs in. */
export function CustomerPhone({ saleId }: { readonly saleId: string }) {
  const { t } = useWords()
  const session = useMemberSession((now) => sessionOf(saleId, now))
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
  if (session?.state !== 'waiting') return null
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
        <strong className={styles['code']}>{session.userCode}</strong>
      </div>
    </section>
  )
}
