import { useMemo, type ReactNode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { IntlProvider, useTranslations } from 'use-intl'
import enScreens from '../../contracts/i18n/en-CA/screens.ts'
import frScreens from '../../contracts/i18n/fr-CA/screens.ts'
import type { Locale } from '../../contracts/locales.ts'
import { useTerminal } from '../stores/terminal.ts'
import { formatFor, type Format } from './format.ts'
import type { Words as WordsOf } from './message-key.ts'

const SCREENS = { 'en-CA': enScreens, 'fr-CA': frScreens } as const

/** Messages and formats of the chosen language for everything below. */
export function Words({ locale, timeZone, children }: { readonly locale: Locale; readonly timeZone: string | undefined; readonly children: ReactNode }) {
  return (
    <I18nProvider locale={locale}>
      <IntlProvider locale={locale} messages={SCREENS[locale]} {...(timeZone === undefined ? {} : { timeZone })}>
        {children}
      </IntlProvider>
    </I18nProvider>
  )
}

export function useWords(): { readonly t: WordsOf; readonly format: Format } {
  const t = useTranslations()
  const locale = useTerminal((state) => state.locale)
  const timeZone = useTerminal((state) => state.terminal?.timeZone)
  const format = useMemo(() => formatFor(locale, timeZone), [locale, timeZone])
  return { t, format }
}

/** "120 miles" / "120 milles", with its plural. */
export function useMilesText(): (count: number) => string {
  const { t, format } = useWords()
  return (count) => t('sale.milesValue', { miles: format.miles(count), count })
}
