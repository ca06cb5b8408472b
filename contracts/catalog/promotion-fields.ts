import type { z } from 'zod'
import { LANGUAGES, LOCALES, perLocale } from '../i18n/languages.ts'
import type { Locale } from '../core/locales.ts'
import type { Promotion } from './promotions.ts'

/** Column of the names in a language, such as name_fr. */
export const nameColumnOf = (locale: Locale): `name_${string}` => `name_${LANGUAGES[locale].short}`

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
export type PromotionField = (typeof FIELDS)[number] | `name_${string}`

/** Columns of a file of promotions, and the fields of the form: one text for each. */
export const PROMOTION_FIELDS: readonly PromotionField[] = ['id', ...LOCALES.map(nameColumnOf), ...FIELDS.slice(1)]
export const REQUIRED_PROMOTION_FIELDS: readonly PromotionField[] = [
  'id',
  ...LOCALES.filter((locale) => LANGUAGES[locale].namesRequired).map(nameColumnOf),
  'reward',
]

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

/** Expected form of a field; the texts are `promotions.<code>` of files and `catalog.promotions.wrong.<code>`. */
export type Expected =
  | 'id'
  | 'name'
  | 'reward'
  | 'percent'
  | 'dollars'
  | 'units'
  | 'set'
  | 'items'
  | 'whole'
  | 'day'
  | 'days'
  | 'weekdays'
  | 'time'
  | 'buyers'
  | 'yesNo'

export type FieldTexts = (field: PromotionField) => string
export type WrongField = readonly [PromotionField, Expected]
type Draft = z.input<typeof Promotion>
type Items = Draft['items']

const LARGEST_UNITS = 100
const MAX_DOLLARS = 100_000
const PPM_PER_PERCENT = 10_000
const SEPARATOR = ' | '
const LONGEST_NAME = 60

/** Reads texts as a promotion, and repairs what spreadsheets change in dates, times, numbers and yes or no. */
export function readPromotion(
  texts: FieldTexts,
  decimalComma: boolean,
): { readonly promotion: Draft } | { readonly wrong: readonly WrongField[] } {
  const wrong: WrongField[] = []
  const reader = new FieldReader(texts, decimalComma, wrong)
  const promotion: Draft = {
    id: reader.id(),
    names: reader.names(),
    items: reader.items('items') ?? { kind: 'all' },
    reward: reader.reward(),
    conditions: reader.conditions(),
    times: reader.times(),
    buyers: reader.oneOf('buyers', PROMOTION_BUYERS, 'buyers', 'everyone'),
    ...given('most', reader.whole('most', 1, 9_999)),
    stackable: reader.yesNo('stackable'),
    priority: reader.whole('priority', 0, 999) ?? 100,
  }
  return wrong.length === 0 ? { promotion } : { wrong }
}

const given = <Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> =>
  value === undefined ? {} : ({ [name]: value } as Record<Name, Value>)

class FieldReader {
  private readonly texts: FieldTexts
  private readonly decimalComma: boolean
  private readonly wrong: WrongField[]

  constructor(texts: FieldTexts, decimalComma: boolean, wrong: WrongField[]) {
    this.texts = texts
    this.decimalComma = decimalComma
    this.wrong = wrong
  }

  private text(field: PromotionField): string {
    return this.texts(field).trim()
  }

  private refuse(field: PromotionField, expected: Expected): void {
    this.wrong.push([field, expected])
  }

