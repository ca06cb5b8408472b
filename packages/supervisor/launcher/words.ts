import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import type { Locale } from '../../../contracts/core/locales.ts'

export const wordsOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'launcher' })
export type Say = ReturnType<typeof wordsOf>

export const bundleTranslator = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'bundles' })
export type TranslateBundles = ReturnType<typeof bundleTranslator>

export const updateTranslator = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'updates' })
export type TranslateUpdates = ReturnType<typeof updateTranslator>
