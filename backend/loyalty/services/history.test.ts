import { expect, test } from 'vitest'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { json, openRawServer } from '../../../packages/lab/testing/raw-server.ts'
import {
  transportTo,
  withoutLaneToken,
  type LaneAccess,
  contextTo,
} from '../../../packages/lab/testing/services-transport.ts'
import { createHistoryClient, type HistoryClient, type HistoryQuery } from './history.ts'
import type { ServiceResult } from '../../core/central/service-result.ts'

const central = useCentral()
const NUMBER = CollectorNumber.parse('80000000033')
const YEAR = 365 * 86_400_000
const lately = (): HistoryQuery => ({ from: Date.now() - YEAR, to: Date.now() + 3_600_000 })

const client = (access: LaneAccess = central): HistoryClient => createHistoryClient(contextTo(access))

function bodyOf<Body>(result: ServiceResult<Body>): Body {
  if (result.kind === 'failed') throw new Error(`${result.cause} ${result.code}`)
  return result.body
}

async function issue(dollars: number, checkoutTransactionId: string): Promise<void> {
  const answer = await transportTo(central).send({
    service: 'issuance',
    method: 'POST',
    path: ISSUANCE_PATHS.issue,
    headers: { 'content-type': 'application/json', 'idempotency-key': checkoutTransactionId },
    body: Buffer.from(
      JSON.stringify({
        basketPostTaxAmount: dollars,
        basketPreTaxAmount: dollars,
        checkoutDateTime: new Date().toISOString(),
        checkoutTransactionId,
        collectorNumber: NUMBER,
        locationCode: 'N101',
        sponsorCode: 'NRTH',
        tender: ['CASH'],
      }),
    ),
    timeoutMs: 5_000,
    authenticate: true,
  })
  expect(answer).toMatchObject({ kind: 'answer', status: 200 })
}

test('the history calls cards and sponsors return a member’s transactions, sorted and in pages', async () => {
  const history = client()
  const call = { locale: 'fr-CA', memberToken: await central.memberToken(NUMBER) } as const
  for (const [index, dollars] of [50, 10, 100].entries()) await issue(dollars, `N1010100000001000${index}`)
  const byValue = { ...lately(), sort: [{ field: 'transactionValue', descending: true }] as const }
  const whole = bodyOf(await history.cards(byValue, call))
  const issued = whole.activities.filter(({ activityType }) => activityType === 'ISSUANCE')
  expect(issued.map(({ transactionValue }) => transactionValue)).toEqual([20, 10, 2])
  expect(issued[0]).toMatchObject({
    cardNumber: NUMBER,
    sponsorCode: 'NRTH',
    sponsorDescriptionEnglish: expect.any(String) as string,
    sponsorDescriptionFrench: expect.any(String) as string,
    balancePostTransaction: expect.any(Number) as number,
    externalReferenceNumber: 'N10101000000010002',
  })
  expect(whole.page).toEqual({ size: 20, totalElements: 3, totalPages: 1, number: 0 })
  const second = bodyOf(await history.cards({ ...byValue, page: 1, size: 2 }, call))
  expect(second.activities).toEqual(whole.activities.slice(2))
  expect(second.page).toEqual({ size: 2, totalElements: 3, totalPages: 2, number: 1 })

  const sponsors = { ...byValue, sponsorList: ['NRTH', 'RIVR'], collectorNumber: NUMBER }
  expect(bodyOf(await history.sponsors(sponsors, { locale: 'en-CA' }))).toEqual(whole)
  const [asked] = await central.requests('/transaction-history/cards')
  expect(asked?.headers).toMatchObject({
    'content-type': 'application/json',
    'channel-code': 'pos',
    'accept-language': 'FR',
  })
})

test('the history of a member without transactions is an empty page', async () => {
  const memberToken = await central.memberToken('80000000022')
  const past = { from: Date.parse('2001-01-01T00:00:00Z'), to: Date.parse('2002-01-01T00:00:00Z') }
  expect(bodyOf(await client().cards(past, { locale: 'en-CA', memberToken }))).toEqual({
    activities: [],
    page: { size: 20, totalElements: 0, totalPages: 0, number: 0 },
  })
})

test('the health check of the history service returns true for a healthy service', async () => {
  expect(bodyOf(await client().health({ locale: 'en-CA' }))).toBe(true)
})

test('a refusal of an unknown collector by the history service is distinguished from a refused token', async () => {
  const unknown = { ...lately(), sponsorList: ['NRTH'], collectorNumber: CollectorNumber.parse('89999999999') }
  expect(await client().sponsors(unknown, { locale: 'en-CA' })).toMatchObject({
    kind: 'failed',
    cause: 'collector-refused',
    code: 'HTTP 401',
  })
  const memberToken = await central.memberToken(NUMBER)
  await central.revokeTokens()
  expect(await client().cards(lately(), { locale: 'en-CA', memberToken })).toMatchObject({
    cause: 'refused',
    code: 'HTTP 401',
    errorCode: null,
  })
})