  id(): string {
    const id = this.text('id').toLowerCase()
    if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id)) this.refuse('id', 'id')
    return id
  }

  names(): Draft['names'] {
    return perLocale((locale) => {
      // The export puts an apostrophe before a name that a spreadsheet would take for a formula.
      const name = this.text(nameColumnOf(locale)).replace(/^'(?=[=+\-@])/, '')
      if (name.length > LONGEST_NAME || (name === '' && LANGUAGES[locale].namesRequired))
        this.refuse(nameColumnOf(locale), 'name')
      return name === '' ? undefined : name
    })
  }

  reward(): Draft['reward'] {
    const kind = REWARDS.find((one) => one === this.text('reward').toLowerCase())
    switch (kind) {
      case undefined:
        this.refuse('reward', 'reward')
        return { kind: 'amount', cents: 1 }
      case 'percent':
      case 'basket-percent':
        return { kind, ppm: this.percent(true) }
      case 'amount':
      case 'basket-amount':
        return { kind, cents: this.dollars('dollars', 1) ?? 1 }
      case 'price':
        return { kind, cents: this.dollars('dollars', 0) ?? 0 }
      case 'set-price':
        return { kind, units: this.needed('units', 2, 'set'), cents: this.dollars('dollars', 1) ?? 1 }
      case 'buy-get':
        return {
          kind,
          buy: this.needed('units', 0, 'units'),
          get: this.needed('free', 1, 'units'),
          ppm: this.percent(false),
          ...given('getItems', this.items('get_items')),
        }
    }
  }

  conditions(): NonNullable<Draft['conditions']> {
    const minimum = this.text('minimum') === '' ? undefined : this.dollars('minimum', 1)
    const needs = skusIn(this.text('needs'))
    return {
      ...given('counts', this.items('counts')),
      ...given('minimumCents', minimum),
      ...given('minimumUnits', this.whole('minimum_units', 1, 9_999)),
      ...(needs.length === 0 ? {} : { alsoNeeds: needs }),
    }
  }

  times(): NonNullable<Draft['times']> {
    const [fromDay, untilDay] = [this.day('from_day'), this.day('until_day')]
    if (fromDay !== undefined && untilDay !== undefined && untilDay < fromDay) this.refuse('until_day', 'days')
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

  oneOf<Value extends string>(
    field: PromotionField,
    options: readonly Value[],
    expected: Expected,
    fallback: Value,
  ): Value {
    const text = this.text(field).toLowerCase()
    const found = options.find((one) => one === text)
    if (found === undefined && text !== '') this.refuse(field, expected)
    return found ?? fallback
  }

  whole(field: PromotionField, least: number, most: number): number | undefined {
    const text = this.text(field)
    if (text === '') return undefined
    // A spreadsheet may show a whole number with decimals.
    const digits = /^(\d{1,4})(?:[.,]0+)?$/.exec(text)?.[1]
    if (digits !== undefined && Number(digits) >= least && Number(digits) <= most) return Number(digits)
    this.refuse(field, 'whole')
    return undefined
  }

  yesNo(field: PromotionField): boolean {
    const text = this.text(field).toLowerCase()
    if (['yes', 'true', '1', 'oui', 'vrai', 'x'].includes(text)) return true
    if (!['', 'no', 'false', '0', 'non', 'faux'].includes(text)) this.refuse(field, 'yesNo')
    return false
  }

  private needed(field: PromotionField, least: number, expected: Expected): number {
    const digits = /^(\d{1,3})(?:[.,]0+)?$/.exec(this.text(field))?.[1]
    const value = Number(digits ?? -1)
    if (value >= least && value <= LARGEST_UNITS) return value
    this.refuse(field, expected)
    return Math.max(least, 1)
  }

  /**
   * Reads a number with at most `decimals` digits after the point and returns it times 10 to the power of `decimals`;
   * undefined if the text is no such number.
   */
  private shifted(field: PromotionField, sign: RegExp, decimals: number): number | undefined {
    const plain = this.text(field).replace(sign, '').replaceAll(/\s/g, '')
    const match = /^(\d{1,6})(?:\.(\d+?)0*)?$/.exec(this.decimalComma ? plain.replace(',', '.') : plain)
    const [, whole, rest = ''] = match ?? []
    return whole === undefined || rest.length > decimals ? undefined : Number(whole + rest.padEnd(decimals, '0'))
  }

  private dollars(field: PromotionField, leastCents: number): number | undefined {
    const cents = this.shifted(field, /^\$|\$$/, 2)
    if (cents !== undefined && cents >= leastCents && cents <= MAX_DOLLARS * 100) return cents
    this.refuse(field, 'dollars')
    return undefined
  }

  private percent(isNeeded: boolean): number {
    if (!isNeeded && this.text('percent') === '') return 100 * PPM_PER_PERCENT
    const ppm = this.shifted('percent', /%$/, 4)
    if (ppm !== undefined && ppm >= 1 && ppm <= 100 * PPM_PER_PERCENT) return ppm
    this.refuse('percent', 'percent')
    return PPM_PER_PERCENT
  }

  private day(field: PromotionField): string | undefined {
    const text = this.text(field)
    if (text === '') return undefined
    const parts = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T]0?0:00(?::00)?)?$/.exec(text)
    const day = parts === null ? '' : [parts[1], ...parts.slice(2, 4).map((part) => part.padStart(2, '0'))].join('-')
    const date = new Date(`${day}T00:00:00Z`)
    if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)) return day
    this.refuse(field, 'day')
    return undefined
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

const dollarsOf = (cents: number): string => (cents / 100).toFixed(2)
const percentOf = (ppm: number): string => String(ppm / PPM_PER_PERCENT)

export function itemsText(items: Items | undefined): string {
  switch (items?.kind) {
    case undefined:
      return ''
    case 'all':
      return 'all'
    case 'items':
      return items.skus.join(SEPARATOR)
    case 'departments':
      return `department: ${items.ids.join(SEPARATOR)}`
    case 'categories':
      return `category: ${items.ids.join(SEPARATOR)}`
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
    dollars: 'cents' in reward ? dollarsOf(reward.cents) : '',
    units: kind === 'set-price' ? String(reward.units) : kind === 'buy-get' ? String(reward.buy) : '',
    free: kind === 'buy-get' ? String(reward.get) : '',
    items: itemsText(promotion.items),
    get_items: kind === 'buy-get' ? itemsText(reward.getItems) : '',
    counts: itemsText(conditions.counts),
    minimum: conditions.minimumCents === undefined ? '' : dollarsOf(conditions.minimumCents),
    minimum_units: String(conditions.minimumUnits ?? ''),
    needs: (conditions.alsoNeeds ?? []).join(SEPARATOR),
    from_day: times.fromDay ?? '',
    until_day: times.untilDay ?? '',
    weekdays: (times.weekdays ?? []).map((day) => WEEKDAYS[day - 1] ?? '').join(SEPARATOR),
    from_time: times.fromTime ?? '',
    until_time: times.untilTime ?? '',
    buyers: promotion.buyers,
    most: String(promotion.most ?? ''),
    stackable: promotion.stackable ? 'yes' : 'no',
    priority: String(promotion.priority),
  }
}
