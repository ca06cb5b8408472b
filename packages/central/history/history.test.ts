import { afterEach, beforeEach, expect, it } from 'vitest'
import { HISTORY_PATHS } from '../../../contracts/central/history.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { asCash, FINE, openRehearsal, type Received, type Rehearsal } from '../rehearsal.fixture.ts'

let client: Rehearsal
let member: Record<string, string>
beforeEach(async () => {
  client = await openRehearsal()
  member = { authorization: `Bearer ${await client.memberToken()}`, ...CALLER }
})
afterEach(() => client.close())

const CALLER = { 'content-type': 'application/json', 'channel-code': 'POS', 'accept-language': 'EN' }
type Activity = Record<string, unknown>
const DAY = 86_400_000
const range = (from = -DAY, to = DAY): string =>
  `from=${new Date(Date.now() + from).toISOString()}&to=${new Date(Date.now() + to).toISOString()}`
const cards = (query = range()) => client.get(`${HISTORY_PATHS.cards}?${query}`, member)
const records = (received: Received) =>
  (received.body._embedded as { genericActivityDtoList: Activity[] } | undefined)?.genericActivityDtoList ?? []
const basket = {
  checkoutTransactionId: 'H1',
  basketPreTaxAmount: 29.98,
  basketPostTaxAmount: 29.98,
  items: [{ id: '1010', name: 'Coffee', number: 1, quantity: 2, baseAmount: 14.99, finalAmount: 14.99 * 2 }],
}

async function live(): Promise<void> {
  await client.issue(basket, { key: 'a' })
  const redeemed = asCash(await client.redeem({}, { key: 'b' }))
  await client.reverse({ txnConfirmationNumber: redeemed.txnConfirmationNumber }, { key: 'c' })
  await client.post(
    ISSUANCE_PATHS.return,
    {
      ...basket,
      checkoutDateTime: '2026-07-01T12:00:00-04:00',
      collectorNumber: FINE,
      locationCode: 'N101',
      sponsorCode: 'NRTH',
      checkoutTransactionId: 'H2',
      originalTransactionId: 'H1',
    },
    { key: 'd' },
  )
}

