import Fastify from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import {
  MOST_FACTS_BYTES,
  STORE_PATHS,
  STORE_PROTOCOL,
  type Fact,
  type LaneHealth,
} from '../../contracts/store/protocol.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { awaitedLanes, goOnWithout, lookAtDatabase, noteToldAll } from './awaited.ts'
import { lanes, LANES_TABLES } from './feature.ts'
import type { Projection } from './projection.ts'

const postgres = usePostgres({ fsync: false })
const STREAM = 'a'.repeat(32)
/** What the database says of itself is what it said in another place. */
const PUT_BACK = "UPDATE database_identity SET identity = 'of the lost one'"
const OTHER = 'b'.repeat(32)
const SILENT = createLog('silent')
const HEALTH: LaneHealth = {
  version: '1.0.0',
  mode: 'training',
  untold: 0,
  queue: { waiting: 0, attention: 0, oldestAt: null },
  central: 'online',
  drawer: { open: false, since: null },
  lastSaleAt: null,
  troubles: [],
  stopped: null,
}
const fact = (seq: number, part: Partial<Fact> = {}): Fact => ({
  seq,
  kind: 'note',
  subject: `S${seq}`,
  at: 1_790_000_000_000 + seq,
  body: { text: `${seq}` },
  sealed: null,
  ...part,
})
/** Writes what it reads, and stumbles over a body that says so. */
const NOTES: Projection = {
  kinds: ['note'],
  async apply(tx, facts, { lane }) {
    for (const { body, seq } of facts) {
      await tx.query('INSERT INTO note (lane, seq) VALUES ($1, $2)', [lane, seq])
      if (body['text'] === 'poison') throw new Error('no text')
    }
  },
}

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server on a fresh database, and its lanes by their tokens: 01, 02 of one store, 03 of another. */
async function start(skip: Parameters<typeof postgres.database>[0], url?: string) {
  const on = url ?? (await postgres.database(skip))
  const app = Fastify()
  const database = openPostgres({ url: on, log: app.log })
  await migrate(database, [LANES_TABLES])
  await database.query('CREATE TABLE IF NOT EXISTS note (lane text, seq integer, PRIMARY KEY (lane, seq))')
  const feature = lanes({
    postgres: database,
    sealKey: Buffer.alloc(32, 7),
    projections: [NOTES],
    identify: async ({ headers }) => {
      const lane = headers.authorization?.slice('Bearer '.length)
      const known = { store: lane === '03' ? 'OTHER' : 'STORE', lane: lane ?? '', tokenHash: 'of the token' }
      return lane === undefined ? null : known
    },
  })
  await feature.routes(app)
  closing.push(async () => {
    await feature.close?.()
    await app.close()
    await database.close()
  })
  const call = async (lane: string | null, path: keyof typeof STORE_PATHS, body: object) => {
    const headers = lane === null ? {} : { authorization: `Bearer ${lane}` }
    const payload = { protocol: STORE_PROTOCOL, ...body }
    const answer = await app.inject({ method: 'POST', url: STORE_PATHS[path], headers, payload })
    return { status: answer.statusCode, body: answer.json() }
  }
  const hello = (lane: string, name = STREAM) =>
    call(lane, 'hello', { version: '1.0.0', streams: [{ epoch: 1, name }] })
  const push = (lane: string, facts: readonly Fact[], stream = STREAM) =>
    call(lane, 'facts', { stream, epoch: 1, facts })
  const count = async (table: string) =>
    Number((await database.query(`SELECT count(*) FROM ${table}`)).rows[0]?.['count'])
  return { url: on, call, hello, push, count, database }
}

