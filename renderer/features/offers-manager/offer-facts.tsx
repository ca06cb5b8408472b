import type { ManagerOfferDetail } from '../../../contracts/api/offers-manager.ts'
import { partsOf } from '../../../contracts/offer-dates.ts'
import { PROGRAM_TYPES } from '../../../contracts/offer-kinds.ts'
import { unbroken } from '../../i18n/unbroken.ts'
import { useWords } from '../../i18n/words.tsx'
import { ValidityTag } from './offer-table.tsx'
import styles from './offers-manager.module.css'

type Detail = ManagerOfferDetail

/** What there is to know of an offer, in the order in which somebody asks. */
export function OfferFacts({ offer }: { readonly offer: Detail }) {
  const { t } = useWords()
  return (
    <>
      <div className={styles['lead']}>
        <p>{offer.qualifier}</p>
        <ValidityTag validity={offer.validity} />
      </div>
      {offer.description && <p>{offer.description}</p>}
      {offer.tiers === null && <p className={styles['about']}>{t('offersManager.detailKept')}</p>}
      {offer.tiers && offer.tiers.length > 0 && <Levels tiers={offer.tiers} />}
      {offer.mechanisms && offer.mechanisms.length > 0 && <Mechanisms mechanisms={offer.mechanisms} />}
      <Facts offer={offer} />
      {offer.legalText && (
        <section aria-label={t('offersManager.legal')}>
          <h3>{t('offersManager.legal')}</h3>
          <p className={`${styles['legal']} selectable`}>{offer.legalText}</p>
        </section>
      )}
    </>
  )
}

/** From the least that qualifies up to the most. */
function Levels({ tiers }: { readonly tiers: NonNullable<Detail['tiers']> }) {
  const { t } = useWords()
  return (
    <section aria-label={t('offersManager.levels')}>
      <h3>{t('offersManager.levels')}</h3>
      <ol className={styles['ladder']}>
        {tiers.map(({ award, qualifier }, index) => (
          <li key={`${qualifier} ${award}`}>
            <span>{t('offersManager.level', { number: String(index + 1) })}</span>
            <span>{qualifier}</span>
            <strong>{award}</strong>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Mechanisms({ mechanisms }: { readonly mechanisms: NonNullable<Detail['mechanisms']> }) {
  const { t } = useWords()
  const words = ({ type, label, value }: (typeof mechanisms)[number]): string => {
    if (type === 'noAction' || type === 'optIn') return t(`offersManager.mechanism.${type}`)
    const shown = value ?? label ?? type
    if (type === 'couponCode' || type === 'button') return t(`offersManager.mechanism.${type}`, { value: shown })
    return t('offersManager.mechanism.other', { value: shown })
  }
  return (
    <section aria-label={t('offersManager.use')}>
      <h3>{t('offersManager.use')}</h3>
      <ul className={`${styles['use']} selectable`}>
        {mechanisms.map((mechanism) => (
          <li key={`${mechanism.type} ${mechanism.value}`}>{words(mechanism)}</li>
        ))}
      </ul>
    </section>
  )
}

function Facts({ offer }: { readonly offer: Detail }) {
  const { t, format } = useWords()
  const moment = (local: string): string => {
    const { date, hour, minute } = partsOf(local)
    return unbroken(t('offersManager.moment', { date: format.date(date), hour, minute }), format.locale)
  }
  const known = PROGRAM_TYPES.find((type) => type === offer.programType)
  const facts: readonly (readonly [string, string | null])[] = [
    [t('offersManager.filter.partner'), offer.partner],
    [t('offersManager.filter.category'), offer.category],
    [t('offersManager.filter.promotion'), offer.promotion?.label ?? null],
    [t('offersManager.filter.programType'), known ? t(`offersManager.programTypes.${known}`) : offer.programType],
    [t('offersManager.shows'), moment(offer.displayDate)],
    [t('offersManager.starts'), moment(offer.startDate)],
    [t('offersManager.until'), moment(offer.endDate)],
    [
      t('offersManager.forWhom'),
      offer.massOffer === null ? null : t(offer.massOffer ? 'offersManager.everybody' : 'offersManager.chosen'),
    ],
    [t('offersManager.cards'), offer.cardTypes?.length ? offer.cardTypes.join(', ') : null],
    [t('offersManager.event'), offer.eventBased === true ? t('offersManager.yes') : null],
    [t('offersManager.offerId'), offer.id],
  ]
  return (
    <section aria-label={t('offersManager.facts')}>
      <h3>{t('offersManager.facts')}</h3>
      <dl className={`${styles['facts']} figures selectable`}>
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name} className={value === offer.id ? styles['wide'] : undefined}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  )
}
