import { useEffect, useMemo, type ReactNode } from 'react'
import { jsx } from 'react/jsx-runtime'
import { I18nProvider } from 'react-aria-components'
import { IntlProvider, useLocale, useTranslations } from 'use-intl'
import type { Locale } from '../../../contracts/core/locales.ts'
import { useTerminal } from '../state/terminal.ts'
import { requireCatalog, useCatalog } from './catalogs.ts'
import { formatFor, type Format } from './format.ts'
import type { Translate as WordsOf } from './message-key.ts'

/** Provides messages and formats of the chosen language; renders nothing until they are loaded. */
export function LanguageProvider({
  locale,
  timeZone,
  children,
}: {
  readonly locale: Locale
  readonly timeZone: string | undefined
  readonly children: ReactNode
}) {
  const shown = useCatalog(locale)
  useEffect(() => {
    void requireCatalog(locale)
  }, [locale])
  if (!shown) return null
  const { locale: language, messages } = shown
  const zone = timeZone === undefined ? {} : { timeZone }
  // Without JSX, so that Node can load the actions of the screens for the printed quick card.
  return jsx(I18nProvider, {
    locale: language,
    children: jsx(IntlProvider, { locale: language, messages, children, ...zone }),
  })
}

export function useI18n(): { readonly t: WordsOf; readonly format: Format } {
  const t = useTranslations()
  const locale = useLocale()
  const changes = useTerminal((state) => state.terminal?.clockChanges)
  const format = useMemo(() => formatFor(locale, changes), [locale, changes])
  return { t, format }
}

/** Formats a number of miles with its plural: "120 miles" / "120 milles". */
export function useMilesText(): (count: number) => string {
  const { t, format } = useI18n()
  return (count) => t('sale.milesValue', { miles: format.miles(count), count })
}
