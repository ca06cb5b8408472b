import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Item } from '../../contracts/catalog/catalog.ts'
import { LANGUAGES, LOCALES } from '../../contracts/i18n/languages.ts'
import type { Names } from '../../contracts/core/locales.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { notify } from '../core/state/notices.ts'
import { Button } from '../core/ui/button.tsx'
import { useTries } from '../core/ui/focus.ts'
import styles from './catalog.module.css'
import { type CodesDraft, CodeFields, codesDraftOf, readCodes } from './code-fields.tsx'
import { RemoveDialog, Field, FormDialog, SelectField } from './fields.tsx'
import { centsTyped, soldByOf, tareTyped, typedCents, typedTare } from './typed-values.ts'
import { MEASURE_UNITS, type MeasureUnit, UNIT_RULES } from '../../contracts/catalog/measure-units.ts'
import { useCatalog } from './item-finder.tsx'
import { type ItemTaxDraft, TaxFields, taxDraftOf, taxesEntered, wrongDays } from './tax-fields.tsx'

const ANOTHER = ''

interface Draft {
  readonly sku: string
  readonly barcode: string
  readonly name: Names
  readonly price: string
  readonly open: boolean
  readonly min: string
  readonly max: string
  readonly tax: ItemTaxDraft
  readonly departmentId: string
  readonly departmentNew: string
  readonly category: string
  /** Minimum age; empty: the age of the department applies. */
  readonly age: string
  readonly soldBy: SoldBy
  /** Tare as typed: a weight, or a share such as 4%. */
  readonly tare: string
  readonly codes: CodesDraft
}

/** Unit in which the item is sold; `barcode`: the barcode decides. */
type SoldBy = 'barcode' | 'each' | MeasureUnit
const SOLD_BY: readonly SoldBy[] = ['barcode', 'each', ...MEASURE_UNITS]
const unitSold = (soldBy: SoldBy): MeasureUnit | null => MEASURE_UNITS.find((unit) => unit === soldBy) ?? null
const isWeighed = (soldBy: SoldBy): boolean => {
  const unit = unitSold(soldBy)
  return unit !== null && UNIT_RULES[unit].isWeight
}

/** The unit of sale and the tare of an item. */
function soldByEntered({ soldBy, tare }: Pick<Draft, 'soldBy' | 'tare'>): Pick<Item, 'soldBy' | 'unit' | 'tare'> {
  const unit = unitSold(soldBy)
  if (unit === null) return soldBy === 'each' ? { soldBy } : {}
  const known = isWeighed(soldBy) ? tareTyped(tare) : undefined
  return { soldBy: 'kg', ...(unit === 'kg' ? {} : { unit }), ...(known ? { tare: known } : {}) }
}

const draftOf = (item: Item | null): Draft => ({
  sku: item?.sku ?? '',
  barcode: item?.barcode ?? '',
  name: item?.name ?? {},
  price: item ? typedCents(item.priceCents) : '',
  open: item?.openPrice != null,
  min: item?.openPrice ? typedCents(item.openPrice.leastCents) : '',
  max: item?.openPrice ? typedCents(item.openPrice.mostCents) : '',
  tax: taxDraftOf(item),
  departmentId: item?.departmentId ?? ANOTHER,
  departmentNew: '',
  category: item?.categoryId ?? '',
  age: item?.minimumAge === undefined ? '' : String(item.minimumAge),
  soldBy: soldByOf(item),
  tare: typedTare(item?.tare),
  codes: codesDraftOf(item),
})