it('a history contains issues, redemptions, reversals and returns, and no failed transactions', async () => {
  expect((await cards()).body).toMatchObject({ page: { size: 20, totalElements: 0, totalPages: 0, number: 0 } })
  expect((await cards()).body).not.toHaveProperty('_embedded')
  await live()
  const received = await cards(`${range()}&sort=postingDate,asc`)
  const all = records(received)
  expect(all.map(({ activityType, transactionValue }) => [activityType, transactionValue])).toEqual([
    ['ISSUANCE', 5],
    ['ISSUANCE', 10],
    ['REDEMPTION', -380],
    ['REDEMPTION_REVERSAL', 380],
    ['RETURN', -5],
    ['RETURN', -10],
  ])
  expect(all[1]).toMatchObject({
    transactionId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    cardNumber: FINE,
    memberId: expect.any(Number) as number,
    channel: 'ETS',
    sponsorCode: 'NRTH',
    sponsorDescriptionFrench: 'Marchés Northstar',
    offerClass: 'BONUS',
    offerCode: 'NRCOFFEE',
    locationCode: 'N101',
    locationDescription: 'Toronto',
    externalReferenceNumber: 'H1',
    balancePostTransaction: 17_065,
  })
  expect(all[2]).toMatchObject({ cashMiles: -380, cashRatio: 1, dreamRatio: 0, redemptionStatus: 'REVERSED' })
  const { balances } = await client.ledger(FINE)
  expect(all.at(-1)?.balancePostTransaction).toBe(balances.cash + balances.dream)
  for (const { cashMiles, dreamMiles, transactionValue } of all)
    expect(Number(cashMiles) + Number(dreamMiles)).toBe(transactionValue)
  expect(received.text).not.toMatch(/null|""/)
})
it('the pages of a history are numbered from zero, and their links contain the query', async () => {
  await live()
  const first = await cards(`${range()}&size=4`)
  const links = first.body._links as Record<string, { href: string }>
  expect([records(first).length, first.body.page]).toEqual([4, { size: 4, totalElements: 6, totalPages: 2, number: 0 }])
  const second = await client.get(links.next?.href.slice(client.central.url.length) ?? '', member)
  expect([records(second).length, Object.keys(second.body._links as object)]).toEqual([2, ['first', 'self', 'last']])
  expect((second.body._links as typeof links).self?.href).toBe(links.last?.href)
  expect(new Set([...records(first), ...records(second)].map(({ transactionId }) => transactionId)).size).toBe(6)
})
it('the history of a member can be sorted by up to three fields, and not by four', async () => {
  await live()
  const values = records(
    await cards(`${range()}&sort=activityType,desc&sort=transactionValue,asc&sort=offerCode,asc`),
  ).map(({ activityType, transactionValue }) => `${String(activityType)} ${String(transactionValue)}`)
  expect(values).toEqual([
    'RETURN -10',
    'RETURN -5',
    'REDEMPTION_REVERSAL 380',
    'REDEMPTION -380',
    'ISSUANCE 5',
    'ISSUANCE 10',
  ])
  expect(
    (await cards(`${range()}&sort=activityType,desc&sort=transactionValue,asc&sort=offerCode,asc&sort=channel,asc`))
      .status,
  ).toBe(400)
})
it('a history accepts a range of two years and refuses one more second', async () => {
  expect((await cards('from=2024-03-01T00:00:00Z&to=2026-03-01T00:00:00Z')).status).toBe(200)
  expect((await cards('from=2024-03-01T00:00:00Z&to=2026-03-01T00:00:01Z')).status).toBe(400)
})
it.each([
  '',
  'from=2026-01-01T00:00:00Z',
  'from=yesterday&to=2026-01-01T00:00:00Z',
  'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
  `${range()}&page=-1`,
  `${range()}&size=0`,
  `${range()}&sort=price,asc`,
  `${range()}&sort=channel`,
  `${range()}&sort=channel,up`,
])('a history refuses the query %j', async (query) => {
  expect((await cards(query)).status).toBe(400)
})
it("a partner or the collector can read the collector's history of the named sponsors", async () => {
  await live()
  const partner = { ...CALLER, authorization: `Bearer ${await client.token()}` }
  const of = (query: string, headers: Record<string, string> = partner) =>
    client.get(`${HISTORY_PATHS.sponsors}?${range()}&${query}`, headers)
  expect(records(await of(`sponsorList=RIVR,NRTH&collectorNumber=${FINE}`))).toHaveLength(6)
  expect(records(await of(`sponsorList=RIVR&collectorNumber=${FINE}`))).toHaveLength(0)
  expect((await of(`sponsorList=NRTH&collectorNumber=${FINE}`, member)).status).toBe(200)
  expect((await of('sponsorList=NRTH&collectorNumber=80000000022', member)).status).toBe(401)
  for (const number of ['80000000088', '80000000099', '7'])
    expect((await of(`sponsorList=NRTH&collectorNumber=${number}`)).status).toBe(401)
  expect((await of(`collectorNumber=${FINE}`)).status).toBe(400)
  expect((await of('sponsorList=NRTH')).status).toBe(400)
})
it.each(['content-type', 'channel-code'])('a history requires the header %s', async (name) => {
  expect(
    (
      await client.get(
        `${HISTORY_PATHS.cards}?${range()}`,
        Object.fromEntries(Object.entries(member).filter(([other]) => other !== name)),
      )
    ).status,
  ).toBe(400)
})
it('a history request requires a token, and the path /cards a member token', async () => {
  expect((await client.get(`${HISTORY_PATHS.cards}?${range()}`)).status).toBe(401)
  expect(
    (
      await client.get(`${HISTORY_PATHS.cards}?${range()}`, {
        ...CALLER,
        authorization: `Bearer ${await client.token()}`,
      })
    ).status,
  ).toBe(401)
  expect((await client.get(HISTORY_PATHS.health, member)).body).toEqual({ status: 'up' })
  expect((await client.get(HISTORY_PATHS.health)).status).toBe(401)
  await client.fault({ path: '/transaction-history/*', action: { kind: 'outage' } })
  expect((await client.get(HISTORY_PATHS.health, member)).status).toBe(503)
})
it('a history shows when a pending issuance was requested and when it was posted', async () => {
  const PENDING = '80000000123'
  const token = { ...CALLER, authorization: `Bearer ${await client.memberToken(PENDING)}` }
  const listed = async () => records(await client.get(`${HISTORY_PATHS.cards}?${range(-DAY, 10 * DAY)}`, token))
  await client.issue({ ...basket, collectorNumber: PENDING }, { key: 'p' })
  expect(await listed()).toEqual([])
  await client.control('POST', '/clock', { offsetMs: 2 * DAY })
  await client.control('POST', '/issuances/settle')
  const [one] = await listed()
  const waited = Date.parse(String(one?.postingDate)) - Date.parse(String(one?.transactionDate))
  expect(Math.round(waited / DAY)).toBe(2)
  expect(records(await client.get(`${HISTORY_PATHS.cards}?${range(DAY, 10 * DAY)}`, token))).toEqual([])
})
it.each([
  ['80000000156', 408],
  ['80000000189', 503],
  ['80000000167', 500],
])('the history of collector %s is unavailable, with status %i', async (number, status) => {
  const partner = { ...CALLER, authorization: `Bearer ${await client.token()}` }
  expect(
    (await client.get(`${HISTORY_PATHS.sponsors}?${range()}&sponsorList=NRTH&collectorNumber=${number}`, partner))
      .status,
  ).toBe(status)
})
