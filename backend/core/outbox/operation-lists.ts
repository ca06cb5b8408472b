import type { Database } from '../db/database.ts'
import { type MilesOperation, type OfferStateOperation, SELECT_OPERATION as SELECT } from './operation.ts'
import { EXPECTED_REFUSAL, type MilesKind } from './states.ts'
import { z } from 'zod'
import { NEWEST_OF_OPERATION, entriesFrom } from './chain.ts'

/** Outcome of a reversal without an answer, which is retried: a manager sees it while the reversal window is open. */
export const REVERSAL_UNANSWERED = 'reversal-unanswered'
const MOVES_MILES = `kind <> 'offer-state'`
const UNANSWERED = `open = 1 AND state = 'reversing' AND outcome = '${REVERSAL_UNANSWERED}'`
export const ATTENTION_STATES =
  `state IN ('escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated') AND outcome IS NOT ` +
  `'${EXPECTED_REFUSAL}'`
export const UNRESOLVED = `NOT EXISTS (SELECT 1 FROM operation_resolution WHERE operation_id = operation.id)`
/** Selects operations that a person may send again: issuances of unknown outcome, and escalated reversals. */
const GIVEN_UP = `((state = 'escalated' AND kind = 'issuance') OR state = 'reversal-escalated')`

/**
 * Counts for the status bar, and for each scrape of the metrics. The query reads only open operations and those that
 * need a person.
 */
export const COUNT_BY_STATE = `SELECT
  (SELECT count(*) FROM operation WHERE open = 1 AND state = 'queued' AND ${MOVES_MILES}) AS waiting,
  (SELECT count(*) FROM operation WHERE open = 1 AND state <> 'queued' AND ${MOVES_MILES}) AS sending,
  (SELECT count(*) FROM operation WHERE ${ATTENTION_STATES} AND ${UNRESOLVED}) + (SELECT count(*) FROM operation
  WHERE ${UNANSWERED}) AS attention`

const selectNewestOfSale = (db: Database, kind: MilesKind, which = '') =>
  db.prepare<[string], MilesOperation>(
    `${SELECT} WHERE sale_id = +? AND kind = '${kind}' ${which} ORDER BY rowid DESC LIMIT 1`,
  )

const statementsOf = (db: Database) => ({
  // core/db/database.ts explains `+?`; the kind is a literal for the same reason.
  selectOfSale: db.prepare<[string, string], MilesOperation>(
    `${SELECT} WHERE sale_id = +? AND kind = +? ORDER BY rowid DESC`,
  ),
  // Only calls of type ISSUE or POST issue the miles of a sale; others take miles back or only record the sale.
  newestOfSale: {
    redemption: selectNewestOfSale(db, 'redemption'),
    issuance: selectNewestOfSale(db, 'issuance', "AND type IN ('issue', 'post')"),
  },
  selectOpenPage: db.prepare<[number], MilesOperation>(
    `${SELECT} WHERE open = 1 AND ${MOVES_MILES} ORDER BY created_at LIMIT ?`,
  ),
  // In the order of creation, not of the wall clock, which may have been set back. `+` keeps the partial index in use.
  selectOpenRedemptions: db.prepare<[], MilesOperation>(
    `${SELECT} WHERE open = 1 AND kind = 'redemption' ORDER BY +rowid`,
  ),
  selectNextIssuance: db.prepare<[Buffer], MilesOperation>(
    `${SELECT} WHERE collector_hash = +? AND open = 1 AND kind = 'issuance' ORDER BY rowid LIMIT 1`,
  ),
  selectWaitingCollectors: db.prepare<[], { collector: string }>(
    `SELECT lower(hex(collector_hash)) AS collector FROM operation WHERE open = 1 AND kind = 'issuance'
      GROUP BY collector_hash ORDER BY min(rowid)`,
  ),
  selectAttention: db.prepare<[number], MilesOperation>(
    `${SELECT} WHERE ${ATTENTION_STATES} AND ${UNRESOLVED} ORDER BY changed_at DESC LIMIT ?`,
  ),
  selectAccepted: db.prepare<[number], MilesOperation>(
    `${SELECT} WHERE state = 'accepted' AND ${UNRESOLVED} ORDER BY changed_at DESC LIMIT ?`,
  ),
  countAccepted: db
    .prepare<[], number>(`SELECT count(*) FROM operation WHERE state = 'accepted' AND ${UNRESOLVED}`)
    .pluck(),
  selectGivenUp: db.prepare<[number], MilesOperation>(
    `${SELECT} WHERE ${ATTENTION_STATES} AND ${GIVEN_UP} AND ${UNRESOLVED} ORDER BY changed_at LIMIT ?`,
  ),
  selectUnanswered: db.prepare<[number], MilesOperation>(`${SELECT} WHERE ${UNANSWERED} ORDER BY +rowid DESC LIMIT ?`),
  selectOpenOfferStates: db.prepare<[], OfferStateOperation>(
    `${SELECT} WHERE open = 1 AND kind = 'offer-state' ORDER BY +rowid`,
  ),
  selectOfferStatesOfSale: db.prepare<[string], OfferStateOperation>(
    `${SELECT} WHERE sale_id = +? AND kind = 'offer-state' ORDER BY rowid`,
  ),
  selectWithNumber: db.prepare<[string, string], { id: string }>(
    `SELECT id FROM operation WHERE kind = 'redemption' AND confirmation_number = ? AND id <> ?
      AND state NOT IN ('retry', 'declined') LIMIT 1`,
  ),
  countByState: db.prepare<[], { waiting: number; sending: number; attention: number }>(COUNT_BY_STATE),
  oldestOpenAt: db
    .prepare<[], number | null>(`SELECT min(created_at) FROM operation WHERE open = 1 AND ${MOVES_MILES}`)
    .pluck(),
})

