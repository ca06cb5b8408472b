import { randomUUID } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EchoResult } from '../../../contracts/operations/diagnostics.ts'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import type { Dropped } from '../../../contracts/operations/lane-metrics.ts'
import { commandChannelOf } from '../../core/command-channel.ts'
import { createTransact } from '../../core/db/transact.ts'
import { createCardReads } from '../../core/devices/reads.ts'
import { ProblemError } from '../../core/problem.ts'
import { WINDOW_HEADER } from '../../../contracts/core/window.ts'
import { openTestDatabase, startTestServer, temporaryFolder, testClock, testLog } from '../../core/http/testing.ts'
import { createLogCounts } from '../../../contracts/core/log-fields.ts'
import { createSeal } from '../../core/integrity/seal.ts'
import { createEchoRepository, RETENTION } from '../diagnostics/diagnostics.sql.ts'
import { pruneBackups } from '../backups/backup.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'
import type { Outbox } from '../../core/outbox/outbox.ts'
import { droppedOf } from '../../core/context.ts'

const DAY_MS = 24 * 3_600_000

test('the metrics count a log line by its level, and once more if a number in it was masked', () => {
  const counts = createLogCounts()
  const { log, lines } = testLog(counts)
  log.info({ code: '0000' }, 'stopping')
  log.warn({ reason: 'card 84201733915 was refused' }, 'stopping')
  log.error('stopping')
  expect(Object.fromEntries(counts.byLevel)).toEqual({ info: 1, warn: 1, error: 1 })
  expect(counts.masked).toBe(1)
  expect(lines()).not.toContain('84201733915')
})

test('the metrics count a window that reconnects too late to get its missed events, but not a new window', async () => {
  const dropped: Dropped[] = []
  const server = await startTestServer({ events: { dropped: (kind) => dropped.push(kind) } })
  const shown = { [WINDOW_HEADER]: server.openWindow() }
  const listen = async (headers: Record<string, string>): Promise<void> => {
    const stop = new AbortController()
    const { body } = await fetch(`${server.url}/api/events`, { headers: { ...shown, ...headers }, signal: stop.signal })
    await body?.getReader().read()
    stop.abort()
  }
  await listen({})
  expect(dropped).toEqual([])
  await listen({ 'last-event-id': 'feedbeef-7' })
  expect(dropped).toEqual(['event-replays'])
})

test('the metrics count a card read that expired unused', () => {
  const clock = testClock()
  let expired = 0
  const reads = createCardReads(clock, 1_000, () => (expired += 1))
  const used = reads.hold(CollectorNumber.parse('80000000011'), 'SWIPE')
  reads.take(used.readId)
  const left = reads.hold(CollectorNumber.parse('80000000022'), 'SWIPE')
  clock.advance(1_001)
  expect(reads.take(left.readId)).toBeUndefined()
  expect(expired).toBe(1)
})

test('the metrics count connection checks that are deleted', async () => {
  let dropped = 0
  const results = createEchoRepository(await openTestDatabase(), (rows) => (dropped += rows))
  const add = (at: number): void => {
    const result: EchoResult = {
      at: new Date(at).toISOString(),
      outcome: 'approved',
      responseCode: '0000',
      httpStatus: 200,
      latencyMs: 12,
      message: null,
      requestHeaders: {},
      traceId: randomUUID(),
    }
    results.add(result, { at, knownMs: 0, wasFailing: false, offsetMs: 0 })
  }
  const start = Date.parse('2026-11-01T12:00:00Z')
  add(start)
  add(start + 60_000)
  expect(dropped).toBe(0)
  add(start + (RETENTION.days + 1) * DAY_MS)
  expect(dropped).toBe(2)
})

test('the metrics count stored answers of commands that expire', async () => {
  const db = await openTestDatabase()
  const clock = testClock()
  const { transact, failStop } = createTransact({
    db,
    onStop: () => undefined,
    refusal: (reason) => new ProblemError(reason),
    onMissed(error) {
      throw error
    },
  })
  let dropped = 0
  const outbox = { failStop } as Outbox
  const ctx = testContext({ db, transact, seal: createSeal(Buffer.alloc(32, 3)), clock, outbox })
  droppedOf(ctx).on('dropped', (_case, answers) => (dropped += answers))
  const channel = commandChannelOf(ctx)
  const asker = { window: null, staffId: null }
  for (const key of ['first-key-of-a-window', 'second-key-of-a-window'])
    await channel.perform(
      { key, requestFields: ['x'], client: asker },
      { kind: 'stored', run: () => ({ status: 204, body: null }) },
    )
  channel.forgetOld()
  expect(dropped).toBe(0)
  clock.advance(DAY_MS + 1)
  channel.forgetOld()
  expect(dropped).toBe(2)
})

test('pruning returns how many backups it deleted, for the metrics', () => {
  const folder = temporaryFolder()
  const name = (day: string): string => `daily-202611${day}-030000.db`
  for (const day of ['01', '02', '20']) writeFileSync(join(folder, name(day)), '')
  expect(pruneBackups(folder, name('20'), { before: '20261110-000000', minimumCount: 1 })).toBe(2)
  expect(readdirSync(folder)).toEqual([name('20')])
})
