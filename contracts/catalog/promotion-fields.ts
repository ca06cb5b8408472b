import type { z } from 'zod'
import { LOCALES } from '../i18n/languages.ts'
import {
  CELL_SEPARATOR,
  CellReader,
  dollarsText,
  NAME_COLUMNS,
  type NameColumn,
  nameColumnOf,
  REQUIRED_NAME_COLUMNS,
} from './cells.ts'
import type { Promotion } from './promotions.ts'

const FIELDS = [
  'id',
  'reward',
  'percent',
  'dollars',
  'units',
  'free',
  'items',
  'get_items',
  'counts',
  'minimum',
  'minimum_units',
  'needs',
  'from_day',
  'until_day',
  'weekdays',
  'from_time',
  'until_time',
  'buyers',
  'most',
  'stackable',
  'priority',
] as const
export type PromotionField = (typeof FIELDS)[number] | NameColumn

/** Columns of a file of promotions, and the fields of the form: one text for each. */
export const PROMOTION_FIELDS: readonly PromotionField[] = ['id', ...NAME_COLUMNS, ...FIELDS.slice(1)]
export const REQUIRED_PROMOTION_FIELDS: readonly PromotionField[] = ['id', ...REQUIRED_NAME_COLUMNS, 'reward']

export const REWARDS = [
  'set-price',
  'buy-get',
  'percent',
  'amount',
  'price',
  'basket-percent',
  'basket-amount',
] as const satisfies readonly Promotion['reward']['kind'][]
export type RewardKind = (typeof REWARDS)[number]
export const PROMOTION_BUYERS = [
  'everyone',
  'members',
  'staff',
  'seniors',
] as const satisfies readonly Promotion['buyers'][]
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const JOURS = ['lun', 'mar', 'mer', 'jeu', 'ven', 'sam', 'dim'] as const

/** Fields that each reward uses; the others are ignored. */
export const REWARD_FIELDS: Readonly<Record<RewardKind, readonly PromotionField[]>> = {
  'set-price': ['units', 'dollars'],
  'buy-get': ['units', 'free', 'percent', 'get_items'],
  percent: ['percent'],
  amount: ['dollars'],
  price: ['dollars'],
  'basket-percent': ['percent'],
  'basket-amount': ['dollars'],
}

/**
 * Expected form of a field. The texts `books.<form>` in the message catalog `files`, and
 * `catalog.promotions.wrong.<form>`, describe it.
 */
type PromotionForm = 'reward' | 'units' | 'set' | 'items' | 'weekdays' | 'time' | 'buyers' | 'yesNo'

export type FieldTexts = (field: PromotionField) => string
export type WrongField = FieldReader['wrong'][number]
type Draft = z.input<typeof Promotion>
type Items = Draft['items']

const LARGEST_UNITS = 100
const PPM_PER_PERCENT = 10_000
const PPM_DECIMALS = 4

/** Reads texts as a promotion, and repairs what spreadsheets change in dates, times, numbers and yes or no. */
export function readPromotion(
  texts: FieldTexts,
  decimalComma: boolean,
): { readonly promotion: Draft } | { readonly wrong: readonly WrongField[] } {
  const reader = new FieldReader(texts, decimalComma)
  const promotion: Draft = {
    id: reader.id('id'),
    names: reader.names(),
    items: reader.items('items') ?? { kind: 'all' },
    reward: reader.reward(),
    conditions: reader.conditions(),
    times: reader.times(),
    buyers: reader.buyers(),
    ...given('most', reader.optional('most', 1, 9_999)),
    stackable: reader.yesNo('stackable'),
    priority: reader.optional('priority', 0, 999) ?? 100,
  }
  return reader.wrong.length === 0 ? { promotion } : { wrong: reader.wrong }
}

const given = <Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> =>
  value === undefined ? {} : ({ [name]: value } as Record<Name, Value>)

class FieldReader extends CellReader<PromotionField, PromotionForm> {
  reward(): Draft['reward'] {
    const kind = this.oneOf('reward', REWARDS, 'reward')
    switch (kind) {
      case undefined:
        return { kind: 'amount', cents: 1 }
      case 'percent':
      case 'basket-percent':
        return { kind, ppm: this.share() }
      case 'amount':
      case 'basket-amount':
        return { kind, cents: this.cents('dollars', 1) ?? 1 }
      case 'price':
        return { kind, cents: this.cents('dollars', 0) ?? 0 }
      case 'set-price':
        return { kind, units: this.needed('units', 2, 'set'), cents: this.cents('dollars', 1) ?? 1 }
      case 'buy-get':
        return {
          kind,
          buy: this.needed('units', 0, 'units'),
          get: this.needed('free', 1, 'units'),
          ppm: this.text('percent') === '' ? 100 * PPM_PER_PERCENT : this.share(),
          ...given('getItems', this.items('get_items')),
        }
    }
  }

  conditions(): NonNullable<Draft['conditions']> {
    const minimum = this.text('minimum') === '' ? undefined : this.cents('minimum', 1)
    const needs = skusIn(this.text('needs'))
    return {
      ...given('counts', this.items('counts')),
      ...given('minimumCents', minimum),
      ...given('minimumUnits', this.optional('minimum_units', 1, 9_999)),
      ...(needs.length === 0 ? {} : { alsoNeeds: needs }),
    }
  }

  times(): NonNullable<Draft['times']> {
    const [fromDay, untilDay] = [this.day('from_day'), this.day('until_day')]
    this.daysInOrder('from_day', 'until_day')
    return {
      ...given('fromDay', fromDay),
      ...given('untilDay', untilDay),
      ...given('weekdays', this.weekdays()),
      ...given('fromTime', this.time('from_time')),
      ...given('untilTime', this.time('until_time')),
    }
  }

