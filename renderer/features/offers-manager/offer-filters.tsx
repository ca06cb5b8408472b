import { X } from 'lucide-react'
import { useState } from 'react'
import {
  OFFER_AVAILABILITIES,
  OFFER_SORTS,
  OFFER_TYPES,
  PROGRAM_TYPES,
  type OfferFilterName,
} from '../../../contracts/offer-kinds.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField, FilterRow, FormField } from '../../ui/filter-fields.tsx'
import type { Choice, Choices, Filter } from './use-manager-offers.ts'

const ID_LENGTH = 36
const idOf = (text: string): string | null =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text.toLowerCase()) ? text.toLowerCase() : null

/** Every filter of the offer service that needs no member's token; what there is to choose carries its number. */
export function OfferFilters({
  filter,
  choices,
  onChange,
  onOpen,
}: {
  readonly filter: Filter
  readonly choices: Choices
  readonly onChange: (filter: Filter) => void
  readonly onOpen: (id: string) => void
}) {
  const { t } = useWords()
  const [cleared, setCleared] = useState(0)
  const set = (name: OfferFilterName, value: string): void => {
    const { [name]: _was, ...others } = filter
    const next: Filter = value === '' ? others : { ...others, [name]: value }
    // A subcategory is of its category.
    const { subcategory: _of, ...ofAny } = next
    onChange(name === 'category' ? ofAny : next)
  }
  const named = (name: 'partner' | 'category' | 'subcategory' | 'promotion') => (
    <ChoiceField
      label={t(`offersManager.filter.${name}`)}
      value={filter[name] ?? ''}
      onChange={(value) => set(name, value)}
    >
      <option value="">{t('offersManager.all')}</option>
      {choices[name].map((choice) => (
        <option key={choice.id} value={choice.id}>
          <ChoiceWords choice={choice} />
        </option>
      ))}
    </ChoiceField>
  )
  const coded = <Code extends string>(
    name: 'type' | 'programType' | 'availability' | 'sort',
    codes: readonly Code[],
    words: (code: Code) => string,
  ) => (
    <ChoiceField
      label={t(`offersManager.filter.${name}`)}
      value={filter[name] ?? ''}
      onChange={(value) => set(name, value)}
    >
      <option value="">{t(name === 'sort' ? 'offersManager.sortDefault' : 'offersManager.all')}</option>
      {codes.map((code) => (
        <option key={code} value={code}>
          {words(code)}
        </option>
      ))}
    </ChoiceField>
  )
  return (
    <FilterRow label={t('offersManager.filters')}>
      {named('partner')}
      {named('category')}
      {filter.category !== undefined && choices.subcategory.length > 0 && named('subcategory')}
      {choices.promotion.length > 0 && named('promotion')}
      {coded('type', OFFER_TYPES, (code) => t(`offersManager.types.${code}`))}
      {coded('programType', PROGRAM_TYPES, (code) => t(`offersManager.programTypes.${code}`))}
      {coded('availability', OFFER_AVAILABILITIES, (code) => t(`offersManager.availabilities.${code}`))}
      {coded('sort', OFFER_SORTS, (code) => t(`offersManager.sort.${code}`))}
      <FormField
        key={`id-${cleared}`}
        label={t('offersManager.id')}
        wrong={t('offersManager.idInvalid')}
        longest={ID_LENGTH}
        read={idOf}
        onChange={(id) => {
          if (id !== null) onOpen(id)
        }}
      />
      {Object.keys(filter).length > 0 && (
        <Button
          icon={<X />}
          onPress={() => {
            setCleared(cleared + 1)
            onChange({})
          }}
        >
          {t('offersManager.clear')}
        </Button>
      )}
    </FilterRow>
  )
}

function ChoiceWords({ choice: { label, count } }: { readonly choice: Choice }) {
  const { t } = useWords()
  return <>{count === null ? label : t('offersManager.counted', { label, count: String(count) })}</>
}
