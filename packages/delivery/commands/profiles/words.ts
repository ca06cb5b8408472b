import { createTranslator } from 'use-intl/core'
import { CATALOGS, type Messages } from '../../../../contracts/i18n/catalogs.ts'
import { perLocale } from '../../../../contracts/i18n/languages.ts'
import type { Localized } from '../../../../contracts/core/locales.ts'
import type { ProfileMistake } from '../../../../contracts/core/profile-check.ts'
import type { Place } from './settings.ts'

type Files = Messages['files']
type Key = {
  [Part in 'chain' | 'catalog' | 'command' | 'profile']: `${Part}.${keyof Files[Part] & string}`
}['chain' | 'catalog' | 'command' | 'profile']

const translators = perLocale((locale) => createTranslator({ locale, messages: CATALOGS[locale], namespace: 'files' }))

/** What is wrong with a file of a chain, in every language. A number chooses a plural. */
export const words = (key: Key, values: Readonly<Record<string, string | number>> = {}): Localized =>
  perLocale((locale) => {
    const say: (key: Key, values: Readonly<Record<string, string | number>>) => string = translators[locale]
    return say(key, values)
  })

/** A mistake at a place; `path` is the setting, empty where it is none. */
export const mistakeAt = ({ file, line, column }: Place, path: string, messages: Localized): ProfileMistake => ({
  file,
  line,
  column,
  path,
  at: [],
  what: 'value',
  messages,
})