  /** Reads a list of items, `all`, or departments or categories. Returns undefined for an empty text. */
  items(field: 'items' | 'get_items' | 'counts'): Items | undefined {
    const text = this.text(field)
    if (text === '') return undefined
    if (text.toLowerCase() === 'all') return { kind: 'all' }
    const group = /^(department|category)s?\s*:(.*)$/is.exec(text)
    if (group === null) {
      const skus = skusIn(text)
      if (skus.length === 0) this.refuse(field, 'items')
      return { kind: 'items', skus }
    }
    const ids = (group[2] ?? '')
      .split('|')
      .map((id) => id.trim())
      .filter((id) => id !== '')
    if (ids.length === 0) this.refuse(field, 'items')
    return { kind: group[1]?.toLowerCase() === 'department' ? 'departments' : 'categories', ids }
  }

  buyers(): NonNullable<Draft['buyers']> {
    return this.text('buyers') === '' ? 'everyone' : (this.oneOf('buyers', PROMOTION_BUYERS, 'buyers') ?? 'everyone')
  }

  optional(field: PromotionField, least: number, most: number): number | undefined {
    return this.text(field) === '' ? undefined : this.whole(field, least, most)
  }

  yesNo(field: PromotionField): boolean {
    const text = this.text(field).toLowerCase()
    if (['yes', 'true', '1', 'oui', 'vrai', 'x'].includes(text)) return true
    if (!['', 'no', 'false', '0', 'non', 'faux'].includes(text)) this.refuse(field, 'yesNo')
    return false
  }

  private needed(field: PromotionField, least: number, form: 'units' | 'set'): number {
    return this.whole(field, least, LARGEST_UNITS, form) ?? Math.max(least, 1)
  }

  private share(): number {
    return this.percent('percent', PPM_DECIMALS) ?? PPM_PER_PERCENT
  }

  private weekdays(): number[] | undefined {
    const words = this.text('weekdays')
      .toLowerCase()
      .split(/[\s|,;]+/)
      .filter((word) => word !== '')
    if (words.length === 0) return undefined
    const numbers = words.map(weekdayOf)
    if (numbers.includes(0)) this.refuse('weekdays', 'weekdays')
    return [...new Set(numbers)].toSorted((a, b) => a - b)
  }

  private time(field: PromotionField): string | undefined {
    const text = this.text(field).toLowerCase()
    if (text === '') return undefined
    const match = /^(\d{1,2})(?:\s?[:h]\s?(\d{2}))?(?::00)?\s?([ap])?\.?\s?(?:m\.?)?$/.exec(text)
    const [hour, minute, half] = [Number(match?.[1] ?? 99), Number(match?.[2] ?? 0), match?.[3]]
    const isTwelve = half !== undefined
    const hours = isTwelve ? (hour % 12) + (half === 'p' ? 12 : 0) : hour
    if (hours <= 23 && minute <= 59 && (!isTwelve || (hour >= 1 && hour <= 12)))
      return `${String(hours).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
    this.refuse(field, 'time')
    return undefined
  }
}

/** Number of a weekday (1 is Monday) by its English or French name or its number; 0: unknown. */
function weekdayOf(word: string): number {
  if (/^[1-7]$/.test(word)) return Number(word)
  const start = word.slice(0, 3)
  return (
    Math.max(WEEKDAYS.indexOf(start as (typeof WEEKDAYS)[number]), JOURS.indexOf(start as (typeof JOURS)[number])) + 1
  )
}

const skusIn = (text: string): string[] => [...new Set(text.split(/[\s|,;]+/).filter((sku) => sku !== ''))]

const percentOf = (ppm: number): string => String(ppm / PPM_PER_PERCENT)

export function itemsText(items: Items | undefined): string {
  switch (items?.kind) {
    case undefined:
      return ''
    case 'all':
      return 'all'
    case 'items':
      return items.skus.join(CELL_SEPARATOR)
    case 'departments':
      return `department: ${items.ids.join(CELL_SEPARATOR)}`
    case 'categories':
      return `category: ${items.ids.join(CELL_SEPARATOR)}`
  }
}

/** Returns the texts of a promotion, from which `readPromotion` makes the same promotion. */
export function fieldsOf(promotion: Promotion): Partial<Record<PromotionField, string>> {
  const { id, names, reward, conditions, times } = promotion
  const { kind } = reward
  return {
    id,
    ...Object.fromEntries(LOCALES.map((locale) => [nameColumnOf(locale), names[locale] ?? ''])),
    reward: kind,
    percent: 'ppm' in reward ? percentOf(reward.ppm) : '',
    dollars: 'cents' in reward ? dollarsText(reward.cents) : '',
    units: kind === 'set-price' ? String(reward.units) : kind === 'buy-get' ? String(reward.buy) : '',
    free: kind === 'buy-get' ? String(reward.get) : '',
    items: itemsText(promotion.items),
    get_items: kind === 'buy-get' ? itemsText(reward.getItems) : '',
    counts: itemsText(conditions.counts),
    minimum: conditions.minimumCents === undefined ? '' : dollarsText(conditions.minimumCents),
    minimum_units: String(conditions.minimumUnits ?? ''),
    needs: (conditions.alsoNeeds ?? []).join(CELL_SEPARATOR),
    from_day: times.fromDay ?? '',
    until_day: times.untilDay ?? '',
    weekdays: (times.weekdays ?? []).map((day) => WEEKDAYS[day - 1] ?? '').join(CELL_SEPARATOR),
    from_time: times.fromTime ?? '',
    until_time: times.untilTime ?? '',
    buyers: promotion.buyers,
    most: String(promotion.most ?? ''),
    stackable: promotion.stackable ? 'yes' : 'no',
    priority: String(promotion.priority),
  }
}
