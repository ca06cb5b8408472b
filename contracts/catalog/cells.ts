import { LANGUAGES, LOCALES, perLocale } from '../i18n/languages.ts'
import type { Locale } from '../core/locales.ts'

/** Column of the names in a language, such as name_fr. */
export const nameColumnOf = (locale: Locale): `name_${string}` => `name_${LANGUAGES[locale].short}`
export type NameColumn = ReturnType<typeof nameColumnOf>
export const NAME_COLUMNS: readonly NameColumn[] = LOCALES.map(nameColumnOf)
export const REQUIRED_NAME_COLUMNS: readonly NameColumn[] = LOCALES.filter(
  (locale) => LANGUAGES[locale].namesRequired,
).map(nameColumnOf)

/** Separator of the values in one cell. */
export const CELL_SEPARATOR = ' | '
const MAX_CENTS = 10_000_000
const LONGEST_NAME = 60

/**
 * Expected form of a cell, the same in all files. The text `books.<form>` in the message catalog `files` describes it.
 */
type CellForm = 'id' | 'name' | 'percent' | 'dollars' | 'whole' | 'day' | 'days'

export const dollarsText = (cents: number): string => (cents / 100).toFixed(2)

/** Reads the cells of one row as typed by a person or saved by a spreadsheet, and collects the wrong ones. */
export class CellReader<Field extends string, Form extends string> {
  readonly wrong: (readonly [Field | NameColumn, Form | CellForm])[] = []
  private readonly texts: (field: Field | NameColumn) => string
  private readonly decimalComma: boolean

  constructor(texts: (field: Field | NameColumn) => string, decimalComma: boolean) {
    this.texts = texts
    this.decimalComma = decimalComma
  }

  text(field: Field | NameColumn): string {
    return this.texts(field).trim()
  }

  refuse(field: Field | NameColumn, form: Form | CellForm): undefined {
    this.wrong.push([field, form])
    return undefined
  }

  id(field: Field): string {
    const id = this.text(field).toLowerCase()
    if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id)) this.refuse(field, 'id')
    return id
  }

  matching(field: Field, pattern: RegExp, form: Form): string {
    const text = this.text(field)
    if (!pattern.test(text)) this.refuse(field, form)
    return text
  }

  names(longest = LONGEST_NAME, form: Form | CellForm = 'name'): Record<Locale, string | undefined> {
    return perLocale((locale) => {
      const field = nameColumnOf(locale)
      const name = this.text(field)
      if (name.length > longest || (name === '' && LANGUAGES[locale].namesRequired)) this.refuse(field, form)
      return name === '' ? undefined : name
    })
  }

  oneOf<Value extends string>(field: Field, options: readonly Value[], form: Form): Value | undefined {
    const text = this.text(field).toLowerCase()
    return options.find((one) => one === text) ?? this.refuse(field, form)
  }

  /** Reads a whole number with at most four digits. */
  whole(field: Field, least: number, most: number, form: Form | CellForm = 'whole'): number | undefined {
    // A spreadsheet may show a whole number with decimals.
    const digits = /^(\d{1,4})(?:[.,]0+)?$/.exec(this.text(field))?.[1]
    const value = Number(digits ?? -1)
    return value >= least && value <= most ? value : this.refuse(field, form)
  }

  /** Returns the amount of a text in cents; undefined if the text is no amount within the limits. */
  centsIn(text: string, least: number, most: number): number | undefined {
    const cents = this.shifted(text.replace(/^\$|\$$/, ''), 2)
    return cents !== undefined && cents >= least && cents <= most ? cents : undefined
  }

  cents(field: Field, least: number, most = MAX_CENTS, form: Form | CellForm = 'dollars'): number | undefined {
    return this.centsIn(this.text(field), least, most) ?? this.refuse(field, form)
  }

  /** Reads a percentage above 0 and returns it times 10 to the power of `decimals`. */
  percent(field: Field, decimals: number): number | undefined {
    const percent = this.shifted(this.text(field).replace(/%$/, ''), decimals)
    return percent !== undefined && percent >= 1 && percent <= 100 * 10 ** decimals
      ? percent
      : this.refuse(field, 'percent')
  }

  day(field: Field): string | undefined {
    const text = this.text(field)
    return text === '' ? undefined : (dayIn(text) ?? this.refuse(field, 'day'))
  }

  /** Refuses a last day before the first day. */
  daysInOrder(first: Field, last: Field): void {
    const [from, until] = [dayIn(this.text(first)), dayIn(this.text(last))]
    if (from !== undefined && until !== undefined && until < from) this.refuse(last, 'days')
  }

  /**
   * Reads a number with at most `decimals` digits after the point and returns it times 10 to the power of `decimals`;
   * undefined if the text is no such number.
   */
  private shifted(text: string, decimals: number): number | undefined {
    const plain = text.replaceAll(/\s/g, '')
    const match = /^(\d{1,6})(?:\.(\d+?)0*)?$/.exec(this.decimalComma ? plain.replace(',', '.') : plain)
    const [, whole, rest = ''] = match ?? []
    return whole === undefined || rest.length > decimals ? undefined : Number(whole + rest.padEnd(decimals, '0'))
  }
}

/** Returns the day (YYYY-MM-DD) of a text, as spreadsheets write it; undefined if the text is no day. */
export function dayIn(text: string): string | undefined {
  const parts = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T]0?0:00(?::00)?)?$/.exec(text)
  const day = parts === null ? '' : [parts[1], ...parts.slice(2, 4).map((part) => part.padStart(2, '0'))].join('-')
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? day : undefined
}
