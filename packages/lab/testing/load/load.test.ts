import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CollectorNumber } from '../../../../contracts/core/ids.ts'
import { openDatabase } from '../../../../backend/core/db/database.ts'
import { temporaryFolder } from '../../../../backend/core/http/testing.ts'
import { layOpenWork } from './lay.ts'
import { openLeast } from './least.ts'
import { redeemAndPay } from './lifecycle.ts'
import { openModelLine } from './line.ts'
import { openQueueing } from './queueing.ts'
import { openRedeeming } from './redeeming.ts'
import { drain, recover } from './restart.ts'
import { openTerminal } from './terminal.ts'

const COLLECTORS = ['89000000000', '89000000001', '89000000002'].map((number) => CollectorNumber.parse(number))

describe('the load that the benchmark asks for', () => {
  test('a redemption and the end of its sale: the syncs and the answer are taken out', async () => {
    const terminal = await openTerminal(temporaryFolder(), openModelLine(COLLECTORS))
    onTestFinished(terminal.close)
    terminal.checkout.start()
    const lived = await redeemAndPay(terminal, COLLECTORS)
    expect(lived).toHaveLength(3)
    for (const { ms, commits, syncMs, addedMs } of lived) {
      // Intent, approval with its tender, last tender with the ISSUE and the job, start of the job.
      expect(commits).toBe(4)
      expect(syncMs).toBeGreaterThan(0)
      expect(addedMs).toBeGreaterThan(0)
      expect(addedMs + syncMs).toBeLessThan(ms)
    }
    expect(terminal.outbox.chain.firstBrokenEntry()).toBeNull()
    expect(terminal.checkout.news.summary()).toMatchObject({ waiting: 0, sending: 0, attention: 0 })
  })

  test('a round of redemptions: two commits for each', async () => {
    const redeeming = await openRedeeming(temporaryFolder(), COLLECTORS)
    onTestFinished(redeeming.close)
    expect(await redeeming.round()).toMatchObject({ redemptions: 3, commits: 6 })
  })

  test('a round of the least: two rows for each, the request unreadable', () => {
    const folder = temporaryFolder()
    const least = openLeast(folder, 3)
    expect(least.round().ms).toBeGreaterThan(0)
    least.close()
    const db = openDatabase(join(folder, 'least.db'))
    onTestFinished(() => {
      db.close()
    })
    expect(db.prepare('SELECT state FROM entry ORDER BY seq').pluck().all()).toEqual([
      'intent',
      'approved',
      'intent',
      'approved',
      'intent',
      'approved',
    ])
    expect(
      db.prepare("SELECT count(*) FROM entry WHERE state = 'intent' AND instr(body, 'padding') = 0").pluck().get(),
    ).toBe(3)
    expect(
      db
        .prepare(
          `SELECT count(*) FROM entry AS later JOIN entry AS earlier ON earlier.seq = later.seq - 1
            AND earlier.hash = later.previous_hash`,
        )
        .pluck()
        .get(),
    ).toBe(5)
  })

  test('a round of the queue: one commit for each issuance that is queued', async () => {
    const queueing = await openQueueing(temporaryFolder(), COLLECTORS)
    onTestFinished(queueing.close)
    expect(await queueing.round()).toMatchObject({ issuances: 3, commits: 5 })
    expect(await queueing.round()).toMatchObject({ issuances: 3, commits: 5 })
  })

  test('a restart finds what was laid: too old intents and retries are escalated', async () => {
    const folder = temporaryFolder()
    await layOpenWork(folder, COLLECTORS, { intent: 4, retry: 3, reversing: 2, queued: 5, sent: 1 })
    expect(await recover(folder)).toMatchObject({ open: 15, escalated: 7 })
  })

  test('a queue that was laid drains to its last issuance', async () => {
    const folder = temporaryFolder()
    await layOpenWork(folder, COLLECTORS, { intent: 0, retry: 0, reversing: 0, queued: 20, sent: 0 })
    expect(await drain(folder, openModelLine(COLLECTORS), 20)).toMatchObject({ confirmed: 20 })
  })
})
