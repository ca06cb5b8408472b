import { LANGUAGES } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/locales.ts'

/**
 * Headers of the history and of the health of the offer states (specification 2 §4.1, §4.2). Which channels there are
 * is not shown: the one of the origin client (`<internal or external>:<channel>:<client>`).
 */
export const channelHeaders = (originClient: string, locale: Locale): Record<string, string> => ({
  'content-type': 'application/json',
  'channel-code': originClient.split(':')[1] ?? 'pos',
  // EN or FR, where the offer service takes en-US or fr-CA.
  'accept-language': LANGUAGES[locale].acceptLanguage.slice(0, 2).toUpperCase(),
})
