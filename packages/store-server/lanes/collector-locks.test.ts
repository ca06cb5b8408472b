import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { LOCK_PATHS } from '../../../contracts/store/collector-locks.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { createLog } from '../log.ts'
import { contextOf, openRoutes } from '../testing/context.ts'
import { usePostgres } from '../testing/postgres.ts'
import { collectorLockRoutes, TURNS_TABLES } from './collector-locks.ts'

const postgres = usePostgres({ fsync: false })
const COLLECTOR = 'a'.repeat(64)
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function start(skip: Parameters<typeof postgres.database>[0]) {
  const url = await postgres.database(skip)
  const servers = await Promise.all([open(url), open(url)])
  const { database } = servers[0]
  let asked = 0
  const call = async (lane: string, path: keyof typeof LOCK_PATHS, body: object) => {
    const { app } = servers[(asked += 1) % 2] ?? servers[0]
    const payload = { protocol: STORE_PROTOCOL, collector: COLLECTOR, ...body }
    const answer = await app.inject({ method: 'POST', url: LOCK_PATHS[path], headers: { lane }, payload })
    return answer.json()
  }
  const take = (lane: string, purpose: 'now' | 'queued', id: string = randomUUID(), waitMs = 0) =>
    call(lane, 'take', { id, purpose, waitMs })
  const listen = async (): Promise<number> => {
    const { port } = new URL(await servers[0].app.listen({ host: '127.0.0.1', port: 0 }))
    return Number(port)
  }
  return { call, take, database, listen }
}

async function open(url: string) {
  const log = createLog('silent')
  const database = openPostgres({ url, log })
  await migrate(database, [TURNS_TABLES])
  const app = await openRoutes(contextOf(database, { log }), [collectorLockRoutes], ({ headers }) => {
    const lane = String(headers['lane'])
    return { store: lane === '99' ? 'OTHER' : 'STORE', lane }
  })
  closing.push(async () => {
    await app.close()
    await database.close()
  })
  return { app, database }
}

test("one of thirty concurrent lanes gets the collector's lock, and the next lock has a higher fence number", async ({
  skip,
}) => {
  const { call, take } = await start(skip)
  let fence = 0
  for (let round = 0; round < 20; round += 1) {
    const ids = Array.from({ length: 30 }, () => randomUUID())
    const answers = await Promise.all(ids.map((id, lane) => take(String(lane), 'now', id)))
    const winners = answers.flatMap(({ kind, fence: given }, at) => (kind === 'yours' ? [{ at, given }] : []))
    expect(winners).toHaveLength(1)
    const [winner] = winners
    if (!winner) return
    expect(winner.given).toBeGreaterThan(fence)
    fence = winner.given
    expect(new Set(answers.map(({ lane }) => lane ?? String(winner.at)))).toEqual(new Set([String(winner.at)]))
    const id = ids[winner.at]
    expect(await call('98', 'release', { id })).toEqual({ stands: false })
    expect(await call(String(winner.at), 'release', { id })).toEqual({ stands: true })
  }
})

test("a request for a collector's lock at the checkout precedes queued calls, even when it comes later", async ({
  skip,
}) => {
  const { call, take, database } = await start(skip)
  const [held, now] = [randomUUID(), randomUUID()]
  await take('01', 'queued', held)
  expect(await take('02', 'queued')).toEqual({ kind: 'taken', lane: '01' })
  // A checkout repeats its request until it has the lock.
  const waiting = async () => {
    for (;;) {
      const answer = await take('03', 'now', now, 250)
      if (answer.kind === 'yours') return answer
    }
  }
  const checkout = waiting()
  await expect.poll(async () => (await database.query('SELECT 1 FROM collector_wait')).count).toBe(1)
  await call('01', 'release', { id: held })
  const queued = await take('02', 'queued')
  expect([(await checkout).kind, queued.kind]).toEqual(['yours', 'taken'])
  await call('03', 'release', { id: now })
  expect(await take('02', 'queued')).toMatchObject({ kind: 'yours' })
})

test('a repeated request id returns the same collector lock, and another store has its own lock', async ({ skip }) => {
  const { call, take } = await start(skip)
  const id = randomUUID()
  expect(await take('01', 'now', id)).toMatchObject({ kind: 'yours' })
  expect(await take('01', 'now', id)).toMatchObject({ kind: 'yours' })
  expect(await call('01', 'renew', { id })).toEqual({ stands: true })
  expect(await call('02', 'renew', { id })).toEqual({ stands: false })
  expect(await take('99', 'now')).toMatchObject({ kind: 'yours' })
})

test("a lane's new request replaces its earlier collector lock at once", async ({ skip }) => {
  const { call, take } = await start(skip)
  const [lost, id] = [randomUUID(), randomUUID()]
  await take('01', 'now', lost)
  expect(await take('01', 'now', id)).toMatchObject({ kind: 'yours' })
  expect(await call('01', 'release', { id: lost }), 'a drop that comes late').toEqual({ stands: false })
  expect(await take('02', 'now')).toEqual({ kind: 'taken', lane: '01' })
  expect(await call('01', 'renew', { id })).toEqual({ stands: true })
})

test("a lane that disconnects while it waits for a collector's lock gets no lock and blocks no other lane", async ({
  skip,
}) => {
  const { call, take, database, listen } = await start(skip)
  const port = await listen()
  const held = randomUUID()
  await take('01', 'now', held)
  const asked = request({
    port,
    path: LOCK_PATHS.take,
    method: 'POST',
    headers: { lane: '02', 'content-type': 'application/json' },
  }).on('error', () => undefined)
  const body = { protocol: STORE_PROTOCOL, id: randomUUID(), collector: COLLECTOR, purpose: 'now', waitMs: 250 }
  asked.end(JSON.stringify(body))
  await expect.poll(async () => (await database.query('SELECT 1 FROM collector_wait')).count, { interval: 5 }).toBe(1)
  asked.destroy()
  await call('01', 'release', { id: held })
  await expect.poll(() => take('03', 'queued'), { interval: 50, timeout: 3_000 }).toMatchObject({ kind: 'yours' })
})

test('an expired collector lock goes to another lane and cannot be renewed', async ({ skip }) => {
  const { call, take, database } = await start(skip)
  const id = randomUUID()
  await take('01', 'now', id)
  await database.query("UPDATE collector_turn SET until = now() - interval '1 millisecond'")
  expect(await call('01', 'renew', { id })).toEqual({ stands: false })
  expect(await take('02', 'queued')).toMatchObject({ kind: 'yours' })
  expect(await call('01', 'release', { id })).toEqual({ stands: false })
  expect(await take('03', 'queued')).toEqual({ kind: 'taken', lane: '02' })
})

test('a collector lock that ends later than its lifetime allows, as after a clock change, blocks no lane', async ({
  skip,
}) => {
  const { take, database } = await start(skip)
  await take('01', 'now')
  await take('02', 'now')
  for (const table of ['collector_turn', 'collector_wait'])
    await database.query(`UPDATE ${table} SET until = until + interval '1 hour'`)
  expect(await take('03', 'queued')).toMatchObject({ kind: 'yours' })
})
