import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { FieldError, Form, Input, Label, Text, TextField } from 'react-aria-components'
import { useI18n } from '../core/i18n/i18n.ts'
import { notify } from '../core/state/notices.ts'
import { Button } from '../core/ui/button.tsx'
import { Dialog } from '../core/ui/dialog.tsx'
import { LoadFailed } from '../core/ui/page.tsx'
import { PaperWarning } from '../core/ui/paper-warning.tsx'
import styles from './catalog.module.css'
import { writeItemCharges } from '../../contracts/catalog/item-charges.ts'
import type { Item } from '../../contracts/catalog/catalog.ts'
import { soldByOf, typedTare } from './typed-values.ts'
import type { PromotionField } from '../../contracts/catalog/promotion-fields.ts'
import type { Names } from '../../contracts/core/locales.ts'
import { LOCALES } from '../../contracts/i18n/languages.ts'
import type { Format } from '../core/i18n/format.ts'
import type { Translate } from '../core/i18n/message-key.ts'

export function Field({
  label,
  value,
  onChange,
  hint,
  wrong = null,
  max = 120,
  readOnly = false,
  autoFocus = false,
  paper = false,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: string
  readonly wrong?: string | null
  readonly max?: number
  readonly readOnly?: boolean
  readonly autoFocus?: boolean
  /** The text is printed on paper: the field then lists characters that the printer cannot print. */
  readonly paper?: boolean
}) {
  return (
    <TextField
      value={value}
      onChange={onChange}
      isInvalid={wrong !== null}
      isReadOnly={readOnly}
      autoFocus={autoFocus}
      className={`stack-1 single field ${styles['field']}`}
    >
      <Label>{label}</Label>
      <Input maxLength={max} autoComplete="off" spellCheck="false" />
      {hint !== undefined && wrong === null && <Text slot="description">{hint}</Text>}
      {paper && <PaperWarning text={value} />}
      <FieldError>{wrong}</FieldError>
    </TextField>
  )
}

/** A form over the page with Back and Save. `error`: the reason why saving failed. */
export function FormDialog({
  title,
  form,
  busy,
  error,
  onSave,
  onClose,
  more,
  children,
}: {
  readonly title: string
  readonly form: React.RefObject<HTMLFormElement | null>
  readonly busy: boolean
  readonly error: Error | null
  readonly onSave: () => void
  readonly onClose: () => void
  readonly more?: ReactNode
  readonly children: ReactNode
}) {
  const { t } = useI18n()
  return (
    <Dialog open onClose={onClose} size="l" title={title}>
      <Form
        ref={form}
        className="stack-4 single ringless"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          onSave()
        }}
      >
        {children}
        {error && <LoadFailed error={error} retry={onSave} />}
        <div className="wrap-3 end">
          <Button size="l" onPress={onClose} isDisabled={busy}>
            {t('catalog.back')}
          </Button>
          {more}
          <Button size="l" look="primary" type="submit" isDisabled={busy}>
            {t(busy ? 'catalog.saving' : 'catalog.save')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

export function ConfirmDialog({
  title,
  confirm,
  look = 'danger',
  busy,
  error,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string
  readonly confirm: string
  readonly look?: 'danger' | 'primary'
  readonly busy: boolean
  readonly error: Error | null
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const { t } = useI18n()
  return (
    <Dialog open onClose={onClose} role="alertdialog" title={title}>
      <div className="stack-4 single ringless">
        {children}
        {error && <LoadFailed error={error} retry={onConfirm} />}
        <div className="wrap-3 end">
          <Button size="l" onPress={onClose} isDisabled={busy} autoFocus>
            {t('catalog.back')}
          </Button>
          <Button size="l" look={look} onPress={onConfirm} isDisabled={busy}>
            {confirm}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Confirms and performs the removal of an item, coupon or promotion. */
export function RemoveDialog({
  kind,
  names,
  remove,
  onBack,
  onDone,
}: {
  readonly kind: 'items' | 'charges' | 'coupons' | 'promotions'
  readonly names: Names
  readonly remove: () => Promise<unknown>
  readonly onBack: () => void
  readonly onDone: () => void
}) {
  const { t, format } = useI18n()
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      onDone()
      notify('success', (i18n) => i18n.t(`catalog.${kind}.removed`))
    },
  })
  return (
    <ConfirmDialog
      title={t(`catalog.${kind}.removeTitle`)}
      confirm={t(`catalog.${kind}.remove`)}
      busy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onBack}
    >
      <p className="prose">{t(`catalog.${kind}.removeText`, { name: format.text(names) })}</p>
    </ConfirmDialog>
  )
}

