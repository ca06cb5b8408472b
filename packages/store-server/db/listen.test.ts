import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { layWire } from '../testing/silent-wire.ts'
import { connectionOf } from './connection.ts'
import { listenTo } from './listen.ts'
import { openPostgres, type Postgres } from './postgres.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const log = createLog('silent')
const TIMES = { beatMs: 50, answerMs: 200, firstPauseMs: 10, mostPauseMs: 100 }

/** A database, its address by TCP, and what was heard on its channel `changes`. */
async function prepare(skip: TestContext['skip']): Promise<{ db: Postgres; url: URL; heard: (string | null)[] }> {
  const name = new URL(await cluster.database(skip)).pathname.slice(1)
  const url = new URL(cluster.server().tcpUrl(name))
  const db = openPostgres({ url: url.href, log })
  onTestFinished(() => db.close())
  return { db, url, heard: [] }
}

test('who listens hears what is told after that, and of each connection that was made anew', async ({ skip }) => {
  const { db, heard } = await prepare(skip)
  db.listen('changes', (payload) => heard.push(payload))
  await expect.poll(() => heard).toEqual([null])
  await db.transaction(async (tx) => {
    await tx.query("SELECT pg_notify('changes', 'first')")
  })
  await expect.poll(() => heard).toEqual([null, 'first'])
  await db.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^LISTEN'")
  await expect.poll(() => heard).toEqual([null, 'first', null])
  await db.query("SELECT pg_notify('changes', 'second')")
  await expect.poll(() => heard).toEqual([null, 'first', null, 'second'])
})

test('a connection that fell silent without a word is noticed and made again', async ({ skip }) => {
  const { db, url, heard } = await prepare(skip)
  const wire = await layWire(Number(url.port))
  url.port = String(wire.port)
  const listening = listenTo(connectionOf(url.href, null), 'changes', (payload) => heard.push(payload), log, TIMES)
  onTestFinished(() => listening.close())
  await expect.poll(() => heard).toEqual([null])
  wire.fallSilent()
  await expect.poll(() => heard).toEqual([null, null])
  expect(wire.calls()).toBe(2)
  await db.query("SELECT pg_notify('changes', 'heard')")
  await expect.poll(() => heard).toEqual([null, null, 'heard'])
})

test('who listens waits for a database that was killed', async ({ skip }) => {
  const { db, url, heard } = await prepare(skip)
  const listening = listenTo(connectionOf(url.href, null), 'changes', (payload) => heard.push(payload), log, TIMES)
  onTestFinished(() => listening.close())
  await expect.poll(() => heard).toEqual([null])
  await cluster.server().kill()
  await cluster.server().restart()
  await expect.poll(() => heard).toEqual([null, null])
  await db.query("SELECT pg_notify('changes', 'heard')")
  await expect.poll(() => heard).toEqual([null, null, 'heard'])
})

test('who closes is called back no more, also where nobody answers', async ({ skip }) => {
  const { db, url, heard } = await prepare(skip)
  const wire = await layWire(Number(url.port))
  url.port = String(wire.port)
  const config = connectionOf(url.href, null)
  const listening = listenTo(config, 'changes', (payload) => heard.push(payload), log, { ...TIMES, beatMs: 60_000 })
  await expect.poll(() => heard).toEqual([null])
  wire.fallSilent()
  await listening.close()
  await db.query("SELECT pg_notify('changes', 'nobody')")
  expect(heard).toEqual([null])
})
