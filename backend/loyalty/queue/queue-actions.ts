import { type BulkSendAgain, CardSlip, type CorrectionList } from '../../../contracts/loyalty/queue.ts'
import { isoOf } from '../../core/clock.ts'
import { ProblemError } from '../../core/problem.ts'
import type { MilesOperation } from '../../core/outbox/operation.ts'
import { z } from 'zod'
import { cents, miles } from '../../../contracts/core/money.ts'
import { type CorrectionRow, queueRowsOf } from './queue.sql.ts'
import { holdsCardNumber } from '../../../contracts/core/card-numbers.ts'
import type { Database } from '../../core/db/database.ts'
import { perLane, type Ctx } from '../../core/context.ts'
import { runLater } from '../../core/lifecycle.ts'

/**
 * Maximum number of calls that one request sends again, so that lanes do not overload the program after a long outage.
 */
export const MAX_CONCURRENT = 200
/**
 * Longest gap between two calls of one request, in ms. The gaps are random, so that lanes with simultaneous requests do
 * not send at the same moments.
 */
const LONGEST_GAP_MS = 1_000

/**
 * Sends escalated calls again by one request of a manager: a limited number, the oldest first, with random gaps between
 * them. After a crash the unsent calls remain listed. `maySend` selects the calls when the request starts; `sendAgain`
 * throws if the call may no longer be sent.
 */
export function createBulk(
  ctx: Ctx,
  maySend: (operation: MilesOperation) => boolean,
  sendAgain: (id: string, staffId: string) => void,
) {
  const { transact, audit, clock, rng, log } = ctx
  const journal = ctx.outbox.journal
  let state: BulkSendAgain | null = null

  function next(ids: readonly string[], staffId: string): void {
    const [id, ...rest] = ids
    if (!state) return
    if (id === undefined) {
      state = { ...state, endedAt: isoOf(clock.now()) }
      return
    }
    runLater(ctx, Math.round(rng.fraction() * LONGEST_GAP_MS), () => {
      state = state && { ...state, ...sendOne(id, staffId, state) }
      next(rest, staffId)
    })
  }

  function sendOne(id: string, staffId: string, now: BulkSendAgain): Pick<BulkSendAgain, 'sent' | 'skipped'> {
    try {
      sendAgain(id, staffId)
      return { sent: now.sent + 1, skipped: now.skipped }
    } catch (error) {
      // Skip the call: it was settled in the meantime, or storage failed, which is reported separately.
      log.info({ err: error, operation: id }, 'skipped a call while sending all again')
      return { sent: now.sent, skipped: now.skipped + 1 }
    }
  }

  const candidates = (): MilesOperation[] => journal.givenUp(MAX_CONCURRENT).filter(maySend)

  return {
    state: (): BulkSendAgain | null => state,
    waiting: (): number => candidates().length,
    /**
     * Starts to send all calls again, and returns the progress once the request is recorded. Throws ProblemError
     * `send-again-running`, `nothing-to-send-again`.
     */
    start(staffId: string): BulkSendAgain {
      if (state && state.endedAt === null) throw new ProblemError('send-again-running')
      const ids = candidates().map(({ id }) => id)
      if (ids.length === 0) throw new ProblemError('nothing-to-send-again')
      transact((tx) => {
        audit.record(tx, { kind: 'queue-send-again-all', actorId: staffId, detail: { times: ids.length } })
      })
      const progress = { total: ids.length, sent: 0, skipped: 0, startedAt: isoOf(clock.now()), endedAt: null }
      transact.afterCommit(() => {
        state = progress
        next(ids, staffId)
      })
      return progress
    },
  }
}

const PAGE = 50

const Facts = z.object({
  saleId: z.string().nullish(),
  note: z.string().nullish(),
  reason: z.string().nullish(),
  miles: z.int().nullish(),
  amountCents: z.int().nullish(),
  /** Amount in cents by which a card slip exceeded the amount due, which the store pays back. */
  overCents: z.int().nullish(),
})
const IsCall = z.uuid()

export const createCorrections =
  (ctx: Ctx) =>
  (before: number = Number.MAX_SAFE_INTEGER): CorrectionList => {
    const { staffName } = ctx
    const repository = queueRowsOf(ctx)
    const rows = repository.corrections(before, PAGE + 1)
    const shown = rows.slice(0, PAGE)
    const last = shown.at(-1)
    return {
      corrections: shown.map((row) => correctionOf(row, staffName)),
      next: rows.length > PAGE && last ? String(last.number) : null,
    }
  }

function correctionOf(row: CorrectionRow, staffName: (id: string) => string): CorrectionList['corrections'][number] {
  const facts = Facts.parse(JSON.parse(row.detail))
  const amountCents = facts.amountCents ?? facts.overCents ?? null
  return {
    number: row.number,
    at: isoOf(row.at),
    by: row.actorId === null ? null : staffName(row.actorId),
    what: row.what,
    operationId: IsCall.safeParse(row.subject).data ?? null,
    saleId: facts.saleId ?? null,
    note: facts.note ?? facts.reason ?? null,
    miles: facts.miles == null ? null : miles(facts.miles),
    amountCents: amountCents === null ? null : cents(amountCents),
  }
}

/** Rejects notes with a payment card or collector number, because notes are stored unencrypted. */
export function refuseNumbers(note: string): void {
  if (holdsCardNumber(note)) throw new ProblemError('note-holds-number')
}

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

/** Card slips of more than the amount due, whose difference a manager must pay back. */
export function createCardSlips(db: Database) {
  const count = db.prepare<[], number>(`SELECT count(*) ${OPEN}`).pluck()
  const open = db.prepare<[], Row>(
    `SELECT id AS number, at, actor_id AS actorId, subject AS saleId, detail ${OPEN} ORDER BY at DESC, id DESC`,
  )
  return {
    openCount: (): number => count.get() ?? 0,
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

export const cardSlipsOf = perLane(({ db }) => createCardSlips(db))
