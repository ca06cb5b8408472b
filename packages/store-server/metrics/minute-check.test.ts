import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { forgetScrapeToken, makeScrapeToken } from '../../delivery/metrics-registry.ts'
import { openPostgres, type Postgres } from '../db/postgres.ts'
import { createLog } from '../log.ts'
import { contextOf } from '../testing/context.ts'
import { usePostgres } from '../testing/postgres.ts'
import { createMinuteCheck } from './minute-check.ts'
import { readChecked } from './metrics.sql.ts'

const cluster = usePostgres({ fsync: false })
const ACCOUNT = `INSERT INTO voucher_account (store, hash, kind, last4, issued_by, issued_at, sealed, about, held_cents,
  issued_cents) VALUES ('1001', repeat('a', 64), 'gift-card', 'PW9D', '01', 1, '', '', 2000, 2000)`

function scrapedFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-minute-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  makeScrapeToken(folder)
  return folder
}

test('the minute check reports voucher totals that do not add up, and runs only while metrics are scraped', async ({
  skip,
}) => {
  const database = await cluster.open(skip)
  await database.query(ACCOUNT)
  let looks = 0
  const db: Postgres = {
    ...database,
    query(text, params) {
      if (text.includes('FROM voucher_account')) looks += 1
      return database.query(text, params)
    },
  }
  const folder = scrapedFolder()
  forgetScrapeToken(folder)
  const ctx = contextOf(db, { settings: { folder, checkEveryMs: 20 } })
  const { metrics } = ctx.counts
  metrics.forget('voucherWrong', 'vouchers', 'vouchersCents')
  const check = createMinuteCheck(ctx)
  onTestFinished(() => check.stop())
  const shown = async (name: string): Promise<string | undefined> =>
    (await metrics.text()).split('\n').find((line) => line.startsWith(`milepost_store_${name} `))
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect([looks, await shown('voucher_wrong')]).toEqual([0, undefined])

  makeScrapeToken(folder)
  await expect.poll(() => shown('voucher_wrong')).toBe('milepost_store_voucher_wrong 0')
  expect(await shown('vouchers')).toBe('milepost_store_vouchers 1')
  expect(await shown('vouchers_cents')).toBe('milepost_store_vouchers_cents 2000')
  await database.query('UPDATE voucher_account SET held_cents = 1999')
  await expect.poll(() => shown('voucher_wrong')).toBe('milepost_store_voucher_wrong 1')
  check.show(true)
  expect(Number((await shown('check_age_seconds'))?.split(' ')[1])).toBeLessThan(10)
})

test('when the minute check fails, its age grows and its values do not become 0', async () => {
  const log = createLog('silent')
  const db = openPostgres({ url: 'postgres://127.0.0.1:1/none', log })
  const ctx = contextOf(db, { log, settings: { folder: scrapedFolder(), checkEveryMs: 10 } })
  const { metrics } = ctx.counts
  metrics.forget('voucherWrong', 'checkAge')
  const check = createMinuteCheck(ctx)
  onTestFinished(() => check.stop())
  const age = async (): Promise<number> => {
    check.show(true)
    return Number(/^milepost_store_check_age_seconds (\S+)$/m.exec(await metrics.text())?.[1])
  }
  await expect.poll(age).toBeGreaterThan(0.1)
  expect(await metrics.text()).not.toMatch(/^milepost_store_voucher_wrong /m)
})

test('the minute check reads the size of the write-ahead log and the age of the last recorded backup', async ({
  skip,
}) => {
  const database = await cluster.open(skip)
  await database.query("UPDATE database_identity SET since = now() - interval '3 days'")
  const ageDays = async (): Promise<number> => (await readChecked(database)).backupSeconds / 86_400
  expect(await ageDays(), 'of a database without a backup').toBeCloseTo(3, 2)
  await database.query("INSERT INTO database_backup (at) VALUES (now() - interval '2 days')")
  expect(await ageDays()).toBeCloseTo(2, 2)
  await database.query('INSERT INTO database_backup DEFAULT VALUES')
  expect(await ageDays()).toBeCloseTo(0, 2)

  const ctx = contextOf(database, { settings: { folder: scrapedFolder() } })
  const { metrics } = ctx.counts
  metrics.forget('walBytes', 'backupAge')
  const check = createMinuteCheck(ctx)
  onTestFinished(() => check.stop())
  await expect.poll(() => metrics.text()).toMatch(/^milepost_store_backup_age_seconds \d/m)
  expect(await metrics.text()).toMatch(/^milepost_store_wal_bytes [1-9]\d+$/m)
})
