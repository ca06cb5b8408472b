import { Broken } from './outcomes.ts'
import type { Received } from './http.ts'

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** What an answer looked like, for the report. Bodies of the services hold no secret of the bench. */
export const described = (received: Received): string =>
  `${received.status} ${received.text.length > 300 ? `${received.text.slice(0, 300)}…` : received.text}`

export function that(kept: boolean, rule: string, received?: Received): asserts kept {
  if (!kept) throw new Broken(received ? `${rule}; heard ${described(received)}` : rule)
}

/** The same JSON whatever the order of an object's fields, which means nothing (RFC 8259 §4). */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? String(value)

export function same(actual: unknown, expected: unknown, what: string, received?: Received): void {
  that(
    canonical(actual) === canonical(expected),
    `${what}: ${shown(expected)} expected, ${shown(actual)} found`,
    received,
  )
}

export const status = (received: Received, ...allowed: readonly number[]): void =>
  that(
    allowed.includes(received.status),
    `HTTP status ${allowed.join(' or ')} expected, ${received.status} found`,
    received,
  )

/** What the service accepted: 2xx. */
export const accepted = (received: Received): void =>
  that(
    received.status >= 200 && received.status < 300,
    `an accepted request expected, ${received.status} found`,
    received,
  )

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/
export const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/
/** "UTC timestamp with microseconds and `Z`" (specifications 1 §2.2, 2 §2.1). */
export const MICROS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/

export function matches(value: unknown, pattern: RegExp, what: string, received?: Received): asserts value is string {
  that(typeof value === 'string' && pattern.test(value), `${what}: ${shown(value)} is not ${pattern}`, received)
}

export function record(value: unknown, what: string, received?: Received): Record<string, unknown> {
  that(typeof value === 'object' && value !== null && !Array.isArray(value), `${what} is no object`, received)
  return value as Record<string, unknown>
}

export function list(value: unknown, what: string, received?: Received): Record<string, unknown>[] {
  that(Array.isArray(value), `${what} is no list`, received)
  return value.map((element) => record(element, `an element of ${what}`, received))
}

/** "Null or empty data elements are left out of response bodies" (specifications 2 §1, 3 §1). */
export function nothingEmpty(
  value: unknown,
  received: Received,
  path = 'the body',
  except: readonly string[] = [],
): void {
  that(value !== null && value !== '', `${path} is null or empty`, received)
  if (Array.isArray(value))
    value.forEach((element, index) => {
      nothingEmpty(element, received, `${path}[${index}]`, except)
    })
  else if (typeof value === 'object' && value !== null) {
    that(Object.keys(value).length > 0, `${path} is an empty object`, received)
    for (const [name, part] of Object.entries(value)) {
      if (except.includes(name)) continue
      that(!(Array.isArray(part) && part.length === 0), `${path}.${name} is an empty list`, received)
      nothingEmpty(part, received, `${path}.${name}`, except)
    }
  }
}
