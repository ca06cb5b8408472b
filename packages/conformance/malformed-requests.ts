import type { Asked, Received } from './expect.ts'
import type { Rng } from './seeded-run.ts'
import net from 'node:net'

export interface MalformedRequest {
  readonly kind: string
  readonly path: string
  readonly asked: Asked
}
type Fields = Record<string, unknown>

export interface GoodCall {
  readonly path: string
  readonly body: Fields
}

const ODD = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -0,
  '',
  ' ',
  '\u0000',
  '\ud800',
  'é'.repeat(40),
  'x'.repeat(5_000),
  '8'.repeat(11),
  '43.35',
  '-1.00',
  '1e9',
  '2026-13-45T99:99:99Z',
  [],
  [[]],
  [null],
  {},
  { a: {} },
  ['x', 1, null],
  Number.MAX_SAFE_INTEGER,
  "'; DROP TABLE account; --",
  '../../etc/passwd',
  '${7*7}',
  '<script>',
] as const
const METHODS = [
  'GET',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'REPORT',
  'SEARCH',
  'TRACE',
  'LOCK',
  'M-SEARCH',
] as const
const QUERIES = [
  '/offers',
  '/offers/x',
  '/offers/state-reader/v1/find',
  '/offers/state-reader/v1/get',
  '/offers/state-reader/v1/count',
  '/transaction-history/cards',
  '/transaction-history/sponsors',
] as const
const PARAMETERS = [
  'region',
  'limit',
  'offset',
  'partner_id',
  'sort',
  'states',
  'extended_metadata',
  'from',
  'to',
  'page',
  'size',
  'sponsorList',
  'collectorNumber',
  'offerId',
  'state',
  'pageSize',
  '__proto__',
  'constructor',
  '',
] as const
const UNKNOWN = [
  '/',
  '/checkout',
  '/checkout/',
  '/checkout/loyaltycash/',
  '/checkout/loyaltycash/echo/',
  '/checkout/issuance/issue/more',
  '/checkout/issuance/%2e%2e/issue',
  '/offers/%00',
  '/offers/%zz',
  '/..%2f..%2fetc/passwd',
  '//offers',
  '/OFFERS',
  '/oidc/nothing',
  '/transaction-history',
  '/health',
  '/checkout/issuance/undefined',
  '/%',
] as const

const text = (value: unknown): string => JSON.stringify(value) ?? 'undefined'
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

const WAYS: Readonly<
  Record<string, (call: GoodCall, rng: Rng) => { body: string | Buffer; headers?: Asked['headers'] }>
