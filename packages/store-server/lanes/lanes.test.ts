import { describe, expect, onTestFinished, test, type TestContext } from 'vitest'
import { MAX_FACTS_BYTES, STORE_PROTOCOL, type Fact } from '../../../contracts/store/protocol.ts'
import { openPostgres } from '../db/postgres.ts'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { fact, HEALTH, OTHER, startLanes, STREAM } from './lanes.fixture.ts'

const postgres = usePostgres({ fsync: false })
const start = (skip: TestContext['skip'], url?: string) => startLanes(postgres, skip, url)
const SILENT = createLog('silent')

describe('facts of a lane', () => {
  test('are applied once, however pushes divide or repeat them', async ({ skip }) => {
    const { hello, push, count } = await start(skip)
    expect((await hello('01')).body).toMatchObject({ store: 'STORE', lane: '01', applied: { [STREAM]: 0 } })
    expect((await push('01', [fact(1), fact(2)])).body).toEqual({ applied: 2, aside: [] })
    expect((await push('01', [fact(1), fact(2)])).body).toEqual({ applied: 2, aside: [] })
    expect((await push('01', [fact(2), fact(3)])).body).toEqual({ applied: 3, aside: [] })
    for (let times = 0; times < 4; times += 1) {
      const both = await Promise.all([1, 2].map(() => push('01', [fact(3), fact(4), fact(5)])))
      expect(both.map(({ body }) => body.applied)).toEqual([5, 5])
    }
    expect([await count('fact'), await count('note')]).toEqual([5, 5])
    expect((await hello('01')).body.applied).toEqual({ [STREAM]: 5 })
  })

  test('are refused with 503 while their lane sends many pushes at once; other lanes are served', async ({ skip }) => {
    const { hello, push } = await start(skip)
    await hello('01')
    await hello('02', OTHER)
    const many = Array.from({ length: 90 }, () => push('01', [fact(1)]))
    expect((await push('02', [fact(1)], OTHER)).body).toEqual({ applied: 1, aside: [] })
    const statuses = (await Promise.all(many)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0)
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0)
  })

  test('are refused and not stored when a number is missing; the answer names the expected number', async ({
    skip,
  }) => {
    const { hello, push, count } = await start(skip)
    await hello('01')
    expect(await push('01', [fact(2)])).toMatchObject({ status: 409, body: { refused: 'gap', expected: 1 } })
    expect(await push('01', [fact(1), fact(3)])).toMatchObject({ status: 409, body: { refused: 'gap', expected: 1 } })
    expect(await count('fact')).toBe(0)
  })

  test('are refused when other content has the same numbers, as after a copy of the lane’s database', async ({
    skip,
  }) => {
    const { hello, push } = await start(skip)
    await hello('01')
    await push('01', [fact(1)])
    const received = await push('01', [fact(1, { subject: 'another' }), fact(2)])
    expect(received).toMatchObject({ status: 409, body: { refused: 'other-history' } })
  })

  test('are quarantined with a reason when invalid; they block no other fact and reach no other lane', async ({
    skip,
  }) => {
    const { hello, push, call, count, database } = await start(skip)
    await hello('01')
    const poisoned = [
      fact(1),
      fact(2, { body: { text: 'poison' } }),
      fact(3),
      fact(4, { body: { unreadable: 'gone\0' } }),
    ]
    expect((await push('01', poisoned)).body).toEqual({ applied: 4, aside: [2, 4] })
    expect([await count('fact'), await count('note')]).toEqual([4, 2])
    const { rows } = await database.query('SELECT seq, reason FROM fact_aside ORDER BY seq')
    expect(rows).toEqual([
      { seq: 2, reason: 'no text\ufffd' },
      { seq: 4, reason: 'gone\ufffd' },
    ])
    const { body } = await call('02', 'pull', { vector: {}, kinds: ['note'] })
    expect(body).toMatchObject({ facts: [{ seq: 1 }, { seq: 3 }], vector: { [STREAM]: 4 }, more: false })
  })

  test('do not reach other lanes before the server has read them', async ({ skip }) => {
    const { hello, push, call, database } = await start(skip)
    await hello('01')
    await hello('02', OTHER)
    await push('01', [fact(1), fact(2, { body: { text: 'poison' } }), fact(3)])
    await database.query('DELETE FROM fact_aside')
    await database.query('DELETE FROM note WHERE seq > 1')
    await database.query('UPDATE stream SET unread_from = 2')
    const pull = async () => (await call('02', 'pull', { vector: {}, kinds: ['note'] })).body
    expect(await pull()).toMatchObject({ facts: [{ seq: 1 }], vector: { [STREAM]: 1 } })
    await call('02', 'heartbeat', { health: HEALTH, vector: {}, kinds: ['note'], waitMs: 0 })
    expect(await pull()).toMatchObject({ facts: [{ seq: 1 }, { seq: 3 }], vector: { [STREAM]: 3 } })
  })

  test('are stored without the characters that the database cannot store', async ({ skip }) => {
    const { hello, push, database } = await start(skip)
    await hello('01')
    const strange = [
      fact(1, { subject: 'S\u0000', body: { 'a\ud800': ['\ude00b', '\\u0000'] } }),
      fact(2, { body: { name: 'A\ud83d' } }),
    ]
    expect((await push('01', strange)).body).toEqual({ applied: 2, aside: [] })
    const { rows } = await database.query('SELECT subject, body FROM fact WHERE seq = 1')
    expect(rows).toEqual([{ subject: 'S\ufffd', body: { 'a\ufffd': ['\ufffdb', '\\u0000'] } }])
    expect((await push('01', strange)).body).toEqual({ applied: 2, aside: [] })
  })

  test('are retried, not quarantined, when the database temporarily could not read them', async ({ skip }) => {
    const url = await postgres.database(skip)
    const { hello, push, count, database } = await start(skip, `${url}&lock_timeout=100`)
    await hello('01')
    const other = openPostgres({ url, log: SILENT })
    onTestFinished(() => other.close())
    await other.transaction(async (tx) => {
      await tx.query("INSERT INTO note (lane, seq) VALUES ('01', 2)")
      expect((await push('01', [fact(1), fact(2)])).status).toBeGreaterThanOrEqual(500)
      await tx.query('DELETE FROM note')
    })
    expect(await count('fact')).toBe(0)
    expect((await push('01', [fact(1), fact(2)])).body).toEqual({ applied: 2, aside: [] })
    expect((await database.query('SELECT 1 FROM note')).rows).toHaveLength(2)
  })

  test('are accepted after, not during, a rebuild’s lock; hellos and heartbeats of known lanes are answered', async ({
    skip,
  }) => {
    const url = await postgres.database(skip)
    const { call, hello, push } = await start(skip, `${url}&lock_timeout=100`)
    await hello('01')
    const other = openPostgres({ url, log: SILENT })
    onTestFinished(() => other.close())
    await other.transaction(async (tx) => {
      await tx.query('LOCK TABLE stream IN EXCLUSIVE MODE')
      expect((await hello('01')).body.applied).toEqual({ [STREAM]: 0 })
      expect((await call('01', 'heartbeat', { health: HEALTH, vector: {}, waitMs: 0 })).status).toBe(200)
      expect((await push('01', [fact(1)])).status).toBeGreaterThanOrEqual(500)
    })
    expect((await push('01', [fact(1)])).body).toEqual({ applied: 1, aside: [] })
  })

  test("are accepted only from the stream's lane, with its token and a supported version", async ({ skip }) => {
    const { call, hello, push } = await start(skip)
    await hello('01')
    expect(await push('02', [fact(1)])).toMatchObject({ status: 409, body: { refused: 'unknown-stream' } })
    expect(await hello('02')).toMatchObject({ status: 409, body: { refused: 'other-history' } })
    expect(await call(null, 'hello', {})).toMatchObject({ status: 401, body: { refused: 'token' } })
    expect(JSON.stringify(await hello('01')), 'the answer contains nothing else about the lane').not.toContain(
      'of the token',
    )
    const newer = { protocol: STORE_PROTOCOL + 2, stream: STREAM, epoch: 1, facts: [fact(1)] }
    expect(await call('01', 'facts', newer)).toMatchObject({ status: 409, body: { refused: 'protocol' } })
    expect(await call('01', 'facts', { stream: STREAM, epoch: 1, facts: [] })).toMatchObject({ status: 400 })
  })
})

