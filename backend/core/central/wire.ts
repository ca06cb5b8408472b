import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { type Cents, parseDollars } from '../../../contracts/core/money.ts'

/**
 * Headers of the history service and of the offer-state health check (specification 2 §4.1, §4.2). Channels are not
 * specified: the channel of the origin client is used (`<internal or external>:<channel>:<client>`).
 */
export const channelHeaders = (originClient: string, locale: Locale): Record<string, string> => ({
  'content-type': 'application/json',
  'channel-code': originClient.split(':')[1] ?? 'pos',
  // The value is EN or FR; only the offer service accepts en-CA and fr-CA.
  'accept-language': LANGUAGES[locale].acceptLanguage.slice(0, 2).toUpperCase(),
})

export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

type Value = string | number | boolean | readonly string[] | undefined

/** Builds a query: lists with commas (specification 1 §4.2), empty values and lists omitted. */
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

/** Whether a body contains a response code that is not empty. A body cut off after the code counts too. */
export const namesCode = (which: keyof typeof PATTERNS, bytes: Uint8Array): boolean =>
  PATTERNS[which].test(Buffer.from(bytes).toString('latin1'))

/**
 * Values of the cash service's answers are "strings unless noted" (specification 3 §2.4). An invalid number or amount
 * counts as missing, because it is worse to apply a wrong one.
 */

export function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,12}(\.0{1,4})?$/.test(text.trim())) return undefined
  return Number.parseInt(text, 10)
}

/**
 * Matches a dollar amount as the cash service may write it: also "$10.00", "10.00 CAD" and "40.000". Group 1 is the
 * number.
 */
const WRITTEN_AMOUNT = /^(?:CAD\s*)?\$?\s*(-?\d{1,9}(?:\.\d{1,6})?)\s*(?:CAD)?$/i

/** Reads a dollar amount of 0 or more as whole cents, e.g. "40.00" → 4000; undefined for anything else. */
export function dollarAmount(text: string | undefined): Cents | undefined {
  const figure = text === undefined ? undefined : WRITTEN_AMOUNT.exec(text.trim())?.[1]
  const amount = figure === undefined ? undefined : parseDollars(figure.replace(/(\.\d\d)0+$/, '$1'))
  return amount === undefined || amount < 0 || Object.is(amount, -0) ? undefined : amount
}

/**
 * State that an answer of a gateway without a code means: 503 is a scheduled outage (specification 3 §7.2), 502 and 504
 * mean that the service did not answer. Null for any other status.
 */
export function gatewayState(status: number): 'outage' | 'offline' | null {
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
