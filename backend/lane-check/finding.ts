import type { LaneFinding, LaneValue } from '../../contracts/api/lane-check.ts'
import type { LaneFindingCode } from '../../contracts/lane-check.ts'
import { perLocale } from '../../contracts/i18n/languages.ts'
import { momentForm, writtenDate } from '../../contracts/i18n/moment.ts'
import type { Locale, Localized } from '../../contracts/locales.ts'
import { translate, type Translate } from '../i18n.ts'

export const finding = (code: LaneFindingCode, values: Readonly<Record<string, LaneValue>> = {}): LaneFinding => ({
  code,
  values: { ...values },
})

/** Words that are another in each language. */
export const inEach = (say: (t: Translate, locale: Locale) => string): Localized =>
  perLocale((locale) => say(translate(locale), locale))

export const dayIn = (at: Date, timeZone: string): Localized =>
  perLocale((locale) => writtenDate(new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }), at, locale))

/** As on every screen: a sentence would end with two full stops behind “p.m.”. */
export const timeIn = (at: Date, timeZone: string): Localized =>
  perLocale((locale) => writtenDate(momentForm(locale, { timeZone }), at, locale))

/** The system's own name of what went wrong: nothing of the lane's can be in it. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
