import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CollectorNumber } from '../../../../contracts/core/ids.ts'
import { openDatabase } from '../../../../backend/core/db/database.ts'
import { temporaryFolder } from '../../../../backend/core/http/testing.ts'
import { writeOpenWork } from './open-work.ts'
import { openMinimum } from './minimum.ts'
import { redeemAndPay } from './lifecycle.ts'
import { openModelLine } from './line.ts'
import { openQueueing } from './queueing.ts'
import { openRedeeming } from './redeeming.ts'
import { drain, recover } from './restart.ts'
import { openTerminal } from './terminal.ts'

const COLLECTORS = ['89000000000', '89000000001', '89000000002'].map((number) => CollectorNumber.parse(number))

describe('the load programs of the benchmarks', () => {
  test('measure each sale from its redemption to its end, and its disk syncs and journal work separately', async () => {
    const terminal = await openTerminal(temporaryFolder(), openModelLine(COLLECTORS))
    onTestFinished(terminal.close)
    terminal.checkout.start()
    const timed = await redeemAndPay(terminal, COLLECTORS)
    expect(timed).toHaveLength(3)
    for (const { ms, commits, syncMs, addedMs } of timed) {
      // The four commits: intent, approval with its payment, last payment with the ISSUE and the print job, start of
      // the print job.
      expect(commits).toBe(4)
      expect(syncMs).toBeGreaterThan(0)
      expect(addedMs).toBeGreaterThan(0)
      expect(addedMs + syncMs).toBeLessThan(ms)
    }
    expect(terminal.outbox.chain.firstBrokenEntry()).toBeNull()
    expect(terminal.checkout.news.summary()).toMatchObject({ waiting: 0, sending: 0, attention: 0 })
  })

  test('make two commits for each redemption of a round', async () => {
    const redeeming = await openRedeeming(temporaryFolder(), COLLECTORS)
    onTestFinished(redeeming.close)
    expect(await redeeming.round()).toMatchObject({ redemptions: 3, commits: 6 })
  })

  test('write two chained rows per redemption, one with an encrypted request, to measure the minimum', () => {
    const folder = temporaryFolder()
    const minimum = openMinimum(folder, 3)
    expect(minimum.round().ms).toBeGreaterThan(0)
    minimum.close()
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

  test('commit each queued issuance alone, then all sends in one commit and all outcomes in another', async () => {
    const queueing = await openQueueing(temporaryFolder(), COLLECTORS)
    onTestFinished(queueing.close)
    expect(await queueing.round()).toMatchObject({ issuances: 3, commits: 5 })
    expect(await queueing.round()).toMatchObject({ issuances: 3, commits: 5 })
  })

  test('restart with the prepared operations, and escalate intents and retries that are too old', async () => {
    const folder = temporaryFolder()
    await writeOpenWork(folder, COLLECTORS, { intent: 4, retry: 3, reversing: 2, queued: 5, sent: 1 })
    expect(await recover(folder)).toMatchObject({ open: 15, escalated: 7 })
  })

  test('drain a prepared queue to its last issuance', async () => {
    const folder = temporaryFolder()
    await writeOpenWork(folder, COLLECTORS, { intent: 0, retry: 0, reversing: 0, queued: 20, sent: 0 })
    expect(await drain(folder, openModelLine(COLLECTORS), 20)).toMatchObject({ confirmed: 20 })
  })
})
