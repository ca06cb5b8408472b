import type { FastifyInstance } from 'fastify'
import {
  ActivateCard,
  GrantedRequest,
  LaneValueRequest,
  CancelDraw,
  DrawVoucher,
  FindVoucher,
  ForgoCard,
  VOUCHER_PATHS,
} from '../../../contracts/store/vouchers.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres } from '../db/postgres.ts'
import { type Caller, forLane } from '../lanes/caller.ts'
import { activateCard, releaseCard } from './projection.ts'
import { cancelDraw, drawVoucher, findVoucher, grantedDraws, readLaneVouchers } from './vouchers.sql.ts'
import { IS_OPEN, endWaitForLane } from '../lanes/awaited.ts'
import { isPast } from '../db/connection.ts'

export const VOUCHERS_TABLES = readMigrations('vouchers')

export function voucherRoutes(app: FastifyInstance, { db }: StoreContext): void {
  app.post(
    VOUCHER_PATHS.find,
    forLane(FindVoucher, (caller, { hash }) => findVoucher(db, caller, hash)),
  )
  app.post(
    VOUCHER_PATHS.draw,
    forLane(DrawVoucher, (caller, draw) => drawVoucher(db, caller, draw)),
  )
  app.post(
    VOUCHER_PATHS.cancel,
    forLane(CancelDraw, (caller, draw) => cancelDraw(db, caller, draw)),
  )
  app.post(
    VOUCHER_PATHS.laneValue,
    forLane(LaneValueRequest, (caller) => readLaneVouchers(db, caller)),
  )
  app.post(
    VOUCHER_PATHS.granted,
    forLane(GrantedRequest, async (caller) => ({ ids: await grantedDraws(db, caller) })),
  )
  app.post(
    VOUCHER_PATHS.activate,
    forLane(ActivateCard, async (caller, asked) => ({ kind: await activateCard(db, caller, asked) })),
  )
  app.post(
    VOUCHER_PATHS.forgo,
    forLane(ForgoCard, async (caller, asked) => {
      await releaseCard(db, caller, asked)
      return {}
    }),
  )
}

/**
 * A draw that was granted but not reported by its lane, or value at a replaced lane: its amount is neither in the store
 * nor confirmed at the lane.
 */
export interface OpenDraw {
  readonly id: string
  readonly store: string
  readonly lane: string
  readonly kind: string
  readonly last4: string
  readonly amountCents: number
  readonly since: Date
  /**
   * True if only a previous machine of this lane can have taken the amount: the lane connected since the draw and had
   * nothing more to send. For a stranded draw: the lane's lease has ended.
   */
  readonly isLost: boolean
  readonly isStranded: boolean
  /** End of the replaced lane's lease; null if it is unknown or the draw is not stranded. */
  readonly leaseUntil: Date | null
}

/** A draw that the lane reported as received after the owner had released it. */
export interface LateReport extends Omit<OpenDraw, 'isLost' | 'since' | 'isStranded' | 'leaseUntil'> {
  readonly by: string
  readonly why: string
}

/** A gift card with a preprinted number that two lanes sold while offline: its value is the sum of both amounts. */
export interface SoldTwice {
  readonly store: string
  readonly last4: string
  readonly sold: readonly { readonly lane: string; readonly amountCents: number }[]
}

export interface AwaitedStream {
  readonly store: string
  /** Number of the lane that writes the stream; '' if this database does not know the stream. */
  readonly lane: string
  readonly since: Date
  /**
   * Lanes that have read facts of the stream that the database does not have; empty if the store waits because of a
   * restore.
   */
  readonly saidBy: readonly string[]
}

type ClosedDrawState = 'handed-over' | 'taken' | 'refused' | 'cancelled'

export type Released =
  /** Result of a release; `again`: the draw was already released before. */
  | { readonly kind: 'released' | 'again'; readonly last4: string; readonly amountCents: number }
  | { readonly kind: 'may-be-reported'; readonly lane: string }
  | { readonly kind: 'unknown' }
  /** Nothing was released: the lane has reported that it got the value, or the draw was refused or cancelled. */
  | { readonly kind: 'closed'; readonly state: ClosedDrawState }

/**
 * SQL of whether a draw is lost: for a replaced lane, after its lease; a connected lane closes open draws within
 * moments.
 */
const IS_LOST = `CASE WHEN state = 'stranded' THEN coalesce(lease_until < now(), false)
  ELSE at < now() - interval '1 minute' AND EXISTS (SELECT 1 FROM lane WHERE lane.store = ledger.store
  AND lane.lane = ledger.lane AND seen_at > ledger.at + interval '1 minute' AND ${isPast('seen_at')}
  AND (health ->> 'untold')::integer = 0) END`
const OF_ACCOUNT = 'FROM voucher_ledger AS ledger JOIN voucher_account AS account USING (store, hash)'
const OF_STORE = '($1::text IS NULL OR account.store = $1)'
const OPEN = `SELECT id, store, lane, kind, last4, amount_cents AS "amountCents", at AS since, ${IS_LOST} AS "isLost",
    state = 'stranded' AS "isStranded", lease_until AS "leaseUntil"
  ${OF_ACCOUNT} WHERE (state = 'stranded' OR state = 'granted' AND at < now() - interval '1 minute') AND ${OF_STORE}
  ORDER BY at, id`
