import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CASH_PATHS } from '../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../contracts/central/issuance.ts'
import { TOKEN_PATH } from './identity/artifacts.ts'
import { asCash, FINE, openRehearsal, type Rehearsal } from './rehearsal.fixture.ts'
import type { FaultAction } from './faults.ts'

let client: Rehearsal
beforeEach(async () => {
  client = await openRehearsal()
})
afterEach(() => client.close())

const strike = (action: FaultAction, path: string = CASH_PATHS.redeem) => client.fault({ path, occurrence: 1, action })
const cash = async (): Promise<number> => (await client.ledger(FINE)).balances.cash
const processed = (count: number) =>
  client.control('GET', `/wait?path=${CASH_PATHS.redeem}&count=${count}&stage=processed`)

describe('a lost answer', () => {
  it('leaves no effect if the fault comes before the redemption; the retry redeems once', async () => {
    await strike({ kind: 'drop-before' })
    await expect(client.redeem({}, { key: 'k' })).rejects.toThrow(/other side closed|terminated/)
    expect(await cash()).toBe(4_750)
    expect(asCash(await client.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect(await cash()).toBe(4_370)
  })
  it.each(['drop-after', 'truncate'] as const)(
    'is sent to the retry after the fault %s, and the miles are redeemed once',
    async (kind) => {
      await strike({ kind })
      await expect(client.redeem({}, { key: 'k' })).rejects.toThrow(/other side closed|terminated/)
      expect(await cash()).toBe(4_370)
      expect(asCash(await client.redeem({}, { key: 'k' }))).toMatchObject({ responseCode: '0000', unitsRedeemed: '4' })
      expect((await client.ledger(FINE)).entries.map((entry) => entry.operation)).toEqual(['OPENING', 'REDEEM'])
    },
  )
  it('is sent to the retry after the fault hang-after, when the first call has timed out', async () => {
    await strike({ kind: 'hang-after' })
    const patience = new AbortController()
    const first = client.redeem({}, { key: 'k', signal: patience.signal })
    await processed(1)
    patience.abort()
    await expect(first).rejects.toThrow(/aborted/)
    expect(asCash(await client.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect(await cash()).toBe(4_370)
  })
  it('leaves no effect after the fault hang-before', async () => {
    await strike({ kind: 'hang-before' })
    const patience = new AbortController()
    const first = client.redeem({}, { key: 'k', signal: patience.signal })
    await client.control('GET', `/wait?path=${CASH_PATHS.redeem}&count=1`)
    patience.abort()
    await expect(first).rejects.toThrow(/aborted/)
    expect(await cash()).toBe(4_750)
  })
})

describe('a redemption whose answer could not be returned', () => {
  it('is cancelled, and the identical request redeems again', async () => {
    await strike({ kind: 'cancel-after' })
    await expect(client.redeem({}, { key: 'k' })).rejects.toThrow(/other side closed|terminated/)
    expect(await cash()).toBe(4_750)
    expect(asCash(await client.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect((await client.ledger(FINE)).entries.map((entry) => entry.operation)).toEqual([
      'OPENING',
      'REDEEM',
      'CANCEL',
      'REDEEM',
    ])
  })
  it('is cancelled when the caller disconnects during processing; a waiting retry still redeems once', async () => {
    await strike({ kind: 'delay', ms: 250 })
    const patience = new AbortController()
    const first = client.redeem({}, { key: 'k', signal: patience.signal })
    await client.control('GET', `/wait?path=${CASH_PATHS.redeem}&count=1`)
    patience.abort()
    await expect(first).rejects.toThrow(/aborted/)
    expect(asCash(await client.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect((await client.ledger(FINE)).entries.map((entry) => entry.operation)).toEqual([
      'OPENING',
      'REDEEM',
      'CANCEL',
      'REDEEM',
    ])
    expect(await cash()).toBe(4_370)
  })
})

describe('a fault that replaces or changes an answer', () => {
  it('can replace the answer by the one in the fault rule; the request then moves no miles', async () => {
    await strike({ kind: 'answer', status: 503, body: { responseCode: '0092', message: 'Scheduled maintenance' } })
    const received = await client.redeem({}, { key: 'k' })
    expect([received.status, received.body.responseCode]).toEqual([503, '0092'])
    expect(await cash()).toBe(4_750)
  })
  it('can garble an answer once; the retry gets the correct bytes', async () => {
    await strike({ kind: 'garble' })
    const first = await client.redeem({}, { key: 'k' })
    expect(() => JSON.parse(first.text) as unknown).toThrow(SyntaxError)
    expect(asCash(await client.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect(await cash()).toBe(4_370)
  })
  it('can send an answer with the trace id of another request; the retry gets the correct answer', async () => {
    await strike({ kind: 'wrong-echo' })
    expect(asCash(await client.redeem({}, { key: 'k' })).traceId).toBe('another-trace')
    expect(asCash(await client.redeem({}, { key: 'k' })).traceId).toBe('TRACE-1')
  })
  it('can refuse a valid token; the request then moves no miles', async () => {
    await strike({ kind: 'no-token' })
    const received = await client.redeem({}, { key: 'k' })
    expect([received.status, 'responseCode' in received.body]).toEqual([401, false])
    expect(await cash()).toBe(4_750)
  })
})

describe('fault rules', () => {
  it('apply only to the given occurrences, and only to the given collector', async () => {
    const answer = { kind: 'answer', status: 500, body: { responseCode: '0096' } } as const
    await client.fault({
      id: 'x',
      path: CASH_PATHS.inquire,
      collectorNumber: FINE,
      occurrence: 2,
      times: 2,
      action: answer,
    })
    const codes = []
    for (let attempt = 0; attempt < 4; attempt += 1) {
      codes.push(asCash(await client.inquire()).responseCode)
      await client.inquire({ collectorNumber: '80000000022' })
    }
    expect(codes).toEqual(['0000', '0096', '0096', '0000'])
    expect((await client.control('GET', '/faults')).body).toMatchObject({ rules: [{ id: 'x', seen: 4, struck: 2 }] })
    await client.control('DELETE', '/faults')
    expect((await client.control('GET', '/faults')).body).toEqual({ rules: [] })
  })
  it('apply to the token endpoint', async () => {
    await client.fault({ path: TOKEN_PATH, action: { kind: 'answer', status: 500, body: { error: 'server_error' } } })
    expect(await client.token()).toBe('undefined')
  })
  it('are rejected when malformed', async () => {
    expect(
      (await client.control('POST', '/faults', { rules: [{ path: '/x', action: { kind: 'explode' } }] })).status,
    ).toBe(400)
  })
})

describe('the journal of received requests', () => {
  it('stores the SHA-256 of the exact bytes and no token', async () => {
    await client.redeem({}, { key: 'k' })
    const { body, text } = await client.control('GET', `/requests?path=${CASH_PATHS.redeem}`)
    expect(body.requests).toMatchObject([
      {
        path: CASH_PATHS.redeem,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        headers: { 'idempotency-key': 'k', authorization: 'Bearer •••' },
        body: { collectorNumber: FINE },
      },
    ])
    expect(text).not.toContain(client.central.clientSecret)
  })
  it('returns 408 to a caller whose awaited request does not arrive before the timeout', async () => {
    expect((await client.control('GET', '/wait?path=/nobody&count=1&timeoutMs=20')).status).toBe(408)
  })
})

it('a caller that disconnects in the middle of a request does not affect later requests', async () => {
  const socket = connect(Number(new URL(client.central.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST ${CASH_PATHS.redeem} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ` +
      `500\r\n\r\n{"tra`,
  )
  socket.destroy()
  await once(socket, 'close')
  expect(asCash(await client.echo()).responseCode).toBe('0000')
})

it('the services accept the fault rules shown in docs/reference-services.md', async () => {
  const shown =
    /```json\n(\{ "rules"[^`]*)```/.exec(
      readFileSync(new URL('../../docs/reference-services.md', import.meta.url), 'utf8'),
    )?.[1] ?? ''
  const received = await client.control('POST', '/faults', JSON.parse(shown))
  expect([received.status, received.text]).toEqual([200, received.text])
  await client.control('DELETE', '/faults')
})

const ORIGIN = { 'x-origin-client': 'internal:pos:milepost' }
const list = () => client.get('/offers?region=ON', ORIGIN)
const operations = async () => (await client.ledger(FINE)).entries.map((entry) => entry.operation)

describe('an answer that is sent slowly', () => {
  it('arrives complete, a few bytes at a time', async () => {
    await client.fault({ path: CASH_PATHS.redeem, occurrence: 1, action: { kind: 'slow-drip', bytes: 100, ms: 5 } })
    const slow = await client.redeem({}, { key: 'k' })
    expect((await client.redeem({}, { key: 'k' })).text).toBe(slow.text)
    expect(asCash(slow).responseCode).toBe('0000')
  })
  it('leads to a cancelled redemption if the caller disconnects before the end of the answer', async () => {
    await client.fault({ path: CASH_PATHS.redeem, occurrence: 1, action: { kind: 'slow-drip', bytes: 1, ms: 20 } })
    const patience = new AbortController()
    const first = client.redeem({}, { key: 'k', signal: patience.signal })
    await client.control('GET', `/wait?path=${CASH_PATHS.redeem}&count=1&stage=processed`)
    patience.abort()
    await expect(first).rejects.toThrow(/aborted/)
    expect(asCash(await client.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect(await operations()).toEqual(['OPENING', 'REDEEM', 'CANCEL', 'REDEEM'])
  })
})
it.each([[{ key: 'k' }], [{}]])(
  'a request that the network duplicates is executed once, with or without an idempotency key: %j',
  async (call) => {
    await client.fault(
      { path: CASH_PATHS.redeem, action: { kind: 'duplicate' } },
      { path: ISSUANCE_PATHS.issue, action: { kind: 'duplicate' } },
    )
    expect(asCash(await client.redeem({}, call)).responseCode).toBe('0000')
    expect((await client.issue({ checkoutTransactionId: 'D1' }, 'key' in call ? { key: 'other' } : {})).status).toBe(
      200,
    )
    expect(await operations()).toEqual(['OPENING', 'REDEEM', 'ISSUE'])
  },
)
it('a token that expires during a call is invalid for this and every later call', async () => {
  const token = await client.token()
  await client.fault({ path: CASH_PATHS.inquire, occurrence: 1, action: { kind: 'expire-token' } })
  expect((await client.inquire({}, { token })).status).toBe(401)
  expect((await client.inquire({}, { token })).status).toBe(401)
  expect((await client.inquire({}, { token: await client.token() })).status).toBe(200)
})
it("an outage lasts for its time window by the services' clock and affects all paths of its pattern", async () => {
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString()
  await client.fault({ path: '/*', window: { from: at(3_600_000), to: at(7_200_000) }, action: { kind: 'outage' } })
  expect(asCash(await client.echo()).responseCode).toBe('0000')
  await client.token()
  await client.control('POST', '/clock', { offsetMs: 5_400_000 })
  const echo = await client.echo()
  expect([echo.status, echo.body.responseCode]).toEqual([503, '0092'])
  expect((await client.issue()).status).toBe(500)
  expect((await list()).status).toBe(503)
  expect(await client.token()).toBe('undefined')
  await client.control('POST', '/clock', { offsetMs: 9_000_000 })
  expect(asCash(await client.echo()).responseCode).toBe('0000')
})
describe('the list of offers under faults', () => {
  it('is delayed, garbled, empty or incomplete as the fault rules require', async () => {
    const whole = (await list()).text
    await client.fault({ id: 'x', path: '/offers', occurrence: 1, action: { kind: 'delay', ms: 30 } })
    expect((await list()).text).toBe(whole)
    await client.fault({ id: 'x', path: '/offers', occurrence: 1, action: { kind: 'garble' } })
    expect(Object.keys((await list()).body)).toEqual([])
    await client.fault({ id: 'x', path: '/offers', occurrence: 1, action: { kind: 'wrong-echo' } })
    expect((await list()).body.offers).toEqual([])
    await client.fault({ id: 'x', path: '/offers', occurrence: 1, action: { kind: 'truncate' } })
    await expect(list()).rejects.toThrow(/terminated|other side closed/)
    expect((await list()).text).toBe(whole)
  })
})
