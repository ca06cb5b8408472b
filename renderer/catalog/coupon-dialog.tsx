import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import { LANGUAGES, LOCALES } from '../../contracts/i18n/languages.ts'
import type { Names } from '../../contracts/core/locales.ts'
import type { Coupon } from '../../contracts/sales/sale-rules.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { notify } from '../core/state/notices.ts'
import { Button } from '../core/ui/button.tsx'
import { DateField } from '../core/ui/date-field.tsx'
import { isDay } from '../core/ui/date-text.ts'
import { useTries } from '../core/ui/focus.ts'
import styles from './catalog.module.css'
import { Field, FormDialog, RemoveDialog, SelectField } from './fields.tsx'
import { centsTyped, typedNumber } from './typed-values.ts'
import { useCatalog } from './item-finder.tsx'

type Shown = z.infer<typeof Coupon>

interface Draft {
  readonly code: string
  readonly name: Names
  readonly off: 'percent' | 'dollars' | 'none'
  readonly amount: string
  readonly reach: 'sale' | 'item' | 'department'
  readonly sku: string
  readonly department: string
  readonly minimum: string
  readonly from: string
  readonly until: string
}

const draftOf = (coupon: Shown | null): Draft => ({
  code: coupon?.code ?? '',
  name: coupon?.name ?? {},
  off:
    coupon?.percent !== undefined ? 'percent' : coupon?.dollars !== undefined || coupon === null ? 'dollars' : 'none',
  amount: typedNumber(coupon?.percent ?? coupon?.dollars ?? ''),
  reach: coupon?.sku !== undefined ? 'item' : coupon?.department !== undefined ? 'department' : 'sale',
  sku: coupon?.sku ?? '',
  department: coupon?.department ?? '',
  minimum: typedNumber(coupon?.minimumDollars ?? ''),
  from: coupon?.from ?? '',
  until: coupon?.until ?? '',
})

function read(draft: Draft, departments: readonly string[]) {
  const amount = centsTyped(draft.amount)
  const minimum = draft.minimum === '' ? null : centsTyped(draft.minimum)
  const department = draft.department || departments[0] || ''
  const wrong = {
    code: !/^[!-~]{3,64}$/.test(draft.code),
    names: LOCALES.filter((locale) => LANGUAGES[locale].namesRequired && (draft.name[locale] ?? '').trim() === ''),
    amount: draft.off !== 'none' && (amount === null || amount === 0 || (draft.off === 'percent' && amount > 10_000)),
    sku: draft.reach === 'item' && draft.sku === '',
    minimum: draft.minimum !== '' && (minimum === null || minimum === 0),
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
    ...(draft.off !== 'none' && amount !== null ? { [draft.off]: amount / 100 } : {}),
    ...(draft.reach === 'item' ? { sku: draft.sku } : {}),
    ...(draft.reach === 'department' ? { department } : {}),
    ...(minimum === null ? {} : { minimumDollars: minimum / 100 }),
    ...(draft.from === '' ? {} : { from: draft.from }),
    ...(draft.until === '' ? {} : { until: draft.until }),
  }
  return { wrong, coupon: good ? coupon : null }
}

export function CouponDialog({
  coupon,
  onClose,
  onDone,
}: {
  readonly coupon: Shown | null
  readonly onClose: () => void
  readonly onDone: () => void
}) {
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
      catalogApi.saveCoupon({ how: coupon ? 'change' : 'add', coupon: given, ...(coupon ? { seen: coupon } : {}) }),
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
        remove={() => catalogApi.removeCoupon(coupon.code)}
        onBack={() => setRemoving(false)}
        onDone={() => {
          onClose()
          onDone()
        }}
      />
    )
  return (
    <FormDialog
      title={coupon ? t('catalog.coupons.edit', { name: format.text(coupon.name) }) : t('catalog.coupons.addTitle')}
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
      <div className={`stack-3 start ${styles['split']}`}>
        <Field
          label={t('catalog.coupons.code')}
          value={draft.code}
          onChange={(code) => set({ code: code.trim() })}
          max={64}
          readOnly={coupon !== null}
          autoFocus={coupon === null}
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
      <OffFields draft={draft} wrong={wrong} tried={tried} set={set} departments={departments} />
      <CouponDays draft={draft} wrong={wrong} tried={tried} set={set} />
    </FormDialog>
  )
}

interface FieldsProps {
  readonly draft: Draft
  readonly wrong: ReturnType<typeof read>['wrong']
  readonly tried: boolean
  readonly set: (change: Partial<Draft>) => void
}

function OffFields({
  draft,
  wrong,
  tried,
  set,
  departments,
}: FieldsProps & { readonly departments: readonly { readonly id: string; readonly name: Names }[] }) {
  const { t, format } = useI18n()
  return (
    <div className={`stack-3 start ${styles['split']}`}>
      <SelectField
        label={t('catalog.coupons.off')}
        value={draft.off}
        options={['dollars', 'percent', 'none'] as const}
        texts={(kind) => t(`catalog.coupons.offKind.${kind}`)}
        onChange={(off) => set({ off })}
      />
      {draft.off !== 'none' && (
        <Field
          label={t(`catalog.coupons.${draft.off}`)}
          value={draft.amount}
          onChange={(amount) => set({ amount })}
          max={9}
          wrong={tried && wrong.amount ? t('catalog.coupons.offWrong') : null}
        />
      )}
      <SelectField
        label={t('catalog.coupons.reach')}
        value={draft.reach}
        options={['sale', 'item', 'department'] as const}
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
        label={t('catalog.coupons.minimum')}
        value={draft.minimum}
        onChange={(minimum) => set({ minimum })}
        max={9}
        hint={t('catalog.coupons.minimumHint')}
        wrong={tried && wrong.minimum ? t('catalog.items.priceWrong') : null}
      />
    </div>
  )
}

/** The first and last day of a coupon. */
export function CouponDays({
  draft,
  wrong,
  tried,
  set,
}: {
  readonly draft: { readonly from: string; readonly until: string }
  readonly wrong: { readonly days: boolean }
  readonly tried: boolean
  readonly set: (change: { readonly from?: string; readonly until?: string }) => void
}) {
  const { t } = useI18n()
  return (
    <div className={`stack-3 start ${styles['split']}`}>
      <DateField
        label={t('catalog.coupons.from')}
        value={draft.from}
        onChange={(from) => set({ from })}
        hint={t('catalog.coupons.minimumHint')}
        tried={tried}
        optional
      />
      <DateField
        label={t('catalog.coupons.until')}
        value={draft.until}
        onChange={(until) => set({ until })}
        hint={t('catalog.coupons.minimumHint')}
        tried={tried}
        optional
        wrong={tried && wrong.days ? t('catalog.coupons.daysWrong') : null}
      />
    </div>
  )
}