> = {
  'cut off': (call, rng) => {
    const whole = text(call.body)
    return { body: whole.slice(0, rng.below(whole.length)) }
  },
  'bytes changed': (call, rng) => {
    const bytes = Buffer.from(text(call.body))
    for (let count = 1 + rng.below(6); count > 0; count -= 1) bytes[rng.below(bytes.length)] = rng.below(256)
    return { body: bytes }
  },
  'wrong type': (call, rng) => ({
    body: text({ ...call.body, [rng.pick(Object.keys(call.body))]: rng.pick(ODD) }),
  }),
  'several wrong': (call, rng) => ({
    body: text(
      Object.fromEntries(
        Object.entries(call.body).map(([name, value]) => [name, rng.below(2) === 0 ? rng.pick(ODD) : value]),
      ),
    ),
  }),
  missing: (call, rng) => {
    const gone = rng.pick(Object.keys(call.body))
    return { body: text(Object.fromEntries(Object.entries(call.body).filter(([name]) => name !== gone))) }
  },
  'not an object': (_call, rng) => ({ body: text(rng.pick(ODD)) }),
  'odd items': (call, rng) => ({
    body: text({
      ...call.body,
      items: [
        rng.pick(ODD),
        {
          id: rng.pick(ODD),
          quantity: rng.pick(ODD),
          baseAmount: rng.pick(ODD),
          finalAmount: rng.pick(ODD),
        },
      ],
    }),
  }),
  'odd issuances': (call, rng) => ({
    body: text({
      ...call.body,
      issuances: [{ issuanceOfferCode: rng.pick(ODD), milesAmount: rng.pick(ODD), offerId: rng.pick(ODD) }],
    }),
  }),
  'own names': (call, rng) => ({
    body: `{"__proto__":{"x":1},"constructor":${text(rng.pick(ODD))},"toString":1,${text(call.body).slice(1)}`,
  }),
  'name twice': (call) => ({ body: `{"collectorNumber":"80000000055",${text(call.body).slice(1)}` }),
  deep: (_call, rng) => ({ body: deep(100 + rng.below(10_000)) }),
  'deep list': (_call, rng) => {
    const levels = 100 + rng.below(20_000)
    return { body: '['.repeat(levels) + ']'.repeat(levels) }
  },
  'header twice': (call, rng) => ({
    body: text(call.body),
    headers: {
      [rng.pick([
        'idempotency-key',
        'x-origin-client',
        'x-correlation-id',
        'cache-control',
        'accept-language',
        'collector-number',
      ])]: ['one', 'two'],
    },
  }),
  'odd header': (call, rng) => ({
    body: text(call.body),
    headers: {
      [rng.pick([
        'idempotency-key',
        'content-type',
        'authorization',
        'x-origin-client',
        'accept-language',
        'accept',
        'transfer-encoding-x',
        'collector-number',
        'channel-code',
      ])]: rng.pick([
        '',
        ' ',
        'x'.repeat(3_000),
        'application/json',
        'application/json; charset=utf-16',
        'text/xml',
        'Bearer',
        'Bearer x y',
        'Basic Og==',
        'é',
        '\t',
        '%00',
        '[object Object]',
      ]),
    },
  }),
  'no token': (call) => ({ body: text(call.body), headers: { authorization: undefined } }),
}
const WAY_NAMES = Object.keys(WAYS)

export function makeMalformed(rng: Rng, calls: readonly GoodCall[], token: string): MalformedRequest {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'cache-control': 'no-cache' }
  const call = rng.pick(calls)
  const roll = rng.below(1_000)
  // Make few bodies of up to a megabyte: with many, the run would mostly wait for the network.
  if (roll < 4)
    return {
      kind: 'huge',
      path: call.path,
      asked: {
        method: 'POST',
        headers,
        body: text({ ...call.body, context: { note: 'x'.repeat(300_000 + rng.below(700_000)) } }),
      },
    }
  if (roll < 60)
    return {
      kind: 'unknown path',
      path: rng.pick(UNKNOWN),
      asked: { method: rng.pick(['GET', 'POST', 'PUT']), headers, body: text(call.body) },
    }
  if (roll < 120) return { kind: 'unknown method', path: call.path, asked: { method: rng.pick(METHODS), headers } }
  if (roll < 300) {
    const search = Array.from({ length: rng.below(5) }, () => {
      const name = encodeURIComponent(rng.pick(PARAMETERS))
      if (rng.below(8) === 0) return `${name}=%zz`
      return `${name}=${encodeURIComponent(text(rng.pick(ODD)).replaceAll('"', '').slice(0, 500))}`
    }).join('&')
    const usual = {
      ...headers,
      'x-origin-client': rng.pick(['internal:pos:milepost', 'nobody', '']),
      'x-correlation-id': rng.pick(['c0ffee00-0000-4000-8000-000000000000', 'x']),
      'x-local-time': '2026-07-01T12:00:00',
      'channel-code': 'WEB',
      'collector-number': rng.pick(['80000000011', '1', '']),
    }
    return { kind: 'odd query', path: `${rng.pick(QUERIES)}?${search}`, asked: { method: 'GET', headers: usual } }
  }
  if (roll < 340) {
    const path = rng.pick([
      '/offers/00000000-0000-4000-8000-000000000000/states',
      '/offers/x/states',
      '/offers/state-writer/v1/put',
    ])
    return {
      kind: 'odd write',
      path,
      asked: {
        method: 'PUT',
        headers: {
          ...headers,
          'x-origin-client': 'internal:pos:milepost',
          'x-correlation-id': 'c0ffee00-0000-4000-8000-000000000000',
        },
        body: text(
          rng.pick([
            { states: rng.pick(ODD) },
            { stateChanges: rng.pick(ODD) },
            { stateChanges: [{ offerId: rng.pick(ODD), states: [rng.pick(ODD)] }] },
            rng.pick(ODD),
          ]),
        ),
      },
    }
  }
  const kind = rng.pick(WAY_NAMES)
  const made = WAYS[kind]?.(call, rng) ?? { body: '' }
  return { kind, path: call.path, asked: { method: 'POST', headers: { ...headers, ...made.headers }, body: made.body } }
}

