import { checksOf } from '../check.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Fields, Client, CallOptions } from '../client.ts'
import { basketOf, item, milesOf } from './issuance-codes.ts'
import { asMember } from './offer-shape.ts'

const { checks, check } = checksOf('history', 2)
export const historyChecks = checks

const DAY = 86_400_000
export const headers = { 'channel-code': 'WEB', 'accept-language': 'EN' }
const range = (): Record<string, string> => ({
  from: new Date(Date.now() - 30 * DAY).toISOString(),
  to: new Date(Date.now() + DAY).toISOString(),
})
export const cards = async (client: Client, query: Fields = {}, options: CallOptions = {}): Promise<Received> =>
  client.get(
    '/transaction-history/cards',
    { ...range(), ...query },
    { ...(await asMember(client)), ...options, headers: { ...headers, ...options.headers } },
  )
export const sponsors = (client: Client, query: Fields = {}, options: CallOptions = {}): Promise<Received> =>
  client.get(
    '/transaction-history/sponsors',
    { ...range(), sponsorList: client.bench.sponsor, collectorNumber: client.collector('fine'), ...query },
    { ...options, headers: { ...headers, ...options.headers } },
  )
export function activities(received: Received): Record<string, unknown>[] {
  expect.status(received, 200)
  if (received.body._embedded === undefined) return []
  return expect.list(
    expect.record(received.body._embedded, '_embedded', received).genericActivityDtoList,
    'genericActivityDtoList',
    received,
  )
}
const hrefOf = (received: Received, link: string): URL =>
  new URL(
    String(
      expect.record(expect.record(received.body._links, '_links', received)[link], `_links.${link}`, received).href,
    ),
    'http://target.invalid',
  )
export const paged = (received: Received): Record<string, unknown> =>
  expect.record(received.body.page, 'page', received)
export const several = async (client: Client): Promise<void> => {
  for (let count = 0; count < 3; count += 1) await client.issuance('issue')
}

check('health', '§2.2', 'Health is {status: up}', async (client) => {
  const received = await client.get('/transaction-history/health', {}, { headers })
  expect.same([received.status, String(received.body.status).toLowerCase()], [200, 'up'], 'the answer', received)
})
check('health.token', '§7', 'Health without a token is refused', async (client) =>
  expect.assertThat(
    (await client.get('/transaction-history/health', {}, { headers, token: null })).status >= 400,
    'refused',
  ),
)

