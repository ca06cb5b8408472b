import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Tag as TagIcon } from 'lucide-react'
import type { ManagerOfferAnswer, ManagerOfferDetail } from '../../../contracts/loyalty/offers.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import { Reference } from './stored-lists.tsx'
import styles from './offers-manager.module.css'
import { PROGRAM_TYPES, momentFields } from '../../../contracts/loyalty/kinds.ts'
import { withNonBreakingSpaces } from '../../core/i18n/non-breaking.ts'
import { ValidityTag } from './offer-table.tsx'
import { clearProblems, notify, report } from '../../core/state/notices.ts'
import { saveBlob } from '../../core/ui/save-file.ts'

export function OfferDialog({
  id,
  onClose,
  onPromotion,
}: {
  readonly id: string
  readonly onClose: () => void
  readonly onPromotion: (id: string) => void
}) {
  const { t, format } = useI18n()
  const answer = useQuery({
    queryKey: ['manager-offer', id, format.locale],
    queryFn: ({ signal }) => storeApi.managerOffer(id, format.locale, signal),
    gcTime: 0,
  })
  const offer = answer.data?.offer ?? null
  const { promotion = null } = offer ?? {}
  return (
    <Dialog open onClose={onClose} size="l" title={offer?.award ?? t('offersManager.dialog')}>
      {answer.isPending && <p role="status">{t('offersManager.detailLoading')}</p>}
      {answer.isError && <LoadFailed error={answer.error} retry={() => void answer.refetch()} />}
      {answer.data && <Notices answer={answer.data} />}
      {answer.data && !offer && <MissingOffer answer={answer.data} />}
      {offer && <OfferFacts offer={offer} />}
      <div className="wrap-3">
        <Button size="l" autoFocus onPress={onClose}>
          {t('app.close')}
        </Button>
        {promotion && (
          <Button size="l" onPress={() => onPromotion(promotion.id)}>
            {t('offersManager.ofPromotion')}
          </Button>
        )}
        {offer && isForShelf(answer.data, offer) && <ShelfCardButton id={id} />}
      </div>
    </Dialog>
  )
}

/**
 * Whether an offer may have a shelf card: only if the service answered without a warning and the offer is not expired.
 */
const isForShelf = (answer: ManagerOfferAnswer | undefined, offer: ManagerOfferDetail): boolean =>
  answer?.source === 'service' && answer.warning === null && offer.validity !== 'over'

function Notices({ answer: { warning, failure } }: { readonly answer: ManagerOfferAnswer }) {
  const { t } = useI18n()
  return (
    <>
      {warning && (
        <p className="text-s round-m pad-3-4 warn-box" role="alert">
          {warning.code === null
            ? t('offersManager.warningOther', { message: warning.message })
            : t(`offersManager.warning.${warning.code}`)}
        </p>
      )}
      {failure && (
        <div className="text-s round-m pad-3-4 warn-box" role="alert">
          <p className="anywhere">
            <strong className="warn">{t(`offersManager.cause.${failure.cause}`)}</strong>{' '}
            {t(`offersManager.todo.${failure.cause}`)}
          </p>
          <p className="anywhere selectable">
            <Reference failure={failure} />
          </p>
        </div>
      )}
    </>
  )
}

function MissingOffer({ answer }: { readonly answer: ManagerOfferAnswer }) {
  const { t } = useI18n()
  return (
    <Empty
      icon={<TagIcon />}
      title={t('offersManager.goneTitle')}
      text={t(answer.source === 'kept' ? 'offersManager.notKeptOffer' : 'offersManager.gone')}
    />
  )
}

type Detail = ManagerOfferDetail

