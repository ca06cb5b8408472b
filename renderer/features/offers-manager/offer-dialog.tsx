import { useQuery } from '@tanstack/react-query'
import { Tag as TagIcon } from 'lucide-react'
import type { ManagerOfferAnswer, ManagerOfferDetail } from '../../../contracts/api/offers-manager.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'
import { Reference } from './kept-lists.tsx'
import { OfferFacts } from './offer-facts.tsx'
import { ShelfCardButton } from './shelf-card-button.tsx'
import styles from './offers-manager.module.css'

/** One offer as the service has it now, with what it warns of; else as the lane keeps it. */
export function OfferDialog({
  id,
  onClose,
  onPromotion,
}: {
  readonly id: string
  readonly onClose: () => void
  readonly onPromotion: (id: string) => void
}) {
  const { t, format } = useWords()
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
      {answer.data && !offer && <Gone answer={answer.data} />}
      {offer && <OfferFacts offer={offer} />}
      <div className={styles['orders']}>
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

/** What is for chosen members, of another region or over is on no shelf of this store. */
const isForShelf = (answer: ManagerOfferAnswer | undefined, offer: ManagerOfferDetail): boolean =>
  answer?.source === 'service' && answer.warning === null && offer.validity !== 'over'

function Notices({ answer: { warning, failure } }: { readonly answer: ManagerOfferAnswer }) {
  const { t } = useWords()
  return (
    <>
      {warning && (
        <p className={styles['warning']} role="alert">
          {warning.code === null
            ? t('offersManager.warningOther', { message: warning.message })
            : t(`offersManager.warning.${warning.code}`)}
        </p>
      )}
      {failure && (
        <div className={styles['warning']} role="alert">
          <p>
            <strong>{t(`offersManager.cause.${failure.cause}`)}</strong> {t(`offersManager.todo.${failure.cause}`)}
          </p>
          <p className="selectable">
            <Reference failure={failure} />
          </p>
        </div>
      )}
    </>
  )
}

function Gone({ answer }: { readonly answer: ManagerOfferAnswer }) {
  const { t } = useWords()
  return (
    <Empty
      icon={<TagIcon />}
      title={t('offersManager.goneTitle')}
      text={t(answer.source === 'kept' ? 'offersManager.notKeptOffer' : 'offersManager.gone')}
    />
  )
}
