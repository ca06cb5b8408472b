import { isScraped } from '../../delivery/metrics-registry.ts'
import type { StoreContext } from '../context.ts'
import { readChecked, readWalBytes } from './metrics.sql.ts'

/** Metrics that are left out of a scrape before the first check, and while the database is unavailable. */
export const OF_CHECK = [
  'vouchers',
  'vouchersCents',
  'voucherWrong',
  'returnReservations',
  'databaseBytes',
  'walBytes',
  'backupAge',
] as const

export type MinuteCheck = ReturnType<typeof createMinuteCheck>

/** Reads whole tables and sizes every minute while metrics are enabled, so that scrapes stay cheap. */
export function createMinuteCheck({ db, counts, log, settings }: StoreContext) {
  const { metrics } = counts
  /** Time of the last successful check; before the first success, the time when the first check started. */
  let checkedAt: number | null = null
  let isKnown = false
  let underWay: Promise<void> | null = null

  async function look(): Promise<void> {
    const { vouchers, cents, wrong, returnReservations, bytes, backupSeconds } = await readChecked(db)
    const walBytes = await readWalBytes(db)
    if (wrong > 0) log.error({ failed: wrong }, 'voucher accounts do not add up: see voucher_wrong')
    metrics.set('vouchers', {}, vouchers)
    metrics.set('vouchersCents', {}, cents)
    metrics.set('voucherWrong', {}, wrong)
    metrics.set('returnReservations', {}, returnReservations)
    metrics.set('databaseBytes', {}, bytes)
    metrics.set('backupAge', {}, backupSeconds)
    if (walBytes === null) metrics.forget('walBytes')
    else metrics.set('walBytes', {}, walBytes)
    checkedAt = performance.now()
    isKnown = true
  }

  /** Runs one check at a time, so that a slow database is not queried twice. */
  function check(): void {
    if (!isScraped(settings.folder)) return
    checkedAt ??= performance.now()
    underWay ??= look()
      .catch((error: unknown) => log.warn({ err: error }, 'the check of the database failed'))
      .finally(() => {
        underWay = null
      })
  }

  const timer = setInterval(check, settings.checkEveryMs).unref()
  check()
  return {
    /** Sets the age of the last check. Starts a check when scraping begins or the database is available again. */
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
