import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { STORE_TABLES } from '../features.ts'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { createStoreCounts } from './counts.ts'
import { enrolmentMigrations } from '../enrolment/postgres-repository.ts'
import { createMinuteCheck } from './minute-check.ts'
import { createMetricsRepository } from './repository.ts'

const cluster = usePostgres({ fsync: false })
const ACCOUNT = `INSERT INTO voucher_account (store, hash, kind, last4, issued_by, issued_at, sealed, about, held_cents,
  issued_cents) VALUES ('1001', repeat('a', 64), 'gift-card', 'PW9D', '01', 1, '', '', 2000, 2000)`

test('books that do not add up are told, and only looked at while somebody scrapes', async ({ skip }) => {
  const log = createLog('silent')
  const database = openPostgres({ url: await cluster.database(skip), log })
  onTestFinished(() => database.close())
  await migrate(database, [enrolmentMigrations(), ...STORE_TABLES])
  await database.query(ACCOUNT)
  const { metrics } = createStoreCounts()
  metrics.forget('voucherWrong', 'vouchers', 'vouchersCents')
  const repository = createMetricsRepository(database)
  let looks = 0
  let isScraped = false
  const check = createMinuteCheck({
    metrics,
    repository: { checked: () => repository.checked().finally(() => (looks += 1)) },
    isScraped: () => isScraped,
    log,
    everyMs: 20,
  })
  onTestFinished(() => check.stop())
  const shown = async (name: string): Promise<string | undefined> =>
    (await metrics.text()).split('\n').find((line) => line.startsWith(`milepost_store_${name} `))
  // That nothing happens takes time to see: ten of its minutes.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect([looks, await shown('voucher_wrong')]).toEqual([0, undefined])

  isScraped = true
  await expect.poll(() => shown('voucher_wrong')).toBe('milepost_store_voucher_wrong 0')
  expect(await shown('vouchers')).toBe('milepost_store_vouchers 1')
  expect(await shown('vouchers_cents')).toBe('milepost_store_vouchers_cents 2000')
  await database.query('UPDATE voucher_account SET held_cents = 1999')
  await expect.poll(() => shown('voucher_wrong')).toBe('milepost_store_voucher_wrong 1')
  check.show(true)
  expect(Number((await shown('check_age_seconds'))?.split(' ')[1])).toBeLessThan(10)
})

test('a database that cannot be looked at grows older, and is not worth 0', async () => {
  const { metrics } = createStoreCounts()
  metrics.forget('voucherWrong', 'checkAge')
  const repository = { checked: () => Promise.reject(new Error('canceling statement due to statement timeout')) }
  const check = createMinuteCheck({ metrics, repository, isScraped: () => true, log: createLog('silent'), everyMs: 10 })
  onTestFinished(() => check.stop())
  const age = async (): Promise<number> => {
    check.show(true)
    return Number(/^milepost_store_check_age_seconds (\S+)$/m.exec(await metrics.text())?.[1])
  }
  await expect.poll(age).toBeGreaterThan(0.1)
  expect(await metrics.text()).not.toMatch(/^milepost_store_voucher_wrong /m)
})
