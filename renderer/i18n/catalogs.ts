import { create } from 'zustand'
import type { Locale } from '../../contracts/locales.ts'
import { LANGUAGES, LOCALES } from '../../contracts/i18n/languages.ts'
import { needed, soon } from '../loading/parts.ts'
import { unbroken } from './unbroken.ts'

type Messages = Awaited<ReturnType<(typeof LANGUAGES)[Locale]['screens']>>['default']

/**
 * The languages that are here. Each is a part of the program of its own: a lane's first picture waits for one of them.
 */
export const useCatalogs = create<Partial<Record<Locale, Messages>>>()(() => ({}))

async function loadCatalog(locale: Locale): Promise<void> {
  if (useCatalogs.getState()[locale]) return
  const { default: words } = await LANGUAGES[locale].screens()
  useCatalogs.setState({ [locale]: unbroken(words, locale) })
}

/** The words of this language, without which a window is empty or speaks another one. */
export const needCatalog = (locale: Locale): Promise<void> => needed(() => loadCatalog(locale))

/** The words of every language, for whoever signs in next. */
export const catalogsSoon = async (): Promise<void> => {
  for (const locale of LOCALES) await soon(() => loadCatalog(locale))
}

/** The words of this language; while they are on their way those of another, if they are here. */
export function useCatalog(locale: Locale): { readonly locale: Locale; readonly messages: Messages } | null {
  const catalogs = useCatalogs()
  for (const one of [locale, ...LOCALES]) {
    const messages = catalogs[one]
    if (messages) return { locale: one, messages }
  }
  return null
}
