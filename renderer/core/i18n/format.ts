import type { ClockChange } from '../../../contracts/staff/session.ts'
import { momentForm, writtenDate } from '../../../contracts/i18n/written-date.ts'
import type { Locale, Names } from '../../../contracts/core/locales.ts'
import { withNonBreakingSpaces } from './non-breaking.ts'
import { nameIn } from '../../../contracts/core/names.ts'

/** Formats amounts and dates in one language. Amounts are integer cents, miles whole miles. */
export interface Format {
  readonly locale: Locale
  money(amountCents: number): string
  miles(count: number): string
  /** Formats a share in parts per million as a percentage. */
  percent(ppm: number): string
  /** Formats an ISO time as time of day in the store's zone. */
  time(iso: string): string
  dateTime(iso: string): string
  /** Formats an ISO time as its day in the store's zone, without the year: for a narrow scale. */
  shortDay(iso: string): string
  /** Formats an ISO time as its day in the store's zone. */
  day(iso: string): string
  /** Formats an ISO time as its day in the store's zone, YYYY-MM-DD. */
  localDate(iso: string): string
  /** Formats a local date YYYY-MM-DD or month YYYY-MM, without a zone. */
  date(localDate: string): string
  /**
   * Formats an elapsed time in its largest unit: minutes, hours or days. Never negative, even after a clock was set
   * back.
   */
  age(ms: number): string
  /** Formats a remaining time in hours and minutes; below an hour in minutes and seconds. Never negative. */
  left(ms: number): string
  /** The name in this language, else in another language; empty if it exists in no language. */
  text(text: Names): string
}

/** No clock changes: until the store's are known, formats use the browser's own zone. */
const UNKNOWN: readonly ClockChange[] = []
const cache = new WeakMap<readonly ClockChange[], Map<Locale, Format>>()

/**
 * Returns cached formatters per language and store: building an Intl formatter costs more than a thousand uses.
 * `changes`: the store's clock changes from the backend. Only UTC of the browser is used, because its zone data may be
 * years old and would shift a deadline by an hour.
 */
export function formatFor(locale: Locale, changes: readonly ClockChange[] = UNKNOWN): Format {
  const ofStore = cache.get(changes) ?? new Map<Locale, Format>()
  const format = ofStore.get(locale) ?? build(locale, changes)
  ofStore.set(locale, format)
  cache.set(changes, ofStore)
  return format
}

/** Returns the instant whose UTC fields equal the store's local time. */
function onStoreClock(iso: string, changes: readonly ClockChange[]): Date {
  const at = Date.parse(iso)
  const minutes = (changes.findLast(({ from }) => from <= at) ?? changes[0])?.minutes ?? 0
  return new Date(at + minutes * 60_000)
}

function build(locale: Locale, changes: readonly ClockChange[]): Format {
  const zone = changes.length === 0 ? {} : { timeZone: 'UTC' }
  const joined = (text: string): string => withNonBreakingSpaces(text, locale)
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
    // The division is only for display; no amount is computed from its result.
    money: (amountCents) => money.format(amountCents / 100),
    miles: (count) => whole.format(count),
    percent: (ppm) => share.format(ppm / 1_000_000),
    // Non-breaking spaces replace those of Intl, which writes "03 h 00" with breaking spaces.
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
