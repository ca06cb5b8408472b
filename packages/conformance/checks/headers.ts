import { checksOf, type Check } from '../check.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Client } from '../client.ts'
import type { CashCall, IssuanceCall } from '../requests.ts'
import { code } from './cash-codes.ts'
import { all, ask, requestList, asMember, asPartner, idsOf, putStates } from './offer-shape.ts'

const offers = checksOf('offers', 1)
const cash = checksOf('cash', 3)
const issuance = checksOf('issuance', 3)

const missing = { 'content-type': undefined }
const isJson = (received: Received): void =>
  expect.matches(received.headers['content-type'], /^application\/json\b/i, 'Content-Type', received)

for (const call of ['echo', 'inquire', 'redeem', 'reverse'] as const satisfies readonly CashCall[]) {
  const name = call.toUpperCase()
  cash.check(`${call}.content-type.missing`, '§4', `${name} without Content-Type is 0035`, async (client) =>
    code(await client.cash(call, {}, { headers: missing }), '0035'),
  )
  cash.check(
    `${call}.refused.json`,
    '§1',
    `A refused ${name} is application/json and carries responseCode`,
    async (client) => {
      const received = await client.cash(call, { traceId: undefined })
      code(received, '0035')
      isJson(received)
    },
  )
}
for (const call of [
  'calculate',
  'issue',
  'return',
  'record',
  'post',
  'postEvent',
  'reverse',
  'reverseEvent',
] as const satisfies readonly IssuanceCall[]) {
  const refused = (received: Received): void => {
    expect.status(received, 400)
    expect.assertThat(typeof received.body.responseCode === 'string', 'an error carries responseCode', received)
    isJson(received)
  }
  issuance.check(`${call}.content-type.missing`, '§4', `${call} without Content-Type is 400`, async (client) =>
    refused(await client.issuance(call, {}, { headers: missing })),
  )
  issuance.check(`${call}.content-type.other`, '§4', `${call} with another Content-Type is 400`, async (client) =>
    refused(await client.issuance(call, {}, { headers: { 'content-type': 'application/x-www-form-urlencoded' } })),
  )
  issuance.check(
    `${call}.refused.json`,
    '§1',
    `A refused ${call} is application/json and carries responseCode`,
    async (client) => refused(await client.issuance(call, { sponsorCode: undefined })),
  )
}
cash.check('inquire.authorization.twice', '§5', 'INQUIRE with two Authorization headers is refused', async (client) => {
  const token = `Bearer ${await client.tokens.shared()}`
  expect.status(await client.cash('inquire', {}, { headers: { authorization: [token, token] } }), 400, 401)
})
cash.check('inquire.content-type.twice', '§4', 'INQUIRE with two Content-Type headers is 0035', async (client) =>
  code(await client.cash('inquire', {}, { headers: { 'content-type': ['application/json', 'text/plain'] } }), '0035'),
)
issuance.check('issue.authorization.twice', '§5', 'ISSUE with two Authorization headers is refused', async (client) => {
  expect.status(
    await client.issuance(
      'issue',
      {},
      { headers: { authorization: [`Bearer ${await client.tokens.shared()}`, 'Bearer nonsense'] } },
    ),
    400,
    401,
  )
})
issuance.check('issue.content-type.twice', '§4', 'ISSUE with two Content-Type headers is 400', async (client) =>
  expect.status(
    await client.issuance('issue', {}, { headers: { 'content-type': ['application/json', 'application/json'] } }),
    400,
  ),
)
offers.check('authorization.twice', '§5', 'GET /offers with two Authorization headers is refused', async (client) => {
  const token = `Bearer ${await client.tokens.shared()}`
  expect.status(
    await requestList(client, {}, { headers: { authorization: [token, token] } }),
    ...client.bench.statuses.offersForbidden,
  )
})
cash.check('inquire.content-type.charset', '§4', 'Content-Type may contain a charset', async (client) =>
  code(await client.cash('inquire', {}, { headers: { 'content-type': 'application/json; charset=utf-8' } }), '0000'),
)
issuance.check('issue.json-answer', '§1', 'The answer of ISSUE is application/json', async (client) =>
  isJson(await client.issuance('issue')),
)