test.each([
  ['a timeout', 408, {}, { cause: 'timeout', code: 'HTTP 408' }],
  ['maintenance of the service', 503, {}, { cause: 'maintenance', code: 'HTTP 503' }],
  ['a bad request', 400, {}, { cause: 'bad-request', code: 'HTTP 400' }],
  ['an unknown error', 500, {}, { cause: 'server-error', code: 'HTTP 500' }],
  ['a refused token', 401, { message: 'no valid token' }, { cause: 'refused', code: 'HTTP 401' }],
  ['a page without page numbers', 200, { _embedded: {} }, { cause: 'malformed', code: 'HTTP 200' }],
])('the cause of a failed history request is reported: %s', async (_what, status, body, expected) => {
  const server = await openRawServer(({ socket }) => {
    socket.end(json(status, body))
  })
  const asked = client(withoutLaneToken(server.url)).cards(lately(), { locale: 'en-CA', memberToken: 'm' })
  expect(await asked).toEqual({ kind: 'failed', errorCode: null, correlationId: null, ...expected })
})

test('a history transaction is returned without invalid fields; a record that is no object is skipped', async () => {
  const records = [
    { transactionId: 'T-1', transactionValue: 'many', sponsorCode: 'NRTH', newer: true, locationCode: null },
    'no record',
  ]
  const server = await openRawServer(({ socket }) => {
    socket.end(
      json(200, {
        _embedded: { genericActivityDtoList: records },
        page: { size: 20, totalElements: 2, totalPages: 1, number: 0 },
      }),
    )
  })
  const page = bodyOf(await client(withoutLaneToken(server.url)).cards(lately(), { locale: 'en-CA', memberToken: 'm' }))
  expect(JSON.parse(JSON.stringify(page.activities))).toEqual([{ transactionId: 'T-1', sponsorCode: 'NRTH' }])
})

test('a history request has the specified parameters; invalid ones are rejected before sending', async () => {
  const server = await openRawServer(({ socket }) => {
    socket.end(json(200, { page: { size: 1, totalElements: 0, totalPages: 0, number: 0 } }))
  })
  const history = client(withoutLaneToken(server.url))
  const call = { locale: 'en-CA', memberToken: 'm' } as const
  const from = Date.parse('2024-02-29T00:00:00Z')
  const to = Date.parse('2026-03-01T00:00:00Z')
  const sort = (['postingDate', 'sponsorCode', 'channel'] as const).map((field) => ({ field, descending: false }))
  await history.sponsors({ from, to, page: 0, size: 5, sort, sponsorList: ['A', 'B'], collectorNumber: NUMBER }, call)
  const { searchParams } = new URL(server.requests[0]?.head.split(' ')[1] ?? '', server.url)
  expect([...searchParams]).toEqual([
    ['from', '2024-02-29T00:00:00.000Z'],
    ['to', '2026-03-01T00:00:00.000Z'],
    ['page', '0'],
    ['size', '5'],
    ['sort', 'postingDate,asc'],
    ['sort', 'sponsorCode,asc'],
    ['sort', 'channel,asc'],
    ['sponsorList', 'A,B'],
    ['collectorNumber', NUMBER],
  ])
  await expect(history.cards({ from, to: to + 1 }, call)).rejects.toThrow('more than two years')
  await expect(history.cards({ from, to: from - 1 }, call)).rejects.toThrow('before from')
  await expect(
    history.cards({ from, to, sort: [...sort, { field: 'channel', descending: true }] }, call),
  ).rejects.toThrow('at most 3 sorts')
  await expect(history.cards({ from, to, size: 0 }, call)).rejects.toThrow('invalid page')
  await expect(history.cards({ from, to, page: -1 }, call)).rejects.toThrow('invalid page')
  await expect(history.sponsors({ from, to, sponsorList: [], collectorNumber: NUMBER }, call)).rejects.toThrow(
    'one sponsor',
  )
  expect(server.requests).toHaveLength(1)
})

test('a page of the history with invalid counts is rejected as malformed', async () => {
  const server = await openRawServer(({ socket }) => {
    socket.end(json(200, { page: { size: 10, totalElements: -3, totalPages: -1, number: 0 } }))
  })
  const history = client(withoutLaneToken(server.url))
  expect(await history.cards(lately(), { locale: 'en-CA', memberToken: 'member' })).toMatchObject({
    cause: 'malformed',
  })
})
