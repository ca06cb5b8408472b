import { checksOf, type Check } from '../check.ts'
import * as expect from '../expect.ts'
import type { Client } from '../client.ts'
import { requestList } from './offer-shape.ts'

const one = checksOf('token', 1)
const three = checksOf('token', 3)
const bad = checksOf('bad-input', 3)

three.check('partner', '§5', 'A partner gets a token with its client_id and client_secret', async (client) =>
  expect.matches(await client.tokens.shared(), /\S/, 'access_token'),
)
three.check('scheme', '§5', 'Only the Bearer scheme is accepted', async (client) => {
  const token = await client.tokens.shared()
  const received = await client.cash('echo', {}, { token: null, headers: { authorization: `Basic ${token}` } })
  expect.assertThat(
    received.status >= 400 && received.body.responseCode === undefined,
    'refused without a response code',
    received,
  )
})
three.check('message', '§5', 'A call without a token gets a message to generate one', async (client) =>
  expect.matches((await client.cash('echo', {}, { token: null })).body.message, /token/i, 'message'),
)
for (const [name, use] of [
  ['checkout', (client: Client, token: string) => client.cash('echo', {}, { token })],
  [
    'offers',
    (client: Client, token: string) =>
      requestList(client, {}, { token, headers: { 'collector-number': client.collector('fine') } }),
  ],
  [
    'history',
    (client: Client, token: string) =>
      client.get('/transaction-history/health', {}, { token, headers: { 'channel-code': 'WEB' } }),
  ],
] as const) {
  three.check(
    `revoked.${name}`,
    '§5',
    `A token revoked at the identity provider is refused (${name}); others stay valid`,
    async (client) => {
      const [mine, other] = [await client.tokens.own(), await client.tokens.own()]
      expect.status(await use(client, mine), 200)
      await client.tokens.revoke(mine)
      const received = await use(client, mine)
      expect.status(received, 401, 403)
      expect.assertThat(received.body.responseCode === undefined, 'refused without a response code', received)
      expect.status(await use(client, other), 200)
      await client.tokens.revoke(other)
    },
  )
}
three.check('revoked.effect', '§5', 'A redemption under a revoked token takes no miles', async (client) => {
  const before = await client.balances('fine')
  const token = await client.tokens.own()
  await client.tokens.revoke(token)
  expect.status(await client.cash('redeem', {}, { token }), ...client.bench.statuses.checkoutToken)
  expect.same(await client.balances('fine'), before, 'the balances')
})
three.check('expired', '§5', 'A token that expires during a call is refused, for later calls too', async (client) => {
  client.needs('faults')
  const token = await client.tokens.own()
  await client.fault(client.path('inquire'), { kind: 'expire-token' })
  for (let call = 0; call < 2; call += 1) {
    const received = await client.cash('inquire', {}, { token })
    expect.assertThat(
      received.status >= 400 && received.body.responseCode === undefined,
      'refused without a response code',
      received,
    )
  }
})
one.check('member', '§5', "A member's token is bound to a collector", async (client) =>
  expect.matches(await client.tokens.member('fine'), /\S/, 'access_token'),
)
one.check('member.two', '§5', 'Two members have different tokens', async (client) =>
  expect.assertThat((await client.tokens.member('fine')) !== (await client.tokens.member('second')), 'two tokens'),
)

/**
 * Invalid bodies: all checkout calls are POST with JSON bodies (specification 3 §4). These get a documented error
 * without a stack trace.
 */
const CASES: readonly (readonly [
  string,
  string,
  (client: Client) => { body: string | Buffer; headers?: Record<string, string> },
])[] = [
  ['empty', 'an empty body', () => ({ body: '' })],
  ['truncated', 'truncated JSON', () => ({ body: '{"traceId": "1' })],
  ['list', 'a list', () => ({ body: '[]' })],
  ['null', 'null', () => ({ body: 'null' })],
  ['number', 'a number', () => ({ body: '5' })],
  [
    'bytes',
    'bytes that are not UTF-8',
    () => ({ body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }),
  ],
  ['huge', 'a body of two megabytes', () => ({ body: JSON.stringify({ traceId: 'x'.repeat(2_000_000) }) })],
  ['deep', 'ten thousand levels of nesting', () => ({ body: `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}` })],
  [
    'proto',
    'a key __proto__',
    (client) => ({
      body: JSON.stringify(client.request('inquire', { traceId: undefined })).replace(
        '{',
        '{"__proto__":{"traceId":"1"},',
      ),
    }),
  ],
  [
    'types',
    'numbers for every field',
    (client) => ({
      body: JSON.stringify(Object.fromEntries(Object.keys(client.request('inquire')).map((field) => [field, 5]))),
    }),
  ],
]
for (const [id, what, make] of CASES) {
  for (const call of ['inquire', 'issue'] as const) {
    bad.check(
      `${call}.${id}`,
      call === 'inquire' ? '§7.2 0035' : '§7.1',
      `${call.toUpperCase()} of ${what} is 400 with responseCode and without a stack trace`,
      async (client) => {
        const { body, headers = {} } = make(client)
        const received = await client.send('POST', client.path(call), body, { headers })
        expect.status(received, ...(id === 'huge' ? client.bench.statuses.tooLarge : [400]))
        expect.assertThat(received.body.responseCode !== undefined, 'an error carries responseCode', received)
        expect.assertThat(!/\bat .+:\d+:\d+|node_modules|\.ts\b/.test(received.text), 'no stack', received)
      },
    )
  }
}
bad.check('method', '§4', 'GET of a call is refused', async (client) => {
  expect.status(await client.get('/checkout/loyaltycash/inquire'), ...client.bench.statuses.method)
})
bad.check('path', '§4', 'An unknown path is 404', async (client) =>
  expect.status(await client.send('POST', '/checkout/loyaltycash/nothing', {}), 404),
)
bad.check('duplicate-key', '§4.1', 'Two Idempotency-Key headers are refused', async (client) => {
  const received = await client.issuance('issue', {}, { headers: { 'idempotency-key': ['one', 'two'] } })
  expect.status(received, 400)
})
bad.check('version', '§9', 'Paths carry no version segment', async (client) => {
  expect.status(
    await client.send('POST', '/v1/checkout/loyaltycash/echo', client.request('echo'), {
      headers: { 'cache-control': 'no-cache' },
    }),
    404,
  )
  expect.status(await client.send('POST', '/checkout/v1/issuance/issue', client.request('issue')), 404)
})
bad.check('empty-key', '§4.1', 'An empty Idempotency-Key is refused', async (client) =>
  expect.status(await client.issuance('issue', {}, { headers: { 'idempotency-key': '' } }), 400),
)
bad.check(
  'key-entropy',
  '§4.1',
  'An Idempotency-Key of 300 characters is refused or used completely',
  async (client) => {
    const received = await client.issuance('issue', {}, { key: 'k'.repeat(300) })
    expect.status(received, 200, 400)
  },
)
export const badInputChecks: readonly Check[] = bad.checks
export const identityChecks: readonly Check[] = [...three.checks, ...one.checks]
