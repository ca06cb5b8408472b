import { CardSlip } from '../../../contracts/api/queue.ts'
import { isoOf } from '../../clock.ts'
import type { Database } from '../../db/open.ts'

/** Settled: the audit trail names the entry of the slip as the subject of a later one. */
const OPEN = `FROM audit_entry AS slip WHERE kind = 'card-slip-exceeded' AND NOT EXISTS (
  SELECT 1 FROM audit_entry AS settled
  WHERE settled.subject = CAST(slip.id AS TEXT) AND settled.kind = 'card-slip-settled')`
const Detail = CardSlip.pick({ reference: true, slipCents: true, dueCents: true, overCents: true })

interface Row {
  readonly number: number
  readonly at: number
  readonly actorId: string | null
  readonly saleId: string
  readonly detail: string
}

export type CardSlips = ReturnType<typeof createCardSlips>

/** Card slips of more than was due: the customer paid too much, and a manager has to give the difference back. */
export function createCardSlips(db: Database) {
  const count = db.prepare<[], number>(`SELECT count(*) ${OPEN}`).pluck()
  const open = db.prepare<[], Row>(
    `SELECT id AS number, at, actor_id AS actorId, subject AS saleId, detail ${OPEN} ORDER BY at DESC, id DESC`,
  )
  return {
    openCount: (): number => count.get() ?? 0,
    /** Not settled yet, newest first. */
    open: (staffName: (id: string) => string): CardSlip[] =>
      open.all().map(({ number, at, actorId, saleId, detail }) => ({
        ...Detail.parse(JSON.parse(detail)),
        number,
        at: isoOf(at),
        by: actorId === null ? null : staffName(actorId),
        saleId,
      })),
  }
}
