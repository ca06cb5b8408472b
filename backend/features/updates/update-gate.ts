import type { Database } from '../../db/open.ts'

/** Somebody is served, or money or miles have an outcome still to come. A sale on hold has nobody who waits. */
const SERVED = [
  "SELECT 1 FROM sale WHERE state = 'open' AND held_at IS NULL LIMIT 1",
  "SELECT 1 FROM operation WHERE open = 1 AND kind = 'redemption' AND state IN ('intent', 'retry') LIMIT 1",
  "SELECT 1 FROM card_transaction WHERE state IN ('asked', 'unknown') LIMIT 1",
]
/** A drawer that is counted, or still has to be. */
const OPEN_SHIFT = 'SELECT 1 FROM shift WHERE closed_at IS NULL LIMIT 1'
/** A start signs everybody out and forgets what was typed. */
const QUIET_MS = 60_000

export interface UpdateGateOptions {
  readonly db: Database
  /** How long nobody who is signed in has done anything; Infinity where nobody is. */
  readonly quietMs: () => number
  /** No call to the program's services is on its way. */
  readonly isQueueIdle: () => boolean
}

export type UpdateGate = ReturnType<typeof createUpdateGate>

/** When a new program may take this one's place. */
export function createUpdateGate({ db, quietMs, isQueueIdle }: UpdateGateOptions) {
  const served = SERVED.map((sql) => db.prepare(sql))
  const shift = db.prepare(OPEN_SHIFT)
  const isBetweenCustomers = (): boolean => isQueueIdle() && served.every((statement) => statement.get() === undefined)

  return {
    /** Nobody would notice, as an installer wants it: a drawer may be open. */
    isIdle: (): boolean => quietMs() >= QUIET_MS && isBetweenCustomers(),
    /** The day is over here: nobody is signed in, and no drawer is open. */
    isClosed: (): boolean => quietMs() === Infinity && shift.get() === undefined && isBetweenCustomers(),
    /** As above, while the program is being ended: whoever was signed in has gone with it. */
    isClosedAtEnd: (): boolean => shift.get() === undefined && isBetweenCustomers(),
  }
}
