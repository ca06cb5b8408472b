import { BadgePercent, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import type { Promotion, PromotionItems, PromotionList } from '../../contracts/catalog/promotions.ts'
import { WEEKDAYS } from '../../contracts/catalog/promotion-fields.ts'
import type { Names } from '../../contracts/core/locales.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { Button, IconButton } from '../core/ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { Empty, Tag } from '../core/ui/surface.tsx'
import { BookFile } from './book-file.tsx'
import styles from './catalog.module.css'
import { useCatalog } from './item-finder.tsx'
import { PromotionDialog } from './promotion-dialog.tsx'

type Shown = PromotionList['promotions'][number]
const TONES = { now: 'ok', planned: 'warn', ended: 'neutral' } as const

/** The store's promotions, initially those of the profile, with import and export of a file. */
export function PromotionsSection() {
  const { t } = useI18n()
  const promotions = useCatalog('promotions', catalogApi.promotions)
  const [open, setOpen] = useState<Promotion | 'new' | null>(null)
  const list = promotions.data?.promotions
  const reload = (): void => void promotions.refetch()
  return (
    <div className="stack-4 single ringless">
      <BookFile
        calls={catalogApi.promotionFile}
        intro={t('catalog.promotions.intro')}
        effect={t('catalog.promotions.applyText')}
        onDone={reload}
      >
        <Button look="primary" icon={<Plus />} onPress={() => setOpen('new')}>
          {t('catalog.promotions.add')}
        </Button>
      </BookFile>
      {promotions.isPending && <p role="status">{t('app.loading')}</p>}
      {promotions.isError && <LoadFailed error={promotions.error} retry={reload} />}
      {list?.length === 0 && (
        <div className="nothing">
          <Empty
            icon={<BadgePercent />}
            title={t('catalog.promotions.emptyTitle')}
            text={t('catalog.promotions.empty')}
          />
        </div>
      )}
      {list && list.length > 0 && <PromotionTable list={list} onOpen={setOpen} />}
      {open && (
        <PromotionDialog promotion={open === 'new' ? null : open} onClose={() => setOpen(null)} onDone={reload} />
      )}
    </div>
  )
}

function PromotionTable({
  list,
  onOpen,
}: {
  readonly list: readonly Shown[]
  readonly onOpen: (promotion: Promotion) => void
}) {
  const { t } = useI18n()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['rows']}`} aria-label={t('catalog.tab.promotions')}>
        <thead>
          <tr>
            <th scope="col">{t('catalog.promotions.nameColumn')}</th>
            <th scope="col">{t('catalog.promotions.offerColumn')}</th>
            <th scope="col">{t('catalog.promotions.itemsColumn')}</th>
            <th scope="col">{t('catalog.promotions.when')}</th>
            <th scope="col">{t('catalog.promotions.stateColumn')}</th>
            <th scope="col">
              <span className="sr-only">{t('catalog.tab.promotions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((shown) => (
            <Row key={shown.promotion.id} shown={shown} onOpen={() => onOpen(shown.promotion)} />
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

function Row({ shown: { promotion, state }, onOpen }: { readonly shown: Shown; readonly onOpen: () => void }) {
  const { t, format } = useI18n()
  const offerOf = useOfferText()
  const itemsOf = useItemsText()
  const whenOf = useWhenText()
  const name = format.text(promotion.names)
  return (
    <tr>
      <th scope="row" className="prose">
        {name}
      </th>
      <td className="prose">
        {offerOf(promotion)}
        {promotion.buyers !== 'everyone' && (
          <small className="block dim">{t(`catalog.promotions.buyersKind.${promotion.buyers}`)}</small>
        )}
        {promotion.conditions.minimumCents !== undefined && (
          <small className="block dim">
            {t('catalog.promotions.fromAmount', { amount: format.money(promotion.conditions.minimumCents) })}
          </small>
        )}
        {promotion.conditions.minimumUnits !== undefined && (
          <small className="block dim">
            {t('catalog.promotions.fromUnits', { count: promotion.conditions.minimumUnits })}
          </small>
        )}
      </td>
      <td className="prose">{itemsOf(promotion.items)}</td>
      <td>
        {whenOf(promotion).map((text) => (
          <span className="block" key={text}>
            {text}
          </span>
        ))}
      </td>
      <td>
        <Tag tone={TONES[state]}>{t(`catalog.promotions.state.${state}`)}</Tag>
      </td>
      <td className={`right ${styles['act']}`}>
        <IconButton icon={<Pencil />} label={t('catalog.promotions.edit', { name })} onPress={onOpen} />
      </td>
    </tr>
  )
}

const WHOLE_PPM = 1_000_000

/** Describes what a promotion takes off, such as "2 for $5.00". */
function useOfferText(): (promotion: Promotion) => string {
  const { t, format } = useI18n()
  return ({ reward }) => {
    switch (reward.kind) {
      case 'percent':
      case 'basket-percent':
        return t(`catalog.promotions.offer.${reward.kind}`, { percent: format.percent(reward.ppm) })
      case 'amount':
      case 'price':
      case 'basket-amount':
        return t(`catalog.promotions.offer.${reward.kind}`, { amount: format.money(reward.cents) })
      case 'set-price':
        return t('catalog.promotions.offer.set-price', {
          units: String(reward.units),
          amount: format.money(reward.cents),
        })
      case 'buy-get':
        return t(reward.ppm === WHOLE_PPM ? 'catalog.promotions.offer.free' : 'catalog.promotions.offer.buy-get', {
          buy: String(reward.buy),
          get: String(reward.get),
          percent: format.percent(reward.ppm),
        })
    }
  }
}

const SHOWN_SKUS = 3

function useItemsText(): (items: PromotionItems) => string {
  const { t, format } = useI18n()
  const departments = useCatalog('departments', catalogApi.departments).data?.departments ?? []
  const nameOf = (id: string): string => {
    const found: Names | undefined = departments.find((one) => one.id === id)?.name
    return found ? format.text(found) : id
  }
  return (items) => {
    switch (items.kind) {
      case 'all':
        return t('catalog.promotions.all')
      case 'items':
        return items.skus.length > SHOWN_SKUS
          ? t('catalog.promotions.items', { count: items.skus.length })
          : items.skus.join(', ')
      case 'departments':
        return items.ids.map(nameOf).join(', ')
      case 'categories':
        return items.ids.join(', ')
    }
  }
}

/** Texts of the days, weekdays and hours of a promotion; without limits "Always". */
function useWhenText(): (promotion: Promotion) => string[] {
  const { t, format } = useI18n()
  return ({ times: { fromDay, untilDay, weekdays, fromTime, untilTime } }) => {
    const [from, until] = [fromDay, untilDay].map((day) => (day === undefined ? '' : format.date(day)))
    const texts = [
      ...(from && until
        ? [t('catalog.coupons.between', { from, until })]
        : from
          ? [t('catalog.coupons.since', { day: from })]
          : until
            ? [t('catalog.coupons.upTo', { day: until })]
            : []),
      ...(weekdays
        ? [
            WEEKDAYS.filter((_day, index) => weekdays.includes(index + 1))
              .map((day) => t(`catalog.promotions.days.${day}`))
              .join(', '),
          ]
        : []),
      ...(fromTime !== undefined || untilTime !== undefined
        ? [t('catalog.promotions.hours', { from: fromTime ?? '00:00', until: untilTime ?? '24:00' })]
        : []),
    ]
    return texts.length === 0 ? [t('catalog.coupons.always')] : texts
  }
}
