import { ChevronRight } from 'lucide-react'
import type { ManagerOffer } from '../../../contracts/api/offers-manager.ts'
import { lastDayOf } from '../../../contracts/offer-dates.ts'
import { useWords } from '../../i18n/words.tsx'
import { IconButton } from '../../ui/button.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import { Tag, type TagTone } from '../../ui/surface.tsx'
import styles from './offers-manager.module.css'

const TONES: Record<ManagerOffer['validity'], TagTone> = {
  usable: 'ok',
  'ends-soon': 'warn',
  'not-started': 'neutral',
  over: 'danger',
}

export function ValidityTag({ validity }: { readonly validity: ManagerOffer['validity'] }) {
  const { t } = useWords()
  return <Tag tone={TONES[validity]}>{t(`offersManager.validity.${validity}`)}</Tag>
}

export function OfferTable({
  offers,
  onOpen,
}: {
  readonly offers: readonly ManagerOffer[]
  readonly onOpen: (id: string) => void
}) {
  const { t, format } = useWords()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['offers']}`} aria-label={t('offersManager.list')}>
        <thead>
          <tr>
            <th scope="col">{t('offersManager.offer')}</th>
            <th scope="col">{t('offersManager.filter.partner')}</th>
            <th scope="col">{t('offersManager.filter.category')}</th>
            <th scope="col">{t('offersManager.ends')}</th>
            <th scope="col">{t('offersManager.state')}</th>
            <th scope="col">
              <span className="spoken">{t('dayEnd.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {offers.map((offer) => (
            <tr key={offer.id}>
              <th scope="row" className={styles['name']}>
                {offer.award}
                <small>{offer.qualifier}</small>
              </th>
              <td>{offer.partner}</td>
              <td>
                {offer.category}
                {offer.promotion && <small>{offer.promotion.label}</small>}
              </td>
              <td>{format.date(lastDayOf(offer.endDate))}</td>
              <td>
                <ValidityTag validity={offer.validity} />
              </td>
              <td className={styles['open']}>
                <IconButton
                  icon={<ChevronRight />}
                  label={t('offersManager.open', { award: offer.award })}
                  onPress={() => onOpen(offer.id)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}