const STACK = /\n\s+at |node_modules|\.ts:\d|node:internal|SQLITE|better-sqlite/i
const CHECKOUT = /^\/checkout\/(loyaltycash|issuance)\//

/** Returns what is wrong with the answer to an invalid request; undefined when it is as documented. */
export function findFlaw({ path, asked }: MalformedRequest, received: Received): string | undefined {
  if (STACK.test(received.text)) return 'the answer contains internals of the program'
  if (received.status >= 500) return `status ${received.status}: a bad request is the caller's mistake`
  if (received.status < 200) return `status ${received.status}`
  // A success shows that the malformed request happened to be valid.
  if (received.status < 300 || asked.method === 'HEAD') return undefined
  // The identity provider has its own errors (RFC 6749 §5.2) and pages, which are not checked.
  if (path.startsWith('/oidc/')) return undefined
  if (!/^application\/json\b/i.test(received.headers['content-type'] ?? ''))
    return `content type ${received.headers['content-type']}`
  if (typeof received.body.message !== 'string') return 'no message'
  const known = CHECKOUT.test(path) && asked.method === 'POST'
  const mayLackCode = received.status === 401 || received.status === 404
  // "A response in an error condition carries responseCode" (specification 3 §1), except without a token (specification
  // 3 §5) and at an unknown path.
  if (known && !mayLackCode && typeof received.body.responseCode !== 'string') return 'no responseCode'
  return undefined
}

const NOISE = [
  'GET\r\n\r\n',
  'POST /checkout/issuance/issue HTTP/1.1\r\n\r\n',
  'POST / HTTP/9.9\r\nHost: a\r\n\r\n',
  'BREW /coffee HTTP/1.1\r\nHost: a\r\n\r\n',
  '\r\n\r\n\r\n',
  '\u0016\u0003\u0001\u0002',
  'POST /checkout/loyaltycash/echo HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n{}',
  'POST /checkout/loyaltycash/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}',
  'POST /checkout/loyaltycash/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: ' +
    '3\r\n\r\nzz\r\n',
  'POST /checkout/loyaltycash/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  `GET /offers HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`,
  `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  'GET /offers HTTP/1.1\r\nHost: a\r\nBad Header: 1\r\n\r\n',
  'GET http://[::bad/ HTTP/1.1\r\nHost: a\r\n\r\n',
] as const

/** Sends bytes that are not valid HTTP on a socket. Resolves with everything received before the connection closed. */
export function sendRaw(url: string, rng: Rng): Promise<string> {
  const { hostname, port } = new URL(url)
  const bytes =
    rng.below(3) === 0
      ? Buffer.from(Array.from({ length: 1 + rng.below(400) }, () => rng.below(256)))
      : Buffer.from(rng.pick(NOISE), 'latin1')
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port) })
    let received = ''
    socket.setTimeout(2_000, () => {
      socket.destroy()
    })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      resolve(received)
    })
    socket.end(bytes)
  })
}
