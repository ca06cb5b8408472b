import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { startProxy } from '../testing/tcp-proxy.ts'
import { connectionOf } from './connection.ts'
import { listenTo } from './listen.ts'
import { openPostgres, type Postgres } from './postgres.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const log = createLog('silent')
const TIMES = { beatMs: 50, answerMs: 200, firstPauseMs: 10, maxPauseMs: 100 }

async function prepare(skip: TestContext['skip']): Promise<{ db: Postgres; url: URL; received: (string | null)[] }> {
  const name = new URL(await cluster.database(skip)).pathname.slice(1)
  const url = new URL(cluster.server().tcpUrl(name))
  const db = openPostgres({ url: url.href, log })
  onTestFinished(() => db.close())
  return { db, url, received: [] }
}

test('a database listener receives notifications, and a null notification for each reconnection', async ({ skip }) => {
  const { db, received } = await prepare(skip)
  db.listen('changes', (payload) => received.push(payload))
  await expect.poll(() => received).toEqual([null])
  await db.transaction(async (tx) => {
    await tx.query("SELECT pg_notify('changes', 'first')")
  })
  await expect.poll(() => received).toEqual([null, 'first'])
  await db.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^LISTEN'")
  await expect.poll(() => received).toEqual([null, 'first', null])
  await db.query("SELECT pg_notify('changes', 'second')")
  await expect.poll(() => received).toEqual([null, 'first', null, 'second'])
})

test('a database listener detects a silently lost connection and reconnects', async ({ skip }) => {
  const { db, url, received } = await prepare(skip)
  const wire = await startProxy(Number(url.port))
  url.port = String(wire.port)
  const listening = listenTo(connectionOf(url.href, null), 'changes', (payload) => received.push(payload), log, TIMES)
  onTestFinished(() => listening.close())
  await expect.poll(() => received).toEqual([null])
  wire.stopForwarding()
  await expect.poll(() => received).toEqual([null, null])
  expect(wire.calls()).toBe(2)
  await db.query("SELECT pg_notify('changes', 'received')")
  await expect.poll(() => received).toEqual([null, null, 'received'])
})

test('a database listener reconnects when a killed database runs again', async ({ skip }) => {
  const { db, url, received } = await prepare(skip)
  const listening = listenTo(connectionOf(url.href, null), 'changes', (payload) => received.push(payload), log, TIMES)
  onTestFinished(() => listening.close())
  await expect.poll(() => received).toEqual([null])
  await cluster.server().kill()
  await cluster.server().restart()
  await expect.poll(() => received).toEqual([null, null])
  await db.query("SELECT pg_notify('changes', 'received')")
  await expect.poll(() => received).toEqual([null, null, 'received'])
})

test('a closed database listener makes no callbacks, even when the database does not answer', async ({ skip }) => {
  const { db, url, received } = await prepare(skip)
  const wire = await startProxy(Number(url.port))
  url.port = String(wire.port)
  const config = connectionOf(url.href, null)
  const listening = listenTo(config, 'changes', (payload) => received.push(payload), log, { ...TIMES, beatMs: 60_000 })
  await expect.poll(() => received).toEqual([null])
  wire.stopForwarding()
  await listening.close()
  await db.query("SELECT pg_notify('changes', 'late')")
  expect(received).toEqual([null])
})