export function createOperationLists(db: Database) {
  const sql = statementsOf(db)
  return {
    ofSale: (saleId: string, kind: MilesKind): MilesOperation[] => sql.selectOfSale.all(saleId, kind),
    newestOfSale: (saleId: string, kind: MilesKind): MilesOperation | undefined => sql.newestOfSale[kind].get(saleId),
    oldestOpen: (limit: number): MilesOperation[] => sql.selectOpenPage.all(limit),
    oldestOpenAt: (): number | null => sql.oldestOpenAt.get() ?? null,
    openRedemptions: (): MilesOperation[] => sql.selectOpenRedemptions.all(),
    openOfferStates: (): OfferStateOperation[] => sql.selectOpenOfferStates.all(),
    offerStatesOf: (saleId: string): OfferStateOperation[] => sql.selectOfferStatesOfSale.all(saleId),
    nextIssuance: (collector: string): MilesOperation | undefined =>
      sql.selectNextIssuance.get(Buffer.from(collector, 'hex')),
    waitingCollectors: (): string[] => sql.selectWaitingCollectors.all().map(({ collector }) => collector),
    /** Reversals without an answer, and failed operations that no person has resolved yet; newest first. */
    attention: (limit: number): MilesOperation[] =>
      [...sql.selectUnanswered.all(limit), ...sql.selectAttention.all(limit)].slice(0, limit),
    /** Issuances that the program accepted and no person has resolved: their miles are pending. Newest first. */
    accepted: (limit: number): MilesOperation[] => sql.selectAccepted.all(limit),
    acceptedCount: (): number => sql.countAccepted.get() ?? 0,
    givenUp: (limit: number): MilesOperation[] => sql.selectGivenUp.all(limit),
    /**
     * Whether another redemption of this lane, neither declined nor being retried, has this confirmation number. Runs
     * too rarely to need an index.
     */
    hasOtherRedemption: (confirmationNumber: string, otherThan: string): boolean =>
      sql.selectWithNumber.get(confirmationNumber, otherThan) !== undefined,
    counts: () => sql.countByState.get() ?? { waiting: 0, sending: 0, attention: 0 },
  }
}

export const AnswerEntries = z.array(
  z.object({
    issuanceOfferCode: z.string().nullable(),
    offerId: z.string().nullable(),
    milesAmount: z.int().nullable(),
    status: z.enum(['CONFIRMED', 'PENDING', 'REJECTED']),
    errorCodes: z.array(z.string()),
  }),
)
export type AnswerEntry = z.infer<typeof AnswerEntries>[number]

/** An approval of a redemption that could not be applied as requested: its confirmation number, cents and miles. */
export const TakenAnyway = z.object({ confirmationNumber: z.string(), amountCents: z.int(), miles: z.int() })
export type TakenAnyway = z.infer<typeof TakenAnyway>
export const TAKEN = `${entriesFrom(NEWEST_OF_OPERATION)}
  SELECT json_extract(detail, '$.kept.taken') AS taken FROM entry_of CROSS JOIN journal_entry USING (seq)
  WHERE json_extract(detail, '$.kept.taken') IS NOT NULL ORDER BY seq DESC LIMIT 1`

/**
 * SQL that returns a row when an earlier send of an issuance may have succeeded. A send that certainly did nothing is
 * followed by an entry with `kept.undone`; a send that a crash interrupted is followed by the next send.
 */
export const MAY_BE_DONE = `${entriesFrom(NEWEST_OF_OPERATION)}
  SELECT 1 FROM entry_of CROSS JOIN journal_entry USING (seq) WHERE from_state = 'sent'
    AND to_state IN ('sent', 'queued') AND json_extract(detail, '$.kept.undone') IS NULL LIMIT 1`

/** SQL for the entries, as JSON, of the operation's newest answer that had any. */
export const NEWEST_ENTRIES = `${entriesFrom(NEWEST_OF_OPERATION)}
  SELECT json_extract(detail, '$.kept.issuances') AS issuances FROM entry_of CROSS JOIN journal_entry USING (seq)
  WHERE json_extract(detail, '$.kept.issuances') IS NOT NULL ORDER BY seq DESC LIMIT 1`
