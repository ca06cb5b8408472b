import { create } from 'zustand'
import type { Locale } from '../../contracts/locales.ts'
import { unbroken } from './unbroken.ts'

const load = {
  'en-CA': () => import('../../contracts/i18n/en-CA/screens.ts'),
  'fr-CA': () => import('../../contracts/i18n/fr-CA/screens.ts'),
} as const satisfies Record<Locale, () => Promise<object>>

type Messages = Awaited<ReturnType<(typeof load)['en-CA']>>['default']

/** The languages that are here. Each is a part of the program of its own: a lane's first picture waits for one of them. */
export const useCatalogs = create<Partial<Record<Locale, Messages>>>()(() => ({}))

/** Resolves when the words of this language are here. Rejects when the part cannot be had, as after an upgrade under an open window. */
async function loadCatalog(locale: Locale): Promise<void> {
  if (useCatalogs.getState()[locale]) return
  const { default: words } = await load[locale]()
  const messages = locale === 'fr-CA' ? unbroken(words) : words
  useCatalogs.setState({ [locale]: messages })
}

const TRY_AGAIN_MS = 2_000

/** Asks for the words of these languages, one after the other, until they are here: without them a window is empty, or speaks the other language. Answers a function that stops it. */
export function keepLoading(...locales: readonly Locale[]): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false
  const ask = async (): Promise<void> => {
    try {
      for (const locale of locales) await loadCatalog(locale)
    } catch (error) {
      if (stopped) return
      if (timer === undefined) reportError(error)
      timer = setTimeout(() => { void ask() }, TRY_AGAIN_MS)
    }
  }
  void ask()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
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
