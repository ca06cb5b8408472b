import { setImmediate as breathe } from 'node:timers/promises'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { Standing, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { isStopping } from '../../core/lifecycle.ts'
import type { Tx } from '../../core/db/transact.ts'
import { storeOf } from '../../store/store-link.ts'
import { type NewVoucher, storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'
import { hashOfVoucher, rowOfStanding, share } from './voucher-codes.ts'

/** Vouchers of one commit: some milliseconds. */
const TAKE_OVER_AT_ONCE = 20
/** So long after the first question that nobody answered no card of other lanes pays; then it is as with a refusal. */
const MOST_MS = 60_000
const COMPARE_MS = 10_000

type Lying = Standing['vouchers'][number]

/**
 * A lane without a backup, in the place of one that is lost, has the vouchers that lay at that one. Nothing says that
 * it is such a lane: each that has shared no voucher yet asks. What it has no row of can only be of the one before, so
 * it need not have told anything first; what it has a row of stays as it is.
 */
const takingOverOf = perLane((ctx) => {
  const rows = storeVoucherRowsOf(ctx)
  const isDone = rows.epoch() > 1 || rows.isMarked()
  return {
    isDone,
    /** Where it failed it is asked again once the store is reached anew. */
    isDue: !isDone,
    /** Until it is known what lies here no voucher without a row gets one, and nothing marks the database. */
    isHolding: !isDone,
    deadline: null as number | null,
    running: null as Promise<void> | null,
  }
})

function rowsOf(ctx: Ctx, vouchers: readonly Lying[]): { row: NewVoucher; cents: number }[] {
  return vouchers.flatMap((voucher) => {
    try {
      const row = rowOfStanding(ctx, voucher)
      return storeVoucherRowsOf(ctx).byHash(row.codeHash) === null ? [{ row, cents: voucher.cents }] : []
    } catch (error) {
      ctx.log.warn({ err: error }, 'a voucher of the lane before could not be taken over')
      return []
    }
  })
}

/** What it has taken is passed over the next time; so the mark, which ends the asking, comes last. */
async function takeOver(ctx: Ctx, vouchers: readonly Lying[]): Promise<void> {
  const rows = storeVoucherRowsOf(ctx)
  let isAny = false
  for (let from = 0; from < vouchers.length; from += TAKE_OVER_AT_ONCE) {
    if (from > 0) await breathe()
    if (isStopping(ctx)) return
    const lost = rowsOf(ctx, vouchers.slice(from, from + TAKE_OVER_AT_ONCE))
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
  const state = takingOverOf(ctx)
  const heard = await storeOf(ctx).tell(VOUCHER_PATHS.standing, { protocol: STORE_PROTOCOL }, Standing)
  if (isStopping(ctx)) return
  if (heard.kind === 'away') {
    state.deadline ??= ctx.clock.monotonic() + MOST_MS
    if (ctx.clock.monotonic() < state.deadline) return
  }
  state.isDue = false
  if (heard.kind === 'answer') {
    await takeOver(
      ctx,
      heard.body.vouchers.filter(({ cents }) => cents > 0),
    )
    state.isDone = true
  }
  state.isHolding = false
}

/** Whether a voucher that this lane has no row of may be about to lie here. */
export const isTakingOver = (ctx: Ctx): boolean => takingOverOf(ctx).isHolding

/** Asks, where that is due; whoever calls meanwhile waits for the same answer. Answers whether to go on. */
export async function runTakingOver(ctx: Ctx): Promise<boolean> {
  const state = takingOverOf(ctx)
  if (!state.isDue) return true
  state.running ??= askOnce(ctx)
    .catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'vouchers could not be settled with the store')
      state.isDue = state.isHolding = false
    })
    .finally(() => {
      state.running = null
    })
  await state.running
  return !state.isHolding
}

/** The store was reached anew. */
export function takeOverAgain(ctx: Ctx): void {
  const state = takingOverOf(ctx)
  state.isDue = !state.isDone
}

/**
 * A lane that went back to a backup has forgotten what it handed over, drew, sold and took since; the store was told
 * and has not. Until the two were compared no voucher of before pays at this lane; then what lies here is what the
 * store knows to lie here.
 */
export function openComparing(ctx: Ctx): void {
  const rows = storeVoucherRowsOf(ctx)
  const epoch = rows.epoch()
  if (epoch > 1 && rows.comparing(epoch) === null)
    ctx.transact((tx) => {
      // What the backup had is not to be spent by an earlier program either.
      share(ctx, tx)
      rows.noteEpoch(tx, epoch)
    })
  takingOverOf(ctx)
}

function openEpoch(ctx: Ctx): { lastEntry: number } | null {
  const rows = storeVoucherRowsOf(ctx)
  const epoch = rows.epoch()
  if (epoch === 1) return null
  const row = rows.comparing(epoch)
  return row?.comparedAt === null ? row : null
}

/** Whether the store has been told all that this lane has, and nothing came since. */
const isToldAll = (ctx: Ctx, applied: Standing['applied']): boolean =>
  storeVoucherRowsOf(ctx)
    .heads()
    .every(({ name, last, isNewest }) => (isNewest === 1 ? applied[name] === last : (applied[name] ?? 0) >= last))

/** Books the difference between what lies here and what the store knows to lie here. */
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

function takeKnown(ctx: Ctx, tx: Tx, { vouchers }: Standing): void {
  const rows = storeVoucherRowsOf(ctx)
  const known = new Map(vouchers.map((voucher) => [voucher.hash, voucher]))
  for (const { id, hereCents } of rows.all()) {
    const hash = hashOfVoucher(ctx, id)
    correct(ctx, tx, id, Math.max(0, known.get(hash)?.cents ?? 0) - hereCents)
    known.delete(hash)
  }
  // Vouchers that the backup did not have.
  for (const voucher of known.values()) {
    if (voucher.cents <= 0) continue
    const row = rowOfStanding(ctx, voucher)
    rows.insertVoucher(tx, row)
    correct(ctx, tx, row.id, voucher.cents)
  }
  for (const { id } of rows.openDraws()) rows.setDraw(tx, id, 'left')
  rows.compared(tx, rows.epoch(), ctx.clock.now())
}

export const isComparing = (ctx: Ctx): boolean => openEpoch(ctx) !== null

/** Whether a voucher may have moved in what this lane has forgotten. */
export function isFrozen(ctx: Ctx, id: VoucherId): boolean {
  const row = openEpoch(ctx)
  if (row === null) return false
  const first = storeVoucherRowsOf(ctx).firstEntry(id)
  return first === null || first <= row.lastEntry
}

/** Compares, where that is due, the store is there and has been told everything. Answers whether it is done. */
export async function runComparing(ctx: Ctx): Promise<boolean> {
  const store = storeOf(ctx)
  if (!isComparing(ctx)) return true
  if (store.state().untold > 0) return false
  const heard = await store.ask(VOUCHER_PATHS.standing, { protocol: STORE_PROTOCOL }, Standing, COMPARE_MS)
  if (heard.kind !== 'answer') return false
  const { body } = heard
  return ctx.transact((tx) => {
    // Another run may have compared by a newer answer while this one came.
    if (!isComparing(ctx)) return true
    if (!isToldAll(ctx, body.applied)) return false
    takeKnown(ctx, tx, body)
    ctx.log.info(
      { epoch: storeVoucherRowsOf(ctx).epoch() },
      'the vouchers of this lane are those that the store knows of',
    )
    return true
  })
}
