import { checksOf } from '../check.ts'
import { need } from '../expect.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Client } from '../client.ts'
import { activities, cards, headers, newest, paged, several, sponsors } from './history.ts'
import { basketOf, item, milesOf } from './issuance-codes.ts'
import { during } from './local-time.ts'

const { checks, check } = checksOf('history', 2)
export const historyRecordChecks = checks

type Activity = Record<string, unknown>
const DAY = 86_400_000

/** All fields of an activity record (specification 2 §2.3). */
const FIELDS = [
  'transactionId',
  'memberId',
  'cardNumber',
  'activityType',
  'transactionDate',
  'postingDate',
  'transactionDescription',
  'transactionValue',
  'cashMiles',
  'dreamMiles',
  'cashRatio',
  'dreamRatio',
  'externalReferenceNumber',
  'externalReferenceType',
  'channel',
  'initiatorId',
  'sponsorCode',
  'sponsorDescriptionEnglish',
  'sponsorDescriptionFrench',
  'offerClass',
  'offerCode',
  'offerDescriptionEnglish',
  'offerDescriptionFrench',
  'locationCode',
  'locationDescription',
  'redemptionStatus',
  'balancePostTransaction',
] as const
/** Fields whose value may be null, and which are then left out (specification 2 §1, §2.3). */
const MAY_BE_MISSING = new Set(['externalReferenceType', 'locationCode', 'locationDescription', 'redemptionStatus'])

async function live(client: Client): Promise<Received> {
  await client.issuance('issue', basketOf([item('9001', 40)]))
  await several(client)
  const redeemed = await client.cash('redeem')
  const { collectorNumber, dollarRedeemRequest, txnConfirmationNumber } = redeemed.body
  await client.cash('reverse', { collectorNumber, dollarRedeemRequest, txnConfirmationNumber })
  return redeemed
}
const sortedBy = (records: readonly Activity[], field: string, direction: 'asc' | 'desc'): void => {
  const values = records
    .map((one) => one[field])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  expect.same(values, direction === 'asc' ? sorted : sorted.toReversed(), `${field} ${direction}`)
}

for (const field of FIELDS) {
  check(`sort.field.${field}`, '§4.2', `A history sorts by ${field}, ascending and descending`, async (client) => {
    await live(client)
    for (const direction of ['asc', 'desc'] as const) {
      const records = activities(await cards(client, { sort: `${field},${direction}`, size: 200 }))
      expect.assertThat(records.length >= 4, 'there are records')
      sortedBy(records, field, direction)
    }
  })
}
check('sort.order', '§4.2', 'The second and third sort break ties', async (client) => {
  await live(client)
  const records = activities(
    await cards(client, {
      sort: ['activityType,desc', 'transactionValue,asc', 'balancePostTransaction,desc'],
      size: 200,
    }),
  )
  sortedBy(records, 'activityType', 'desc')
  for (const type of new Set(records.map(({ activityType }) => activityType))) {
    const own = records.filter(({ activityType }) => activityType === type)
    sortedBy(own, 'transactionValue', 'asc')
    for (const value of new Set(own.map(({ transactionValue }) => transactionValue)))
      sortedBy(
        own.filter(({ transactionValue }) => transactionValue === value),
        'balancePostTransaction',
        'desc',
      )
  }
})
check('sort.direction', '§4.2', 'A sort without a direction is 400', async (client) =>
  expect.status(await cards(client, { sort: 'transactionDate' }), 400),
)

