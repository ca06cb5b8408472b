import { useEffect } from 'react'
import { create } from 'zustand'
import type { Locale } from '../../../contracts/core/locales.ts'
import { LANGUAGES, LOCALES } from '../../../contracts/i18n/languages.ts'
import { needed, soon } from '../loading/parts.ts'
import { unbroken } from './unbroken.ts'

type Messages = Awaited<ReturnType<(typeof LANGUAGES)[Locale]['screens']>>['default'] &
  Awaited<ReturnType<(typeof LANGUAGES)[Locale]['storeScreens']>>['default']

/** Typed as if it were whole: the words of the store's pages come with those pages (`useStoreWords`). */
interface Catalog {
  readonly messages: Messages
  readonly ofStore: boolean
}

/**
 * The languages that are here. Each is a part of the program of its own: a lane's first picture waits for one of them.
 */
export const useCatalogs = create<Partial<Record<Locale, Catalog>>>()(() => ({}))

async function loadCatalog(locale: Locale): Promise<void> {
  if (useCatalogs.getState()[locale]) return
  const { default: words } = await LANGUAGES[locale].screens()
  useCatalogs.setState({ [locale]: { messages: unbroken(words, locale) as Messages, ofStore: false } })
}

async function loadStoreWords(locale: Locale): Promise<void> {
  await loadCatalog(locale)
  if (useCatalogs.getState()[locale]?.ofStore) return
  const { default: words } = await LANGUAGES[locale].storeScreens()
  const { messages } = useCatalogs.getState()[locale] ?? {}
  if (messages)
    useCatalogs.setState({ [locale]: { messages: { ...messages, ...unbroken(words, locale) }, ofStore: true } })
}

/** The words of this language, without which a window is empty or speaks another one. */
export const needCatalog = (locale: Locale): Promise<void> => needed(() => loadCatalog(locale))

/** The words of every language, for whoever signs in next; then those of the store's pages. */
export const catalogsSoon = async (): Promise<void> => {
  for (const locale of LOCALES) await soon(() => loadCatalog(locale))
  for (const locale of LOCALES) await soon(() => loadStoreWords(locale))
}

/** Whether the words of the store's pages are here in this language; asks for them where they are not. */
export function useStoreWords(locale: Locale): boolean {
  const here = useCatalogs((catalogs) => catalogs[locale]?.ofStore === true)
  useEffect(() => {
    if (!here) void needed(() => loadStoreWords(locale))
  }, [here, locale])
  return here
}

/** The words of this language; while they are on their way those of another, if they are here. */
export function useCatalog(locale: Locale): { readonly locale: Locale; readonly messages: Messages } | null {
  const catalogs = useCatalogs()
  for (const one of [locale, ...LOCALES]) {
    const messages = catalogs[one]?.messages
    if (messages) return { locale: one, messages }
  }
  return null
}
