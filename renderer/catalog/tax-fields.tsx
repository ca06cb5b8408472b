import { Trash2 } from 'lucide-react'
import type { Item, TaxChange } from '../../contracts/catalog/catalog.ts'
import { MAX_TAX_CHANGES } from '../../contracts/catalog/goods.ts'
import type { TaxRule } from '../../contracts/core/regions.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { Button } from '../core/ui/button.tsx'
import { DateField } from '../core/ui/date-field.tsx'
import { isDay } from '../core/ui/date-text.ts'
import styles from './catalog.module.css'
import { SelectField } from './fields.tsx'

const CATEGORIES = ['standard', 'zero-rated', 'book', 'children-wear', 'diapers', 'federal-only'] as const
const RULES = [
  'none',
  'baked-serving',
  'prepared-food',
  'dispensed-drink',
  'packaged-drink',
  'no-federal-tax',
] as const satisfies readonly (TaxRule | 'none')[]
type Rule = (typeof RULES)[number]

/** Tax category and rule as entered. `from`: first day of a planned change. */
interface TaxDraft {
  readonly from: string
  readonly taxCategory: Item['taxCategory']
  readonly taxRule: Rule
}
export interface ItemTaxDraft extends Omit<TaxDraft, 'from'> {
  readonly changes: readonly TaxDraft[]
}

export const taxDraftOf = (item: Item | null): ItemTaxDraft => ({
  taxCategory: item?.taxCategory ?? 'standard',
  taxRule: item?.taxRule ?? 'none',
  changes: (item?.taxChanges ?? []).map(({ from, taxCategory, taxRule }) => ({
    from,
    taxCategory,
    taxRule: taxRule ?? 'none',
  })),
})

/** Whether the day of each planned change is wrong: missing, invalid, or that of an earlier change in the list. */
export const wrongDays = ({ changes }: ItemTaxDraft): readonly boolean[] =>
  changes.map(({ from }, at) => !isDay(from) || changes.some((other, index) => index < at && other.from === from))

const ruleOf = (taxRule: Rule): Pick<Item, 'taxRule'> => (taxRule === 'none' ? {} : { taxRule })

export const taxesEntered = ({ taxCategory, taxRule, changes }: ItemTaxDraft) => ({
  taxCategory,
  ...ruleOf(taxRule),
  ...(changes.length === 0
    ? {}
    : {
        taxChanges: changes
          .map((change): TaxChange => ({
            from: change.from,
            taxCategory: change.taxCategory,
            ...ruleOf(change.taxRule),
          }))
          .toSorted((one, other) => (one.from < other.from ? -1 : 1)),
      }),
})

export function TaxFields({
  draft,
  tried,
  set,
}: {
  readonly draft: ItemTaxDraft
  /** Whether saving was attempted: the fields then show their errors. */
  readonly tried: boolean
  readonly set: (draft: ItemTaxDraft) => void
}) {
  const { t } = useI18n()
  const { changes } = draft
  const wrong = wrongDays(draft)
  const replaced = (at: number, change: Partial<TaxDraft>): void =>
    set({ ...draft, changes: changes.map((one, index) => (index === at ? { ...one, ...change } : one)) })
  return (
    <>
      <div className={`stack-3 start ${styles['split']}`}>
        <Treatment draft={draft} set={(change) => set({ ...draft, ...change })} />
      </div>
      {changes.map((change, at) => (
        <div
          key={at}
          role="group"
          aria-label={t('catalog.items.taxChange', { number: at + 1 })}
          className={`stack-3 start ${styles['split']}`}
        >
          <DateField
            label={t('catalog.items.taxFrom')}
            value={change.from}
            onChange={(from) => replaced(at, { from })}
            tried={tried}
            wrong={tried && wrong[at] === true ? t('catalog.items.taxFromWrong') : null}
          />
          <Treatment draft={change} set={(given) => replaced(at, given)} />
          <div className={`row-3 ${styles['check']}`}>
            <Button
              aria-label={t('catalog.items.taxChangeRemove', { number: at + 1 })}
              icon={<Trash2 />}
              onPress={() => set({ ...draft, changes: changes.filter((_, index) => index !== at) })}
            >
              {t('catalog.items.taxChangeDrop')}
            </Button>
          </div>
        </div>
      ))}
      {changes.length < MAX_TAX_CHANGES && (
        <Button
          onPress={() =>
            set({
              ...draft,
              changes: [...changes, { from: '', taxCategory: draft.taxCategory, taxRule: draft.taxRule }],
            })
          }
        >
          {t('catalog.items.taxChangeAdd')}
        </Button>
      )}
    </>
  )
}

function Treatment({
  draft,
  set,
}: {
  readonly draft: Omit<TaxDraft, 'from'>
  readonly set: (change: Partial<Omit<TaxDraft, 'from'>>) => void
}) {
  const { t } = useI18n()
  return (
    <>
      <SelectField
        label={t('catalog.items.taxCategory')}
        value={draft.taxCategory}
        options={CATEGORIES}
        texts={(category) => t(`catalog.items.tax.${category}`)}
        onChange={(taxCategory) => set({ taxCategory })}
      />
      <SelectField
        label={t('catalog.items.taxRule')}
        value={draft.taxRule}
        options={RULES}
        texts={(rule) => t(`catalog.items.rule.${rule}`)}
        onChange={(taxRule) => set({ taxRule })}
      />
    </>
  )
}