for (const [call, options] of [
  ['cards', cards],
  ['sponsors', sponsors],
] as const) {
  check(`${call}.ok`, '§4.2', `/${call} is 200`, async (client) => expect.status(await options(client), 200))
  check(`${call}.token.missing`, '§7', `/${call} without a token is refused`, async (client) =>
    expect.status(await options(client, {}, { token: null }), ...client.bench.statuses.historyToken),
  )
  check(`${call}.token.invalid`, '§7', `/${call} with an invalid token is refused`, async (client) =>
    expect.status(await options(client, {}, { token: 'nonsense' }), ...client.bench.statuses.historyToken),
  )
  for (const field of ['from', 'to'])
    check(`${call}.required.${field}`, '§4.2', `/${call} without ${field} is 400`, async (client) =>
      expect.status(await options(client, { [field]: undefined }), 400),
    )
  check(`${call}.from.bad`, '§4.2', `/${call}: from is an ISO 8601 timestamp`, async (client) =>
    expect.status(await options(client, { from: 'spring' }), 400),
  )
  check(`${call}.backwards`, '§4.2', `/${call}: a range that ends before it begins is 400`, async (client) =>
    expect.status(await options(client, { from: range().to, to: range().from }), 400),
  )
  check(`${call}.range.two-years`, '§8', `/${call}: a range of two years is accepted`, async (client) =>
    expect.status(await options(client, { from: '2024-07-01T00:00:00Z', to: '2026-07-01T00:00:00Z' }), 200),
  )
  check(`${call}.range.over`, '§8', `/${call}: a range above two years is 400`, async (client) =>
    expect.status(await options(client, { from: '2024-07-01T00:00:00Z', to: '2026-07-02T00:00:00Z' }), 400),
  )
  check(`${call}.sort.three`, '§8', `/${call}: three sorts are accepted`, async (client) =>
    expect.status(
      await options(client, { sort: ['transactionDate,desc', 'transactionValue,asc', 'postingDate,asc'] }),
      200,
    ),
  )
  check(`${call}.sort.four`, '§8', `/${call}: a fourth sort is 400`, async (client) =>
    expect.status(
      await options(client, {
        sort: ['transactionDate,desc', 'transactionValue,asc', 'postingDate,asc', 'sponsorCode,asc'],
      }),
      400,
    ),
  )
  check(`${call}.sort.bad`, '§4.2', `/${call}: a sort that is not <field>,<asc or desc> is 400`, async (client) => {
    for (const sort of ['transactionDate,sideways', 'nonsense,asc']) expect.status(await options(client, { sort }), 400)
  })
  check(`${call}.sort.value`, '§4.2', `/${call}: sorts ascending and descending`, async (client) => {
    await several(client)
    for (const [direction, sign] of [
      ['asc', 1],
      ['desc', -1],
    ] as const) {
      const values = activities(await options(client, { sort: `transactionValue,${direction}`, size: 50 })).map(
        ({ transactionValue }) => Number(transactionValue),
      )
      expect.same(
        values,
        values.toSorted((a, b) => sign * (a - b)),
        `values ${direction}`,
      )
    }
  })
  check(
    `${call}.page`,
    '§2.3',
    `/${call}: page contains size, totalElements, totalPages and the zero-based number`,
    async (client) => {
      await several(client)
      const received = await options(client, { size: 2, page: 0 })
      const { size, totalElements, totalPages, number } = paged(received)
      expect.same([size, number, totalPages], [2, 0, Math.ceil(Number(totalElements) / 2)], 'page', received)
      expect.same(activities(received).length, 2, 'records', received)
    },
  )
  check(
    `${call}.links`,
    '§2.3',
    `/${call}: _links has first, self, next and last, the same query with another page`,
    async (client) => {
      await several(client)
      const received = await options(client, { size: 1, page: 1 })
      const last = Number(paged(received).totalPages) - 1
      for (const [link, page] of [
        ['first', 0],
        ['self', 1],
        ['next', 2],
        ['last', last],
      ] as const) {
        const href = hrefOf(received, link)
        expect.same(
          [href.searchParams.get('page'), href.searchParams.get('size'), href.searchParams.has('from')],
          [String(page), '1', true],
          `_links.${link}`,
          received,
        )
      }
    },
  )
  check(`${call}.pages`, '§4.2', `/${call}: another page has other records`, async (client) => {
    await several(client)
    const [first, second] = [
      activities(await options(client, { size: 2, page: 0 })),
      activities(await options(client, { size: 2, page: 1 })),
    ]
    expect.assertThat(
      !second.some(({ transactionId }) =>
        first.some((one) => one.transactionId === transactionId && one.offerCode === undefined),
      ),
      'no record on both pages',
    )
    expect.assertThat(first.length === 2 && second.length > 0, 'records on both pages')
  })
  for (const [field, value] of [
    ['page', '-1'],
    ['page', 'one'],
    ['size', '0'],
    ['size', 'all'],
  ])
    check(`${call}.bad.${field}.${value}`, '§4.2', `/${call}: ${field}=${value} is 400`, async (client) =>
      expect.status(await options(client, { [String(field)]: value }), 400),
    )
  check(`${call}.language`, '§4.2', `/${call}: Accept-Language is EN or FR`, async (client) => {
    expect.status(await options(client, {}, { headers: { 'accept-language': 'FR' } }), 200)
    expect.status(await options(client, {}, { headers: { 'accept-language': 'DE' } }), 400)
  })
}
for (const field of ['sponsorList', 'collectorNumber'])
  check(`sponsors.required.${field}`, '§4.2', `/sponsors without ${field} is 400`, async (client) =>
    expect.status(await sponsors(client, { [field]: undefined }), 400),
  )
for (const [name, value] of [
  ['short', '8000000001'],
  ['not-8', '70000000011'],
] as const) {
  check(
    `sponsors.number.${name}`,
    '§7',
    `/sponsors of ${value} is 401: the collector number is invalid`,
    async (client) => expect.status(await sponsors(client, { collectorNumber: value }), 401),
  )
}
check('sponsors.closed', '§7', '/sponsors of an inactive account is 401', async (client) =>
  expect.status(await sponsors(client, { collectorNumber: client.collector('closed') }), 401),
)
check('sponsors.unknown', '§7', '/sponsors of an unknown collector is 401', async (client) =>
  expect.status(await sponsors(client, { collectorNumber: client.collector('unknown') }), 401),
)
check('sponsors.filter', '§4.2', '/sponsors returns only the named sponsors', async (client) => {
  await several(client)
  for (const one of activities(await sponsors(client)))
    expect.same(one.sponsorCode, client.bench.sponsor, 'sponsorCode')
})
check('sponsors.several', '§4.2', 'sponsorList accepts several values, comma separated', async (client) =>
  expect.status(
    await sponsors(client, {
      sponsorList: `${client.bench.sponsor},${client.bench.secondSponsor ?? client.bench.sponsor}`,
    }),
    200,
  ),
)

