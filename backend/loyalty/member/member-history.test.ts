import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type HistoryFailure,
  MemberHistory,
  type MemberHistoryPage,
  type MemberSession,
} from '../../../contracts/loyalty/member.ts'
import { TrainingPanel } from '../../../contracts/operations/training.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { HISTORY_PATHS, rangeFlaw } from '../../../contracts/central/history.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import { useCentral, type FaultRule } from '../../../packages/lab/testing/central.ts'
import { submitSignInForm } from '../../../packages/lab/testing/phone.ts'
import { transportTo } from '../../../packages/lab/testing/services-transport.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const FINE = '80000000011'
const SPECIAL = '80000000077'

type Of<Type extends TerminalEvent['type']> = Extract<TerminalEvent, { type: Type }>
type State<Name extends MemberSession['state']> = Extract<MemberSession, { state: Name }>

const post = async (service: 'issuance' | 'cash', path: string, key: string, body: object): Promise<void> => {
  const answer = await transportTo(central).send({
    service,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: Buffer.from(JSON.stringify(body)),
    timeoutMs: 5_000,
    authenticate: true,
  })
  expect(answer).toMatchObject({ kind: 'answer', status: 200 })
}

const issue = (collectorNumber: string, dollars: number, id: string): Promise<void> =>
  post('issuance', ISSUANCE_PATHS.issue, id, {
    basketPostTaxAmount: dollars,
    basketPreTaxAmount: dollars,
    checkoutDateTime: new Date().toISOString(),
    checkoutTransactionId: id,
    collectorNumber,
    locationCode: 'N101',
    sponsorCode: 'NRTH',
    tender: ['CASH'],
  })

const redeemElsewhere = (collectorNumber: string, id: string): Promise<void> =>
  post('cash', CASH_PATHS.redeem, id, {
    acquirerId: 'RIVERBEND',
    cardEntryMode: 'SWIPE',
    collectorNumber,
    dateTime: new Date().toISOString(),
    deviceId: 'R1-01',
    dollarRedeemRequest: '10.00',
    postTaxBasketAmount: '43.35',
    sponsorCode: 'RIVR',
    storeId: 'R1',
    traceId: id,
    vendorId: 'RIVERBEND',
  })

async function untilSession<Name extends MemberSession['state']>(
  harness: TerminalHarness,
  state: Name,
): Promise<State<Name>> {
  const { session } = await harness.event(
    (event): event is Of<'member-session'> & { session: State<Name> } =>
      event.type === 'member-session' && event.session?.state === state,
  )
  return session as State<Name>
}

async function signIn(harness: TerminalHarness, saleId: string, collectorNumber: string): Promise<void> {
  // Delay the first poll, so that the page on the phone is usually submitted before it; otherwise the next poll signs
  // the member in.
  await central.faults({ path: '/oidc/token', action: { kind: 'delay', ms: 500 } })
  await harness.call('POST', `/api/sales/${saleId}/member-session`, {})
  expect(await submitSignInForm(await untilSession(harness, 'waiting'), { collectorNumber })).toBe(200)
  await untilSession(harness, 'signed-in')
  await central.clearFaults()
}

async function open(
  card: 'fine' | 'special' = 'fine',
  change: TerminalHarnessOptions = {},
): Promise<{ harness: TerminalHarness; saleId: SaleId; history: string }> {
  const harness = await openTerminalHarness(central, change)
  await harness.ring('1021')
  const { id: saleId } = await harness.swipe(card)
  await signIn(harness, saleId, card === 'fine' ? FINE : SPECIAL)
  return { harness, saleId, history: `/api/sales/${saleId}/member-history` }
}

async function unusedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

async function page(harness: TerminalHarness, path: string): Promise<MemberHistoryPage> {
  const { status, body } = await harness.call('GET', path)
  expect({ status, kind: body['kind'], failure: body['failure'] }).toEqual({ status: 200, kind: 'page' })
  const answer = MemberHistory.parse(body)
  if (answer.kind !== 'page') throw new Error('the history did not come')
  return answer
}
async function failure(harness: TerminalHarness, path: string): Promise<HistoryFailure> {
  const { status, body } = await harness.call('GET', path)
  expect({ status, kind: body['kind'] }).toEqual({ status: 200, kind: 'failed' })
  return body['failure'] as HistoryFailure
}
const answers = (status: number, body: unknown): FaultRule['action'] => ({ kind: 'answer', status, body })
const milesOf = ({ transactions }: MemberHistoryPage): (number | null)[] => transactions.map(({ miles }) => miles)