const first = async (client: Client): Promise<string> => String((await all(client))[0]?.id)
offers.check('language.missing', '§4.1', 'Accept-Language is optional: the answer is in English', async (client) => {
  expect.same(
    (await requestList(client)).text,
    (await requestList(client, {}, { headers: { 'accept-language': 'en-US' } })).text,
    'the list',
  )
})
offers.check(
  'public.collector-number',
  '§4.1',
  'Collector-Number without a machine-to-machine token is refused',
  async (client) => {
    expect.status(
      await requestList(client, {}, { headers: { 'collector-number': client.collector('fine') } }),
      ...client.bench.statuses.offersForbidden,
    )
  },
)
offers.check(
  'partner.alone',
  '§5',
  'A machine-to-machine token without Collector-Number reads public offers',
  async (client) => {
    expect.same(
      idsOf(await all(client, {}, { token: await client.tokens.shared() })),
      idsOf(await all(client)),
      'offers',
    )
  },
)
offers.check(
  'partner.collector.unknown',
  '§4.1',
  'Collector-Number of an unknown collector is refused',
  async (client) => {
    expect.status(
      await requestList(
        client,
        {},
        { token: await client.tokens.shared(), headers: { 'collector-number': client.collector('unknown') } },
      ),
      ...client.bench.statuses.offersForbidden,
      404,
    )
  },
)
offers.check(
  'one.collector-number',
  '§4.1',
  "GET /offers/{id} with a member's token and Collector-Number is refused",
  async (client) => {
    expect.status(
      await ask(
        client,
        `/offers/${await first(client)}`,
        {},
        { ...(await asMember(client)), headers: { 'collector-number': client.collector('fine') } },
      ),
      ...client.bench.statuses.offersForbidden,
    )
  },
)
offers.check('one.origin.shape', '§4.1', 'GET /offers/{id} requires a valid X-Origin-Client', async (client) =>
  expect.status(
    await ask(client, `/offers/${await first(client)}`, {}, { headers: { 'x-origin-client': 'pos:milepost' } }),
    ...client.bench.statuses.offersRefused,
  ),
)
offers.check('one.token.invalid', '§5', 'GET /offers/{id} with an invalid token is refused', async (client) =>
  expect.status(
    await ask(client, `/offers/${await first(client)}`, {}, { token: 'nonsense' }),
    ...client.bench.statuses.offersToken,
  ),
)
offers.check('one.language.other', '§4.1', 'GET /offers/{id} in another language is refused', async (client) =>
  expect.status(
    await ask(client, `/offers/${await first(client)}`, {}, { headers: { 'accept-language': 'de-DE' } }),
    ...client.bench.statuses.offersRefused,
  ),
)
const SAVED = [{ name: 'SAVE', value: 'SAVED' }]
offers.check('states.language', '§4.1', 'PUT does not accept Accept-Language', async (client) => {
  const member = await asMember(client)
  const refused = await putStates(client, await first(client), SAVED, {
    ...member,
    headers: { 'accept-language': 'en-US' },
  })
  expect.status(refused, ...client.bench.statuses.offersRefused)
})
offers.check(
  'states.partner',
  '§5',
  'PUT with a machine-to-machine token is refused, even with Collector-Number',
  async (client) => {
    const id = await first(client)
    expect.status(
      await putStates(client, id, SAVED, { token: await client.tokens.shared() }),
      ...client.bench.statuses.offersForbidden,
    )
    expect.status(await putStates(client, id, SAVED, await asPartner(client)), ...client.bench.statuses.offersForbidden)
  },
)
offers.check('states.content-type.missing', '§4.1', 'PUT without Content-Type is refused', async (client) =>
  expect.status(
    await putStates(client, await first(client), SAVED, { ...(await asMember(client)), headers: missing }),
    ...client.bench.statuses.contentType,
  ),
)
offers.check('states.correlation.error', '§4.1', 'A refused PUT also returns X-Correlation-Id', async (client) => {
  const id = crypto.randomUUID()
  const received = await putStates(client, await first(client), [], {
    ...(await asMember(client)),
    headers: { 'x-correlation-id': id },
  })
  expect.status(received, ...client.bench.statuses.offersRefused)
  expect.same(received.headers['x-correlation-id'], id, 'X-Correlation-Id', received)
})
offers.check('states.unknown', '§4.4', 'PUT for an offer that does not exist is refused', async (client) => {
  const received = await putStates(client, '00000000-0000-4000-8000-000000000000', SAVED, await asMember(client))
  expect.assertThat(received.status >= 400 && received.status < 500, 'a client error', received)
})