describe('facts of other lanes', () => {
  test('are accepted from a lane one release ahead, including content that this release does not know', async ({
    skip,
  }) => {
    const { call, count } = await start(skip)
    const later = { protocol: STORE_PROTOCOL + 1, later: { is: 'unknown' } }
    const streams = [{ epoch: 1, name: STREAM, later }]
    expect(await call('01', 'hello', { ...later, version: '2.0.0', streams })).toMatchObject({ status: 200 })
    const facts = [{ ...fact(1), later }]
    expect(await call('01', 'facts', { ...later, stream: STREAM, epoch: 1, facts })).toMatchObject({
      status: 200,
      body: { applied: 1, aside: [] },
    })
    const health = { ...HEALTH, later, queue: { ...HEALTH.queue, later }, drawer: { ...HEALTH.drawer, later } }
    const beat = { ...later, health, vector: {}, waitMs: 0 }
    expect(await call('01', 'heartbeat', beat)).toMatchObject({ status: 200 })
    const pull = { ...later, vector: {}, kinds: ['note', 'a later kind'] }
    expect(await call('02', 'pull', pull)).toMatchObject({ status: 200, body: { facts: [{ subject: 'S1' }] } })
    expect(await count('note')).toBe(1)
  })

  test("are pulled by vector and kind, in order, without facts of other stores or the lane's own facts", async ({
    skip,
  }) => {
    const { call, hello, push } = await start(skip)
    await hello('01')
    await hello('02', OTHER)
    await push('01', [fact(1), fact(2, { kind: 'other' }), fact(3)])
    await push('02', [fact(1)], OTHER)
    const pull = (lane: string, vector: object) => call(lane, 'pull', { vector, kinds: ['note'] })
    const first = await pull('02', {})
    expect(first.body).toMatchObject({
      facts: [
        { lane: '01', seq: 1 },
        { lane: '01', seq: 3 },
      ],
      vector: { [STREAM]: 3 },
      more: false,
    })
    expect((await pull('02', first.body.vector)).body).toEqual({ facts: [], vector: {}, proofs: {}, more: false })
    await hello('03', 'c'.repeat(32))
    expect((await pull('03', {})).body.facts).toEqual([])
  })

  test('arrive page by page and without gaps from a long stream', async ({ skip }) => {
    const { call, hello, push } = await start(skip)
    await hello('01')
    await hello('02', OTHER)
    for (let from = 1; from <= 1_201; from += 400)
      await push(
        '01',
        Array.from({ length: 400 }, (_, index) => fact(from + index)),
      )
    let vector: Record<string, number> = {}
    const seen: number[] = []
    for (let more = true; more;) {
      const { body } = await call('02', 'pull', { vector, kinds: ['note'] })
      seen.push(...body.facts.map(({ seq }: Fact) => seq))
      vector = { ...vector, ...body.vector }
      more = body.more
    }
    expect(seen).toEqual(Array.from({ length: 1_600 }, (_, index) => index + 1))
  })

  test('are pulled in several answers, each below twice the size limit of a push', async ({ skip }) => {
    const { call, hello, push } = await start(skip)
    await hello('01')
    await hello('02', OTHER)
    const text = 'é'.repeat(500_000)
    for (let seq = 1; seq <= 6; seq += 2) await push('01', [fact(seq, { body: { text } }), fact(seq + 1, { body: {} })])
    let vector: Record<string, number> = {}
    const answers: number[][] = []
    for (let more = true; more;) {
      const { body } = await call('02', 'pull', { vector, kinds: ['note'] })
      answers.push(body.facts.map(({ seq }: Fact) => seq))
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(2 * MAX_FACTS_BYTES)
      vector = { ...vector, ...body.vector }
      more = body.more
    }
    expect(answers.flat()).toEqual([1, 2, 3, 4, 5, 6])
    expect(answers.length).toBeGreaterThan(1)
    expect(vector).toEqual({ [STREAM]: 6 })
  })

  test('end a waiting heartbeat, also at another server of the database', async ({ skip }) => {
    const first = await start(skip)
    const second = await start(skip, first.url)
    await first.hello('01')
    await second.hello('02', OTHER)
    const held = second.call('02', 'heartbeat', { health: HEALTH, vector: {}, waitMs: 10_000 })
    await first.push('01', [fact(1)])
    expect((await held).body).toMatchObject({ heads: { [STREAM]: 1 }, aside: 0 })
    const late = await second.call('02', 'heartbeat', { health: HEALTH, vector: { [STREAM]: 1 }, waitMs: 20 })
    expect(late.body.heads).toEqual({ [STREAM]: 1 })
  })
})