const asked = async (path: string): Promise<Record<string, unknown>[]> =>
  (await central.requests(path)).map(({ body }) => body)

test('the member history lists transactions in pages, sorted, of every partner or only of this store', async () => {
  for (const [index, dollars] of [50, 10, 100].entries()) await issue(FINE, dollars, `N101010000000200${index}`)
  await redeemElsewhere(FINE, 'R00000000002')
  const { harness, history } = await open()
  const newest = await page(harness, history)
  expect(milesOf(newest)).toEqual([-95, 20, 2, 10])
  const [fuel, market] = newest.transactions
  expect(fuel).toMatchObject({ activity: 'REDEMPTION', cashPart: -95, sponsor: { name: 'Riverbend Fuels' } })
  expect(market).toMatchObject({ activity: 'ISSUANCE', offer: null, sponsor: { name: 'Northstar Markets' } })
  expect(market?.sponsor?.colour).not.toBe(fuel?.sponsor?.colour)
  expect((market?.cashPart ?? 0) + (market?.dreamPart ?? 0)).toBe(20)
  expect(newest).toMatchObject({ page: 0, pages: 1, total: 4 })

  const store = await page(harness, `${history}?sponsors=store&sort=most-miles`)
  expect(milesOf(store)).toEqual([20, 10, 2])
  const [ofStore] = await central.requests(HISTORY_PATHS.sponsors)
  expect(ofStore?.body).toMatchObject({ sponsorList: 'NRTH', collectorNumber: FINE })
  const [ofAll] = await central.requests(HISTORY_PATHS.cards)
  expect(ofStore?.headers['authorization']).toMatch(/^Bearer /)
  expect(ofStore?.headers['authorization']).toBe(ofAll?.headers['authorization'])
  expect(milesOf(await page(harness, `${history}?sort=oldest`))).toEqual(milesOf(newest).toReversed())
  const bySponsor = await page(harness, `${history}?sort=sponsor,fewest-miles`)
  expect(bySponsor.transactions.map(({ sponsor }) => sponsor?.name.split(' ')[0])).toEqual([
    'Northstar',
    'Northstar',
    'Northstar',
    'Riverbend',
  ])
  expect(milesOf(bySponsor).slice(0, 3)).toEqual([2, 10, 20])
  const french = await page(harness, `${history}?locale=fr-CA`)
  expect(french.transactions.map(({ sponsor }) => sponsor?.name)).toContain('Marchés Northstar')
  expect(french.transactions[1]?.description).not.toBe(market?.description)

  for (let index = 0; index < 7; index += 1) await issue(FINE, 5, `N10101000000030${index}0`)
  expect(await page(harness, `${history}?page=1`)).toMatchObject({ page: 1, pages: 2, total: 11 })
  expect(milesOf(await page(harness, `${history}?page=1`))).toEqual([10])
  expect(await page(harness, `${history}?page=9`)).toMatchObject({ transactions: [], total: 11 })
})

test('the member history sends no card number or balance to a window, and stores nothing on disk', async () => {
  await issue(FINE, 75, 'N1010100000004000')
  const { harness, history } = await open()
  const { body } = await harness.call('GET', history)
  expect(JSON.stringify(body)).not.toMatch(/balance|cardNumber|memberId|80000000011/i)
  const mark = 'Told by the program alone'
  const record = { transactionDescription: mark, sponsorDescriptionEnglish: mark, cardNumber: FINE }
  const answer = {
    _embedded: { genericActivityDtoList: [{ ...record, balancePostTransaction: 7_654 }] },
    page: { size: 10, totalElements: 1, totalPages: 1, number: 0 },
  }
  await central.faults({ path: HISTORY_PATHS.cards, action: answers(200, answer) })
  const marked = await page(harness, history)
  expect(marked.transactions).toMatchObject([{ description: mark, sponsor: { name: mark }, miles: null, at: null }])
  expect(JSON.stringify(marked)).not.toContain('7654')
  const asks = { range: '2-years', sponsors: 'all' }
  expect((await harness.call('POST', `${history}/print`, asks)).body).toEqual({ kind: 'printed', state: 'confirmed' })
  const files = readdirSync(harness.folder).filter((name) => name.startsWith('terminal.db'))
  expect(files).toContain('terminal.db')
  for (const name of files) expect(readFileSync(join(harness.folder, name)).includes(mark), name).toBe(false)
  expect(JSON.stringify(harness.events())).not.toContain(mark)
})

