import { useMutation } from '@tanstack/react-query'
import { BadgePercent, FileDown, FileUp, Pencil, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import type { Promotion, PromotionItems, PromotionList, ReadPromotions } from '../../contracts/catalog/promotions.ts'
import { WEEKDAYS } from '../../contracts/catalog/promotion-fields.ts'
import type { Names } from '../../contracts/core/locales.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { clearProblems, notify } from '../core/state/notices.ts'
import { Button, IconButton } from '../core/ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { saveFile } from '../core/ui/save-file.ts'
import { Empty, Tag } from '../core/ui/surface.tsx'
import styles from './catalog.module.css'
import { ConfirmDialog } from './fields.tsx'
import { KINDS_OF_FILE, RefusedRows } from './import-section.tsx'
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
      <ImportFile onDone={reload}>
        <Button look="primary" icon={<Plus />} onPress={() => setOpen('new')}>
          {t('catalog.promotions.add')}
        </Button>
      </ImportFile>
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

function ExportButton() {
  const { t } = useI18n()
  const load = useMutation({
    mutationFn: catalogApi.promotionFile,
    onSuccess: ({ csv, fileName }) => saveFile(fileName, 'text/csv', csv),
  })
  return (
    <>
      <Button icon={<FileDown />} isDisabled={load.isPending} onPress={() => load.mutate()}>
        {t('catalog.promotions.export')}
      </Button>
      {load.isError && <LoadFailed error={load.error} retry={() => load.mutate()} />}
    </>
  )
}

/** Reads a file, shows its wrong rows or its changes, and saves the changes after a confirmation. */
function ImportFile({ onDone, children }: { readonly onDone: () => void; readonly children: ReactNode }) {
  const { t } = useI18n()
  const read = useMutation({ mutationFn: catalogApi.readPromotions, onMutate: clearProblems })
  const found = read.data
  const fileName = read.variables?.name ?? ''
  return (
    <>
      <div className="row-3 wraps">
        {children}
        <FileTrigger
          acceptedFileTypes={KINDS_OF_FILE}
          onSelect={(files) => {
            const file = files?.item(0)
            if (file) read.mutate(file)
          }}
        >
          <Button icon={<FileUp />} isDisabled={read.isPending}>
            {t('catalog.promotions.import')}
          </Button>
        </FileTrigger>
        <ExportButton />
      </div>
      <p className="note">
        {t('catalog.promotions.intro')} {t('catalog.promotions.importHint')}
      </p>
      {read.isError && <LoadFailed error={read.error} retry={() => read.reset()} />}
      {found?.kind === 'refused' && <RefusedRows refused={{ ...found, fileName }} />}
      {found?.kind === 'read' && (
        <ApplyDialog read={found} file={fileName} onClose={() => read.reset()} onDone={onDone} />
      )}
    </>
  )
}

function ApplyDialog({
  read,
  file,
  onClose,
  onDone,
}: {
  readonly read: Extract<ReadPromotions, { kind: 'read' }>
  readonly file: string
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const { t } = useI18n()
  const hasChanges = read.promotions.length > 0
  const save = useMutation({
    mutationFn: async () => (hasChanges ? catalogApi.savePromotions([...read.promotions]) : null),
    onSuccess: () => {
      onClose()
      onDone()
      if (hasChanges) notify('success', (i18n) => i18n.t('catalog.promotions.imported'))
    },
  })
  return (
    <ConfirmDialog
      title={t('catalog.promotions.applyTitle', { file })}
      confirm={t(hasChanges ? 'catalog.promotions.apply' : 'catalog.promotions.nothingToApply')}
      busy={save.isPending}
      error={save.error}
      onConfirm={() => save.mutate()}
      onClose={onClose}
    >
      <ul>
        <li>{t('catalog.promotions.added', { count: read.added })}</li>
        <li>{t('catalog.promotions.changed', { count: read.changed })}</li>
        <li>{t('catalog.promotions.same', { count: read.same })}</li>
      </ul>
      <p className="prose">{t('catalog.promotions.applyText')}</p>
    </ConfirmDialog>
  )
}
