import { checksOf } from '../check.ts'
import { need, Skip } from '../expect.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Fields, Client } from '../client.ts'
import { all, asMember, distinct, statesOf, type Offer } from './offer-shape.ts'
import { change, read, recordsOf, touched, write } from './offer-state.ts'

const { checks, check } = checksOf('offer-state', 2)
export const offerStateFindChecks = checks

const findAll = async (client: Client, query: Fields = {}): Promise<Record<string, unknown>[]> =>
  recordsOf(await read(client, 'find', { ...client.bench.findAll, ...query }))
const offerIds = (records: readonly Record<string, unknown>[]): string[] =>
  records.map(({ offerId }) => String(offerId))
const FIELDS = ['offerId', 'updatedAt', 'startDate', 'endDate', 'displayPriority', 'partnerLabel'] as const
type Field = (typeof FIELDS)[number]
const sortedBy = (client: Client, field: Field): Field => {
  if (!need(client.bench.findSorts, 'the bench does not define the sort fields of FIND').includes(field))
    throw new Skip(`the target does not sort by ${field}`)
  return field
}
function valuesOf(
  records: readonly Record<string, unknown>[],
  offers: readonly Offer[],
  field: Field,
): (string | number)[] {
  return records.map((one) => {
    if (field === 'offerId') return String(one.offerId)
    if (field === 'updatedAt')
      return (
        statesOf(one)
          .map(({ updatedAt }) => String(updatedAt))
          .toSorted()
          .at(-1) ?? ''
      )
    const offer = need(
      offers.find(({ id }) => id === one.offerId),
      'a record belongs to no listed offer',
    )
    return field === 'displayPriority' ? Number(offer.displayPriority) : String(offer[field])
  })
}
const ordered = (values: readonly (string | number)[], down: boolean, what: string): void => {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  expect.same(values, down ? sorted.toReversed() : sorted, what)
}
const listed = async (client: Client, query: Fields): Promise<[Record<string, unknown>[], Offer[]]> => {
  await touched(client, 5)
  const offers = await all(client, {}, await asMember(client))
  return [await findAll(client, { region: client.bench.offers.region, ...query }), offers]
}

for (const field of FIELDS) {
  check(`find.sort.${field}`, '§4.1', `FIND sorts by ${field}, ascending and descending`, async (client) => {
    for (const [down, query] of [
      [false, {}],
      [false, { firstSortByDescending: 'false' }],
      [true, { firstSortByDescending: 'true' }],
    ] as const) {
      const [records, offers] = await listed(client, { firstSortBy: sortedBy(client, field), ...query })
      expect.assertThat(records.length >= 5, 'there are records')
      ordered(valuesOf(records, offers, field), down, `${field} ${down ? 'down' : 'up'}`)
    }
  })
}
for (const down of [false, true]) {
  check(
    `find.sort.second.${down ? 'down' : 'up'}`,
    '§4.1',
    `The second sort breaks ties of the first, ${down ? 'descending' : 'ascending'}`,
    async (client) => {
      const [records, offers] = await listed(client, {
        firstSortBy: sortedBy(client, 'partnerLabel'),
        secondSortBy: sortedBy(client, 'offerId'),
        secondSortByDescending: String(down),
      })
      const labels = valuesOf(records, offers, 'partnerLabel')
      ordered(labels, false, 'partnerLabel')
      for (const label of new Set(labels))
        ordered(
          offerIds(records.filter((_one, index) => labels[index] === label)),
          down,
          `the offers of ${String(label)}`,
        )
    },
  )
}
for (const [name, query] of [
  ['first', { firstSortBy: 'weather' }],
  ['second', { firstSortBy: 'offerId', secondSortBy: 'weather' }],
  ['second-alone', { secondSortBy: 'offerId' }],
  ['descending', { firstSortBy: 'offerId', firstSortByDescending: 'perhaps' }],
  ['descending-alone', { firstSortByDescending: 'true' }],
] as const)
  check(`find.sort.bad.${name}`, '§4.1', `FIND with ${JSON.stringify(query)} is 400`, async (client) =>
    expect.status(await read(client, 'find', query), 400),
  )

