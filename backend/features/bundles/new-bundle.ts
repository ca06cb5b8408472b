import { existsSync } from 'node:fs'
import { noteAhead, readAhead } from '../../../delivery/ahead.ts'
import { bundlesOf, dueOrders } from '../../../delivery/due.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Logger } from '../../log.ts'

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

export interface NewBundleOptions {
  readonly db: Database
  readonly dataFolder: string
  readonly clock: Clock
  /** How far the clock is ahead, in ms; null: it could not be compared yet, and the last time counts. */
  readonly aheadMs: () => number | null
  /** How long nobody who is signed in has done anything; Infinity where nobody is. */
  readonly quietMs: () => number
  /** At each look: the start may have more to tell once this program is up. */
  readonly onLook: () => void
  /** Ends the program in order, to be started again: its next start sells by the new bundle. */
  readonly restart: () => void
  readonly log: Logger
}

/** Starts the lane again between two customers when a new bundle of the store is due. */
export function watchForBundle({ db, dataFolder, clock, aheadMs, quietMs, onLook, restart, log }: NewBundleOptions) {
  const inTheWay = IN_THE_WAY.map((sql) => db.prepare(sql))
  const isIdle = (): boolean => quietMs() >= QUIET_MS && inTheWay.every((statement) => statement.get() === undefined)
  /** What the last start was asked for and has left: it would be left again. */
  let left: string | null = null
  let callOff = (): void => undefined

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
    callOff = clock.after(LOOK_MS, look)
  }

  return {
    start(): void {
      onLook()
      left = due()
      callOff = clock.after(LOOK_MS, look)
    },
    stop: (): void => {
      callOff()
    },
  }
}
