import { ChevronRight, ListFilter, X } from 'lucide-react'
import type { ManagerOffer } from '../../../contracts/loyalty/offers.ts'
import {
  OFFER_AVAILABILITIES,
  OFFER_SORTS,
  OFFER_TYPES,
  type OfferFilterName,
  PROGRAM_TYPES,
  lastDayOf,
} from '../../../contracts/loyalty/kinds.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { Tag, type TagTone } from '../../core/ui/surface.tsx'
import styles from './offers-manager.module.css'
import { type ReactNode, useState } from 'react'
import { ChoiceField, FilterRow, FormField } from '../../core/ui/filter-fields.tsx'
import type { Choice, Choices, Filter } from './use-manager-offers.ts'

const TONES: Record<ManagerOffer['validity'], TagTone> = {
  usable: 'ok',
  'ends-soon': 'warn',
  'not-started': 'neutral',
  over: 'danger',
}

export function ValidityTag({ validity }: { readonly validity: ManagerOffer['validity'] }) {
  const { t } = useI18n()
  return <Tag tone={TONES[validity]}>{t(`offersManager.validity.${validity}`)}</Tag>
}

export function OfferTable({
  offers,
  onOpen,
}: {
  readonly offers: readonly ManagerOffer[]
  readonly onOpen: (id: string) => void
}) {
  const { t, format } = useI18n()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['offers']}`} aria-label={t('offersManager.list')}>
        <thead>
          <tr>
            <th scope="col">{t('offersManager.offer')}</th>
            <th scope="col">{t('offersManager.filter.partner')}</th>
            <th scope="col">{t('offersManager.filter.category')}</th>
            <th scope="col">{t('offersManager.ends')}</th>
            <th scope="col">{t('offersManager.state')}</th>
            <th scope="col">
              <span className="sr-only">{t('dayEnd.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {offers.map((offer) => (
            <tr key={offer.id}>
              <th scope="row" className={styles['name']}>
                {offer.award}
                <small className="block dim weight-400">{offer.qualifier}</small>
              </th>
              <td>{offer.partner}</td>
              <td>
                {offer.category}
                {offer.promotion && <small className="block dim weight-400">{offer.promotion.label}</small>}
              </td>
              <td>{format.date(lastDayOf(offer.endDate))}</td>
              <td>
                <ValidityTag validity={offer.validity} />
              </td>
              <td className={styles['open']}>
                <IconButton
                  icon={<ChevronRight />}
                  label={t('offersManager.open', { award: offer.award })}
                  onPress={() => onOpen(offer.id)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

const EVENTS = ['true', 'false'] as const
const ID_LENGTH = 36
const idOf = (text: string): string | null =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text.toLowerCase()) ? text.toLowerCase() : null

const MORE = ['programType', 'event', 'excludePartner'] as const satisfies readonly OfferFilterName[]

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
  const { t } = useI18n()
  const [more, setMore] = useState(false)
  const [cleared, setCleared] = useState(0)
  const set = (name: OfferFilterName, value: string): void => {
    const { [name]: _was, ...others } = filter
    const next: Filter = value === '' ? others : { ...others, [name]: value }
    // A subcategory belongs to its category, so a new category clears it.
    const { subcategory: _of, ...ofAny } = next
    onChange(name === 'category' ? ofAny : next)
  }
  const field = (name: OfferFilterName, none: string, options: ReactNode) => (
    <ChoiceField
      label={t(`offersManager.filter.${name}`)}
      value={filter[name] ?? ''}
      onChange={(value) => set(name, value)}
    >
      <option value="">{none}</option>
      {options}
    </ChoiceField>
  )
  const all = t('offersManager.all')
  const named = (name: 'partner' | 'category' | 'subcategory' | 'promotion') =>
    field(name, all, <Named choices={choices[name]} />)
  const moreSet = MORE.filter((name) => filter[name] !== undefined).length
  return (
    <FilterRow label={t('offersManager.filters')}>
      {named('partner')}
      {named('category')}
      {filter.category !== undefined && choices.subcategory.length > 0 && named('subcategory')}
      {choices.promotion.length > 0 && named('promotion')}
      {field('type', all, <Coded codes={OFFER_TYPES} texts={(code) => t(`offersManager.types.${code}`)} />)}
      {field(
        'availability',
        all,
        <Coded codes={OFFER_AVAILABILITIES} texts={(code) => t(`offersManager.availabilities.${code}`)} />,
      )}
      {field(
        'sort',
        t('offersManager.sortDefault'),
        <Coded codes={OFFER_SORTS} texts={(code) => t(`offersManager.sort.${code}`)} />,
      )}
      {more && (
        <>
          {field(
            'programType',
            all,
            <Coded codes={PROGRAM_TYPES} texts={(code) => t(`offersManager.programTypes.${code}`)} />,
          )}
          {field('event', all, <Coded codes={EVENTS} texts={(code) => t(`offersManager.events.${code}`)} />)}
          {field('excludePartner', t('offersManager.nobody'), <Named choices={choices.partner} />)}
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
        </>
      )}
      <Button icon={<ListFilter />} aria-expanded={more} onPress={() => setMore(!more)}>
        {moreSet === 0 ? t('offersManager.more') : t('offersManager.moreSet', { count: String(moreSet) })}
      </Button>
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

function Named({ choices }: { readonly choices: readonly Choice[] }) {
  return choices.map((choice) => (
    <option key={choice.id} value={choice.id}>
      <ChoiceText choice={choice} />
    </option>
  ))
}

function Coded<Code extends string>({
  codes,
  texts,
}: {
  readonly codes: readonly Code[]
  readonly texts: (code: Code) => string
}) {
  return codes.map((code) => (
    <option key={code} value={code}>
      {texts(code)}
    </option>
  ))
}

function ChoiceText({ choice: { label, count } }: { readonly choice: Choice }) {
  const { t } = useI18n()
  return <>{count === null ? label : t('offersManager.counted', { label, count: String(count) })}</>
}
