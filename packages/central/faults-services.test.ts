import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CASH_PATHS } from '../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../contracts/central/issuance.ts'
import { asCash, FINE, openRehearsal, type Rehearsal } from './rehearsal.fixture.ts'

let lane: Rehearsal
beforeEach(async () => {
  lane = await openRehearsal()
})
afterEach(() => lane.close())

const ORIGIN = { 'x-origin-client': 'internal:pos:milepost' }
const list = () => lane.get('/offers?region=ON', ORIGIN)
const operations = async () => (await lane.ledger(FINE)).entries.map((entry) => entry.operation)

describe('a slow answer', () => {
  it('arrives whole, a few bytes at a time', async () => {
    await lane.fault({ path: CASH_PATHS.redeem, occurrence: 1, action: { kind: 'slow-drip', bytes: 100, ms: 5 } })
    const slow = await lane.redeem({}, { key: 'k' })
    expect((await lane.redeem({}, { key: 'k' })).text).toBe(slow.text)
    expect(asCash(slow).responseCode).toBe('0000')
  })
  it('that the caller does not wait for cancels the redemption', async () => {
    await lane.fault({ path: CASH_PATHS.redeem, occurrence: 1, action: { kind: 'slow-drip', bytes: 1, ms: 20 } })
    const patience = new AbortController()
    const first = lane.redeem({}, { key: 'k', signal: patience.signal })
    await lane.control('GET', `/wait?path=${CASH_PATHS.redeem}&count=1&stage=processed`)
    patience.abort()
    await expect(first).rejects.toThrow(/aborted/)
    expect(asCash(await lane.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect(await operations()).toEqual(['OPENING', 'REDEEM', 'CANCEL', 'REDEEM'])
  })
})
it.each([[{ key: 'k' }], [{}]])('a request that the network doubles is carried out once: %j', async (call) => {
  await lane.fault(
    { path: CASH_PATHS.redeem, action: { kind: 'duplicate' } },
    { path: ISSUANCE_PATHS.issue, action: { kind: 'duplicate' } },
  )
  expect(asCash(await lane.redeem({}, call)).responseCode).toBe('0000')
  expect((await lane.issue({ checkoutTransactionId: 'D1' }, 'key' in call ? { key: 'other' } : {})).status).toBe(200)
  expect(await operations()).toEqual(['OPENING', 'REDEEM', 'ISSUE'])
})
it('a token that ends during a call ends for every call after it', async () => {
  const token = await lane.token()
  await lane.fault({ path: CASH_PATHS.inquire, occurrence: 1, action: { kind: 'expire-token' } })
  expect((await lane.inquire({}, { token })).status).toBe(401)
  expect((await lane.inquire({}, { token })).status).toBe(401)
  expect((await lane.inquire({}, { token: await lane.token() })).status).toBe(200)
})
it("an outage is a window on the services' clock, for every path under a star", async () => {
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString()
  await lane.fault({ path: '/*', window: { from: at(3_600_000), to: at(7_200_000) }, action: { kind: 'outage' } })
  expect(asCash(await lane.echo()).responseCode).toBe('0000')
  await lane.token()
  await lane.control('POST', '/clock', { offsetMs: 5_400_000 })
  const echo = await lane.echo()
  expect([echo.status, echo.body.responseCode]).toEqual([503, '0092'])
  expect((await lane.issue()).status).toBe(500)
  expect((await list()).status).toBe(503)
  expect(await lane.token()).toBe('undefined')
  await lane.control('POST', '/clock', { offsetMs: 9_000_000 })
  expect(asCash(await lane.echo()).responseCode).toBe('0000')
})
describe('the offers', () => {
  it('are late, garbled, empty or gone as the rules say', async () => {
    const whole = (await list()).text
    await lane.fault({ id: 'x', path: '/offers', occurrence: 1, action: { kind: 'delay', ms: 30 } })
    expect((await list()).text).toBe(whole)
    await lane.fault({ id: 'x', path: '/offers', occurrence: 1, action: { kind: 'garble' } })
    expect(Object.keys((await list()).body)).toEqual([])
    await lane.fault({ id: 'x', path: '/offers', occurrence: 1, action: { kind: 'wrong-echo' } })
    expect((await list()).body.offers).toEqual([])
    await lane.fault({ id: 'x', path: '/offers', occurrence: 1, action: { kind: 'truncate' } })
    await expect(list()).rejects.toThrow(/terminated|other side closed/)
    expect((await list()).text).toBe(whole)
  })
})