export const newest = async (client: Client): Promise<Record<string, unknown>[]> =>
  activities(await cards(client, { sort: 'transactionDate,desc', size: 20 }))
check('record.shape', '§2.3', 'An activity record has its fields in their types', async (client) => {
  await several(client)
  for (const one of await newest(client)) {
    expect.matches(one.transactionId, expect.UUID, 'transactionId')
    for (const field of ['memberId', 'transactionValue', 'cashMiles', 'dreamMiles', 'balancePostTransaction'])
      expect.assertThat(Number.isInteger(one[field]), `${field} is an integer: ${JSON.stringify(one)}`)
    for (const field of ['cardNumber', 'activityType', 'transactionDescription', 'sponsorCode', 'channel'])
      expect.assertThat(typeof one[field] === 'string', `${field} is a string: ${JSON.stringify(one)}`)
    for (const field of ['transactionDate', 'postingDate']) expect.matches(one[field], expect.ISO, field)
    for (const field of ['cashRatio', 'dreamRatio'])
      expect.assertThat(Number(one[field]) >= 0 && Number(one[field]) <= 1, `${field} is between 0 and 1`)
  }
})
check('record.sum', '§2.3', 'cashMiles and dreamMiles add up to transactionValue', async (client) => {
  await several(client)
  for (const one of await newest(client))
    expect.same(
      Math.abs(Number(one.cashMiles) + Number(one.dreamMiles)),
      Math.abs(Number(one.transactionValue)),
      'cash and dream',
    )
})
check('record.issue', '§1', 'The history contains the miles that ISSUE issued', async (client) => {
  const issued = await client.issuance('issue', basketOf([item('9001', 40)]))
  const reference = issued.body.checkoutTransactionId
  const found = (await newest(client)).filter(
    (one) => one.externalReferenceNumber === reference || one.transactionId === issued.body.transactionId,
  )
  expect.same(
    found.reduce((sum, one) => sum + Number(one.transactionValue), 0),
    milesOf(issued),
    'the miles of its records',
    issued,
  )
  for (const one of found) expect.same(String(one.activityType).toUpperCase(), 'ISSUANCE', 'activityType')
})
check('record.redeem', '§1', 'The history contains the redemption of REDEEM', async (client) => {
  const before = await newest(client)
  const redeemed = await client.cash('redeem')
  const { body } = await cards(client)
  const { collectorNumber, dollarRedeemRequest, txnConfirmationNumber } = redeemed.body
  await client.cash('reverse', { collectorNumber, dollarRedeemRequest, txnConfirmationNumber })
  expect.assertThat(
    Number(expect.record(body.page, 'page').totalElements) > 0 && (await newest(client)).length >= before.length,
    'the redemption is listed',
  )
  expect.assertThat(
    (await newest(client)).some(
      (one) => Math.abs(Number(one.transactionValue)) === 95 && String(one.activityType).toUpperCase() !== 'ISSUANCE',
    ),
    'a record of 95 miles that is not an issuance',
  )
})
check('record.nothing-empty', '§1', 'Null or empty elements are left out', async (client) => {
  await several(client)
  const received = await cards(client)
  expect.nothingEmpty(received.body, received, 'the body', [
    'externalReferenceType',
    'locationCode',
    'locationDescription',
    'redemptionStatus',
  ])
})
check('record.range', '§4.2', 'Only records in the range are returned', async (client) => {
  await several(client)
  const received = await cards(client, { from: '2024-01-01T00:00:00Z', to: '2024-02-01T00:00:00Z' })
  expect.same([activities(received).length, paged(received).totalElements], [0, 0], 'records', received)
})
check('cards.own', '§4.2', '/cards returns the history of the signed-in collector', async (client) => {
  await several(client)
  for (const one of await newest(client))
    expect.same(String(one.cardNumber).slice(-4), client.collector('fine').slice(-4), 'the last digits of cardNumber')
})