const state = checksOf('offer-state', 2)
const history = checksOf('history', 2)
const SERVICES = [
  {
    check: state.check,
    section: '§4.1',
    name: 'health',
    path: '/offers/state-reader/health',
    member: false,
    query: {},
    channel: true,
  },
  {
    check: state.check,
    section: '§4.1',
    name: 'find',
    path: '/offers/state-reader/v1/find',
    member: true,
    query: {},
    channel: false,
  },
  {
    check: state.check,
    section: '§4.1',
    name: 'get',
    path: '/offers/state-reader/v1/get',
    member: true,
    query: { offerId: '00000000-0000-4000-8000-000000000000' },
    channel: false,
  },
  {
    check: state.check,
    section: '§4.1',
    name: 'count',
    path: '/offers/state-reader/v1/count',
    member: true,
    query: {},
    channel: false,
  },
  {
    check: history.check,
    section: '§4.2',
    name: 'health',
    path: '/transaction-history/health',
    member: false,
    query: {},
    channel: true,
  },
  {
    check: history.check,
    section: '§4.2',
    name: 'cards',
    path: '/transaction-history/cards',
    member: true,
    query: { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
    channel: true,
  },
  {
    check: history.check,
    section: '§4.2',
    name: 'sponsors',
    path: '/transaction-history/sponsors',
    member: false,
    query: { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
    channel: true,
  },
] as const
for (const { check, section, name, path, member, query, channel } of SERVICES) {
  const options = async (client: Client, headers: Record<string, string | undefined>): Promise<Received> =>
    client.get(
      path,
      {
        ...query,
        ...(name === 'sponsors'
          ? { sponsorList: client.bench.sponsor, collectorNumber: client.collector('fine') }
          : {}),
      },
      {
        ...(member ? await asMember(client) : {}),
        headers: {
          ...(channel
            ? { 'channel-code': 'WEB', 'accept-language': 'EN' }
            : {
                'x-correlation-id': client.fresh(),
                'x-origin-client': client.bench.offers.originClient,
                'x-local-time': client.localTime(),
              }),
          ...headers,
        },
      },
    )
  check(`${name}.content-type.missing`, section, `${path} without Content-Type is 400`, async (client) =>
    expect.status(await options(client, missing), 400, 415),
  )
  check(`${name}.content-type.other`, section, `${path} with another Content-Type is 400`, async (client) =>
    expect.status(await options(client, { 'content-type': 'text/plain' }), 400, 415),
  )
  check(`${name}.token.scheme`, section, `${path} accepts only Bearer tokens`, async (client) => {
    const token = member ? await client.tokens.member('fine') : await client.tokens.shared()
    expect.status(
      await options(client, { authorization: `Basic ${token}` }),
      ...(path.startsWith('/transaction-history') ? client.bench.statuses.historyToken : [401]),
    )
  })
  if (!channel) continue
  check(`${name}.channel-code.missing`, section, `${path} without Channel-Code is 400`, async (client) =>
    expect.status(await options(client, { 'channel-code': undefined }), 400),
  )
  check(`${name}.channel-code.any`, section, `${path} accepts any channel`, async (client) =>
    expect.status(await options(client, { 'channel-code': 'KIOSK' }), 200),
  )
  check(`${name}.language.missing`, section, `${path}: Accept-Language is optional`, async (client) =>
    expect.status(await options(client, { 'accept-language': undefined }), 200),
  )
  check(`${name}.language.other`, section, `${path} in another language is 400`, async (client) =>
    expect.status(await options(client, { 'accept-language': 'DE' }), 400),
  )
}
for (const [name, accept, wanted] of [
  ['missing', undefined, 204],
  ['any', '*/*', 204],
  ['other', 'text/xml', 400],
] as const) {
  state.check(`put.accept.${name}`, '§4.1', `PUT with Accept ${accept ?? 'missing'} is ${wanted}`, async (client) => {
    const body = { stateChanges: [{ offerId: await first(client), states: [{ name: 'OPT_IN', value: 'OPTED_IN' }] }] }
    expect.status(
      await client.send('PUT', '/offers/state-writer/v1/put', body, {
        ...(await asMember(client)),
        headers: { 'x-correlation-id': client.fresh(), 'x-origin-client': client.bench.offers.originClient, accept },
      }),
      wanted,
      ...(wanted === 400 ? [406] : []),
    )
  })
}

export const headerChecks: readonly Check[] = [
  ...cash.checks,
  ...issuance.checks,
  ...offers.checks,
  ...state.checks,
  ...history.checks,
]