test('the member history accepts only ranges of up to two years and at most three sort keys', async () => {
  const { harness, history } = await open()
  for (const range of ['30-days', '3-months', '1-year', '2-years']) await page(harness, `${history}?range=${range}`)
  expect((await harness.call('GET', `${history}?range=3-years`)).status).toBe(400)
  expect((await harness.call('GET', `${history}?sort=newest,oldest`)).status).toBe(400)
  expect((await harness.call('GET', `${history}?sort=newest,sponsor,most-miles,oldest`)).status).toBe(400)
  await page(harness, `${history}?sort=sponsor,newest,most-miles`)
  const queries = await asked(HISTORY_PATHS.cards)
  const days = queries.map((query) => {
    const range = { from: Date.parse(String(query['from'])), to: Date.parse(String(query['to'])) }
    expect(rangeFlaw(range)).toBeNull()
    return Math.floor((range.to - range.from) / 86_400_000)
  })
  expect(days).toHaveLength(5)
  expect(days[0]).toBe(29)
  expect(days[3]).toBeGreaterThanOrEqual(729)
  expect(queries[4]?.['sort']).toEqual([
    'sponsorDescriptionEnglish,asc',
    'transactionDate,desc',
    'transactionValue,desc',
  ])
})

test('the member history is refused without a signed-in member, for another sale, or for a closed sale', async () => {
  const harness = await openTerminalHarness(central)
  await harness.ring('1021')
  const { id, version } = await harness.swipe('fine')
  const history = `/api/sales/${id}/member-history`
  const shown = { shown: { range: '30-days', sponsors: 'all', sort: ['newest'], page: 0 } }
  expect(await harness.refused('GET', history)).toBe('member-signed-out')
  expect(await harness.refused('PUT', `${history}/shown`, shown)).toBe('member-signed-out')
  expect(await harness.refused('GET', '/api/sales/N1010100000999XXXX/member-history')).toBe('not-found')
  await signIn(harness, id, FINE)
  await page(harness, history)
  expect((await harness.call('POST', `/api/sales/${id}/cancel`, { version })).status).toBe(200)
  expect(await harness.refused('GET', history)).toBe('sale-not-open')
  const next = await harness.ring('1021')
  expect(await harness.refused('GET', `/api/sales/${next.id}/member-history`)).toBe('member-signed-out')
  expect(await central.requests(HISTORY_PATHS.cards)).toHaveLength(1)
})

test('the member history discards an answer that arrives after the member was signed out', async () => {
  const { harness, saleId, history } = await open()
  await central.faults({ path: HISTORY_PATHS.cards, action: { kind: 'hang-before' } })
  const late = harness.refused('GET', history)
  await central.reached(HISTORY_PATHS.cards, 1)
  await harness.call('POST', `/api/sales/${saleId}/member-session/cancel`, {})
  expect(await late).toBe('member-signed-out')
})

test("the member is signed out with a reason when the program refuses the member's token", async () => {
  const { harness, saleId, history } = await open()
  await central.revokeTokens()
  expect(await failure(harness, history)).toMatchObject({ cause: 'refused', code: 'HTTP 401' })
  expect(await untilSession(harness, 'ended')).toEqual({ state: 'ended', saleId, why: 'token-expired' })
  expect(await harness.refused('GET', history)).toBe('member-signed-out')
})

test('a failed request for the member history is reported with its cause, and the sale continues', async () => {
  const { harness, history } = await open()
  const failures: [cause: string, action: FaultRule['action'], code: unknown][] = [
    ['timeout', answers(408, {}), 'HTTP 408'],
    ['maintenance', answers(503, {}), 'HTTP 503'],
    ['bad-request', answers(400, {}), 'HTTP 400'],
    ['server-error', answers(500, {}), 'HTTP 500'],
    ['collector-refused', answers(401, { errors: [{ errorCode: '234' }] }), 'HTTP 401'],
    ['not-found', answers(404, {}), 'HTTP 404'],
    ['malformed', { kind: 'garble' }, 'HTTP 200'],
    ['timeout', { kind: 'drop-before' }, expect.anything()],
  ]
  for (const [cause, action, code] of failures) {
    await central.faults({ path: HISTORY_PATHS.cards, action })
    expect(await failure(harness, history)).toEqual({ cause, code, correlationId: null })
    await central.clearFaults()
  }
  expect((await harness.ring('1021')).lines).toMatchObject([{ quantity: 2 }])
  expect((await page(harness, history)).page).toBe(0)
})

