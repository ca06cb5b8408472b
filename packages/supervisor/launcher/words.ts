import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import type { Locale } from '../../../contracts/core/locales.ts'

/** What the launcher says to whoever installs a lane, in one language. */
export const wordsOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'launcher' })
export type Say = ReturnType<typeof wordsOf>

/** What became of a bundle, in one language. */
export const bundleWordsOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'bundles' })
export type SayOfBundles = ReturnType<typeof bundleWordsOf>

/** What became of updates, in one language. */
export const updateWordsOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'updates' })
export type SayOfUpdates = ReturnType<typeof updateWordsOf>
