import { useEffect } from 'react'
import { create } from 'zustand'
import type { Locale } from '../../../contracts/core/locales.ts'
import { LANGUAGES, LOCALES } from '../../../contracts/i18n/languages.ts'
import { loadChunk, preloadChunk } from '../loading/chunks.ts'
import { withNonBreakingSpaces } from './non-breaking.ts'

type Messages = Awaited<ReturnType<(typeof LANGUAGES)[Locale]['screens']>>['default'] &
  Awaited<ReturnType<(typeof LANGUAGES)[Locale]['storeScreens']>>['default']

/**
 * The loaded texts of a language. The type includes the texts of the Store pages, although these load with those pages
 * (`useStoreTexts`).
 */
interface Catalog {
  readonly messages: Messages
  readonly ofStore: boolean
}

/** The loaded languages. Each is a chunk of its own, because a lane's first screen waits for one language only. */
export const useCatalogs = create<Partial<Record<Locale, Catalog>>>()(() => ({}))

async function loadCatalog(locale: Locale): Promise<void> {
  if (useCatalogs.getState()[locale]) return
  const { default: texts } = await LANGUAGES[locale].screens()
  useCatalogs.setState({ [locale]: { messages: withNonBreakingSpaces(texts, locale) as Messages, ofStore: false } })
}

async function loadStoreTexts(locale: Locale): Promise<void> {
  await loadCatalog(locale)
  if (useCatalogs.getState()[locale]?.ofStore) return
  const { default: texts } = await LANGUAGES[locale].storeScreens()
  const { messages } = useCatalogs.getState()[locale] ?? {}
  if (messages)
    useCatalogs.setState({
      [locale]: { messages: { ...messages, ...withNonBreakingSpaces(texts, locale) }, ofStore: true },
    })
}

/** Loads the texts of this language, without which a window is empty or in another language. */
export const requireCatalog = (locale: Locale): Promise<void> => loadChunk(() => loadCatalog(locale))

/** Loads the texts of every language, for the next sign-in; then the texts of the Store pages. */
export const preloadCatalogs = async (): Promise<void> => {
  for (const locale of LOCALES) await preloadChunk(() => loadCatalog(locale))
  for (const locale of LOCALES) await preloadChunk(() => loadStoreTexts(locale))
}

/** Returns whether the texts of the Store pages are loaded in this language; loads them if not. */
export function useStoreTexts(locale: Locale): boolean {
  const here = useCatalogs((catalogs) => catalogs[locale]?.ofStore === true)
  useEffect(() => {
    if (!here) void loadChunk(() => loadStoreTexts(locale))
  }, [here, locale])
  return here
}

/** The texts of this language, or of another loaded language until they are loaded. */
export function useCatalog(locale: Locale): { readonly locale: Locale; readonly messages: Messages } | null {
  const catalogs = useCatalogs()
  for (const one of [locale, ...LOCALES]) {
    const messages = catalogs[one]?.messages
    if (messages) return { locale: one, messages }
  }
  return null
}
