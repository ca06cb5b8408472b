import { checksOf } from '../check.ts'
import { need } from '../expect.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Fields, Client, CallOptions } from '../client.ts'
import { all, asMember, statesOf } from './offer-shape.ts'

const { checks, check } = checksOf('offer-state', 2)
export const offerStateChecks = checks

type Read = 'find' | 'get' | 'count'
const usual = (client: Client): Record<string, string> => ({
  'x-correlation-id': crypto.randomUUID(),
  'x-origin-client': client.bench.offers.originClient,
})
export const read = async (
  client: Client,
  call: Read,
  query: Fields = {},
  options: CallOptions = {},
): Promise<Received> =>
  client.get(`/offers/state-reader/v1/${call}`, query, {
    ...(await asMember(client)),
    ...options,
    headers: { ...usual(client), 'x-local-time': client.localTime(), ...options.headers },
  })
export const write = async (client: Client, body: unknown, options: CallOptions = {}): Promise<Received> =>
  client.send('PUT', '/offers/state-writer/v1/put', body, {
    ...(await asMember(client)),
    ...options,
    headers: { ...usual(client), accept: 'application/json', ...options.headers },
  })
export const change = (offerId: unknown, ...states: [string, string][]): unknown => ({
  stateChanges: [{ offerId, states: states.map(([name, value]) => ({ name, value })) }],
})
export const healthy = (client: Client, options: CallOptions = {}): Promise<Received> =>
  client.get(
    '/offers/state-reader/health',
    {},
    { ...options, headers: { 'channel-code': 'WEB', 'accept-language': 'EN', ...options.headers } },
  )
export const recordsOf = (received: Received): Record<string, unknown>[] => {
  expect.status(received, 200)
  return received.body.offers === undefined ? [] : expect.list(received.body.offers, 'offers', received)
}
export async function touched(client: Client, count: number): Promise<string[]> {
  const ids = (await all(client)).slice(0, count).map(({ id }) => String(id))
  expect.assertThat(ids.length === count, `the region has ${count} offers`)
  for (const id of ids) expect.status(await write(client, change(id, ['SAVE', 'SAVED'], ['OPT_IN', 'OPTED_IN'])), 204)
  return ids
}

check('health', '§2.2', 'Health is a list with one object: healthy, and the time in UTC', async (client) => {
  const received = await healthy(client)
  expect.status(received, 200)
  const [first, ...others] = expect.list(received.json, 'the body', received)
  expect.same([typeof first?.healthy, others.length], ['boolean', 0], 'one object', received)
  expect.matches(first?.timestamp, /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/, 'timestamp', received)
})
check('health.token', '§4.1', 'Health without a token is 401', async (client) =>
  expect.status(await healthy(client, { token: null }), 401),
)
check('health.language', '§4.1', 'Accept-Language of health is EN or FR', async (client) => {
  expect.status(await healthy(client, { headers: { 'accept-language': 'FR' } }), 200)
  expect.status(await healthy(client, { headers: { 'accept-language': 'DE' } }), 400)
})

