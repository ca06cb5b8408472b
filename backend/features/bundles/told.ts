import { basename, resolve } from 'node:path'
import type { BundleNotice } from '../../../contracts/api/diagnostics.ts'
import { clearNews, readNews } from '../../../delivery/news.ts'
import { readState } from '../../../delivery/state.ts'
import type { Logger } from '../../log.ts'
import type { AuditEntry } from '../staff/audit.ts'

/** Why the lane sells by another bundle than it was last given; undefined: it does not. */
export function bundleNotice(dataFolder: string): BundleNotice | undefined {
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