function read(draft: Draft) {
  const price = centsTyped(draft.price)
  const min = centsTyped(draft.min)
  const max = centsTyped(draft.max)
  const codes = readCodes(draft.codes)
  const departmentId = draft.departmentId === ANOTHER ? draft.departmentNew.trim() : draft.departmentId
  const wrong = {
    sku: !/^[!-~]{1,40}$/.test(draft.sku),
    barcode: draft.barcode !== '' && !/^[!-~]{1,80}$/.test(draft.barcode),
    names: LOCALES.filter((locale) => LANGUAGES[locale].namesRequired && (draft.name[locale] ?? '').trim() === ''),
    price: price === null,
    least: draft.open && min === null,
    most: draft.open && max === null,
    bounds: draft.open && min !== null && max !== null && max < min,
    department: departmentId === '',
    age: draft.age !== '' && !/^[1-9][0-9]?$/.test(draft.age),
    tare: isWeighed(draft.soldBy) && tareTyped(draft.tare) === null,
    packsOpen: draft.open && draft.codes.packs.length > 0,
    ...codes.wrong,
    tax: wrongDays(draft.tax).some(Boolean),
  }
  const good = Object.values(wrong).every((one) => (typeof one === 'boolean' ? !one : one.length === 0))
  const item =
    good && price !== null
      ? {
          sku: draft.sku,
          barcode: draft.barcode || null,
          name: Object.fromEntries(
            LOCALES.flatMap((locale) => {
              const name = (draft.name[locale] ?? '').trim()
              return name === '' ? [] : [[locale, name]]
            }),
          ),
          priceCents: price,
          openPrice: draft.open && min !== null && max !== null ? { leastCents: min, mostCents: max } : null,
          ...taxesEntered(draft.tax),
          departmentId,
          categoryId: draft.category.trim() || null,
          ...(draft.age === '' ? {} : { minimumAge: Number(draft.age) }),
          ...soldByEntered(draft),
          ...codes.fields,
        }
      : null
  return { wrong, item }
}

export function ItemDialog({ item, onClose }: { readonly item: Item | null; readonly onClose: () => void }) {
  const { t, format } = useI18n()
  const [draft, setDraft] = useState(() => draftOf(item))
  const [removing, setRemoving] = useState(false)
  const queries = useQueryClient()
  const { tried, attempt, form } = useTries()
  const { wrong, item: entered } = read(draft)
  const save = useMutation({
    mutationFn: (given: NonNullable<typeof entered>) =>
      catalogApi.saveItem({
        how: item ? 'change' : 'add',
        ...(item ? { seen: item } : {}),
        item: given as Parameters<typeof catalogApi.saveItem>[0]['item'],
      }),
    // Reload all data, so that the next dialog shows the current item.
    onError: () => queries.invalidateQueries(),
    onSuccess: async () => {
      // Wait for the list of items, or the next dialog would open with the item before this change.
      await queries.invalidateQueries({ queryKey: ['catalog-items'] })
      onClose()
      notify('success', (i18n) => i18n.t('catalog.items.saved'))
    },
  })
  const submit = (): void => {
    attempt()
    if (entered && !save.isPending) save.mutate(entered)
  }
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }))
  const missing = (is: boolean): string | null => (tried && is ? t('catalog.missing') : null)
  if (removing && item)
    return (
      <RemoveDialog
        kind="items"
        names={item.name}
        remove={() => catalogApi.removeItem(item.sku)}
        onBack={() => setRemoving(false)}
        onDone={onClose}
      />
    )
  return (
    <FormDialog
      title={item ? t('catalog.items.edit', { name: format.text(item.name) }) : t('catalog.items.addTitle')}
      form={form}
      busy={save.isPending}
      error={save.error}
      onSave={submit}
      onClose={onClose}
      more={
        item && (
          <Button size="l" icon={<Trash2 />} isDisabled={save.isPending} onPress={() => setRemoving(true)}>
            {t('catalog.items.remove')}
          </Button>
        )
      }
    >
      <div className={`stack-3 start ${styles['split']}`}>
        <Field
          label={t('catalog.sku')}
          value={draft.sku}
          onChange={(sku) => set({ sku: sku.trim() })}
          max={40}
          readOnly={item !== null}
          autoFocus={item === null}
          wrong={missing(wrong.sku)}
        />
        <Field
          label={t('catalog.items.barcode')}
          value={draft.barcode}
          onChange={(barcode) => set({ barcode: barcode.replaceAll(/\s/g, '') })}
          max={80}
          hint={t('catalog.items.barcodeHint')}
          wrong={missing(wrong.barcode)}
        />
        {LOCALES.map((locale) => (
          <Field
            key={locale}
            label={t('catalog.items.name', { language: LANGUAGES[locale].name })}
            paper
            value={draft.name[locale] ?? ''}
            onChange={(name) => set({ name: { ...draft.name, [locale]: name } })}
            wrong={missing(wrong.names.includes(locale))}
          />
        ))}
      </div>
      <PriceFields draft={draft} wrong={wrong} tried={tried} set={set} />
      <PlaceFields draft={draft} wrong={wrong} tried={tried} set={set} />
      <TaxFields draft={draft.tax} tried={tried} set={(tax) => set({ tax })} />
      <CodeFields
        draft={draft.codes}
        wrong={wrong}
        tried={tried}
        set={(change) => setDraft((before) => ({ ...before, codes: { ...before.codes, ...change } }))}
      />
      {tried && wrong.packsOpen && <p role="alert">{t('catalog.items.packsOpen')}</p>}
    </FormDialog>
  )
}

