import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CASH_PATHS } from '../../contracts/central/cash.ts'
import { TOKEN_PATH } from './identity/artifacts.ts'
import { asCash, FINE, openRehearsal, type Rehearsal } from './rehearsal.fixture.ts'
import type { FaultAction } from './faults.ts'

let lane: Rehearsal
beforeEach(async () => {
  lane = await openRehearsal()
})
afterEach(() => lane.close())

const strike = (action: FaultAction, path: string = CASH_PATHS.redeem) => lane.fault({ path, occurrence: 1, action })
const cash = async (): Promise<number> => (await lane.ledger(FINE)).balances.cash
const processed = (count: number) =>
  lane.control('GET', `/wait?path=${CASH_PATHS.redeem}&count=${count}&stage=processed`)

describe('an answer that is lost', () => {
  it('before the effect leaves nothing behind; the retry redeems once', async () => {
    await strike({ kind: 'drop-before' })
    await expect(lane.redeem({}, { key: 'k' })).rejects.toThrow(/other side closed|terminated/)
    expect(await cash()).toBe(4_750)
    expect(asCash(await lane.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect(await cash()).toBe(4_370)
  })
  it.each(['drop-after', 'truncate'] as const)(
    'by %s is heard by the retry, and the effect stands once',
    async (kind) => {
      await strike({ kind })
      await expect(lane.redeem({}, { key: 'k' })).rejects.toThrow(/other side closed|terminated/)
      expect(await cash()).toBe(4_370)
      expect(asCash(await lane.redeem({}, { key: 'k' }))).toMatchObject({ responseCode: '0000', unitsRedeemed: '4' })
      expect((await lane.ledger(FINE)).entries.map((entry) => entry.operation)).toEqual(['OPENING', 'REDEEM'])
    },
  )
  it('by hang-after is heard by the retry once the first call was given up', async () => {
    await strike({ kind: 'hang-after' })
    const patience = new AbortController()
    const first = lane.redeem({}, { key: 'k', signal: patience.signal })
    await processed(1)
    patience.abort()
    await expect(first).rejects.toThrow(/aborted/)
    expect(asCash(await lane.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect(await cash()).toBe(4_370)
  })
  it('by hang-before has no effect', async () => {
    await strike({ kind: 'hang-before' })
    const patience = new AbortController()
    const first = lane.redeem({}, { key: 'k', signal: patience.signal })
    await lane.control('GET', `/wait?path=${CASH_PATHS.redeem}&count=1`)
    patience.abort()
    await expect(first).rejects.toThrow(/aborted/)
    expect(await cash()).toBe(4_750)
  })
})

describe('a redemption whose answer could not be returned', () => {
  it('is cancelled, and the identical request redeems anew', async () => {
    await strike({ kind: 'cancel-after' })
    await expect(lane.redeem({}, { key: 'k' })).rejects.toThrow(/other side closed|terminated/)
    expect(await cash()).toBe(4_750)
    expect(asCash(await lane.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect((await lane.ledger(FINE)).entries.map((entry) => entry.operation)).toEqual([
      'OPENING',
      'REDEEM',
      'CANCEL',
      'REDEEM',
    ])
  })
  it('is cancelled when the caller hung up while it was processed; a waiting retry still redeems once', async () => {
    await strike({ kind: 'delay', ms: 250 })
    const patience = new AbortController()
    const first = lane.redeem({}, { key: 'k', signal: patience.signal })
    await lane.control('GET', `/wait?path=${CASH_PATHS.redeem}&count=1`)
    patience.abort()
    await expect(first).rejects.toThrow(/aborted/)
    expect(asCash(await lane.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect((await lane.ledger(FINE)).entries.map((entry) => entry.operation)).toEqual([
      'OPENING',
      'REDEEM',
      'CANCEL',
      'REDEEM',
    ])
    expect(await cash()).toBe(4_370)
  })
})

describe('an answer that is not what it should be', () => {
  it('comes as told, without effect', async () => {
    await strike({ kind: 'answer', status: 503, body: { responseCode: '0092', message: 'Scheduled maintenance' } })
    const received = await lane.redeem({}, { key: 'k' })
    expect([received.status, received.body.responseCode]).toEqual([503, '0092'])
    expect(await cash()).toBe(4_750)
  })
  it('is garbled once; the retry hears the true bytes', async () => {
    await strike({ kind: 'garble' })
    const first = await lane.redeem({}, { key: 'k' })
    expect(() => JSON.parse(first.text) as unknown).toThrow(SyntaxError)
    expect(asCash(await lane.redeem({}, { key: 'k' })).responseCode).toBe('0000')
    expect(await cash()).toBe(4_370)
  })
  it('echoes another request', async () => {
    await strike({ kind: 'wrong-echo' })
    expect(asCash(await lane.redeem({}, { key: 'k' })).traceId).toBe('another-trace')
    expect(asCash(await lane.redeem({}, { key: 'k' })).traceId).toBe('TRACE-1')
  })
  it('says that the token is not valid, without effect', async () => {
    await strike({ kind: 'no-token' })
    const received = await lane.redeem({}, { key: 'k' })
    expect([received.status, 'responseCode' in received.body]).toEqual([401, false])
    expect(await cash()).toBe(4_750)
  })
})

describe('rules', () => {
  it('strike the occurrences that they name, for the collector that they name', async () => {
    const answer = { kind: 'answer', status: 500, body: { responseCode: '0096' } } as const
    await lane.fault({
      id: 'x',
      path: CASH_PATHS.inquire,
      collectorNumber: FINE,
      occurrence: 2,
      times: 2,
      action: answer,
    })
    const codes = []
    for (let turn = 0; turn < 4; turn += 1) {
      codes.push(asCash(await lane.inquire()).responseCode)
      await lane.inquire({ collectorNumber: '80000000022' })
    }
    expect(codes).toEqual(['0000', '0096', '0096', '0000'])
    expect((await lane.control('GET', '/faults')).body).toMatchObject({ rules: [{ id: 'x', seen: 4, struck: 2 }] })
    await lane.control('DELETE', '/faults')
    expect((await lane.control('GET', '/faults')).body).toEqual({ rules: [] })
  })
  it('reach the token endpoint', async () => {
    await lane.fault({ path: TOKEN_PATH, action: { kind: 'answer', status: 500, body: { error: 'server_error' } } })
    expect(await lane.token()).toBe('undefined')
  })
  it('are refused when they are not rules', async () => {
    expect(
      (await lane.control('POST', '/faults', { rules: [{ path: '/x', action: { kind: 'explode' } }] })).status,
    ).toBe(400)
  })
})

describe('the journal of requests', () => {
  it('keeps exact bytes as a digest and no token', async () => {
    await lane.redeem({}, { key: 'k' })
    const { body, text } = await lane.control('GET', `/requests?path=${CASH_PATHS.redeem}`)
    expect(body.requests).toMatchObject([
      {
        path: CASH_PATHS.redeem,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        headers: { 'idempotency-key': 'k', authorization: 'Bearer •••' },
        body: { collectorNumber: FINE },
      },
    ])
    expect(text).not.toContain(lane.central.clientSecret)
  })
  it('tells a waiting caller that the time is over', async () => {
    expect((await lane.control('GET', '/wait?path=/nobody&count=1&timeoutMs=20')).status).toBe(408)
  })
})

it('a caller who sends half a request and leaves harms nobody', async () => {
  const socket = connect(Number(new URL(lane.central.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST ${CASH_PATHS.redeem} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ` +
      `500\r\n\r\n{"tra`,
  )
  socket.destroy()
  await once(socket, 'close')
  expect(asCash(await lane.echo()).responseCode).toBe('0000')
})

it('takes the rules that README.md shows', async () => {
  const shown =
    /```json\n(\{ "rules"[^`]*)```/.exec(
      readFileSync(new URL('../../docs/reference-services.md', import.meta.url), 'utf8'),
    )?.[1] ?? ''
  const received = await lane.control('POST', '/faults', JSON.parse(shown))
  expect([received.status, received.text]).toEqual([200, received.text])
  await lane.control('DELETE', '/faults')
})
