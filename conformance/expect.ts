import { Broken } from './check.ts'
import type { Heard } from './http.ts'

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** What an answer looked like, for the report. Bodies of the services hold no secret of the bench. */
export const described = (heard: Heard): string =>
  `${heard.status} ${heard.text.length > 300 ? `${heard.text.slice(0, 300)}…` : heard.text}`

export function that(kept: boolean, rule: string, heard?: Heard): asserts kept {
  if (!kept) throw new Broken(heard ? `${rule}; heard ${described(heard)}` : rule)
}

/** The same JSON whatever the order of an object's fields, which means nothing (RFC 8259 §4). */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? String(value)

export function same(actual: unknown, expected: unknown, what: string, heard?: Heard): void {
  that(canonical(actual) === canonical(expected), `${what}: ${shown(expected)} expected, ${shown(actual)} found`, heard)
}

export const status = (heard: Heard, ...allowed: readonly number[]): void =>
  that(allowed.includes(heard.status), `HTTP status ${allowed.join(' or ')} expected, ${heard.status} found`, heard)

/** What the service accepted: 2xx. */
export const accepted = (heard: Heard): void =>
  that(heard.status >= 200 && heard.status < 300, `an accepted request expected, ${heard.status} found`, heard)

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/
export const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/
/** "UTC timestamp with microseconds and `Z`" (specifications 1 §2.2, 2 §2.1). */
export const MICROS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/

export function matches(value: unknown, pattern: RegExp, what: string, heard?: Heard): asserts value is string {
  that(typeof value === 'string' && pattern.test(value), `${what}: ${shown(value)} is not ${pattern}`, heard)
}

export function record(value: unknown, what: string, heard?: Heard): Record<string, unknown> {
  that(typeof value === 'object' && value !== null && !Array.isArray(value), `${what} is no object`, heard)
  return value as Record<string, unknown>
}

export function list(value: unknown, what: string, heard?: Heard): Record<string, unknown>[] {
  that(Array.isArray(value), `${what} is no list`, heard)
  return value.map((element) => record(element, `an element of ${what}`, heard))
}

/** "Null or empty data elements are left out of response bodies" (specifications 2 §1, 3 §1). */
export function nothingEmpty(value: unknown, heard: Heard, path = 'the body', except: readonly string[] = []): void {
  that(value !== null && value !== '', `${path} is null or empty`, heard)
  if (Array.isArray(value))
    value.forEach((element, index) => {
      nothingEmpty(element, heard, `${path}[${index}]`, except)
    })
  else if (typeof value === 'object' && value !== null) {
    that(Object.keys(value).length > 0, `${path} is an empty object`, heard)
    for (const [name, part] of Object.entries(value)) {
      if (except.includes(name)) continue
      that(!(Array.isArray(part) && part.length === 0), `${path}.${name} is an empty list`, heard)
      nothingEmpty(part, heard, `${path}.${name}`, except)
    }
  }
}