check('find.pages.whole', '§4.1', 'All pages of FIND together contain each record once', async (client) => {
  await touched(client, 5)
  const sort = { firstSortBy: sortedBy(client, 'offerId') }
  const whole = offerIds(await findAll(client, sort))
  const pages: string[] = []
  for (let page = 0; page * 2 < whole.length; page += 1) {
    const received = await read(client, 'find', { ...sort, pageSize: '2', pageNumber: String(page) })
    expect.same(received.body.returnedCount, Math.min(2, whole.length - 2 * page), 'returnedCount', received)
    pages.push(...offerIds(recordsOf(received)))
  }
  expect.same(pages, whole, 'the pages')
})
check('find.pages.beyond', '§4.1', 'A page beyond the end has no records and a count of 0', async (client) => {
  const received = await read(client, 'find', { pageSize: '500', pageNumber: '900' })
  expect.same(
    [received.status, recordsOf(received).length, received.body.returnedCount],
    [200, 0, 0],
    'the answer',
    received,
  )
})
for (const [name, value] of [
  ['pageSize', '0'],
  ['pageSize', '-1'],
  ['pageSize', '2.5'],
  ['pageNumber', '-1'],
  ['pageNumber', 'one'],
] as const) {
  check(`find.page.${name}.${value}`, '§4.1', `FIND with ${name}=${value} is 400`, async (client) =>
    expect.status(await read(client, 'find', { [name]: value }), 400),
  )
}
check('find.region', '§4.1', 'FIND with region finds only offers of the region', async (client) => {
  await touched(client, 3)
  const here = new Set((await all(client, {}, await asMember(client))).map(({ id }) => String(id)))
  const found = offerIds(await findAll(client, { region: client.bench.offers.region }))
  expect.same(
    found.toSorted(),
    offerIds(await findAll(client))
      .filter((id) => here.has(id))
      .toSorted(),
    'the offers',
  )
})
for (const [call, name, value] of [
  ['find', 'region', 'XX'],
  ['find', 'partnerId', 'nobody'],
  ['count', 'region', 'XX'],
  ['count', 'partnerId', 'nobody'],
  ['count', 'state', 'SAVED'],
] as const) {
  check(`${call}.${name}.bad`, '§4.1', `${call.toUpperCase()} with ${name}=${value} is 400`, async (client) =>
    expect.status(await read(client, call, { [name]: value }), 400),
  )
}
for (const name of ['region', 'partnerId', 'state'] as const) {
  check(`count.${name}.agrees`, '§4.1', `COUNT with ${name} is the number that FIND finds with it`, async (client) => {
    await touched(client, 3)
    const value = {
      region: client.bench.offers.region,
      partnerId: need(distinct(await all(client), 'partnerId')[0], 'the region has no partner'),
      state: 'OPT_IN:OPTED_IN',
    }[name]
    const received = await read(client, 'count', { [name]: value })
    expect.same(
      [received.body.count, Object.keys(received.body)],
      [(await findAll(client, { [name]: value })).length, ['count']],
      'the answer',
      received,
    )
  })
}
check('find.filters', '§4.1', 'Filters of FIND are combined', async (client) => {
  await touched(client, 3)
  const partnerId = need(distinct(await all(client), 'partnerId')[0], 'the region has no partner')
  const [both, one] = [
    await findAll(client, { partnerId, region: client.bench.offers.region, state: 'SAVE:SAVED' }),
    new Set(offerIds(await findAll(client, { partnerId }))),
  ]
  expect.assertThat(
    both.every(
      ({ offerId, states }) => one.has(String(offerId)) && statesOf({ states }).every(({ name }) => name === 'SAVE'),
    ),
    'only records that match all filters',
  )
})
check('get.several', '§4.1', 'GET with several ids returns all changed offers', async (client) => {
  const ids = await touched(client, 3)
  const received = await read(client, 'get', { offerId: ids })
  expect.same(
    [offerIds(recordsOf(received)).toSorted(), received.body.requestedCount, received.body.returnedCount],
    [ids.toSorted(), 3, 3],
    'the answer',
    received,
  )
})
check('get.none', '§4.1', 'GET of an offer without states: no records, both counts', async (client) => {
  const received = await read(client, 'get', { offerId: '00000000-0000-4000-8000-000000000000' })
  expect.same(
    [received.status, recordsOf(received).length, received.body.requestedCount, received.body.returnedCount],
    [200, 0, 1, 0],
    'the answer',
    received,
  )
})

const stateOf = async (client: Client, id: unknown, name: string): Promise<Record<string, unknown> | undefined> =>
  recordsOf(await read(client, 'get', { offerId: id }))
    .flatMap(statesOf)
    .find((one) => one.name === name)
for (const [name, value] of [
  ['SAVE', 'SAVED'],
  ['OPT_IN', 'OPTED_IN'],
] as const) {
  check(`put.moves.${name}`, '§3', `PUT with ${name}/${value} changes the state and sets updatedAt`, async (client) => {
    const { id } = need((await all(client)).at(-1), 'no offer')
    expect.status(await write(client, change(id, [name, value])), 204)
    const state = need(await stateOf(client, id, name), 'the state is not returned')
    expect.same(state.value, value, 'value')
    expect.matches(state.updatedAt, expect.MICROS, 'updatedAt')
    expect.assertThat(
      Math.abs(Date.parse(String(state.updatedAt)) - Date.now()) < 86_400_000 * 365,
      'updatedAt is the current time',
    )
  })
}
check('put.unsaved', '§3', 'PUT accepts only the two changes of the table: UNSAVED is 400', async (client) =>
  expect.status(await write(client, change(need((await all(client))[0], 'no offer').id, ['SAVE', 'UNSAVED'])), 400),
)
check('put.several', '§4.1', 'PUT accepts several offers and several states', async (client) => {
  const ids = (await all(client)).slice(0, 2).map(({ id }) => String(id))
  const received: Received = await write(client, {
    stateChanges: ids.map((offerId) => ({
      offerId,
      states: [
        { name: 'SAVE', value: 'SAVED' },
        { name: 'OPT_IN', value: 'OPTED_IN' },
      ],
    })),
  })
  expect.status(received, 204)
  expect.same(offerIds(recordsOf(await read(client, 'get', { offerId: ids }))).toSorted(), ids.toSorted(), 'the offers')
})
check('put.same', '§3', 'A saved offer can be saved again', async (client) => {
  const [id] = await touched(client, 1)
  expect.status(await write(client, change(id, ['SAVE', 'SAVED'])), 204)
  expect.same((await stateOf(client, id, 'SAVE'))?.value, 'SAVED', 'SAVE')
})
check('version', '§9', 'Reader and writer have v1 in their paths, health does not', async (client) => {
  for (const path of [
    '/offers/state-reader/find',
    '/offers/state-reader/v2/find',
    '/offers/state-reader/v1/health',
    '/transaction-history/v1/cards',
  ])
    expect.status(await client.get(path, {}, await asMember(client)), 404)
})