for (const call of ['find', 'get', 'count'] as const) {
  const query = call === 'get' ? { offerId: '00000000-0000-4000-8000-000000000000' } : {}
  check(`${call}.ok`, '§4.1', `${call.toUpperCase()} is 200`, async (client) =>
    expect.status(await read(client, call, query), 200),
  )
  check(`${call}.token.missing`, '§7', `${call.toUpperCase()} without a token is 401`, async (client) =>
    expect.status(await read(client, call, query, { token: null }), 401),
  )
  check(`${call}.token.invalid`, '§7', `${call.toUpperCase()} with an invalid token is 401`, async (client) =>
    expect.status(await read(client, call, query, { token: 'nonsense' }), 401),
  )
  for (const header of ['x-correlation-id', 'x-origin-client', 'x-local-time']) {
    check(`${call}.required.${header}`, '§4.1', `${call.toUpperCase()} without ${header} is 400`, async (client) =>
      expect.status(await read(client, call, query, { headers: { [header]: undefined } }), 400),
    )
  }
  check(`${call}.local-time`, '§4.1', `${call.toUpperCase()}: x-local-time carries no zone`, async (client) =>
    expect.status(await read(client, call, query, { headers: { 'x-local-time': '2026-07-01T12:00:00Z' } }), 400),
  )
  check(
    `${call}.origin`,
    '§4.1',
    `${call.toUpperCase()}: x-origin-client is <internal or external>:<channel>:<client>`,
    async (client) =>
      expect.status(await read(client, call, query, { headers: { 'x-origin-client': 'milepost' } }), 400),
  )
}
for (const header of ['x-correlation-id', 'x-origin-client', 'content-type']) {
  check(`put.required.${header}`, '§4.1', `PUT without ${header} is 400`, async (client) => {
    const [offer] = await all(client)
    expect.status(
      await write(client, change(offer?.id, ['OPT_IN', 'OPTED_IN']), { headers: { [header]: undefined } }),
      400,
      ...(header === 'content-type' ? [415] : []),
    )
  })
}
check('put.token', '§7', 'PUT without a token is 401', async (client) =>
  expect.status(
    await write(client, change(need((await all(client))[0], 'no offer').id, ['OPT_IN', 'OPTED_IN']), { token: null }),
    401,
  ),
)
check('put.ok', '§4.1', 'PUT is 204 without a body', async (client) => {
  const received = await write(client, change(need((await all(client))[0], 'no offer').id, ['OPT_IN', 'OPTED_IN']))
  expect.same([received.status, received.text], [204, ''], 'the answer', received)
})
check('put.agrees', '§1', 'The offer service returns the states that PUT wrote', async (client) => {
  const [id] = await touched(client, 1)
  const offer = need(
    (await all(client, {}, await asMember(client))).find((one) => one.id === id),
    'the offer is not listed',
  )
  expect.assertThat(
    statesOf(offer).some(({ name, value }) => name === 'OPT_IN' && value === 'OPTED_IN'),
    'the offer is opted into',
  )
})
for (const [name, what, bodyOf] of [
  ['nothing', 'nothing', () => ({})],
  ['no-offer', 'a change without offerId', () => ({ stateChanges: [{ states: [{ name: 'SAVE', value: 'SAVED' }] }] })],
  ['offer-id', 'an offerId that is not a UUID', () => change('one', ['SAVE', 'SAVED'])],
  ['no-states', 'a change without states', (id: unknown) => ({ stateChanges: [{ offerId: id }] })],
  ['name', 'a state LIKE', (id: unknown) => change(id, ['LIKE', 'SAVED'])],
  ['value', 'SAVE with OPTED_IN', (id: unknown) => change(id, ['SAVE', 'OPTED_IN'])],
  ['list', 'stateChanges that are not a list', () => ({ stateChanges: 'SAVED' })],
] as const) {
  check(`put.bad.${name}`, '§4.1', `PUT of ${what} is 400`, async (client) =>
    expect.status(await write(client, bodyOf(need((await all(client))[0], 'no offer').id)), 400),
  )
}
check('put.unknown', '§7', 'PUT for an offer that does not exist is 404', async (client) =>
  expect.status(await write(client, change('00000000-0000-4000-8000-000000000000', ['OPT_IN', 'OPTED_IN'])), 404),
)

