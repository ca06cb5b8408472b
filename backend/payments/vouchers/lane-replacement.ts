import { setImmediate as breathe } from 'node:timers/promises'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { LaneValue, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { isStopping } from '../../core/lifecycle.ts'
import type { Tx } from '../../core/db/transact.ts'
import { storeOf } from '../../store/store-link.ts'
import { type NewVoucher, storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'
import { hashOfVoucher, rowOfRecord, share } from './voucher-codes.ts'

/** Number of vouchers that one commit takes over, so that it takes only some milliseconds. */
const VOUCHERS_PER_COMMIT = 20
/**
 * Maximum time in ms, from the first request without an answer, for which gift cards of other lanes are refused; then
 * the request counts as refused by the server.
 */
const MAX_MS = 60_000
const COMPARE_MS = 10_000

type LocalValue = LaneValue['vouchers'][number]

/**
 * Takes over the vouchers of a lost lane that has no backup. A lane cannot detect that it replaces another, so each
 * lane that has shared no voucher yet requests the value of its predecessor. A voucher that is unknown here can only be
 * the predecessor's, even while facts are unsent; a known voucher is not changed.
 */
const takeoverOf = perLane((ctx) => {
  const rows = storeVoucherRowsOf(ctx)
  const isDone = rows.epoch() > 1 || rows.isMarked()
  return {
    isDone,
    /** Whether to request the value; cleared after a failure until the next connect. */
    isDue: !isDone,
    /**
     * True until the vouchers of the predecessor are stored, or their request was refused or failed. Until then, no
     * other voucher gets a row and the database is not marked.
     */
    isHolding: !isDone,
    deadline: null as number | null,
    running: null as Promise<void> | null,
  }
})

function rowsOf(ctx: Ctx, vouchers: readonly LocalValue[]): { row: NewVoucher; cents: number }[] {
  return vouchers.flatMap((voucher) => {
    try {
      const row = rowOfRecord(ctx, voucher)
      return storeVoucherRowsOf(ctx).byHash(row.codeHash) === null ? [{ row, cents: voucher.cents }] : []
    } catch (error) {
      ctx.log.warn({ err: error }, 'could not take over a voucher of the previous lane')
      return []
    }
  })
}

/**
 * Stores the predecessor's vouchers in several commits. Marks the database in the last one, so that an interrupted
 * takeover is continued at the next start.
 */
async function takeOver(ctx: Ctx, vouchers: readonly LocalValue[]): Promise<void> {
  const rows = storeVoucherRowsOf(ctx)
  let isAny = false
  for (let from = 0; from < vouchers.length; from += VOUCHERS_PER_COMMIT) {
    if (from > 0) await breathe()
    if (isStopping(ctx)) return
    const lost = rowsOf(ctx, vouchers.slice(from, from + VOUCHERS_PER_COMMIT))
    if (lost.length > 0)
      ctx.transact((tx) => {
        for (const { row, cents } of lost) {
          rows.insertVoucher(tx, row)
          correct(ctx, tx, row.id, cents)
        }
      })
    isAny ||= lost.length > 0
  }
  if (isAny) ctx.transact((tx) => share(ctx, tx))
}

async function requestOnce(ctx: Ctx): Promise<void> {
  const state = takeoverOf(ctx)
  const answer = await storeOf(ctx).send(VOUCHER_PATHS.laneValue, { protocol: STORE_PROTOCOL }, LaneValue)
  if (isStopping(ctx)) return
  if (answer.kind === 'no-answer') {
    state.deadline ??= ctx.clock.monotonic() + MAX_MS
    if (ctx.clock.monotonic() < state.deadline) return
  }
  state.isDue = false
  if (answer.kind === 'answer') {
    await takeOver(
      ctx,
      answer.body.vouchers.filter(({ cents }) => cents > 0),
    )
    state.isDone = true
  }
  state.isHolding = false
}

export const isTakeoverPending = (ctx: Ctx): boolean => takeoverOf(ctx).isHolding

export async function runTakeover(ctx: Ctx): Promise<boolean> {
  const state = takeoverOf(ctx)
  if (!state.isDue) return true
  state.running ??= requestOnce(ctx)
    .catch((error: unknown) => {
      ctx.log.warn(
        { err: error },
        'could not take over the vouchers of the previous lane: trying again at the next connect',
      )
      state.isDue = state.isHolding = false
    })
    .finally(() => {
      state.running = null
    })
  await state.running
  return !state.isHolding
}

export function allowTakeover(ctx: Ctx): void {
  const state = takeoverOf(ctx)
  state.isDue = !state.isDone
}

/**
 * Freezes the vouchers of a lane restored from a backup, which lacks later transfers, sales and payments that the store
 * server has. Until the comparison with the server, no voucher of the backup pays here; then its value here is set to
 * the server's.
 */
export function startComparison(ctx: Ctx): void {
  const rows = storeVoucherRowsOf(ctx)
  const epoch = rows.epoch()
  if (epoch > 1 && rows.comparing(epoch) === null)
    ctx.transact((tx) => {
      // Prevent earlier programs from opening this database: they would also spend the backup's value.
      share(ctx, tx)
      rows.noteEpoch(tx, epoch)
    })
  takeoverOf(ctx)
}

function openEpoch(ctx: Ctx): { lastEntry: number } | null {
  const rows = storeVoucherRowsOf(ctx)
  const epoch = rows.epoch()
  if (epoch === 1) return null
  const row = rows.comparing(epoch)
  return row?.comparedAt === null ? row : null
}

const hasAllFacts = (ctx: Ctx, applied: LaneValue['applied']): boolean =>
  storeVoucherRowsOf(ctx)
    .heads()
    .every(({ name, last, isNewest }) => (isNewest === 1 ? applied[name] === last : (applied[name] ?? 0) >= last))

function correct(ctx: Ctx, tx: Tx, voucherId: VoucherId, by: number): void {
  if (by === 0) return
  storeVoucherRowsOf(ctx).insertTransfer(tx, {
    id: ctx.rng.uuid(),
    voucherId,
    direction: by > 0 ? 'drawn' : 'handed-over',
    amountCents: Math.abs(by),
    at: ctx.clock.now(),
    reason: 'restore',
  })
}

function correctToServer(ctx: Ctx, tx: Tx, { vouchers }: LaneValue): void {
  const rows = storeVoucherRowsOf(ctx)
  const known = new Map(vouchers.map((voucher) => [voucher.hash, voucher]))
  for (const { id, hereCents } of rows.all()) {
    const hash = hashOfVoucher(ctx, id)
    correct(ctx, tx, id, Math.max(0, known.get(hash)?.cents ?? 0) - hereCents)
    known.delete(hash)
  }
  for (const voucher of known.values()) {
    if (voucher.cents <= 0) continue
    const row = rowOfRecord(ctx, voucher)
    rows.insertVoucher(tx, row)
    correct(ctx, tx, row.id, voucher.cents)
  }
  for (const { id } of rows.openDraws()) rows.setDraw(tx, id, 'left')
  rows.compared(tx, rows.epoch(), ctx.clock.now())
}

export const isComparing = (ctx: Ctx): boolean => openEpoch(ctx) !== null

/** Whether the voucher may have changed after the backup, so that it must not pay before the comparison. */
export function isFrozen(ctx: Ctx, id: VoucherId): boolean {
  const row = openEpoch(ctx)
  if (row === null) return false
  const first = storeVoucherRowsOf(ctx).firstEntry(id)
  return first === null || first <= row.lastEntry
}

/**
 * Compares this lane's vouchers with the store server's, once it answers and no fact is unsent. Returns false if the
 * comparison must be repeated later.
 */
export async function runComparison(ctx: Ctx): Promise<boolean> {
  const store = storeOf(ctx)
  if (!isComparing(ctx)) return true
  if (store.state().untold > 0) return false
  const answer = await store.ask(VOUCHER_PATHS.laneValue, { protocol: STORE_PROTOCOL }, LaneValue, COMPARE_MS)
  if (answer.kind !== 'answer') return false
  const { body } = answer
  return ctx.transact((tx) => {
    // A concurrent run may have finished the comparison in the meantime.
    if (!isComparing(ctx)) return true
    if (!hasAllFacts(ctx, body.applied)) return false
    correctToServer(ctx, tx, body)
    ctx.log.info(
      { epoch: storeVoucherRowsOf(ctx).epoch() },
      'adopted the store server’s values of this lane’s vouchers',
    )
    return true
  })
}