export function OfferFacts({ offer }: { readonly offer: Detail }) {
  const { t } = useI18n()
  return (
    <>
      <div className="wrap gap-2-3 middle text-l weight-600">
        <p>{offer.qualifier}</p>
        <ValidityTag validity={offer.validity} />
      </div>
      {offer.description && <p>{offer.description}</p>}
      {offer.tiers === null && <p className="dim">{t('offersManager.detailKept')}</p>}
      {offer.tiers && offer.tiers.length > 0 && <Levels tiers={offer.tiers} />}
      {offer.mechanisms && offer.mechanisms.length > 0 && <Mechanisms mechanisms={offer.mechanisms} />}
      <Facts offer={offer} />
      {offer.legalText && (
        <section aria-label={t('offersManager.legal')}>
          <h3>{t('offersManager.legal')}</h3>
          <p className={`note above-2 ${styles['legal']} selectable`}>{offer.legalText}</p>
        </section>
      )}
    </>
  )
}

function Levels({ tiers }: { readonly tiers: NonNullable<Detail['tiers']> }) {
  const { t } = useI18n()
  return (
    <section aria-label={t('offersManager.levels')}>
      <h3>{t('offersManager.levels')}</h3>
      <ol className={`stack-2 above-2 ${styles['ladder']}`}>
        {tiers.map(({ award, qualifier }, index) => (
          <li className="stack-3 baseline round-s surface-2 pad-2-3" key={`${qualifier} ${award}`}>
            <span>{t('offersManager.level', { number: String(index + 1) })}</span>
            <span>{qualifier}</span>
            <strong className="miles-ink">{award}</strong>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Mechanisms({ mechanisms }: { readonly mechanisms: NonNullable<Detail['mechanisms']> }) {
  const { t } = useI18n()
  const texts = ({ type, label, value }: (typeof mechanisms)[number]): string => {
    if (type === 'noAction' || type === 'optIn') return t(`offersManager.mechanism.${type}`)
    const shown = value ?? label ?? type
    if (type === 'couponCode' || type === 'button') return t(`offersManager.mechanism.${type}`, { value: shown })
    return t('offersManager.mechanism.other', { value: shown })
  }
  return (
    <section aria-label={t('offersManager.use')}>
      <h3>{t('offersManager.use')}</h3>
      <ul className="anywhere above-2 selectable">
        {mechanisms.map((mechanism) => (
          <li key={`${mechanism.type} ${mechanism.value}`}>{texts(mechanism)}</li>
        ))}
      </ul>
    </section>
  )
}

function Facts({ offer }: { readonly offer: Detail }) {
  const { t, format } = useI18n()
  const timeText = (local: string): string => {
    const { date, hour, minute } = momentFields(local)
    return withNonBreakingSpaces(t('offersManager.moment', { date: format.date(date), hour, minute }), format.locale)
  }
  const known = PROGRAM_TYPES.find((type) => type === offer.programType)
  const facts: readonly (readonly [string, string | null])[] = [
    [t('offersManager.filter.partner'), offer.partner],
    [t('offersManager.filter.category'), offer.category],
    [t('offersManager.filter.promotion'), offer.promotion?.label ?? null],
    [t('offersManager.filter.programType'), known ? t(`offersManager.programTypes.${known}`) : offer.programType],
    [t('offersManager.shows'), timeText(offer.displayDate)],
    [t('offersManager.starts'), timeText(offer.startDate)],
    [t('offersManager.until'), timeText(offer.endDate)],
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
      <dl className={`stack-2 above-2 ${styles['facts']} figures selectable`}>
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name} className={`round-s line surface-2 pad-2-3 ${value === offer.id ? styles['wide'] : ''}`}>
                <dt className="text-xs dim">{name}</dt>
                <dd className="text-s weight-600 anywhere">{value}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  )
}

export function ShelfCardButton({ id }: { readonly id: string }) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: async () => {
      const { number, fileName } = await storeApi.requestShelfCard(id)
      saveBlob(fileName, await storeApi.shelfCard(number))
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (i18n) => i18n.t('offersManager.shelfCardSaved'))
    },
    onError: report,
    onSettled: () => queries.invalidateQueries({ queryKey: ['audit'] }),
  })
  return (
    <Button size="l" look="primary" icon={<Download />} isPending={save.isPending} onPress={() => save.mutate()}>
      {t(save.isPending ? 'offersManager.shelfCardMaking' : 'offersManager.shelfCard')}
    </Button>
  )
}
