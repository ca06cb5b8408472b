import type { ClockChange } from '../../../contracts/staff/session.ts'
import { momentForm, writtenDate } from '../../../contracts/i18n/moment.ts'
import type { Locale, Names } from '../../../contracts/core/locales.ts'
import { unbroken } from './unbroken.ts'
import { nameIn } from '../../../contracts/core/names.ts'

/** Formatting of amounts and dates for one language. Amounts come in integer cents, miles in whole miles. */
export interface Format {
  readonly locale: Locale
  money(amountCents: number): string
  miles(count: number): string
  /** A share in parts per million as a percentage. */
  percent(ppm: number): string
  /** An ISO moment as the time of day in the store's zone. */
  time(iso: string): string
  dateTime(iso: string): string
  /** An ISO moment as its day in the store's zone, without the year: for a scale that has little room. */
  shortDay(iso: string): string
  /** An ISO moment as its day in the store's zone. */
  day(iso: string): string
  /** An ISO moment as its day in the store's zone, YYYY-MM-DD. */
  localDate(iso: string): string
  /** A local date YYYY-MM-DD, or a month YYYY-MM: they belong to no zone. */
  date(localDate: string): string
  /**
   * How long ago, in its largest unit: minutes, hours or days. Never negative: a clock that was set back shows none.
   */
  age(ms: number): string
  /** How long is left: hours and minutes, in the last hour minutes and seconds. Never negative. */
  left(ms: number): string
  /** In this language, else in one that there is; empty where there is none. */
  text(text: Names): string
}

/** Where nobody has said yet which clocks the store goes by: the browser's own. */
const UNKNOWN: readonly ClockChange[] = []
const cache = new WeakMap<readonly ClockChange[], Map<Locale, Format>>()

/**
 * One set of formatters per language and store: building an Intl formatter costs more than using it a thousand times.
 * `changes`: the clocks of the store as the backend knows them. The browser's own zone data may be years older, and
 * would put a deadline an hour off; it is asked for UTC alone.
 */
export function formatFor(locale: Locale, changes: readonly ClockChange[] = UNKNOWN): Format {
  const ofStore = cache.get(changes) ?? new Map<Locale, Format>()
  const format = ofStore.get(locale) ?? build(locale, changes)
  ofStore.set(locale, format)
  cache.set(changes, ofStore)
  return format
}

/** The instant whose reading in UTC is that of the store's clock. */
function onStoreClock(iso: string, changes: readonly ClockChange[]): Date {
  const at = Date.parse(iso)
  const minutes = (changes.findLast(({ from }) => from <= at) ?? changes[0])?.minutes ?? 0
  return new Date(at + minutes * 60_000)
}

function build(locale: Locale, changes: readonly ClockChange[]): Format {
  const zone = changes.length === 0 ? {} : { timeZone: 'UTC' }
  const joined = (text: string): string => unbroken(text, locale)
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'CAD', currencyDisplay: 'narrowSymbol' })
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...zone })
  const dateTime = momentForm(locale, zone)
  const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', ...zone })
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric', ...zone })
  const units = (['minute', 'hour', 'day', 'second'] as const).map(
    (unit) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }),
  )
  return {
    locale,
    // The division is the last step before the eyes; no amount is computed from its result.
    money: (amountCents) => money.format(amountCents / 100),
    miles: (count) => whole.format(count),
    percent: (ppm) => share.format(ppm / 1_000_000),
    // Intl writes "03 h 00" with spaces at which a line may end.
    time: (iso) => joined(time.format(onStoreClock(iso, changes))),
    dateTime: (iso) => joined(writtenDate(dateTime, onStoreClock(iso, changes), locale)),
    shortDay: (iso) => joined(shortDay.format(onStoreClock(iso, changes))),
    day: (iso) => joined(writtenDate(day, onStoreClock(iso, changes), locale)),
    localDate: (iso) => onStoreClock(iso, changes).toJSON().slice(0, 'YYYY-MM-DD'.length),
    date: (localDate) =>
      localDate.length === 'YYYY-MM'.length
        ? month.format(new Date(`${localDate}-01T00:00:00Z`))
        : writtenDate(date, new Date(`${localDate}T00:00:00Z`), locale),
    age: (ms) => {
      const minutes = Math.max(0, Math.floor(ms / 60_000))
      const [shown, value] =
        minutes < 60
          ? [units[0], minutes]
          : minutes < 48 * 60
            ? [units[1], Math.floor(minutes / 60)]
            : [units[2], Math.floor(minutes / 1440)]
      return shown?.format(value) ?? ''
    },
    left: (ms) => {
      const seconds = Math.max(0, Math.ceil(ms / 1000))
      const [minute, hour, , second] = units
      const [large, small] =
        seconds >= 3600
          ? [hour?.format(Math.floor(seconds / 3600)), minute?.format(Math.floor(seconds / 60) % 60)]
          : [minute?.format(Math.floor(seconds / 60)), second?.format(seconds % 60)]
      return `${large} ${small}`
    },
    text: (text) => joined(nameIn(text, locale)),
  }
}
