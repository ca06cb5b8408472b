import { Pencil, TicketPercent, TicketPlus } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { Coupon } from '../../../contracts/sale-rules.ts'
import { catalogApi } from '../../api/catalog-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../ui/page.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'
import styles from './catalog.module.css'
import { CouponDialog } from './coupon-dialog.tsx'
import { useCatalog } from './use-catalog.ts'

type Shown = z.infer<typeof Coupon>

/** The store's coupons: the profile's are the beginning. */
export function CouponsSection() {
  const { t } = useWords()
  const coupons = useCatalog('coupons', catalogApi.coupons)
  const [open, setOpen] = useState<Shown | 'new' | null>(null)
  const list = coupons.data?.coupons
  return (
    <div className={styles['panel']}>
      <div className={styles['orders']}>
        <Button look="primary" icon={<TicketPlus />} onPress={() => setOpen('new')}>
          {t('catalog.coupons.add')}
        </Button>
        <p className={styles['hint']}>{t('catalog.coupons.intro')}</p>
      </div>
      {coupons.isPending && <p role="status">{t('app.loading')}</p>}
      {coupons.isError && <LoadFailed error={coupons.error} retry={() => void coupons.refetch()} />}
      {list?.length === 0 && (
        <div className={styles['nothing']}>
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
                <th scope="col">{t('catalog.coupons.days')}</th>
                <th scope="col">{t('catalog.coupons.where')}</th>
                <th scope="col">
                  <span className="spoken">{t('catalog.tab.coupons')}</span>
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
  const { t, format } = useWords()
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
      <td className="words">{name}</td>
      <td>{off}</td>
      <td>{days}</td>
      <td>
        <Tag tone={from === 'lane' ? 'ok' : 'neutral'}>{t(`catalog.coupons.origin.${from}`)}</Tag>
      </td>
      <td className={styles['act']}>
        <IconButton icon={<Pencil />} label={t('catalog.coupons.edit', { name })} onPress={onOpen} />
      </td>
    </tr>
  )
}
