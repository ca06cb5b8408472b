import { FIRST_LOCALE } from './i18n/languages.ts'
import type { Localized } from './locales.ts'

/** What cannot be done, in words for whoever ran a command. Its message is English, as logs are. */
export class LocalizedError extends Error {
  override name = 'LocalizedError'
  readonly messages: Localized
  constructor(messages: Localized, options?: ErrorOptions) {
    super(messages[FIRST_LOCALE], options)
    this.messages = messages
  }
}