test('an unreachable history service is reported, and after three failures gets no more requests', async () => {
  const { harness, history } = await open('fine', { historyUrl: await unusedAddress() })
  const causes = []
  for (let tries = 0; tries < 4; tries += 1) causes.push((await failure(harness, history)).cause)
  expect(causes).toEqual(['unreachable', 'unreachable', 'unreachable', 'breaker-open'])
  expect((await harness.call('GET', '/api/terminal')).body['memberHistory']).toBe(true)
})

test('a request for the member history of a sale is refused if the profile has no history service', async () => {
  const harness = await openTerminalHarness(central, { historyUrl: null })
  const { id } = await harness.ring('1021')
  expect((await harness.call('GET', '/api/terminal')).body['memberHistory']).toBe(false)
  expect(await harness.refused('GET', `/api/sales/${id}/member-history`)).toBe('member-history-off')
})

test('the customer display gets an event when the member history opens or closes, without transactions', async () => {
  await issue(FINE, 35, 'N1010100000006000')
  const { harness, saleId, history } = await open()
  const shown = { range: '1-year', sponsors: 'store', sort: ['most-miles'], page: 2 }
  expect((await harness.call('PUT', `${history}/shown`, { shown })).status).toBe(200)
  const shownEvents = (fits: Of<'member-history-shown'>['shown']) =>
    harness.event(
      (event): event is Of<'member-history-shown'> =>
        event.type === 'member-history-shown' && (event.shown === null) === (fits === null),
    )
  expect(await shownEvents({ range: '1-year', sponsors: 'store', sort: ['most-miles'], page: 2 })).toEqual({
    type: 'member-history-shown',
    saleId,
    shown,
  })
  await harness.call('PUT', `${history}/shown`, { shown: null })
  expect(await shownEvents(null)).toEqual({ type: 'member-history-shown', saleId, shown: null })
})

test('a printed member history has ten transactions and no balance, and stores no print job', async () => {
  for (let index = 0; index < 11; index += 1) await issue(SPECIAL, 5 * (index + 1), `N10101000000070${10 + index}`)
  const { harness, history } = await open('special')
  const asks = { range: '30-days', sponsors: 'store' }
  expect((await harness.call('POST', `${history}/print`, asks)).body).toEqual({ kind: 'printed', state: 'confirmed' })
  const { body } = await harness.call('GET', '/api/training/panel')
  const paper = TrainingPanel.parse(body).lastPaper ?? ''
  expect(paper).toContain('MILES HISTORY')
  expect([...paper.matchAll(/(\d+) miles?$/gm)].map(([, miles]) => Number(miles))).toEqual([
    11, 10, 9, 8, 7, 6, 5, 4, 3, 2,
  ])
  expect(paper).not.toMatch(/balance|80000000077|0077/i)
  expect(harness.read('SELECT * FROM print_job')).toEqual([])
  expect((await harness.call('GET', '/api/receipts')).body['notOnPaper']).toBe(0)

  await harness.call('POST', '/api/training/play', { scenario: 'paper-out' })
  expect((await harness.call('POST', `${history}/print`, asks)).body).toEqual({ kind: 'printed', state: 'failed' })
  await central.faults({ path: HISTORY_PATHS.sponsors, action: answers(503, {}) })
  expect((await harness.call('POST', `${history}/print`, asks)).body).toMatchObject({
    kind: 'failed',
    failure: { cause: 'maintenance' },
  })
})

test('no member history is printed if the collector has no transactions', async () => {
  const harness = await openTerminalHarness(central)
  await harness.ring('1021')
  const { id } = await harness.swipe('poor')
  await signIn(harness, id, '80000000055')
  expect(await page(harness, `/api/sales/${id}/member-history`)).toMatchObject({ transactions: [], total: 0, pages: 0 })
  const printed = await harness.call('POST', `/api/sales/${id}/member-history/print`, {
    range: '2-years',
    sponsors: 'all',
  })
  expect(printed.body).toEqual({ kind: 'empty' })
})
