import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import type { Locale } from '../../../contracts/core/locales.ts'

export const launcherTranslator = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'launcher' })
export type Translate = ReturnType<typeof launcherTranslator>

export const bundleTranslator = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'bundles' })
export type TranslateBundles = ReturnType<typeof bundleTranslator>

export const updateTranslator = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'updates' })
export type TranslateUpdates = ReturnType<typeof updateTranslator>
