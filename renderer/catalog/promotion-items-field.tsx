import { useState } from 'react'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import styles from './catalog.module.css'
import { Check, Field, type PromotionForm, SelectField } from './fields.tsx'
import { useCatalog } from './item-finder.tsx'

const KINDS = ['all', 'items', 'departments', 'categories'] as const
type Kind = (typeof KINDS)[number] | 'same'
const PREFIXES = { departments: 'department: ', categories: 'category: ' } as const
const SEPARATOR = ' | '

const kindOf = (text: string, isOptional: boolean): Kind =>
  text.startsWith('department:')
    ? 'departments'
    : text.startsWith('category:')
      ? 'categories'
      : text === 'all' || text === ''
        ? isOptional && text === ''
          ? 'same'
          : 'all'
        : 'items'

const withoutPrefix = (text: string): string => text.replace(/^(?:department|category):\s*/, '')

/**
 * Field for items of a promotion: all, SKUs, departments or categories. A field other than `items` may also be empty,
 * which means the same items as `items`.
 */
export function PromotionItemsField({
  form: { draft, set, wrong },
  field,
  label,
}: {
  readonly form: PromotionForm
  readonly field: 'items' | 'get_items' | 'counts'
  readonly label: string
}) {
  const { t } = useI18n()
  const isOptional = field !== 'items'
  const text = draft[field] ?? ''
  const [kind, setKind] = useState<Kind>(() => kindOf(text, isOptional))
  const choose = (next: Kind): void => {
    setKind(next)
    set(
      field,
      next === 'same'
        ? ''
        : next === 'departments' || next === 'categories'
          ? PREFIXES[next]
          : next === 'all'
            ? 'all'
            : ',',
    )
  }
  return (
    <>
      <SelectField
        label={label}
        value={kind}
        options={isOptional ? (['same', ...KINDS] as const) : KINDS}
        texts={(one) => t(`catalog.promotions.itemsKind.${one}`)}
        onChange={choose}
      />
      {kind === 'items' && (
        <Field
          label={t('catalog.promotions.skus')}
          value={text === ',' ? '' : text.replaceAll(SEPARATOR, ', ')}
          onChange={(skus) => set(field, skus === '' ? ',' : skus)}
          max={4_000}
          hint={t('catalog.promotions.skusHint')}
          wrong={wrong(field)}
        />
      )}
      {kind === 'categories' && (
        <Field
          label={t('catalog.promotions.categories')}
          value={withoutPrefix(text).replaceAll(SEPARATOR, ', ')}
          onChange={(ids) => set(field, PREFIXES.categories + ids.split(/,\s?/).join(SEPARATOR))}
          max={2_000}
          hint={t('catalog.promotions.categoriesHint')}
          wrong={wrong(field)}
        />
      )}
      {kind === 'departments' && (
        <Departments
          label={label}
          chosen={withoutPrefix(text)
            .split('|')
            .map((id) => id.trim())}
          onChange={(ids) => set(field, PREFIXES.departments + ids.join(SEPARATOR))}
          wrong={wrong(field)}
        />
      )}
    </>
  )
}

function Departments({
  label,
  chosen,
  onChange,
  wrong,
}: {
  readonly label: string
  readonly chosen: readonly string[]
  readonly onChange: (ids: readonly string[]) => void
  readonly wrong: string | null
}) {
  const { format } = useI18n()
  const departments = useCatalog('departments', catalogApi.departments).data?.departments ?? []
  const ids = departments.map(({ id }) => id)
  return (
    <div role="group" aria-label={label} className={`wrap-3 ${styles['wide']}`}>
      {departments.map(({ id, name }) => (
        <Check
          key={id}
          label={format.text(name) || id}
          isOn={chosen.includes(id)}
          onChange={(isOn) => onChange(ids.filter((one) => (one === id ? isOn : chosen.includes(one))))}
        />
      ))}
      {wrong !== null && (
        <p role="alert" className={styles['groupWrong']}>
          {wrong}
        </p>
      )}
    </div>
  )
}
