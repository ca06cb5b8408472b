import { existsSync } from 'node:fs'
import {
  bundlesOf,
  clearNews,
  dueOrders,
  noteAhead,
  readAhead,
  readNews,
  readState,
} from '../../packages/delivery/standing.ts'
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

const LOOK_MS = 30_000
/** A start signs everybody out and forgets what was typed: a count of the drawer, a return, an import, a PIN. */
const QUIET_MS = 60_000
const MINUTE_MS = 60_000

/**
 * What a restart would come in the way of: somebody's sale, and money or miles whose outcome is still to come. A sale
 * on hold has nobody who waits, and may stand for days.
 */
const IN_THE_WAY = [
  "SELECT 1 FROM sale WHERE state = 'open' AND held_at IS NULL LIMIT 1",
  "SELECT 1 FROM operation WHERE open = 1 AND kind = 'redemption' AND state IN ('intent', 'retry') LIMIT 1",
  "SELECT 1 FROM card_transaction WHERE state IN ('asked', 'unknown') LIMIT 1",
]

/** Starts the lane again between two customers when a new bundle of the store is due. */
export const bundleWatchOf = perLane((ctx: Ctx) => {
  const { db, clock, log } = ctx
  const dataFolder = programOf(ctx).dataFolder
  const aheadMs = laneTimeOf(ctx).aheadMs
  const onLook = () => recordBundleNews(programOf(ctx).dataFolder, recordOf(ctx), ctx.log)
  const restart = () => programOf(ctx).restart?.()
  const inTheWay = IN_THE_WAY.map((sql) => db.prepare(sql))
  const isIdle = (): boolean =>
    sessionsOf(ctx).quietMs() >= QUIET_MS && inTheWay.every((statement) => statement.get() === undefined)
  /** What the last start was asked for and has left: it would be left again. */
  let left: string | null = null

  /** By a clock that is ahead, prices would be in force before their time. */
  function due(): string | null {
    const ahead = aheadMs()
    const known = ahead === null ? null : Math.ceil(ahead / MINUTE_MS) * MINUTE_MS
    const before = readAhead(dataFolder)
    // The next start looks before anybody can compare.
    if (known !== null && known !== before && existsSync(bundlesOf(dataFolder))) noteAhead(dataFolder, known)
    return dueOrders(dataFolder, new Date(clock.now() - (known ?? before)))
  }

  function look(): void {
    onLook()
    try {
      const order = due()
      if (order !== null && order !== left && isIdle()) {
        log.info('a new bundle of the store is due: the lane starts again')
        restart()
        return
      }
    } catch (error) {
      log.error({ err: error }, 'it could not be seen whether a new bundle is due')
    }
    runLater(ctx, LOOK_MS, look)
  }

  onStart(ctx, () => {
    onLook()
    left = due()
    runLater(ctx, LOOK_MS, look)
  })
})

/** Why the lane sells by another bundle than it was last given; undefined: it does not. */
export function noticeOfBundle(dataFolder: string): BundleNotice | undefined {
  const notice = readState(dataFolder)?.notice
  return notice ? { kind: notice.kind, number: notice.number, at: notice.at } : undefined
}

/**
 * Whether this start goes back to this profile by itself: it tries what was sold by before, or what was in force was
 * damaged or not known any more. An ordered undo is none; nor is any start after a bundle was refused for good.
 */
export function hasFallenBack(dataFolder: string, profileFile: string): boolean {
  const state = readState(dataFolder)
  if (state === null) return false
  // The state still names the bundle that is given up. A profile lies in the folder `files` of its bundle's own.
  const isTried = state.current !== null && basename(resolve(profileFile, '../..')) !== state.current
  return isTried || (state.notice !== null && state.notice.kind !== 'refused')
}

/**
 * Writes what starts did with the lane's bundles into the audit trail. Each once, or again after a crash between the
 * two: better twice than never.
 */
export function recordBundleNews(dataFolder: string, record: (entry: AuditEntry) => void, log: Logger): void {
  try {
    const news = readNews(dataFolder)
    for (const one of news) {
      const kind = `bundle-${one.kind}` as const
      record({
        kind,
        actorId: null,
        ...(one.number === null ? {} : { subject: String(one.number) }),
        ...(one.kind === 'dropped' ? { detail: { reason: one.why } } : {}),
      })
      log.warn(
        { reason: one.kind === 'dropped' ? one.why : one.kind },
        'a start did not do with a bundle what was asked',
      )
    }
    if (news.length > 0) clearNews(dataFolder)
  } catch (error) {
    log.error({ err: error }, 'what a start did with bundles could not be written to the audit trail')
  }
}
