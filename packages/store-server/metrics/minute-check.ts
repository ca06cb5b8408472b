import { isScraped } from '../../delivery/metrics-registry.ts'
import type { StoreContext } from '../context.ts'
import { readChecked, readWalBytes } from './metrics.sql.ts'

/** What there is nothing to say of until it was looked at, nor while the database is away. */
export const OF_CHECK = [
  'vouchers',
  'vouchersCents',
  'voucherWrong',
  'claims',
  'databaseBytes',
  'walBytes',
  'backupAge',
] as const

export type MinuteCheck = ReturnType<typeof createMinuteCheck>

/** Reads whole tables and sizes every minute, so that no scrape does. */
export function createMinuteCheck({ db, counts, log, settings }: StoreContext) {
  const { metrics } = counts
  /** Of the last look that succeeded; before the first, when it was begun. */
  let checkedAt: number | null = null
  let isKnown = false
  let underWay: Promise<void> | null = null

  async function look(): Promise<void> {
    const { vouchers, cents, wrong, claims, bytes, backupSeconds } = await readChecked(db)
    const walBytes = await readWalBytes(db)
    if (wrong > 0) log.error({ failed: wrong }, 'the books of the vouchers do not add up: look at voucher_wrong')
    metrics.set('vouchers', {}, vouchers)
    metrics.set('vouchersCents', {}, cents)
    metrics.set('voucherWrong', {}, wrong)
    metrics.set('claims', {}, claims)
    metrics.set('databaseBytes', {}, bytes)
    metrics.set('backupAge', {}, backupSeconds)
    if (walBytes === null) metrics.forget('walBytes')
    else metrics.set('walBytes', {}, walBytes)
    checkedAt = performance.now()
    isKnown = true
  }

  /** One at a time: a database that takes longer than a minute is not asked twice. */
  function check(): void {
    if (!isScraped(settings.folder)) return
    checkedAt ??= performance.now()
    underWay ??= look()
      .catch((error: unknown) => log.warn({ err: error }, 'the minute’s look at the database failed'))
      .finally(() => {
        underWay = null
      })
  }

  const timer = setInterval(check, settings.checkEveryMs).unref()
  check()
  return {
    /**
     * Sets how old the last look is. Where there was none since the database was away, or somebody has only begun to
     * scrape, one is begun.
     */
    show(isThere: boolean): void {
      if (!isThere) {
        metrics.forget(...OF_CHECK)
        isKnown = false
      } else if (!isKnown) check()
      if (checkedAt !== null) metrics.set('checkAge', {}, (performance.now() - checkedAt) / 1_000)
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      await underWay
    },
  }
}