describe('facts of a lane', () => {
  test('are applied once each, however often and in whatever pieces they are told', async ({ skip }) => {
    const { hello, push, count } = await start(skip)
    expect((await hello('01')).body).toMatchObject({ store: 'STORE', lane: '01', applied: { [STREAM]: 0 } })
    expect((await push('01', [fact(1), fact(2)])).body).toEqual({ applied: 2, aside: [] })
    expect((await push('01', [fact(1), fact(2)])).body).toEqual({ applied: 2, aside: [] })
    expect((await push('01', [fact(2), fact(3)])).body).toEqual({ applied: 3, aside: [] })
    const all = await Promise.all(Array.from({ length: 8 }, () => push('01', [fact(3), fact(4), fact(5)])))
    expect(all.map(({ body }) => body.applied)).toEqual(Array.from({ length: 8 }, () => 5))
    expect([await count('fact'), await count('note')]).toEqual([5, 5])
    expect((await hello('01')).body.applied).toEqual({ [STREAM]: 5 })
  })

  test('that leave a gap are refused with the number that is to come, and nothing is kept', async ({ skip }) => {
    const { hello, push, count } = await start(skip)
    await hello('01')
    expect(await push('01', [fact(2)])).toMatchObject({ status: 409, body: { refused: 'gap', expected: 1 } })
    expect(await push('01', [fact(1), fact(3)])).toMatchObject({ status: 409, body: { refused: 'gap', expected: 1 } })
    expect(await count('fact')).toBe(0)
  })

  test('of another history under the same numbers are refused: a copied database does not mix in', async ({ skip }) => {
    const { hello, push } = await start(skip)
    await hello('01')
    await push('01', [fact(1)])
    const told = await push('01', [fact(1, { subject: 'another' }), fact(2)])
    expect(told).toMatchObject({ status: 409, body: { refused: 'other-history' } })
  })

  test('that are poisoned are set aside with why, and hold up nobody', async ({ skip }) => {
    const { hello, push, count, database } = await start(skip)
    await hello('01')
    const poisoned = [
      fact(1),
      fact(2, { body: { text: 'poison' } }),
      fact(3),
      fact(4, { body: { unreadable: 'gone' } }),
    ]
    expect((await push('01', poisoned)).body).toEqual({ applied: 4, aside: [2, 4] })
    expect([await count('fact'), await count('note')]).toEqual([4, 3])
    const { rows } = await database.query('SELECT seq, reason FROM fact_aside ORDER BY seq')
    expect(rows).toEqual([
      { seq: 2, reason: 'no text' },
      { seq: 4, reason: 'gone' },
    ])
  })

  test('that hold signs that no text of the database holds are kept without them', async ({ skip }) => {
    const { hello, push, database } = await start(skip)
    await hello('01')
    const strange = [fact(1, { subject: 'S\u0000', body: { 'a\ud800': ['\ude00b', '\\u0000'] } }), fact(2)]
    expect((await push('01', strange)).body).toEqual({ applied: 2, aside: [] })
    const { rows } = await database.query('SELECT subject, body FROM fact WHERE seq = 1')
    expect(rows).toEqual([{ subject: 'S\ufffd', body: { 'a\ufffd': ['\ufffdb', '\\u0000'] } }])
    expect((await push('01', strange)).body).toEqual({ applied: 2, aside: [] })
  })

  test('wait where the database could not read them just then: none is set aside for that', async ({ skip }) => {
    const url = await postgres.database(skip)
    const { hello, push, count, database } = await start(skip, `${url}&lock_timeout=100`)
    await hello('01')
    // Somebody else writes there, and takes longer than a lock is waited for.
    const other = openPostgres({ url, log: SILENT })
    closing.push(() => other.close())
    await other.transaction(async (tx) => {
      await tx.query("INSERT INTO note (lane, seq) VALUES ('01', 2)")
      expect((await push('01', [fact(1), fact(2)])).status).toBeGreaterThanOrEqual(500)
      await tx.query('DELETE FROM note')
    })
    expect(await count('fact')).toBe(0)
    expect((await push('01', [fact(1), fact(2)])).body).toEqual({ applied: 2, aside: [] })
    expect((await database.query('SELECT 1 FROM note')).rows).toHaveLength(2)
  })

  test('are taken from the lane whose stream it is alone, by its token, in a version that is spoken', async ({
    skip,
  }) => {
    const { call, hello, push } = await start(skip)
    await hello('01')
    expect(await push('02', [fact(1)])).toMatchObject({ status: 409, body: { refused: 'unknown-stream' } })
    expect(await hello('02')).toMatchObject({ status: 409, body: { refused: 'other-history' } })
    expect(await call(null, 'hello', {})).toMatchObject({ status: 401, body: { refused: 'token' } })
    expect(JSON.stringify(await hello('01')), 'nothing else of the lane is told').not.toContain('of the token')
    const newer = { protocol: STORE_PROTOCOL + 2, stream: STREAM, epoch: 1, facts: [fact(1)] }
    expect(await call('01', 'facts', newer)).toMatchObject({ status: 409, body: { refused: 'protocol' } })
    expect(await call('01', 'facts', { stream: STREAM, epoch: 1, facts: [] })).toMatchObject({ status: 400 })
  })
})

