import type { Locale } from '../../../contracts/core/locales.ts'
import type english from '../../../contracts/i18n/en-CA/screens.ts'

type Texts<Catalog> = { [Key in keyof Catalog]: Catalog[Key] extends string ? string : Texts<Catalog[Key]> }

declare module 'use-intl' {
  interface AppConfig {
    Locale: Locale
    Messages: Texts<typeof english>
  }
}
