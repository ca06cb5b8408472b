import type { Locale } from '../locales.ts'
import enErrors from './en-CA/errors.ts'
import enExceptions from './en-CA/exceptions.ts'
import enInstaller from './en-CA/installer.ts'
import enReceipt from './en-CA/receipt.ts'
import enScreens from './en-CA/screens.ts'
import frErrors from './fr-CA/errors.ts'
import frExceptions from './fr-CA/exceptions.ts'
import frInstaller from './fr-CA/installer.ts'
import frReceipt from './fr-CA/receipt.ts'
import frScreens from './fr-CA/screens.ts'

/**
 * Messages in ICU MessageFormat, by room: `errors` (problems), `exceptions` (the manager's list), `installer` (the tool
 * for devices), `receipt` (paper), `screens` (renderer).
 */
const english = {
  errors: enErrors,
  exceptions: enExceptions,
  installer: enInstaller,
  receipt: enReceipt,
  screens: enScreens,
}
const french = {
  errors: frErrors,
  exceptions: frExceptions,
  installer: frInstaller,
  receipt: frReceipt,
  screens: frScreens,
}

export type Messages = typeof english
export const CATALOGS = { 'en-CA': english, 'fr-CA': french } as const satisfies Record<Locale, object>
