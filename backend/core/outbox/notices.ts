import type { Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import type { Tx } from '../db/transact.ts'
import { noticeOf } from '../central/response-codes.ts'
import type { OperationType } from './states.ts'
import type { Miles } from '../../../contracts/core/money.ts'

/** What an answered call says of the store's settings: the codes that it came with, and what they speak of. */
export interface AnswerFacts {
  readonly code: string | null
  readonly entries: readonly IssuedEntry[]
  readonly locationCode: string | null
  readonly sponsorCode: string | null
  /** Every entry was confirmed, and nothing was said against any. */
  readonly confirmed: boolean
}

/** A code of 202 that stands before the manager once, however many sales meet it. Epoch ms. */
export interface Notice {
  readonly id: number
  readonly code: string
  /** What the code speaks of: a location, an offer code, a sponsor code, or nothing. */
  readonly subject: string
  readonly firstAt: number
  readonly lastAt: number
  readonly times: number
  readonly newestOperationId: string
}

/** The call that an answer is to. */
interface Answering {
  readonly id: string
  readonly type: OperationType
  readonly correctsId: string | null
}

const COLUMNS =
  'id, code, subject, first_at AS firstAt, last_at AS lastAt, times, newest_operation_id AS newestOperationId'

export type Notices = ReturnType<typeof createNotices>

/** Standing notices of the issuance service: what keeps miles waiting until somebody mends a setting. */
export function createNotices({ db, clock }: { db: Database; clock: Pick<Clock, 'now'> }) {
  const again =
    db.prepare(`UPDATE issuance_notice SET last_at = @at, times = times + 1, newest_operation_id = @operationId
    WHERE code = @code AND subject = @subject AND ended_at IS NULL`)
  const raise = db.prepare(`INSERT INTO issuance_notice (code, subject, first_at, last_at, times, newest_operation_id)
    VALUES (@code, @subject, @at, @at, 1, @operationId)`)
  const standing = db.prepare<[], Notice>(
    `SELECT ${COLUMNS} FROM issuance_notice WHERE ended_at IS NULL ORDER BY first_at, id`,
  )
  const count = db.prepare<[], { count: number }>(
    'SELECT count(*) AS count FROM issuance_notice WHERE ended_at IS NULL',
  )
  const end = db.prepare('UPDATE issuance_notice SET ended_at = ? WHERE id = ?')
  const settle = db.prepare(`UPDATE issuance_notice SET ended_at = @at, ended_by = @staffId, note = @note
    WHERE id = @id AND ended_at IS NULL`)

  function meet(tx: Tx, code: string, subject: string, operationId: string): void {
    const row = { code, subject, operationId, at: clock.now() }
    if (tx.run(again, row).changes === 0) tx.run(raise, row)
  }

  /**
   * Every code of an answer that is to be mended, with what it speaks of. An entry's own codes come before the
   * answer's.
   */
  function met({ code, entries, locationCode, sponsorCode }: AnswerFacts): Map<string, readonly [string, string]> {
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
   * True when a confirmed answer shows that what a notice speaks of is mended. What the program itself put aside shows
   * nothing.
   */
  function isMended({ code, subject }: Notice, { entries }: AnswerFacts): boolean {
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
    /** What an answer said, with the transition that it makes. */
    onResponse(tx: Tx, operation: Answering, facts: AnswerFacts): void {
      for (const [code, subject] of met(facts).values()) meet(tx, code, subject, operation.id)
      // A corrected copy was mended by hand, and RECORD is not looked at: neither says anything of the next sale.
      if (!facts.confirmed || operation.correctsId !== null || operation.type === 'record') return
      for (const notice of standing.all()) if (isMended(notice, facts)) tx.run(end, clock.now(), notice.id)
    },

    standing: (): Notice[] => standing.all(),
    count: (): number => count.get()?.count ?? 0,
    /** Answers whether the notice still stood. */
    settle: (tx: Tx, id: number, staffId: string, note: string): boolean =>
      tx.run(settle, { id, staffId, note, at: clock.now() }).changes === 1,
  }
}

/** What became of one entry: its own status, else that of the answer (specification 3 §2.3, §4.2). */
export type EntryStatus = 'CONFIRMED' | 'PENDING' | 'REJECTED'

export interface IssuedEntry {
  readonly issuanceOfferCode: string | null
  readonly offerId: string | null
  /** Null where the answer does not say; negative where miles are taken back, however the answer signs them. */
  readonly milesAmount: Miles | null
  readonly status: EntryStatus
  readonly errorCodes: readonly string[]
}
