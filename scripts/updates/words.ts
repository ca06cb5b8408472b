import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../../contracts/i18n/catalogs.ts'
import type { Locale } from '../../contracts/locales.ts'

/** What the tool for updates says, in one language. */
export const translatorOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'publishing' })
export type Say = ReturnType<typeof translatorOf>

/** What to type next, in every language. */
export const commandLine = (folder: string, ...args: string[]): string =>
  `  npm run updates -- ${args.join(' ')} --out ${folder}`