const LATE_REPORTS = `SELECT id, store, lane, kind, last4, amount_cents AS "amountCents", by, why
  ${OF_ACCOUNT} JOIN voucher_release AS release USING (store, id)
  WHERE state = 'taken' AND ${OF_STORE} ORDER BY release.at, id`
const AWAITED = `SELECT awaited.store, coalesce(lane, '') AS lane, min(since) AS since,
    coalesce(array_agg(DISTINCT claimed_by) FILTER (WHERE claimed_by IS NOT NULL AND NOT put_back), '{}') AS "saidBy"
  FROM stream_awaited AS awaited LEFT JOIN stream ON stream.name = awaited.stream WHERE ${IS_OPEN}
    AND ($1::text IS NULL OR awaited.store = $1) GROUP BY 1, 2 ORDER BY 1, 2`
const SOLD_TWICE = `SELECT account.store, account.last4,
    json_agg(json_build_object('lane', issue.lane, 'amountCents', amount_cents) ORDER BY issue.at, issue.lane) AS sold
  FROM voucher_account AS account JOIN voucher_issue AS issue USING (store, hash)
  WHERE issues > 1 AND issued_cents - redeemed_cents + given_back_cents > 0 AND ${OF_STORE}
  GROUP BY account.store, account.hash, account.last4 ORDER BY min(issue.at), account.hash`
/** Locks the account of the draw, as pushes and cancellations do before they change a draw. */
const LOCK = `SELECT 1 FROM voucher_account AS account JOIN voucher_ledger AS ledger USING (store, hash)
  WHERE ledger.id = $1 FOR UPDATE OF account`
const ONE = `SELECT store, hash, lane, last4, state, amount_cents AS "amountCents", ${IS_LOST} AS "isLost"
  ${OF_ACCOUNT} WHERE id = $1`
const RELEASE =
  "UPDATE voucher_ledger SET state = 'released' WHERE store = $1 AND id = $2 AND state IN ('granted', 'stranded')"
const STRANDED = "SELECT id FROM voucher_ledger WHERE store = $1 AND lane = $2 AND state = 'stranded' ORDER BY at, id"
const NOTE = 'INSERT INTO voucher_release (store, id, by, why) VALUES ($1, $2, $3, $4)'
const HOLD = 'UPDATE voucher_account SET held_cents = held_cents + $3 WHERE store = $1 AND hash = $2'

interface Ledger extends Record<string, unknown> {
  store: string
  hash: string
  lane: string
  last4: string
  state: ClosedDrawState | 'granted' | 'stranded' | 'released'
  amountCents: number
  isLost: boolean
}

/**
 * Reads the vouchers and lanes that only the store's owner can decide about, and writes the decisions. `of`: one store,
 * or null for all.
 */
export function createOpenDraws(postgres: Postgres, of: string | null = null) {
  const rowsOf = async <Row extends object>(sql: string): Promise<readonly Row[]> =>
    (await postgres.query<Row & Record<string, unknown>>(sql, [of])).rows
  return {
    open: () => rowsOf<OpenDraw>(OPEN),
    lateReports: () => rowsOf<LateReport>(LATE_REPORTS),
    awaited: () => rowsOf<AwaitedStream>(AWAITED),
    soldTwice: () => rowsOf<SoldTwice>(SOLD_TWICE),

    /**
     * Releases a granted, unreported draw or stranded value on the owner's decision; with `isLaneLost`, also for a lane
     * that did not connect since, or before the end of the lease. If the draw is reported later, its amount is taken
     * again and is missing.
     */
    release: (id: string, by: string, why: string, isLaneLost: boolean): Promise<Released> =>
      postgres.transaction(async (tx) => {
        await tx.query(LOCK, [id])
        const [draw] = (await tx.query<Ledger>(ONE, [id])).rows
        if (draw === undefined) return { kind: 'unknown' }
        const { store, hash, lane, last4, state, amountCents, isLost } = draw
        if (state === 'released') return { kind: 'again', last4, amountCents }
        if (state !== 'granted' && state !== 'stranded') return { kind: 'closed', state }
        if (!isLost && !isLaneLost) return { kind: 'may-be-reported', lane }
        await tx.query(RELEASE, [store, id])
        await tx.query(NOTE, [store, id, by, why])
        await tx.query(HOLD, [store, hash, amountCents])
        return { kind: 'released', last4, amountCents }
      }),

    stranded: async (of: Caller): Promise<readonly string[]> =>
      (await postgres.query<{ id: string }>(STRANDED, [of.store, of.lane])).rows.map(({ id }) => id),

    endWaitForLane: (lane: Caller, by: string, why: string): Promise<boolean> =>
      endWaitForLane(postgres, lane, by, why),
  }
}
