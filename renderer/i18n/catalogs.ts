import { create } from 'zustand'
import type { Locale } from '../../contracts/locales.ts'
import { needed, soon } from '../loading/parts.ts'
import { unbroken } from './unbroken.ts'

const load = {
  'en-CA': () => import('../../contracts/i18n/en-CA/screens.ts'),
  'fr-CA': () => import('../../contracts/i18n/fr-CA/screens.ts'),
} as const satisfies Record<Locale, () => Promise<object>>

type Messages = Awaited<ReturnType<(typeof load)['en-CA']>>['default']

/**
 * The languages that are here. Each is a part of the program of its own: a lane's first picture waits for one of them.
 */
export const useCatalogs = create<Partial<Record<Locale, Messages>>>()(() => ({}))

async function loadCatalog(locale: Locale): Promise<void> {
  if (useCatalogs.getState()[locale]) return
  const { default: words } = await load[locale]()
  const messages = locale === 'fr-CA' ? unbroken(words) : words
  useCatalogs.setState({ [locale]: messages })
}

/** The words of this language, without which a window is empty or speaks the other one. */
export const needCatalog = (locale: Locale): Promise<void> => needed(() => loadCatalog(locale))

/** The words of every language, for whoever signs in next. */
export const catalogsSoon = async (): Promise<void> => {
  for (const locale of Object.keys(load) as Locale[]) await soon(() => loadCatalog(locale))
}

/** The words of this language; while they are on their way those of the other, if they are here. */
export function useCatalog(locale: Locale): { readonly locale: Locale; readonly messages: Messages } | null {
  const catalogs = useCatalogs()
  for (const one of [locale, 'en-CA', 'fr-CA'] as const) {
    const messages = catalogs[one]
    if (messages) return { locale: one, messages }
  }
  return null
}
