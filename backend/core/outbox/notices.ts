import type { Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import type { Tx } from '../db/transact.ts'
import { noticeOf } from '../central/response-codes.ts'
import type { OperationType } from './states.ts'
import type { Miles } from '../../../contracts/core/money.ts'

export interface AnswerFacts {
  readonly code: string | null
  readonly entries: readonly IssuedEntry[]
  readonly locationCode: string | null
  readonly sponsorCode: string | null
  readonly confirmed: boolean
}

/**
 * A notice for the manager about a code in an answer with status 202. All sales that get the code share one notice.
 * Times are epoch ms.
 */
export interface Notice {
  readonly id: number
  readonly code: string
  readonly subject: string
  readonly firstAt: number
  readonly lastAt: number
  readonly times: number
  readonly newestOperationId: string
}

interface Answering {
  readonly id: string
  readonly type: OperationType
  readonly correctsId: string | null
}

const COLUMNS =
  'id, code, subject, first_at AS firstAt, last_at AS lastAt, times, newest_operation_id AS newestOperationId'

export type Notices = ReturnType<typeof createNotices>

/**
 * Active notices about answers of the issuance service: a wrong setting of the store keeps miles pending until a person
 * corrects it.
 */
export function createNotices({ db, clock }: { db: Database; clock: Pick<Clock, 'now'> }) {
  const again =
    db.prepare(`UPDATE issuance_notice SET last_at = @at, times = times + 1, newest_operation_id = @operationId
    WHERE code = @code AND subject = @subject AND ended_at IS NULL`)
  const raise = db.prepare(`INSERT INTO issuance_notice (code, subject, first_at, last_at, times, newest_operation_id)
    VALUES (@code, @subject, @at, @at, 1, @operationId)`)
  const active = db.prepare<[], Notice>(
    `SELECT ${COLUMNS} FROM issuance_notice WHERE ended_at IS NULL ORDER BY first_at, id`,
  )
  const count = db.prepare<[], { count: number }>(
    'SELECT count(*) AS count FROM issuance_notice WHERE ended_at IS NULL',
  )
  const end = db.prepare('UPDATE issuance_notice SET ended_at = ? WHERE id = ?')
  const resolve = db.prepare(`UPDATE issuance_notice SET ended_at = @at, ended_by = @staffId, note = @note
    WHERE id = @id AND ended_at IS NULL`)

  function raiseOnce(tx: Tx, code: string, subject: string, operationId: string): void {
    const row = { code, subject, operationId, at: clock.now() }
    if (tx.run(again, row).changes === 0) tx.run(raise, row)
  }

  function noticesIn({
    code,
    entries,
    locationCode,
    sponsorCode,
  }: AnswerFacts): Map<string, readonly [string, string]> {
    const subjects = { location: locationCode ?? '', sponsor: sponsorCode ?? '', none: '' }
    const found = new Map<string, readonly [string, string]>()
    const ofEntries = entries.flatMap(({ errorCodes, issuanceOfferCode: offer }) =>
      errorCodes.map((one) => [one, offer ?? ''] as const),
    )
    const ofAnswer = code === null || ofEntries.some(([one]) => one === code) ? [] : [[code, ''] as const]
    for (const [one, offer] of [...ofEntries, ...ofAnswer]) {
      const about = noticeOf(one)
      if (about === null) continue
      const subject = about === 'offer' ? offer : subjects[about]
      found.set(`${one} ${subject}`, [one, subject])
    }
    return found
  }

  /**
   * Whether a confirmed answer proves that the cause of a notice is corrected. For a notice about an offer, an
   * answer without an entry for that offer proves nothing.
   */
  function isCorrected({ code, subject }: Notice, { entries }: AnswerFacts): boolean {
    switch (noticeOf(code)) {
      case 'location':
      case 'sponsor':
        return true
      case 'offer':
        return entries.some(({ issuanceOfferCode }) => issuanceOfferCode === subject)
      case 'none':
      case null:
        return false
    }
  }

  return {
    onResponse(tx: Tx, operation: Answering, facts: AnswerFacts): void {
      for (const [code, subject] of noticesIn(facts).values()) raiseOnce(tx, code, subject, operation.id)
      // A corrected copy was changed by a person, and the program does not check RECORD: neither proves that the next
      // sale will be accepted.
      if (!facts.confirmed || operation.correctsId !== null || operation.type === 'record') return
      for (const notice of active.all()) if (isCorrected(notice, facts)) tx.run(end, clock.now(), notice.id)
    },

    active: (): Notice[] => active.all(),
    count: (): number => count.get()?.count ?? 0,
    resolve: (tx: Tx, id: number, staffId: string, note: string): boolean =>
      tx.run(resolve, { id, staffId, note, at: clock.now() }).changes === 1,
  }
}

/** Status of one entry of an answer; an entry without one has that of the answer (specification 3 §2.3, §4.2). */
export type EntryStatus = 'CONFIRMED' | 'PENDING' | 'REJECTED'

export interface IssuedEntry {
  readonly issuanceOfferCode: string | null
  readonly offerId: string | null
  readonly milesAmount: Miles | null
  readonly status: EntryStatus
  readonly errorCodes: readonly string[]
}