check('find.records', '§2.1', 'FIND returns offerId, collectorId and states of every changed offer', async (client) => {
  const ids = await touched(client, 2)
  const received = await read(client, 'find', client.bench.findAll)
  const records = recordsOf(received)
  for (const id of ids)
    expect.assertThat(
      records.some(({ offerId }) => offerId === id),
      `offer ${id} is found`,
      received,
    )
  for (const one of records) {
    expect.matches(one.offerId, expect.UUID, 'offerId', received)
    expect.same(one.collectorId, client.collector('fine'), 'collectorId', received)
  }
})
check('find.states', '§2.1', 'A state has name, value and updatedAt; UNSAVED is not returned', async (client) => {
  await touched(client, 1)
  for (const one of recordsOf(await read(client, 'find')))
    for (const state of statesOf(one)) {
      // "Response values are case-insensitive" (specification 2 §1).
      expect.assertThat(
        ['OPT_IN OPTED_IN', 'SAVE SAVED'].includes(`${String(state.name)} ${String(state.value)}`.toUpperCase()),
        `a state: ${JSON.stringify(state)}`,
      )
      expect.matches(state.updatedAt, expect.MICROS, 'updatedAt')
    }
})
check(
  'find.count',
  '§2.1',
  'returnedCount is the number of records, and FIND has no requestedCount',
  async (client) => {
    await touched(client, 2)
    const received = await read(client, 'find')
    expect.same(
      [received.body.returnedCount, received.body.requestedCount],
      [recordsOf(received).length, undefined],
      'the counts',
      received,
    )
  },
)
check('find.nothing-empty', '§1', 'Null or empty elements are left out of FIND', async (client) => {
  await touched(client, 1)
  const received = await read(client, 'find')
  // In the samples of specification 2 §2.1, `properties` is an empty object.
  expect.nothingEmpty(received.body, received, 'the body', ['properties'])
})
for (const [state, name] of [
  ['SAVE:SAVED', 'SAVE'],
  ['OPT_IN:OPTED_IN', 'OPT_IN'],
] as const) {
  check(`find.state.${name}`, '§4.1', `FIND with state=${state} finds only this state`, async (client) => {
    const [first, second] = await touched(client, 2)
    expect.status(
      await client.send(
        'PUT',
        `/offers/${second}/states`,
        { states: [{ name: 'SAVE', value: 'UNSAVED' }] },
        { ...(await asMember(client)), headers: { 'x-origin-client': client.bench.offers.originClient } },
      ),
      204,
    )
    const found = recordsOf(await read(client, 'find', { state, ...client.bench.findAll })).map(
      ({ offerId }) => offerId,
    )
    expect.same([found.includes(first), found.includes(second)], [true, name === 'OPT_IN'], 'the states found')
  })
}
check('find.state.bad', '§4.1', 'A state that is not <name>:<value> is 400', async (client) => {
  for (const state of ['SAVED', 'SAVE:', 'LIKE:SAVED']) expect.status(await read(client, 'find', { state }), 400)
})
check('find.partner', '§4.1', "FIND with partnerId finds only that partner's offers", async (client) => {
  const ids = await touched(client, 3)
  const offers = await all(client)
  const partner = String(offers.find(({ id }) => id === ids[0])?.partnerId)
  const own = new Set(offers.filter(({ partnerId }) => partnerId === partner).map(({ id }) => id))
  const found = recordsOf(
    await read(client, 'find', { partnerId: partner, region: client.bench.offers.region, ...client.bench.findAll }),
  )
  expect.assertThat(found.length > 0 && found.every(({ offerId }) => own.has(offerId)), 'only offers of the partner')
})
check('find.pages', '§4.1', 'pageSize limits a page and pageNumber selects it', async (client) => {
  await touched(client, 3)
  const pages = [
    recordsOf(await read(client, 'find', { pageSize: '1', pageNumber: '0' })),
    recordsOf(await read(client, 'find', { pageSize: '1', pageNumber: '1' })),
  ]
  expect.same(
    pages.map((page) => page.length),
    [1, 1],
    'records a page',
  )
  expect.assertThat(pages[0]?.[0]?.offerId !== pages[1]?.[0]?.offerId, 'a different record on the other page')
})
check('find.page.bad', '§4.1', 'A pageSize that is not a number is 400', async (client) =>
  expect.status(await read(client, 'find', { pageSize: 'all' }), 400),
)

check('get.counts', '§4.1', 'GET returns only submitted offers with states, and both counts', async (client) => {
  const [id] = await touched(client, 1)
  const received = await read(client, 'get', { offerId: [id, '00000000-0000-4000-8000-000000000000'] })
  expect.same(
    recordsOf(received).map(({ offerId }) => offerId),
    [id],
    'the records',
    received,
  )
  expect.same([received.body.requestedCount, received.body.returnedCount], [2, 1], 'the counts', received)
})
check('get.required', '§4.1', 'GET without offerId is 400', async (client) =>
  expect.status(await read(client, 'get'), 400),
)
check('get.uuid', '§2.1', 'GET of an offerId that is not a UUID is 400', async (client) =>
  expect.status(await read(client, 'get', { offerId: 'one' }), 400),
)
check('count.number', '§4.1', 'COUNT is the number of records of FIND', async (client) => {
  await touched(client, 2)
  const received = await read(client, 'count')
  expect.same(
    received.body.count,
    recordsOf(await read(client, 'find', client.bench.findAll)).length,
    'count',
    received,
  )
})
check('count.state', '§4.1', 'COUNT with a state counts only those', async (client) => {
  await touched(client, 1)
  const received = await read(client, 'count', { state: 'SAVE:SAVED' })
  expect.same(
    received.body.count,
    recordsOf(await read(client, 'find', { state: 'SAVE:SAVED', ...client.bench.findAll })).length,
    'count',
    received,
  )
})
check('own', '§5', 'States belong to the collector of the token', async (client) => {
  await touched(client, 1)
  const received = await read(client, 'find', {}, await asMember(client, 'second'))
  for (const one of recordsOf(received))
    expect.same(one.collectorId, client.collector('second'), 'collectorId', received)
})
