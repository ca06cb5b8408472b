import { existsSync } from 'node:fs'
import {
  bundlesOf,
  clearNotices,
  dueInstructions,
  storeClockAhead,
  readClockAhead,
  readNotices,
  readState,
} from '../../packages/delivery/stored-bundles.ts'
import type { Logger } from '../core/log.ts'
import { basename, resolve } from 'node:path'
import type { BundleNotice } from '../../contracts/operations/diagnostics.ts'
import type { AuditEntry } from '../core/audit.ts'
import { recordOf } from '../core/record.ts'
import { programOf } from '../core/program/lane-program.ts'
import { laneTimeOf } from '../core/lane-time.ts'
import { sessionsOf } from '../core/http/sessions.ts'
import { type Ctx, perLane } from '../core/context.ts'
import { onStart, runLater } from '../core/lifecycle.ts'

const CHECK_MS = 30_000
/**
 * Time in ms without activity before a restart, which signs everyone out and loses input: a drawer count, a return, an
 * import, a PIN.
 */
const QUIET_MS = 60_000
const MINUTE_MS = 60_000

/**
 * SQL for open work that prevents a restart: a sale, or money or miles without an outcome. A held sale does not: no
 * customer waits for it, and it may stay for days.
 */
const BLOCKING_WORK = [
  "SELECT 1 FROM sale WHERE state = 'open' AND held_at IS NULL LIMIT 1",
  "SELECT 1 FROM operation WHERE open = 1 AND kind = 'redemption' AND state IN ('intent', 'retry') LIMIT 1",
  "SELECT 1 FROM card_transaction WHERE state IN ('asked', 'unknown') LIMIT 1",
]

/** Restarts the lane between two customers when a new bundle of the store is due. */
export const bundleWatchOf = perLane((ctx: Ctx) => {
  const { db, clock, log } = ctx
  const dataFolder = programOf(ctx).dataFolder
  const aheadMs = laneTimeOf(ctx).aheadMs
  const recordEvents = () => recordBundleEvents(programOf(ctx).dataFolder, recordOf(ctx), ctx.log)
  const restart = () => programOf(ctx).restart?.()
  const blockers = BLOCKING_WORK.map((sql) => db.prepare(sql))
  const isIdle = (): boolean =>
    sessionsOf(ctx).quietMs() >= QUIET_MS && blockers.every((statement) => statement.get() === undefined)
  /**
   * Instructions that were still due after the last start, which skipped them: another restart would skip them again.
   */
  let skippedInstructions: string | null = null

  /**
   * Returns the bundle instructions that are due by the corrected clock, as JSON; null if none is. A clock that is
   * ahead would otherwise apply prices early.
   */
  function due(): string | null {
    const ahead = aheadMs()
    const known = ahead === null ? null : Math.ceil(ahead / MINUTE_MS) * MINUTE_MS
    const before = readClockAhead(dataFolder)
    // Store the difference for the next start, which chooses a bundle before it can compare its clock with the
    // services.
    if (known !== null && known !== before && existsSync(bundlesOf(dataFolder))) storeClockAhead(dataFolder, known)
    return dueInstructions(dataFolder, new Date(clock.now() - (known ?? before)))
  }

  function checkForBundle(): void {
    recordEvents()
    try {
      const instruction = due()
      if (instruction !== null && instruction !== skippedInstructions && isIdle()) {
        log.info('restarting for a new bundle of the store')
        restart()
        return
      }
    } catch (error) {
      log.error({ err: error }, 'the check for a new bundle failed')
    }
    runLater(ctx, CHECK_MS, checkForBundle)
  }

  onStart(ctx, () => {
    recordEvents()
    skippedInstructions = due()
    runLater(ctx, CHECK_MS, checkForBundle)
  })
})

/** Returns why the lane uses another bundle than the last one that it received; undefined when it uses that one. */
export function noticeOfBundle(dataFolder: string): BundleNotice | undefined {
  const notice = readState(dataFolder)?.notice
  return notice ? { kind: notice.kind, number: notice.number, at: notice.at } : undefined
}

/**
 * Whether this start uses this profile as a fallback: to try the previous bundle, or because the bundle in force was
 * damaged or unknown. False after an undo that was requested, or after a bundle was finally refused.
 */
export function hasFallenBack(dataFolder: string, profileFile: string): boolean {
  const state = readState(dataFolder)
  if (state === null) return false
  // During a fallback the record of bundles still names the abandoned bundle as the current one, and the profile is in
  // another bundle’s folder.
  const isTried = state.current !== null && basename(resolve(profileFile, '../..')) !== state.current
  return isTried || (state.notice !== null && state.notice.kind !== 'refused')
}

/**
 * Records in the audit trail how starts handled the lane's bundles. After a crash an entry may be there twice, but none
 * is missing.
 */
export function recordBundleEvents(dataFolder: string, record: (entry: AuditEntry) => void, log: Logger): void {
  try {
    const news = readNotices(dataFolder)
    for (const one of news) {
      const kind = `bundle-${one.kind}` as const
      record({
        kind,
        actorId: null,
        ...(one.number === null ? {} : { subject: String(one.number) }),
        ...(one.kind === 'dropped' ? { detail: { reason: one.why } } : {}),
      })
      log.warn({ reason: one.kind === 'dropped' ? one.why : one.kind }, 'a start did not apply a bundle as requested')
    }
    if (news.length > 0) clearNotices(dataFolder)
  } catch (error) {
    log.error({ err: error }, 'bundle events of a start could not be recorded in the audit trail')
  }
}
