import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { type Cents, parseDollars } from '../../../contracts/core/money.ts'

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

/** The JSON value in these bytes, or undefined when they are not JSON in UTF-8. Never throws. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

type Value = string | number | boolean | readonly string[] | undefined

/** A query as these services read it: a list by commas (specification 1 §4.2); nothing, and an empty list, left out. */
export function parametersOf(named: Readonly<Record<string, Value>>): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(named)) {
    const text = typeof value === 'object' ? value.join(',') : String(value ?? '')
    if (text !== '') parameters.set(name, text)
  }
  return parameters
}

const PATTERNS = {
  responseCode: /"responseCode"\s*:\s*(?:"\s*[^"\s]|\d)/,
  any: /"(?:responseCode|errorCode)"\s*:\s*(?:"\s*[^"\s]|\d)/,
} as const

/** Whether a body names a code that is not empty. A body that breaks off after the code counts too. */
export const namesCode = (which: keyof typeof PATTERNS, bytes: Uint8Array): boolean =>
  PATTERNS[which].test(Buffer.from(bytes).toString('latin1'))

/**
 * Values of the cash service's answers are "strings unless noted" (specification 3 §2.4). What is not a plain amount
 * is treated as not returned: a limit that was guessed from nonsense would be worse than none.
 */

/** A whole number from 0 to 999 999 999 999, e.g. "950"; undefined for anything else. */
export function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,12}(\.0{1,4})?$/.test(text.trim())) return undefined
  return Number.parseInt(text, 10)
}

/** A dollar amount also as people write one: "$10.00", "10.00 CAD", "40.000". The first group is the figure. */
const WRITTEN_AMOUNT = /^(?:CAD\s*)?\$?\s*(-?\d{1,9}(?:\.\d{1,6})?)\s*(?:CAD)?$/i

/** A dollar amount of 0 or more in whole cents, e.g. "40.00" → 4000; undefined for anything else. */
export function dollarAmount(text: string | undefined): Cents | undefined {
  const figure = text === undefined ? undefined : WRITTEN_AMOUNT.exec(text.trim())?.[1]
  const amount = figure === undefined ? undefined : parseDollars(figure.replace(/(\.\d\d)0+$/, '$1'))
  return amount === undefined || amount < 0 || Object.is(amount, -0) ? undefined : amount
}

/**
 * What stands before the services and answers for them, with no code of theirs: 503 is the status of a scheduled outage
 * (specification 3 §7.2), 502 and 504 say that nobody answered there. Null for any other status.
 */
export function gatewaySays(status: number): 'outage' | 'offline' | null {
  switch (status) {
    case 503:
      return 'outage'
    case 502:
    case 504:
      return 'offline'
    default:
      return null
  }
}