check(
  'record.fields',
  '§2.3',
  'The record of an issuance has every field; a location may be empty, redemptionStatus is not its own',
  async (client) => {
    const issued = await client.issuance('issue', basketOf([item('9001', 40)]))
    const own = (await newest(client)).filter(
      ({ externalReferenceNumber }) => externalReferenceNumber === issued.body.checkoutTransactionId,
    )
    expect.assertThat(own.length > 0, 'the issuance is listed', issued)
    for (const one of own) {
      for (const field of FIELDS)
        if (!MAY_BE_MISSING.has(field))
          expect.assertThat(one[field] !== undefined, `${field} is told: ${JSON.stringify(one)}`)
      expect.assertThat(
        Object.keys(one).every((field) => (FIELDS as readonly string[]).includes(field)),
        `no other field: ${JSON.stringify(one)}`,
      )
      expect.same(
        [one.sponsorCode, one.locationCode],
        [client.bench.sponsor, client.bench.location.active],
        'sponsorCode and locationCode',
      )
    }
  },
)
check(
  'record.balance',
  '§2.3',
  'balancePostTransaction of the last posting is the balance that INQUIRE returns',
  async (client) => {
    const { body } = await live(client)
    const { cash, dream } = await client.balances('fine')
    const given = activities(await cards(client, { size: 200 })).find(
      (one) => one.externalReferenceNumber === body.txnConfirmationNumber && Number(one.transactionValue) > 0,
    )
    expect.same(given?.balancePostTransaction, cash + dream, 'balancePostTransaction')
  },
)
check('record.ratios', '§2.3', 'cashRatio and dreamRatio are the shares of the miles', async (client) => {
  await live(client)
  for (const { cashMiles, transactionValue, cashRatio, dreamRatio } of await newest(client)) {
    expect.assertThat(
      Math.abs(Number(cashMiles) / Number(transactionValue) - Number(cashRatio)) < 0.001,
      `cashRatio ${String(cashRatio)} of ${String(cashMiles)} in ${String(transactionValue)}`,
    )
    expect.assertThat(Math.abs(Number(cashRatio) + Number(dreamRatio) - 1) < 0.001, 'the ratios add up to one')
  }
})
check(
  'record.reverse',
  '§1',
  'The history contains the miles that REVERSE returned, and both records add up to zero',
  async (client) => {
    const { body } = await live(client)
    const own = (await newest(client)).filter(
      ({ externalReferenceNumber }) => externalReferenceNumber === body.txnConfirmationNumber,
    )
    expect.same(
      [own.length, own.reduce((sum, { transactionValue }) => sum + Number(transactionValue), 0)],
      [2, 0],
      'records and miles',
    )
    for (const { redemptionStatus } of own)
      expect.assertThat(typeof redemptionStatus === 'string', 'redemptionStatus is returned')
  },
)
check('record.return', '§1', 'The history contains the miles that RETURN withdrew', async (client) => {
  const basket = basketOf([item('9001', 40)])
  const issued = await client.issuance('issue', basket)
  const returned = await client.issuance('return', { ...basket, originalTransactionId: issued.body.transactionId })
  const own = (await newest(client)).filter(
    ({ externalReferenceNumber }) => externalReferenceNumber === returned.body.checkoutTransactionId,
  )
  expect.same(
    own.reduce((sum, { transactionValue }) => sum + Number(transactionValue), 0),
    -Math.abs(milesOf(returned)),
    'the miles of its records',
    returned,
  )
  expect.assertThat(milesOf(returned) !== 0, 'miles were withdrawn', returned)
})
check(
  'record.posting',
  '§2.3',
  'postingDate is when the miles moved: after transactionDate for an issuance that was pending',
  async (client) => {
    const collectorNumber = client.collector('pending')
    client.needs('settle', 'clock')
    const issued = await client.issuance('issue', { ...basketOf([item('9001', 40)]), collectorNumber })
    expect.status(issued, 202)
    const listed = async (): Promise<Activity[]> =>
      activities(
        await sponsors(client, { collectorNumber, size: 200, to: new Date(Date.now() + 5 * DAY).toISOString() }),
      ).filter(({ externalReferenceNumber }) => externalReferenceNumber === issued.body.checkoutTransactionId)
    expect.same(await listed(), [], 'records before settlement')
    await during(client, Date.now() + 2 * DAY, () => client.control('POST', '/issuances/settle'))
    const own = await listed()
    expect.assertThat(own.length > 0, 'it is listed after settlement')
    for (const { transactionDate, postingDate } of own) {
      expect.assertThat(
        Math.abs(Date.parse(String(transactionDate)) - Date.now()) < DAY,
        'transactionDate is when it was sent',
      )
      expect.same(
        Math.round((Date.parse(String(postingDate)) - Date.parse(String(transactionDate))) / DAY),
        2,
        'days between transactionDate and postingDate',
      )
    }
  },
)
check('record.posting.same', '§2.3', 'An issuance that is not pending is posted at once', async (client) => {
  await several(client)
  const [last] = await newest(client)
  expect.same(last?.postingDate, last?.transactionDate, 'postingDate')
})

