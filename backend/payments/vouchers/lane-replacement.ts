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

/** Number of vouchers taken over by one commit, which then takes some milliseconds. */
const VOUCHERS_PER_COMMIT = 20
/**
 * Time in ms after the first unanswered request for which no gift card of other lanes is accepted; then the request
 * counts as refused.
 */
const MAX_MS = 60_000
const COMPARE_MS = 10_000

type LocalValue = LaneValue['vouchers'][number]

/**
 * Takes over the vouchers of a lost lane that has no backup. A lane cannot detect that it replaces one, so each lane
 * that has shared no voucher yet requests the value of its predecessor. A voucher without a row here can only be the
 * predecessor's, even while facts are unsent; a voucher with a row stays unchanged.
 */
const takeoverOf = perLane((ctx) => {
  const rows = storeVoucherRowsOf(ctx)
  const isDone = rows.epoch() > 1 || rows.isMarked()
  return {
    isDone,
    /** Whether to request the value; cleared after a failure until the next connect. */
    isDue: !isDone,
    /**
     * Whether the predecessor's value is unknown. Until it is known, no row is inserted for a voucher and the database
     * is not marked.
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
 * Takes over the predecessor's vouchers, except those already taken over. The mark of the database, which ends the
 * requests, is written last.
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

async function askOnce(ctx: Ctx): Promise<void> {
  const state = takeoverOf(ctx)
  const answer = await storeOf(ctx).send(VOUCHER_PATHS.standing, { protocol: STORE_PROTOCOL }, LaneValue)
  if (isStopping(ctx)) return
  if (answer.kind === 'away') {
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

/** Whether a voucher without a row at this lane may still be taken over. */
export const isTakeoverPending = (ctx: Ctx): boolean => takeoverOf(ctx).isHolding

/**
 * Requests the predecessor's value if that is due; concurrent callers share the request. Returns whether to continue.
 */
export async function runTakeover(ctx: Ctx): Promise<boolean> {
  const state = takeoverOf(ctx)
  if (!state.isDue) return true
  state.running ??= askOnce(ctx)
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

/** Allows another request for the predecessor's value after a connect. */
export function allowTakeover(ctx: Ctx): void {
  const state = takeoverOf(ctx)
  state.isDue = !state.isDone
}

/**
 * Freezes the vouchers of a lane restored from a backup, which lacks later transfers, sales and payments that the store
 * server has. Before the comparison no earlier voucher pays at this lane; then its value here is set to the server's
 * value.
 */
export function startComparison(ctx: Ctx): void {
  const rows = storeVoucherRowsOf(ctx)
  const epoch = rows.epoch()
  if (epoch > 1 && rows.comparing(epoch) === null)
    ctx.transact((tx) => {
      // Close the database to earlier programs, which would spend the backup's value too.
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

/** Whether the store server has applied exactly all facts of this lane. */
const hasAllFacts = (ctx: Ctx, applied: LaneValue['applied']): boolean =>
  storeVoucherRowsOf(ctx)
    .heads()
    .every(({ name, last, isNewest }) => (isNewest === 1 ? applied[name] === last : (applied[name] ?? 0) >= last))

/** Books the difference between this lane's value of a voucher and the store server's. */
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
  // Insert the vouchers that the backup lacks.
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

/** Whether a voucher may have changed after the backup, and so may not pay before the comparison. */
export function isFrozen(ctx: Ctx, id: VoucherId): boolean {
  const row = openEpoch(ctx)
  if (row === null) return false
  const first = storeVoucherRowsOf(ctx).firstEntry(id)
  return first === null || first <= row.lastEntry
}

/**
 * Compares the vouchers with the store server's if that is due, the server answers and no fact is unsent. Returns
 * whether the comparison is done.
 */
export async function runComparison(ctx: Ctx): Promise<boolean> {
  const store = storeOf(ctx)
  if (!isComparing(ctx)) return true
  if (store.state().untold > 0) return false
  const answer = await store.ask(VOUCHER_PATHS.standing, { protocol: STORE_PROTOCOL }, LaneValue, COMPARE_MS)
  if (answer.kind !== 'answer') return false
  const { body } = answer
  return ctx.transact((tx) => {
    // Another run may have compared with a newer answer in the meantime.
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
