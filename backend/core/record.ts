import type { AuditEntry } from './audit.ts'
import { perLane } from './context.ts'
import { createPlainTransact } from './db/transact.ts'

/** Transactions outside the outbox, for audit entries and other data that no call depends on. */
export const plainTransactOf = perLane(({ db, outbox }) => createPlainTransact(db, outbox.chain.committed))

export const recordOf = perLane((ctx) => {
  const plainly = plainTransactOf(ctx)
  return (entry: AuditEntry): void => {
    plainly((tx) => {
      ctx.audit.record(tx, entry)
    })
  }
})
