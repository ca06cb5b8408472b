import type { AuditEntry } from './audit.ts'
import { perLane } from './context.ts'
import { createPlainTransact } from './db/transact.ts'

/** A transaction beside the outbox: for entries of the trail and the like, which no call depends on. */
export const plainlyOf = perLane(({ db, outbox }) => createPlainTransact(db, outbox.chain.committed))

/** Writes one entry of the trail in a transaction of its own. */
export const recordOf = perLane((ctx) => {
  const plainly = plainlyOf(ctx)
  return (entry: AuditEntry): void => {
    plainly((tx) => {
      ctx.audit.record(tx, entry)
    })
  }
})