check(
  'range.edges',
  '§4.2',
  'A range that ends before a record excludes it, one that starts with it includes it',
  async (client) => {
    await several(client)
    const [last] = await newest(client)
    const moment = Date.parse(String(last?.transactionDate))
    const listed = async (query: Record<string, string>): Promise<boolean> =>
      activities(await cards(client, { size: 200, ...query })).some(
        ({ transactionId }) => transactionId === last?.transactionId,
      )
    expect.same(
      [
        await listed({ from: new Date(moment).toISOString() }),
        await listed({ from: new Date(moment + 1).toISOString() }),
        await listed({ from: new Date(moment - DAY).toISOString(), to: new Date(moment - 1).toISOString() }),
      ],
      [true, false, false],
      'whether it is listed',
    )
  },
)
check('range.zone', '§4.2', 'from and to are ISO 8601, with or without a zone', async (client) => {
  for (const [from, to] of [
    ['2026-01-01T00:00:00', '2026-02-01T00:00:00'],
    ['2026-01-01T00:00:00-05:00', '2026-02-01T00:00:00+01:00'],
  ])
    expect.status(await cards(client, { from, to }), 200)
})
check('page.beyond', '§2.3', 'A page beyond the end has no records and keeps its number', async (client) => {
  const received = await cards(client, { page: 5_000, size: 10 })
  expect.same([activities(received).length, paged(received).number], [0, 5_000], 'records and number', received)
})
check('page.last', '§2.3', 'The last page has the remaining records and no next link', async (client) => {
  await several(client)
  const { totalElements, totalPages } = paged(await cards(client, { size: 2 }))
  const received = await cards(client, { size: 2, page: Number(totalPages) - 1 })
  expect.same(activities(received).length, Number(totalElements) - 2 * (Number(totalPages) - 1), 'records', received)
  expect.assertThat(expect.record(received.body._links, '_links', received).next === undefined, 'no next', received)
})
check('page.whole', '§4.2', 'All pages together contain each record once', async (client) => {
  await live(client)
  const to = new Date().toISOString()
  const whole = activities(await cards(client, { size: 1_000, to })).map(({ transactionId }) => transactionId)
  const pages: unknown[] = []
  for (let page = 0; page * 25 < whole.length; page += 1)
    pages.push(...activities(await cards(client, { size: 25, page, to })).map(({ transactionId }) => transactionId))
  // The specification does not show the order of activities without `sort`.
  const listed = new Set(pages)
  expect.same(
    [pages.length, listed.size, whole.every((id) => listed.has(id))],
    [whole.length, whole.length, true],
    'the pages',
  )
})
check('page.default', '§4.2', 'page and size are optional: the first page', async (client) => {
  const received = await cards(client)
  expect.same(paged(received).number, 0, 'number', received)
})
check('sponsors.other', '§4.2', '/sponsors excludes transactions of other sponsors', async (client) => {
  const sponsorCode = need(client.bench.secondSponsor, 'the bench has no second sponsor')
  const event = await client.issuance('postEvent', {
    sponsorCode,
    issuances: [{ issuanceOfferCode: client.bench.issuanceOffers.valid, milesAmount: 1, offerId: 'A' }],
  })
  const redeemed = await client.cash('redeem', { sponsorCode })
  const { collectorNumber, dollarRedeemRequest, txnConfirmationNumber } = redeemed.body
  await client.cash('reverse', { sponsorCode, collectorNumber, dollarRedeemRequest, txnConfirmationNumber })
  expect.assertThat(event.status < 500, 'the event is decided', event)
  const listed = async (sponsorList: string): Promise<boolean> =>
    activities(await sponsors(client, { sponsorList, size: 200 })).some(
      ({ externalReferenceNumber }) => externalReferenceNumber === txnConfirmationNumber,
    )
  expect.same(
    [
      await listed(client.bench.sponsor),
      await listed(sponsorCode),
      await listed(`${client.bench.sponsor},${sponsorCode}`),
    ],
    [false, true, true],
    'whether it is listed',
  )
})
check('sponsors.unknown-sponsor', '§4.2', '/sponsors of an unknown sponsor returns no records', async (client) =>
  expect.same(activities(await sponsors(client, { sponsorList: client.bench.unknownSponsor })).length, 0, 'records'),
)
check('sponsors.member.other', '§5', "A member cannot read another collector's history", async (client) => {
  expect.status(
    await sponsors(
      client,
      { collectorNumber: client.collector('second') },
      { token: await client.tokens.member('fine') },
    ),
    401,
    403,
  )
})
check(
  'cards.partner',
  '§4.2',
  "/cards requires a signed-in collector: a partner's own token is refused",
  async (client) => expect.status(await cards(client, {}, { token: await client.tokens.shared() }), 401, 403),
)
for (const [status, what] of [
  [408, 'timed out'],
  [500, 'fails for an unknown reason'],
  [503, 'is in a scheduled maintenance'],
] as const) {
  check(`sponsors.${status}`, '§7', `/sponsors that ${what} is ${status}`, async (client) => {
    expect.status(
      await sponsors(client, {
        collectorNumber: need(client.bench.historyTrouble[status], `the bench has no request that gets ${status}`),
      }),
      status,
    )
  })
}
for (const path of ['health', 'cards', 'sponsors'] as const) {
  check(`${path}.maintenance`, '§7', `/${path} during a scheduled maintenance is 503`, async (client) => {
    client.needs('faults')
    await client.fault(`/transaction-history/${path}`, { kind: 'outage' })
    expect.status(
      path === 'health'
        ? await client.get('/transaction-history/health', {}, { headers })
        : await (path === 'cards' ? cards : sponsors)(client),
      503,
    )
  })
}
