import { Pencil, TicketPercent, TicketPlus } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { Coupon } from '../../contracts/sales/sale-rules.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { Button, IconButton } from '../core/ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { Empty, Tag } from '../core/ui/surface.tsx'
import { BookFile } from './book-file.tsx'
import styles from './catalog.module.css'
import { CouponDialog } from './coupon-dialog.tsx'
import { useCatalog } from './item-finder.tsx'
import type { CatalogElsewhere } from '../../contracts/catalog/catalog.ts'
import { ChangedElsewhere } from '../staff/settings/setting-table.tsx'

type Shown = z.infer<typeof Coupon>

export function CouponsSection() {
  const { t } = useI18n()
  const coupons = useCatalog('coupons', catalogApi.coupons)
  const [open, setOpen] = useState<Shown | 'new' | null>(null)
  const list = coupons.data?.coupons
  return (
    <div className="stack-4 single ringless">
      <BookFile calls={catalogApi.couponFile} intro={t('catalog.coupons.intro')} onDone={() => void coupons.refetch()}>
        <Button look="primary" icon={<TicketPlus />} onPress={() => setOpen('new')}>
          {t('catalog.coupons.add')}
        </Button>
      </BookFile>
      {coupons.isPending && <p role="status">{t('app.loading')}</p>}
      {coupons.isError && <LoadFailed error={coupons.error} retry={() => void coupons.refetch()} />}
      {list?.length === 0 && (
        <div className="nothing">
          <Empty icon={<TicketPercent />} title={t('catalog.coupons.emptyTitle')} text={t('catalog.coupons.empty')} />
        </div>
      )}
      {list && list.length > 0 && (
        <TableWrap>
          <table className={`${pageStyles['table']} ${styles['rows']}`} aria-label={t('catalog.tab.coupons')}>
            <thead>
              <tr>
                <th scope="col">{t('catalog.coupons.code')}</th>
                <th scope="col">{t('catalog.coupons.nameColumn')}</th>
                <th scope="col">{t('catalog.coupons.off')}</th>
                <th scope="col">{t('catalog.coupons.reach')}</th>
                <th scope="col">{t('catalog.coupons.days')}</th>
                <th scope="col">{t('catalog.coupons.where')}</th>
                <th scope="col">
                  <span className="sr-only">{t('catalog.tab.coupons')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map(({ coupon, from }) => (
                <Row key={coupon.code} coupon={coupon} from={from} onOpen={() => setOpen(coupon)} />
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
      {open && (
        <CouponDialog
          coupon={open === 'new' ? null : open}
          onClose={() => setOpen(null)}
          onDone={() => void coupons.refetch()}
        />
      )}
    </div>
  )
}

function Row({
  coupon,
  from,
  onOpen,
}: {
  readonly coupon: Shown
  readonly from: 'lane' | 'profile'
  readonly onOpen: () => void
}) {
  const { t, format } = useI18n()
  const name = format.text(coupon.name)
  const off =
    coupon.percent !== undefined
      ? format.percent(coupon.percent * 10_000)
      : coupon.dollars !== undefined
        ? format.money(Math.round(coupon.dollars * 100))
        : t('catalog.coupons.offKind.none')
  const day = (text: string): string => format.date(text)
  const days =
    coupon.from && coupon.until
      ? t('catalog.coupons.between', { from: day(coupon.from), until: day(coupon.until) })
      : coupon.from
        ? t('catalog.coupons.since', { day: day(coupon.from) })
        : coupon.until
          ? t('catalog.coupons.upTo', { day: day(coupon.until) })
          : t('catalog.coupons.always')
  return (
    <tr>
      <th scope="row">{coupon.code}</th>
      <td className="prose">{name}</td>
      <td>{off}</td>
      <td>
        {coupon.sku ?? coupon.department ?? t('catalog.coupons.reachKind.sale')}
        {coupon.minimumDollars !== undefined && (
          <small className="block note">
            {t('catalog.coupons.minimumOf', { amount: format.money(Math.round(coupon.minimumDollars * 100)) })}
          </small>
        )}
      </td>
      <td>{days}</td>
      <td>
        <Tag tone={from === 'lane' ? 'ok' : 'neutral'}>{t(`catalog.coupons.origin.${from}`)}</Tag>
      </td>
      <td className={`right ${styles['act']}`}>
        <IconButton icon={<Pencil />} label={t('catalog.coupons.edit', { name })} onPress={onOpen} />
      </td>
    </tr>
  )
}

/**
 * The latest items whose last change came from another lane of the store; renders nothing at a lane without a store
 * server.
 */
export function ElsewhereSection() {
  const { t } = useI18n()
  const found = useCatalog('elsewhere', catalogApi.elsewhere)
  if (found.isPending) return null
  if (!found.data) return <LoadFailed error={found.error ?? new Error()} retry={() => void found.refetch()} />
  const { isOfStore, items } = found.data
  if (!isOfStore) return null
  return (
    <section aria-label={t('catalog.store.changedTitle')}>
      <h3>{t('catalog.store.changedTitle')}</h3>
      {items.length === 0 ? <p className="note">{t('catalog.store.changedNone')}</p> : <ChangedItems items={items} />}
    </section>
  )
}

/**
 * Items that lost their barcode because another lane assigned it to another item. Every section of the catalog page
 * shows them.
 */
export function LostBarcodes() {
  const { t, format } = useI18n()
  const { barcodes = [] } = useCatalog('elsewhere', catalogApi.elsewhere).data ?? {}
  if (barcodes.length === 0) return null
  return (
    <div role="alert" className="stack-1 tone-danger anywhere round-m pad-4 below-4">
      <h3>{t('catalog.store.barcodesTitle')}</h3>
      <p>{t('catalog.store.barcodesText')}</p>
      <ul>
        {barcodes.map(({ sku, name, barcode, toSku, toName }) => (
          <li key={sku} className="prose">
            {t('catalog.store.barcodeOf', {
              name: name ? format.text(name) : sku,
              barcode,
              other: toName ? format.text(toName) : toSku,
            })}
          </li>
        ))}
      </ul>
    </div>
  )
}

function ChangedItems({ items }: Pick<CatalogElsewhere, 'items'>) {
  const { t, format } = useI18n()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['rows']}`} aria-label={t('catalog.store.changedTitle')}>
        <thead>
          <tr>
            <th scope="col">{t('catalog.item')}</th>
            <th scope="col">{t('catalog.sku')}</th>
            <th scope="col">{t('catalog.store.when')}</th>
            <th scope="col">{t('catalog.store.where')}</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ sku, name, at, elsewhere }) => (
            <tr key={sku}>
              <th scope="row" className="prose">
                {name ? format.text(name) : t('catalog.store.removed')}
              </th>
              <td>{sku}</td>
              <td>{format.dateTime(at)}</td>
              <td className={styles['changedBy']}>
                <ChangedElsewhere elsewhere={elsewhere} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}
