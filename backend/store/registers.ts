import { createHash } from 'node:crypto'
import type { RegisterDigests, RegisterStamp, RegisterStamps } from '../../contracts/store/registers.ts'
import type { Ctx } from '../core/context.ts'
import { changesOf } from './changes.ts'
import { compareStamps } from './changes.sql.ts'

const COMPARED_MS = 60_000

/**
 * Compares the current changes of this lane with those of the store, and repairs differences. `readAgain` reads all
 * changes of the store from the start.
 */
export function createRegisters(ctx: Ctx, readAgain: () => void) {
  const { transact, clock, log } = ctx
  const changes = changesOf(ctx)
  let dueAt = 0
  /**
   * For each kind, the difference because of which all changes were read again; reading them for the same difference
   * again would not help.
   */
  const read = new Map<string, string>()

  return {
    /**
     * Returns a digest of this lane's changes for each kind, to send with a heartbeat, at most once a minute; otherwise
     * undefined.
     */
    digests(): RegisterDigests | undefined {
      if (clock.monotonic() < dueAt) return undefined
      dueAt = clock.monotonic() + COMPARED_MS
      return Object.fromEntries(changes.kinds().map((kind) => [kind, digestOf(changes.stamps(kind))]))
    },
    repair(differing: RegisterStamps): void {
      let isBehind = false
      transact((tx) => {
        for (const [kind, stamps] of Object.entries(differing)) {
          const there = new Map(stamps.map((stamp) => [stamp.subject, stamp]))
          const here = new Map(changes.stamps(kind).map((stamp) => [stamp.subject, stamp]))
          const behind = stamps.filter((stamp) => isLater(stamp, here.get(stamp.subject)))
          const ahead = [...here.values()].filter((stamp) => isLater(stamp, there.get(stamp.subject)))
          log.warn({ kind, behind: behind.length, ahead: ahead.length }, 'a register differs from that of the store')
          for (const { subject } of ahead) changes.resend(tx, kind, subject)
          const wanted = JSON.stringify(behind)
          if (behind.length > 0 && read.get(kind) !== wanted) {
            read.set(kind, wanted)
            isBehind = true
          }
        }
      })
      if (isBehind) readAgain()
    },
  }
}

const isLater = (stamp: RegisterStamp, other: RegisterStamp | undefined): boolean =>
  other === undefined || compareStamps(stamp, other) > 0

const digestOf = (stamps: readonly RegisterStamp[]): string =>
  stamps.length === 0
    ? ''
    : createHash('sha256')
        .update(stamps.map(({ subject, clock, lane }) => `${subject} ${clock} ${lane}`).join('\n'))
        .digest('hex')
