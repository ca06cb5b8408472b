import { expect, test, type TestContext } from 'vitest'
import { MAX_STREAMS_NAMED, MAX_STREAMS_OF_LANE } from '../../../contracts/store/bounds.ts'
import { usePostgres } from '../testing/postgres.ts'
import { createOpenDraws } from '../vouchers/vouchers.ts'
import { awaitedLanes } from './awaited.ts'
import { fact, HEALTH, provenVector, PROOFS, startLanes, STREAM } from './lanes.fixture.ts'

const postgres = usePostgres({ fsync: false })
const LOST = 'd'.repeat(32)
const nameOf = (number: number): string => number.toString(16).padStart(32, '0')

async function start(skip: TestContext['skip']) {
  const store = await startLanes(postgres, skip)
  const beat = (lane: string, listed: object) =>
    store.call(lane, 'heartbeat', { health: HEALTH, vector: {}, waitMs: 0, ...listed })
  return { ...store, beat, awaited: () => awaitedLanes(store.database, 'STORE') }
}

test('a lane that names an unknown stream, or facts beyond a stream without proof, delays no other lane', async ({
  skip,
}) => {
  const { hello, push, beat, awaited, count } = await start(skip)
  await hello('01')
  await push('01', [fact(1)])
  const proof = PROOFS.of('STORE', LOST, 4)
  for (const [what, listed] of Object.entries({
    'no proof': { vector: { [LOST]: 4, [STREAM]: 9 } },
    'a made-up proof': { heard: { [LOST]: { seq: 4, proof: 'A'.repeat(22) } } },
    'the proof of another number': { heard: { [LOST]: { seq: 5, proof } } },
    'the proof of another stream': { heard: { [nameOf(1)]: { seq: 4, proof } } },
    'the proof of another store': { heard: { [LOST]: { seq: 4, proof: PROOFS.of('OTHER', LOST, 4) } } },
    'a true proof of what is here': { vector: { [STREAM]: 9 }, heard: provenVector({ [STREAM]: 1 }) },
  })) {
    expect((await beat('02', listed)).status, what).toBe(200)
    expect(await awaited(), what).toEqual([])
  }
  expect(await count('stream_awaited')).toBe(0)
})

test('facts are served with a proof; a restored store waits for facts that a lane proves', async ({ skip }) => {
  const { call, hello, push, beat, awaited, database } = await start(skip)
  await hello('01')
  await push('01', [fact(1), fact(2)])
  const { body } = await call('02', 'pull', { vector: {}, kinds: ['note'] })
  expect(body).toMatchObject({ vector: { [STREAM]: 2 }, proofs: { [STREAM]: expect.any(String) } })
  const vector = { [STREAM]: { seq: 2, proof: body.proofs[STREAM] } }
  await database.query('DELETE FROM fact WHERE seq = 2')
  await database.query('UPDATE stream SET applied = 1')
  await beat('02', { heard: vector })
  expect(await awaited()).toEqual(['01'])
})

test('the database owner sees which lane made the store wait, and revoking that lane ends the wait', async ({
  skip,
}) => {
  const { beat, awaited, database } = await start(skip)
  const draws = createOpenDraws(database, 'STORE')
  const revoke = (lane: string) =>
    database.query(
      `INSERT INTO device (token_hash, store, lane, lane_key, code_id, since, revoked_at)
        VALUES (decode(md5($1) || md5($1), 'hex'), 'STORE', $1, 'key', 'code', 0, $2)`,
      [lane, Date.now() + 1],
    )
  await beat('02', { heard: provenVector({ [LOST]: 4 }) })
  expect(await awaited()).toEqual([''])
  expect(await draws.awaited()).toMatchObject([{ lane: '', saidBy: ['02'] }])
  await revoke('02')
  expect(await awaited()).toEqual([])
  expect(await draws.awaited()).toEqual([])
  await beat('01', { heard: provenVector({ [LOST]: 3 }) })
  expect(await draws.awaited()).toMatchObject([{ lane: '', saidBy: ['01'] }])
})

test('a lane can name and begin only a limited number of streams', async ({ skip }) => {
  const { beat, call, count } = await start(skip)
  const named = (most: number) => Object.fromEntries(Array.from({ length: most }, (_, index) => [nameOf(index), 1]))
  expect((await beat('01', { vector: named(MAX_STREAMS_NAMED) })).status).toBe(200)
  expect((await beat('01', { vector: named(MAX_STREAMS_NAMED + 1) })).status).toBe(400)
  expect((await beat('01', { heard: provenVector(named(MAX_STREAMS_NAMED + 1)) })).status).toBe(400)
  expect((await beat('01', { own: named(MAX_STREAMS_NAMED + 1) })).status).toBe(400)
  expect((await beat('01', { own: { [STREAM]: 2 ** 31 } })).status).toBe(400)
  const streams = Array.from({ length: MAX_STREAMS_OF_LANE }, (_, index) => ({
    epoch: index + 1,
    name: nameOf(index),
  }))
  const hello = (some: readonly object[]) => call('01', 'hello', { version: '1', streams: some })
  expect((await hello(streams)).status).toBe(200)
  expect(await hello([{ epoch: 1, name: LOST }])).toMatchObject({ status: 409, body: { refused: 'too-many-streams' } })
  expect((await hello(streams)).status).toBe(200)
  expect(await count('stream')).toBe(MAX_STREAMS_OF_LANE)
})