interface FieldsProps {
  readonly draft: Draft
  readonly wrong: ReturnType<typeof read>['wrong']
  /** Whether the person tried to save: only then does the form show its errors. */
  readonly tried: boolean
  readonly set: (change: Partial<Draft>) => void
}

function PriceFields({ draft, wrong, tried, set }: FieldsProps) {
  const { t } = useI18n()
  const priceWrong = (is: boolean): string | null => (tried && is ? t('catalog.items.priceWrong') : null)
  return (
    <>
      <div className={`stack-3 start ${styles['split']}`}>
        <Field
          label={t('catalog.price')}
          value={draft.price}
          onChange={(price) => set({ price })}
          max={10}
          wrong={priceWrong(wrong.price)}
        />
        <label className={`row-3 target weight-600 ${styles['check']}`}>
          <input type="checkbox" checked={draft.open} onChange={(event) => set({ open: event.target.checked })} />
          {t('catalog.items.openPrice')}
        </label>
      </div>
      {draft.open && (
        <div className={`stack-3 start ${styles['split']}`}>
          <Field
            label={t('catalog.items.least')}
            value={draft.min}
            onChange={(min) => set({ min })}
            max={10}
            wrong={priceWrong(wrong.least)}
          />
          <Field
            label={t('catalog.items.most')}
            value={draft.max}
            onChange={(max) => set({ max })}
            max={10}
            wrong={priceWrong(wrong.most) ?? (tried && wrong.bounds ? t('catalog.items.boundsWrong') : null)}
          />
        </div>
      )}
    </>
  )
}

function PlaceFields({ draft, wrong, tried, set }: FieldsProps) {
  const { t, format } = useI18n()
  const departments = useCatalog('departments', catalogApi.departments).data?.departments ?? []
  const ids = departments.map(({ id }) => id)
  const options = [
    ...(ids.includes(draft.departmentId) || draft.departmentId === ANOTHER ? ids : [draft.departmentId, ...ids]),
    ANOTHER,
  ]
  const nameOf = (id: string): string => {
    const department = departments.find((one) => one.id === id)
    return department ? format.text(department.name) : id
  }
  return (
    <div className={`stack-3 start ${styles['split']}`}>
      <SelectField
        label={t('catalog.department')}
        value={draft.departmentId}
        options={options}
        texts={(id) => (id === ANOTHER ? t('catalog.items.departmentOther') : nameOf(id))}
        onChange={(departmentId) => set({ departmentId })}
      />
      {draft.departmentId === ANOTHER && (
        <Field
          label={t('catalog.items.departmentNew')}
          value={draft.departmentNew}
          onChange={(departmentNew) => set({ departmentNew })}
          max={80}
          wrong={tried && wrong.department ? t('catalog.missing') : null}
        />
      )}
      <Field
        label={t('catalog.items.category')}
        value={draft.category}
        onChange={(category) => set({ category })}
        max={80}
        hint={t('catalog.items.barcodeHint')}
      />
      <SelectField
        label={t('catalog.items.soldBy.label')}
        value={draft.soldBy}
        options={SOLD_BY}
        texts={(soldBy) => t(`catalog.items.soldBy.${soldBy}`)}
        onChange={(soldBy) => set({ soldBy })}
      />
      {isWeighed(draft.soldBy) && (
        <Field
          label={t('catalog.items.tare')}
          value={draft.tare}
          onChange={(tare) => set({ tare: tare.trim() })}
          max={7}
          hint={t('catalog.items.tareHint')}
          wrong={tried && wrong.tare ? t('catalog.items.tareWrong') : null}
        />
      )}
      <Field
        label={t('catalog.items.age')}
        value={draft.age}
        onChange={(age) => set({ age: age.trim() })}
        max={2}
        hint={t('catalog.items.ageHint')}
        wrong={tried && wrong.age ? t('catalog.items.ageWrong') : null}
      />
    </div>
  )
}
