import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { CalendarClock, X } from 'lucide-react'
import { useState } from 'react'
import type { Item, PlannedPrice } from '../../contracts/catalog/catalog.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { useEvents } from '../core/state/events.ts'
import { notify } from '../core/state/notices.ts'
import { Button, IconButton } from '../core/ui/button.tsx'
import { isDay, isTime } from '../core/ui/date-text.ts'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { Empty } from '../core/ui/surface.tsx'
import { useTries } from '../core/ui/focus.ts'
import { ChangedElsewhere } from '../staff/settings/setting-table.tsx'
import { DateTimeFields } from '../staff/settings/setting-dialog.tsx'
import styles from './catalog.module.css'
import { ConfirmDialog, Field, FormDialog } from './fields.tsx'
import { ItemFinder } from './item-finder.tsx'
import { centsTyped } from './typed-values.ts'

export function PlannedSection() {
  const { t } = useI18n()
  const changes = useEvents((state) => state.catalogCount)
  const [planning, setPlanning] = useState(false)
  const [cancelling, setCancelling] = useState<PlannedPrice | null>(null)
  const pages = useInfiniteQuery({
    queryKey: ['catalog-planned', changes],
    queryFn: ({ pageParam }) => catalogApi.planned(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (before) => before,
    gcTime: 0,
  })
  const refetch = (): void => void pages.refetch()
  const prices = pages.data?.pages.flatMap((page) => page.prices)
  return (
    <div className="stack-4 single ringless">
      <div className="row-3 wraps">
        <Button look="primary" icon={<CalendarClock />} onPress={() => setPlanning(true)}>
          {t('catalog.planned.plan')}
        </Button>
        <p className="note">{t('catalog.planned.intro')}</p>
      </div>
      {pages.isPending && <p role="status">{t('app.loading')}</p>}
      {pages.isError && <LoadFailed error={pages.error} retry={refetch} />}
      {prices?.length === 0 && (
        <div className="nothing">
          <Empty icon={<CalendarClock />} title={t('catalog.planned.emptyTitle')} text={t('catalog.planned.empty')} />
        </div>
      )}
      {prices && prices.length > 0 && <PriceTable prices={prices} onCancel={setCancelling} />}
      {pages.hasNextPage && (
        <div className="row-3 wraps">
          <Button isDisabled={pages.isFetching} onPress={() => void pages.fetchNextPage()}>
            {t('catalog.more')}
          </Button>
        </div>
      )}
      {planning && <PlanDialog onClose={() => setPlanning(false)} onDone={refetch} />}
      {cancelling && <CancelDialog price={cancelling} onClose={() => setCancelling(null)} onDone={refetch} />}
    </div>
  )
}

function PriceTable({
  prices,
  onCancel,
}: {
  readonly prices: readonly PlannedPrice[]
  readonly onCancel: (price: PlannedPrice) => void
}) {
  const { t, format } = useI18n()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['rows']}`} aria-label={t('catalog.tab.planned')}>
        <thead>
          <tr>
            <th scope="col">{t('catalog.item')}</th>
            <th scope="col">{t('catalog.sku')}</th>
            <th scope="col">{t('catalog.planned.now')}</th>
            <th scope="col">{t('catalog.planned.later')}</th>
            <th scope="col">{t('catalog.planned.from')}</th>
            <th scope="col">
              <span className="sr-only">{t('catalog.planned.cancel')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {prices.map((price) => (
            <tr key={`${price.sku} ${price.fromAt}`}>
              <th scope="row" className="prose">
                {format.text(price.name)}
              </th>
              <td>{price.sku}</td>
              <td>{format.money(price.priceCents)}</td>
              <td className={styles['changedBy']}>
                <strong>{format.money(price.plannedCents)}</strong>
                <ChangedElsewhere elsewhere={price.elsewhere} />
              </td>
              <td>{format.dateTime(price.fromAt)}</td>
              <td className={`right ${styles['act']}`}>
                <IconButton
                  icon={<X />}
                  label={t('catalog.planned.cancelOf', {
                    price: format.money(price.plannedCents),
                    name: format.text(price.name),
                  })}
                  onPress={() => onCancel(price)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

function PlanDialog({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const { t, format } = useI18n()
  const [item, setItem] = useState<Item | null>(null)
  const [price, setPrice] = useState('')
  const [day, setDay] = useState('')
  const [time, setTime] = useState('00:00')
  const { tried, attempt, form } = useTries()
  const cents = centsTyped(price)
  const plan = useMutation({
    mutationFn: (given: { sku: string; cents: number }) => catalogApi.plan(given.sku, given.cents, `${day}T${time}`),
    onSuccess: () => {
      onClose()
      onDone()
      notify('success', (i18n) => i18n.t('catalog.planned.done'))
    },
  })
  const save = (): void => {
    attempt()
    if (item && cents !== null && isDay(day) && isTime(time) && !plan.isPending) plan.mutate({ sku: item.sku, cents })
  }
  return (
    <FormDialog
      title={t('catalog.planned.planTitle')}
      form={form}
      busy={plan.isPending}
      error={plan.error}
      onSave={save}
      onClose={onClose}
    >
      {item ? (
        <p className="prose">
          <strong>{format.text(item.name)}</strong> · {item.sku} · {format.money(item.priceCents)}
        </p>
      ) : (
        <ItemFinder autoFocus missing={tried} onChoose={setItem} />
      )}
      <Field
        label={t('catalog.price')}
        value={price}
        onChange={setPrice}
        max={10}
        wrong={tried && cents === null ? t('catalog.items.priceWrong') : null}
      />
      <DateTimeFields day={day} time={time} onDay={setDay} onTime={setTime} tried={tried} />
    </FormDialog>
  )
}

function CancelDialog({
  price,
  onClose,
  onDone,
}: {
  readonly price: PlannedPrice
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const { t, format } = useI18n()
  const cancel = useMutation({
    mutationFn: () => catalogApi.cancelPlanned(price.sku, price.fromAt),
    onSuccess: () => {
      onClose()
      onDone()
      notify('success', (i18n) => i18n.t('catalog.planned.cancelled'))
    },
  })
  return (
    <ConfirmDialog
      title={t('catalog.planned.cancelTitle')}
      confirm={t('catalog.planned.cancel')}
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      <p className="prose">
        {t('catalog.planned.cancelText', { name: format.text(price.name), price: format.money(price.priceCents) })}
      </p>
    </ConfirmDialog>
  )
}