describe('other lanes', () => {
  test('are taken from a lane that is a release ahead, with whatever it says besides', async ({ skip }) => {
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

  test('pull by a vector what they follow, in order, and nothing of another store or of their own', async ({
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
    expect((await pull('02', first.body.vector)).body).toEqual({ facts: [], vector: {}, more: false })
    await hello('03', 'c'.repeat(32))
    expect((await pull('03', {})).body.facts).toEqual([])
  })

  test('come through a long stream page by page, missing none', async ({ skip }) => {
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

  test('are answered about as many bytes as a push may have, and come through all of it', async ({ skip }) => {
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
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(2 * MOST_FACTS_BYTES)
      vector = { ...vector, ...body.vector }
      more = body.more
    }
    expect(answers.flat()).toEqual([1, 2, 3, 4, 5, 6])
    expect(answers.length).toBeGreaterThan(1)
    expect(vector).toEqual({ [STREAM]: 6 })
  })

  test('are told of news while their heartbeat is held back, by another server of the database too', async ({
    skip,
  }) => {
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

describe('a database that was put back', () => {
  test('awaits its lanes, and one that only another lane has heard of, until each has told all', async ({ skip }) => {
    const { call, hello, push, database } = await start(skip)
    const beat = async (lane: string, vector: object) =>
      (await call(lane, 'heartbeat', { health: HEALTH, vector, waitMs: 0 })).body
    await hello('01')
    await push('01', [fact(1)])
    await hello('02', OTHER)
    const NEW = 'd'.repeat(32)
    expect((await beat('02', { [STREAM]: 1 })).awaited).toBe(false)
    await database.query(PUT_BACK)
    expect((await beat('02', { [STREAM]: 1, [NEW]: 4 })).awaited).toBe(true)
    expect(await awaitedLanes(database, 'STORE')).toEqual(['', '01', '02'])
    await noteToldAll(database, { store: 'STORE', lane: '02' }, { [OTHER]: 0 })
    expect((await beat('02', { [STREAM]: 1, [NEW]: 4 })).awaited, 'it came once').toBe(false)
    await hello('04', NEW)
    expect(await awaitedLanes(database, 'STORE')).toEqual(['01', '04'])
    await noteToldAll(database, { store: 'STORE', lane: '04' }, { [NEW]: 4 })
    expect(await awaitedLanes(database, 'STORE'), 'it has more to tell').toEqual(['01', '04'])
    await push('04', [fact(1), fact(2), fact(3), fact(4)], NEW)
    await noteToldAll(database, { store: 'STORE', lane: '04' }, { [NEW]: 4 })
    await noteToldAll(database, { store: 'STORE', lane: '01' }, { [STREAM]: 1 })
    expect(await awaitedLanes(database, 'STORE')).toEqual([])
  })

  test('awaits a lane that lost its disk too, in the stream that is gone, until the owner goes on', async ({
    skip,
  }) => {
    const { hello, push, database } = await start(skip)
    const NEW = 'd'.repeat(32)
    const lane = { store: 'STORE', lane: '02' }
    await hello('02', OTHER)
    await push('02', [fact(1)], OTHER)
    await database.query(PUT_BACK)
    await lookAtDatabase(database)
    await hello('02', NEW)
    await push('02', [fact(1)], NEW)
    await noteToldAll(database, lane, { [NEW]: 1 })
    expect(await awaitedLanes(database, 'STORE'), 'what the old computer did is not known').toEqual(['02'])
    expect(await goOnWithout(database, lane, 'Sam', 'burnt')).toBe(true)
    expect(await awaitedLanes(database, 'STORE')).toEqual([])

    await database.query(PUT_BACK)
    await lookAtDatabase(database)
    await noteToldAll(database, lane, { [NEW]: 1 })
    expect(await awaitedLanes(database, 'STORE'), 'nothing comes any more of one before').toEqual([])
  })

  test('awaits what others have read of a lane, also where that went back to a backup of its own', async ({ skip }) => {
    const { call, hello, push, database } = await start(skip)
    const beat = (lane: string, vector: object) => call(lane, 'heartbeat', { health: HEALTH, vector, waitMs: 0 })
    const told = (last: number) => noteToldAll(database, { store: 'STORE', lane: '02' }, { [OTHER]: last })
    const awaited = () => awaitedLanes(database, 'STORE')
    await hello('02', OTHER)
    await push('02', [fact(1), fact(2)], OTHER)
    await database.query(PUT_BACK)
    await lookAtDatabase(database)
    await told(1)
    expect(await awaited(), 'it knows less than is here').toEqual(['02'])
    await told(2)
    expect(await awaited()).toEqual([])
    await hello('01')
    await beat('01', { [OTHER]: 3 })
    expect(await awaited(), 'another lane has read more').toEqual(['02'])
    await told(2)
    await beat('01', { [OTHER]: 2 })
    expect(await awaited()).toEqual(['02'])
    await push('02', [fact(3)], OTHER)
    await told(3)
    expect(await awaited(), 'the lost copy turned up').toEqual([])

    await beat('01', { [OTHER]: 5 })
    await goOnWithout(database, { store: 'STORE', lane: '02' }, 'Sam', 'burnt')
    await beat('01', { [OTHER]: 6 })
    expect(await awaited(), 'the owner has decided').toEqual([])
  })

  test('by a copy of its files along another line of its log, or as another database, is another one', async ({
    skip,
  }) => {
    const { database } = await start(skip)
    const { rows } = await database.query<{ identity: string }>('SELECT identity FROM database_here')
    expect(rows).toEqual([{ identity: expect.stringMatching(/^\d+\/\d+\/00000001$/) }])
    expect((await database.query('SELECT identity FROM database_identity')).rows).toEqual(rows)
    const other = (await start(skip)).database
    expect((await other.query('SELECT identity FROM database_here')).rows).not.toEqual(rows)
  })
})