/** A select for one option of a possibly long list; native, for keyboard and touch. */
export function SelectField<Value extends string>({
  label,
  value,
  options,
  texts,
  onChange,
}: {
  readonly label: string
  readonly value: Value
  readonly options: readonly Value[]
  readonly texts: (option: Value) => string
  readonly onChange: (value: Value) => void
}) {
  const id = useId()
  return (
    <div className={`stack-1 single field ${styles['field']}`}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => {
          const option = options.find((one) => one === event.target.value)
          if (option !== undefined) onChange(option)
        }}
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {texts(option)}
          </option>
        ))}
      </select>
    </div>
  )
}

type ChangedField =
  | 'barcode'
  | 'name'
  | 'openPrice'
  | 'taxCategory'
  | 'taxRule'
  | 'taxChanges'
  | 'departmentId'
  | 'categoryId'
  | 'minimumAge'
  | 'soldBy'
  | 'tare'
  | 'codes'
  | 'packs'
  | 'mostPerSale'
  | 'returnDays'
  | 'blocked'
  | 'charges'

/** The changed fields of an item, other than its price; one line each. */
export function changedFields(
  before: Item | null,
  after: Item | null,
  { t, format }: { readonly t: Translate; readonly format: Format },
): readonly string[] {
  if (before === null || after === null) return []
  const nothing = t('catalog.import.nothing')
  const bounds = ({ openPrice }: Item): string =>
    openPrice
      ? t('catalog.import.bounds', {
          least: format.money(openPrice.leastCents),
          most: format.money(openPrice.mostCents),
        })
      : nothing
  const ruleOf = (taxRule: Item['taxRule']): string => t(`catalog.items.rule.${taxRule ?? 'none'}`)
  const taxChanges = ({ taxChanges = [] }: Item): string =>
    taxChanges
      .map(({ from, taxCategory, taxRule }) =>
        [from, t(`catalog.items.tax.${taxCategory}`), ...(taxRule ? [ruleOf(taxRule)] : [])].join(' '),
      )
      .join(', ') || nothing
  const soldBy = (item: Item): string => t(`catalog.items.soldBy.${soldByOf(item)}`)
  const packs = (item: Item): string =>
    item.packs
      ?.map(({ barcode, quantity, priceCents }) =>
        [`${barcode} × ${quantity}`, ...(priceCents === undefined ? [] : [format.money(priceCents)])].join(' '),
      )
      .join(', ') ?? nothing
  const lines: string[] = []
  const note = (field: ChangedField, was: string, is: string): void => {
    if (was !== is) lines.push(t(`catalog.import.changed.${field}`, { before: was, after: is }))
  }
  for (const locale of LOCALES) note('name', before.name[locale] ?? nothing, after.name[locale] ?? nothing)
  note('barcode', before.barcode ?? nothing, after.barcode ?? nothing)
  note('openPrice', bounds(before), bounds(after))
  note('taxCategory', t(`catalog.items.tax.${before.taxCategory}`), t(`catalog.items.tax.${after.taxCategory}`))
  note('taxRule', ruleOf(before.taxRule), ruleOf(after.taxRule))
  note('taxChanges', taxChanges(before), taxChanges(after))
  note('departmentId', before.departmentId, after.departmentId)
  note('categoryId', before.categoryId ?? nothing, after.categoryId ?? nothing)
  note('minimumAge', String(before.minimumAge ?? nothing), String(after.minimumAge ?? nothing))
  note('soldBy', soldBy(before), soldBy(after))
  note('tare', typedTare(before.tare) || nothing, typedTare(after.tare) || nothing)
  note('codes', before.codes?.join(' ') ?? nothing, after.codes?.join(' ') ?? nothing)
  note('packs', packs(before), packs(after))
  note('mostPerSale', String(before.mostPerSale ?? nothing), String(after.mostPerSale ?? nothing))
  note('returnDays', String(before.returnDays ?? nothing), String(after.returnDays ?? nothing))
  note('blocked', before.blocked ?? nothing, after.blocked ?? nothing)
  note('charges', writeItemCharges(before.charges ?? []) || nothing, writeItemCharges(after.charges ?? []) || nothing)
  return lines
}

export interface PromotionForm {
  readonly draft: Readonly<Partial<Record<PromotionField, string>>>
  readonly set: (field: PromotionField, text: string) => void
  /** Error of a field, shown once the person pressed Save or tried the promotion; null: none. */
  readonly wrong: (field: PromotionField) => string | null
}

export function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className={`stack-3 start pad-0 ${styles['group']} ${styles['split']}`}>
      <legend className="weight-600">{title}</legend>
      {children}
    </fieldset>
  )
}

export function Check({
  label,
  isOn,
  onChange,
}: {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}) {
  return (
    <label className={`row-3 target weight-600 ${styles['check']}`}>
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  )
}
