import http from 'node:http'
import https from 'node:https'
import moment from 'moment-timezone'

/** The tested rule does not hold. */
export class RuleViolation extends Error {}

/** The rule cannot be tested: the target or its bench file lacks something, which the message names. */
export class Skip extends Error {}

/** Returns the value. Throws a Skip with the reason when the value is missing. */
export function need<Value>(value: Value | null | undefined, reason: string): Value {
  if (value === null || value === undefined) throw new Skip(reason)
  return value
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

export const described = (received: Received): string =>
  `${received.status} ${received.text.length > 300 ? `${received.text.slice(0, 300)}…` : received.text}`

export function assertThat(holds: boolean, rule: string, received?: Received): asserts holds {
  if (!holds) throw new RuleViolation(received ? `${rule}; received ${described(received)}` : rule)
}

/** Formats JSON with sorted keys, because the order of fields has no meaning (RFC 8259 §4). */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  ) ?? String(value)

export function same(actual: unknown, expected: unknown, what: string, received?: Received): void {
  assertThat(
    canonical(actual) === canonical(expected),
    `${what}: ${shown(expected)} expected, ${shown(actual)} found`,
    received,
  )
}

export const status = (received: Received, ...allowed: readonly number[]): void =>
  assertThat(
    allowed.includes(received.status),
    `HTTP status ${allowed.join(' or ')} expected, ${received.status} found`,
    received,
  )

export const accepted = (received: Received): void =>
  assertThat(
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
  assertThat(typeof value === 'string' && pattern.test(value), `${what}: ${shown(value)} is not ${pattern}`, received)
}

export function record(value: unknown, what: string, received?: Received): Record<string, unknown> {
  assertThat(typeof value === 'object' && value !== null && !Array.isArray(value), `${what} is not an object`, received)
  return value as Record<string, unknown>
}

export function list(value: unknown, what: string, received?: Received): Record<string, unknown>[] {
  assertThat(Array.isArray(value), `${what} is not a list`, received)
  return value.map((element) => record(element, `an element of ${what}`, received))
}

/** "Null or empty data elements are left out of response bodies" (specifications 2 §1, 3 §1). */
export function nothingEmpty(
  value: unknown,
  received: Received,
  path = 'the body',
  except: readonly string[] = [],
): void {
  assertThat(value !== null && value !== '', `${path} is null or empty`, received)
  if (Array.isArray(value))
    value.forEach((element, index) => {
      nothingEmpty(element, received, `${path}[${index}]`, except)
    })
  else if (typeof value === 'object' && value !== null) {
    assertThat(Object.keys(value).length > 0, `${path} is an empty object`, received)
    for (const [name, field] of Object.entries(value)) {
      if (except.includes(name)) continue
      assertThat(!(Array.isArray(field) && field.length === 0), `${path}.${name} is an empty list`, received)
      nothingEmpty(field, received, `${path}.${name}`, except)
    }
  }
}

/** A received answer. `body` is the parsed text if it is a JSON object, else empty. */
export interface Received {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  readonly json: unknown
  readonly body: Readonly<Record<string, unknown>>
}

export interface Asked {
  readonly method: string
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: string | Buffer
  readonly timeoutMs?: number
}

/**
 * Sends exactly these headers and bytes, plus Host, Connection and Content-Length. Rejects if the answer is incomplete,
 * or if nothing arrives for `timeoutMs`.
 */
export interface Caller {
  ask(url: string, asked: Asked): Promise<Received>
  close(): void
}

export function createCaller(sockets = 16): Caller {
  const plain = new http.Agent({ keepAlive: true, maxSockets: sockets })
  const secure = new https.Agent({ keepAlive: true, maxSockets: sockets })
  return {
    ask: (url, { method, headers = {}, body, timeoutMs = 20_000 }) =>
      new Promise<Received>((resolve, reject) => {
        const tls = url.startsWith('https:')
        const request = (tls ? https : http).request(url, { method, agent: tls ? secure : plain })
        for (const [name, value] of Object.entries(headers)) if (value !== undefined) request.setHeader(name, value)
        if (body !== undefined) request.setHeader('content-length', Buffer.byteLength(body))
        request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)))
        request.on('error', reject)
        request.on('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            if (!response.complete) return reject(new Error('the answer is incomplete'))
            const text = Buffer.concat(chunks).toString('utf8')
            const json = parse(text)
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              json,
              body:
                typeof json === 'object' && json !== null && !Array.isArray(json)
                  ? (json as Record<string, unknown>)
                  : {},
            })
          })
        })
        request.end(body)
      }),
    close() {
      plain.destroy()
      secure.destroy()
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/**
 * Uses the bundled time-zone data, as the lane and the reference services do, because the data of the JavaScript
 * runtime depends on its version. Throws RangeError for an unknown zone.
 */
function timeIn(timeZone: string, at: number): moment.Moment {
  if (moment.tz.zone(timeZone) === null) throw new RangeError(`not a known time zone: ${timeZone}`)
  return moment.tz(at, timeZone)
}

/** Formats a time with UTC offset and milliseconds, e.g. 2026-07-01T14:03:22.123-04:00. `at` in epoch milliseconds. */
export const localTimestamp = (at: number, timeZone: string): string =>
  timeIn(timeZone, at).format('YYYY-MM-DDTHH:mm:ss.SSSZ')

/** Formats a local time without a time zone, the date format of the offer service (specification 1 §2.2). */
export const localDateTime = (at: number, timeZone: string): string =>
  timeIn(timeZone, at).format('YYYY-MM-DDTHH:mm:ss')
