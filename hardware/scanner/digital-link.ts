import { elementValues } from './elements.ts'

/**
 * GS1 Digital Link (GS1 Digital Link Standard: URI Syntax, §4): a web address whose path names a key and its
 * qualifiers, `…/01/GTIN/22/…/10/lot/21/serial`, whatever stands before the key, and whose query holds other elements.
 */
const WEB_ADDRESS = /^https?:\/\/[^/?#\s]+\/([^?#\s]*)(?:\?([^#\s]*))?/i
/**
 * The key of an item, and the qualifiers that may follow it: variant, lot, serial number, and the latter of a third
 * party.
 */
const GTIN = '01'
const QUALIFIERS = new Set(['22', '10', '21', '235'])
const AI = /^\d{2,4}$/
/** Earlier addresses write a GTIN as it is printed; the standard's own form has fourteen digits. */
const ANY_GTIN = /^(?:\d{8}|\d{12,14})$/
const GTIN_DIGITS = 14

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', '%2B'))
  } catch {
    return null
  }
}

/**
 * The elements of a Digital Link that names an item; null for any other text, and for an address that says two things.
 */
export function digitalLink(text: string): ReadonlyMap<string, string> | null {
  const [, path, query = ''] = WEB_ADDRESS.exec(text) ?? []
  if (path === undefined) return null
  const segments = path.replace(/\/$/, '').split('/')
  // The key is the last that is followed by nothing but its own qualifiers: the path before it is the domain's.
  const key = segments.findLastIndex((segment, at) => segment === GTIN && ANY_GTIN.test(segments[at + 1] ?? ''))
  if (key < 0) return null
  const pairs: (readonly [string, string])[] = [[GTIN, (segments[key + 1] ?? '').padStart(GTIN_DIGITS, '0')]]
  for (let at = key + 2; at < segments.length; at += 2) {
    const value = decoded(segments[at + 1] ?? '')
    if (!QUALIFIERS.has(segments[at] ?? '') || !value) return null
    pairs.push([segments[at] ?? '', value])
  }
  for (const part of query.split(/[&;]/)) {
    const [name = '', ...rest] = part.split('=')
    if (!AI.test(name)) continue
    const value = decoded(rest.join('='))
    if (!value) return null
    pairs.push([name, value])
  }
  return elementValues(pairs)
}
