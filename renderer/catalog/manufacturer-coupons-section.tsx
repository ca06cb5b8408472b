import { useMutation } from '@tanstack/react-query'
import { Pencil, Scissors, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { Names } from '../../contracts/core/locales.ts'
import type { ManufacturerCoupon } from '../../contracts/catalog/manufacturer-coupons.ts'
import { LANGUAGES, LOCALES } from '../../contracts/i18n/languages.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { notify } from '../core/state/notices.ts'
import { Button, IconButton } from '../core/ui/button.tsx'
import { isDay } from '../core/ui/date-text.ts'
import { useTries } from '../core/ui/focus.ts'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { Empty, Tag } from '../core/ui/surface.tsx'
import { BookFile } from './book-file.tsx'
import styles from './catalog.module.css'
import { CouponDays } from './coupon-dialog.tsx'
import { Field, FormDialog, RemoveDialog, SelectField } from './fields.tsx'
import { useCatalog } from './item-finder.tsx'
import { centsTyped, typedNumber } from './typed-values.ts'

type Shown = z.infer<typeof ManufacturerCoupon>

/** Manufacturers' coupons that the store knows, below its own coupons. */
export function ManufacturerCouponsSection() {
  const { t, format } = useI18n()
  const coupons = useCatalog('manufacturer-coupons', catalogApi.manufacturerCoupons)
  const [open, setOpen] = useState<Shown | 'new' | null>(null)
  const list = coupons.data?.coupons
  return (
    <section className="stack-4 single ringless" aria-label={t('catalog.coupons.manufacturers')}>
      <h3>{t('catalog.coupons.manufacturers')}</h3>
      <BookFile
        calls={catalogApi.manufacturerCouponFile}
        intro={t('catalog.coupons.manufacturersIntro')}
        onDone={() => void coupons.refetch()}
      >
        <Button icon={<Scissors />} onPress={() => setOpen('new')}>
          {t('catalog.coupons.manufacturersAdd')}
        </Button>
      </BookFile>
      {coupons.isPending && <p role="status">{t('app.loading')}</p>}
      {coupons.isError && <LoadFailed error={coupons.error} retry={() => void coupons.refetch()} />}
      {list?.length === 0 && (
        <Empty
          icon={<Scissors />}
          title={t('catalog.coupons.manufacturersEmptyTitle')}
          text={t('catalog.coupons.manufacturersEmpty')}
        />
      )}
      {list && list.length > 0 && (
        <TableWrap>
          <table className={`${pageStyles['table']} ${styles['rows']}`} aria-label={t('catalog.coupons.manufacturers')}>
            <thead>
              <tr>
                <th scope="col">{t('catalog.coupons.manufacturerCode')}</th>
                <th scope="col">{t('catalog.coupons.nameColumn')}</th>
                <th scope="col">{t('catalog.coupons.value')}</th>
                <th scope="col">{t('catalog.coupons.reach')}</th>
                <th scope="col">{t('catalog.coupons.until')}</th>
                <th scope="col">{t('catalog.coupons.where')}</th>
                <th scope="col">
                  <span className="sr-only">{t('catalog.coupons.manufacturers')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map(({ coupon, from }) => (
                <tr key={coupon.code}>
                  <th scope="row">{coupon.code}</th>
                  <td className="prose">{format.text(coupon.name)}</td>
                  <td>
                    {coupon.dollars === undefined
                      ? t('catalog.coupons.valueTyped')
                      : format.money(Math.round(coupon.dollars * 100))}
                  </td>
                  <td>
                    {coupon.sku ?? coupon.department ?? t('catalog.coupons.reachKind.sale')}
                    {coupon.units > 1 && (
                      <small className="block note">
                        {t('catalog.coupons.unitsOf', { count: format.miles(coupon.units) })}
                      </small>
                    )}
                  </td>
                  <td>{coupon.until === undefined ? t('catalog.coupons.always') : format.date(coupon.until)}</td>
                  <td>
                    <Tag tone={from === 'lane' ? 'ok' : 'neutral'}>{t(`catalog.coupons.origin.${from}`)}</Tag>
                  </td>
                  <td className={`right ${styles['act']}`}>
                    <IconButton
                      icon={<Pencil />}
                      label={t('catalog.coupons.edit', { name: format.text(coupon.name) })}
                      onPress={() => setOpen(coupon)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
      {open && (
        <ManufacturerCouponDialog
          coupon={open === 'new' ? null : open}
          onClose={() => setOpen(null)}
          onDone={() => void coupons.refetch()}
        />
      )}
    </section>
  )
}

interface Draft {
  readonly code: string
  readonly name: Names
  readonly value: string
  readonly reach: 'sale' | 'item' | 'department'
  readonly sku: string
  readonly department: string
  readonly units: string
  readonly from: string
  readonly until: string
}

const draftOf = (coupon: Shown | null): Draft => ({
  code: coupon?.code ?? '',
  name: coupon?.name ?? {},
  value: typedNumber(coupon?.dollars ?? ''),
  reach: coupon?.department !== undefined ? 'department' : coupon && coupon.sku === undefined ? 'sale' : 'item',
  sku: coupon?.sku ?? '',
  department: coupon?.department ?? '',
  units: String(coupon?.units ?? 1),
  from: coupon?.from ?? '',
  until: coupon?.until ?? '',
})

function read(draft: Draft, departments: readonly string[]) {
  const value = draft.value === '' ? null : centsTyped(draft.value)
  const units = Number(draft.units)
  const wrong = {
    code: !/^[!-~]{3,80}$/.test(draft.code),
    names: LOCALES.filter((locale) => LANGUAGES[locale].namesRequired && (draft.name[locale] ?? '').trim() === ''),
    value: draft.value !== '' && (value === null || value === 0),
    sku: draft.reach === 'item' && draft.sku === '',
    units: !/^\d{1,2}$/.test(draft.units) || units < 1,
    from: draft.from !== '' && !isDay(draft.from),
    until: draft.until !== '' && !isDay(draft.until),
    days: draft.from !== '' && draft.until !== '' && draft.until < draft.from,
  }
  const good = Object.values(wrong).every((one) => (typeof one === 'boolean' ? !one : one.length === 0))
  const coupon = {
    code: draft.code,
    name: Object.fromEntries(
      LOCALES.flatMap((locale) => {
        const name = (draft.name[locale] ?? '').trim()
        return name === '' ? [] : [[locale, name]]
      }),
    ) as Shown['name'],
    units,
    ...(value === null ? {} : { dollars: value / 100 }),
    ...(draft.reach === 'item' ? { sku: draft.sku } : {}),
    ...(draft.reach === 'department' ? { department: draft.department || departments[0] || '' } : {}),
    ...(draft.from === '' ? {} : { from: draft.from }),
    ...(draft.until === '' ? {} : { until: draft.until }),
  }
  return { wrong, coupon: good ? coupon : null }
}

interface DialogProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

export function ManufacturerCouponDialog({ coupon, onClose, onDone }: DialogProps & { readonly coupon: Shown | null }) {
  const { t, format } = useI18n()
  const [draft, setDraft] = useState(() => draftOf(coupon))
  const [removing, setRemoving] = useState(false)
  const departments = useCatalog('departments', catalogApi.departments).data?.departments ?? []
  const { tried, attempt, form } = useTries()
  const { wrong, coupon: entered } = read(
    draft,
    departments.map(({ id }) => id),
  )
  const save = useMutation({
    mutationFn: (given: NonNullable<typeof entered>) =>
      catalogApi.saveManufacturerCoupon({
        how: coupon ? 'change' : 'add',
        coupon: given,
        ...(coupon ? { seen: coupon } : {}),
      }),
    onError: onDone,
    onSuccess: () => {
      onClose()
      onDone()
      notify('success', (i18n) => i18n.t('catalog.coupons.saved'))
    },
  })
  const submit = (): void => {
    attempt()
    if (entered && !save.isPending) save.mutate(entered)
  }
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }))
  if (removing && coupon)
    return (
      <RemoveDialog
        kind="coupons"
        names={coupon.name}
        remove={() => catalogApi.removeManufacturerCoupon(coupon.code)}
        onBack={() => setRemoving(false)}
        onDone={() => {
          onClose()
          onDone()
        }}
      />
    )
  const shown = { draft, wrong, tried, set }
  return (
    <FormDialog
      title={
        coupon ? t('catalog.coupons.edit', { name: format.text(coupon.name) }) : t('catalog.coupons.manufacturersAdd')
      }
      form={form}
      busy={save.isPending}
      error={save.error}
      onSave={submit}
      onClose={onClose}
      more={
        coupon && (
          <Button size="l" icon={<Trash2 />} isDisabled={save.isPending} onPress={() => setRemoving(true)}>
            {t('catalog.coupons.remove')}
          </Button>
        )
      }
    >
      <NameFields {...shown} isNew={coupon === null} />
      <ItemFields {...shown} departments={departments} />
      <CouponDays {...shown} />
    </FormDialog>
  )
}

interface FieldsProps {
  readonly draft: Draft
  readonly wrong: ReturnType<typeof read>['wrong']
  readonly tried: boolean
  readonly set: (change: Partial<Draft>) => void
}

function NameFields({ draft, wrong, tried, set, isNew }: FieldsProps & { readonly isNew: boolean }) {
  const { t } = useI18n()
  return (
    <div className={`stack-3 start ${styles['split']}`}>
      <Field
        label={t('catalog.coupons.manufacturerCode')}
        value={draft.code}
        onChange={(code) => set({ code: code.trim() })}
        max={80}
        readOnly={!isNew}
        autoFocus={isNew}
        wrong={tried && wrong.code ? t('catalog.coupons.codeWrong') : null}
      />
      {LOCALES.map((locale) => (
        <Field
          key={locale}
          label={t('catalog.coupons.name', { language: LANGUAGES[locale].name })}
          paper
          value={draft.name[locale] ?? ''}
          onChange={(name) => set({ name: { ...draft.name, [locale]: name } })}
          max={60}
          wrong={tried && wrong.names.includes(locale) ? t('catalog.missing') : null}
        />
      ))}
    </div>
  )
}

function ItemFields({
  draft,
  wrong,
  tried,
  set,
  departments,
}: FieldsProps & { readonly departments: readonly { readonly id: string; readonly name: Names }[] }) {
  const { t, format } = useI18n()
  return (
    <div className={`stack-3 start ${styles['split']}`}>
      <Field
        label={t('catalog.coupons.value')}
        value={draft.value}
        onChange={(value) => set({ value })}
        max={9}
        hint={t('catalog.coupons.valueHint')}
        wrong={tried && wrong.value ? t('catalog.coupons.offWrong') : null}
      />
      <SelectField
        label={t('catalog.coupons.reach')}
        value={draft.reach}
        options={['item', 'department', 'sale'] as const}
        texts={(kind) => t(`catalog.coupons.reachKind.${kind}`)}
        onChange={(reach) => set({ reach })}
      />
      {draft.reach === 'item' && (
        <Field
          label={t('catalog.sku')}
          value={draft.sku}
          onChange={(sku) => set({ sku: sku.trim() })}
          max={40}
          wrong={tried && wrong.sku ? t('catalog.missing') : null}
        />
      )}
      {draft.reach === 'department' && (
        <SelectField
          label={t('catalog.department')}
          value={draft.department || departments[0]?.id || ''}
          options={departments.map(({ id }) => id)}
          texts={(id) => format.text(departments.find((one) => one.id === id)?.name ?? {}) || id}
          onChange={(department) => set({ department })}
        />
      )}
      <Field
        label={t('catalog.coupons.units')}
        value={draft.units}
        onChange={(units) => set({ units: units.trim() })}
        max={2}
        wrong={tried && wrong.units ? t('catalog.coupons.unitsWrong') : null}
      />
    </div>
  )
}
