import type { Voucher, VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { KnownVoucher } from '../../../contracts/store/vouchers.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { cents } from '../../../contracts/core/money.ts'
import { isoOf } from '../../core/clock.ts'
import type { Tx } from '../../core/db/transact.ts'
import { parseVoucherCode } from '../../core/scan-codes.ts'
import { ProblemError } from '../../core/problem.ts'
import { lanesAwaited } from '../../store/lease.ts'
import type { TenderRow } from '../../sales/sale/sales.sql.ts'
import { type NewVoucher, type ShownRow, storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'
import { type StoreVouchers, storeVouchersOf } from './store-vouchers.ts'
import { voucherRowsOf } from '../rows/vouchers.sql.ts'
import { WITHOUT_SALE, shownVouchersOf } from './presented-vouchers.ts'
import { salesOf } from '../../sales/sales.ts'
import type { Ctx } from '../../core/context.ts'

// A collector number is hashed without this prefix, so no voucher has the same hash.
export const hashOf = (ctx: Ctx, code: string): Buffer => ctx.seal.keyedHash(`voucher ${code}`)

interface VoucherState {
  readonly voucher: Pick<Voucher, 'kind' | 'last4'> & { readonly id: VoucherId; readonly issuedAt: number }
  readonly isNew: NewVoucher | null
  readonly hereCents: number
  readonly heldCents: number
  readonly reserved: { readonly lane: string; readonly cents: number }[]
  /** Whether value of the voucher is being transferred, so that it may be spent in a moment. */
  readonly isMoving: boolean
  /** Lanes whose reports the store server waits for before it grants a draw on the voucher. */
  readonly awaits: readonly string[]
}

const isFrozen = (ctx: Ctx, id: VoucherId): boolean => storeVouchersOf(ctx)?.isFrozen(id) ?? false

const isLeaseOver = (ctx: Ctx): boolean => storeVouchersOf(ctx)?.isLeaseOver() ?? false

/** Whether the voucher has value here that it cannot pay with, because the lease has ended. */
const isLocked = (ctx: Ctx, id: VoucherId): boolean => isLeaseOver(ctx) && storeVoucherRowsOf(ctx).here(id) > 0

/** Value of a voucher with which it can pay here without a request to the store server. */
const payableHere = (ctx: Ctx, { id, hereCents }: Pick<ShownRow, 'id' | 'hereCents'>): number =>
  isFrozen(ctx, id) || isLeaseOver(ctx) ? 0 : Math.max(0, hereCents)

function ofStore(ctx: Ctx, code: string, row: ShownRow | null, found: KnownVoucher, canDraw: boolean): VoucherState {
  const isNew = row === null ? newOf(ctx, code, found) : null
  const { id, last4, kind, issuedAt } = row ?? isNew ?? unreachable()
  return {
    voucher: { id, kind, last4, issuedAt },
    isNew,
    hereCents: row === null ? 0 : payableHere(ctx, row),
    heldCents: canDraw && found.awaits.length === 0 ? found.heldCents : 0,
    reserved: found.at,
    isMoving: found.isDrawn || (row !== null && storeVoucherRowsOf(ctx).onItsWay(row.id) > 0),
    awaits: found.awaits,
  }
}

const newOf = (ctx: Ctx, code: string, { voucherKind: kind, issuedAt }: KnownVoucher): NewVoucher | null =>
  storeVouchersOf(ctx)?.newVoucher(code, { kind, issuedAt }) ?? null

const alone = (ctx: Ctx, row: ShownRow): VoucherState => ({
  voucher: row,
  isNew: null,
  hereCents: payableHere(ctx, row),
  heldCents: 0,
  reserved: [],
  isMoving: storeVoucherRowsOf(ctx).onItsWay(row.id) > 0,
  awaits: [],
})

/** Looks a voucher code up at this lane only. Throws ProblemError `voucher-unknown`. */
function localState(ctx: Ctx, code: string): VoucherState {
  const row = storeVoucherRowsOf(ctx).byHash(hashOf(ctx, code))
  if (row === null) throw new ProblemError('voucher-unknown')
  return alone(ctx, row)
}

/**
 * Looks a voucher code up at the store server. Throws ProblemError `voucher-unknown`, `voucher-busy`,
 * `voucher-store-away`, `voucher-restored` or `voucher-lease-over`.
 */
async function storeState(ctx: Ctx, code: string, store: StoreVouchers): Promise<VoucherState> {
  const [found, isSure] = await Promise.all([store.find(code), store.confirmLocalValue()])
  const row = storeVoucherRowsOf(ctx).byHash(hashOf(ctx, code))
  // This lane may be taking over the voucher at this moment, from the lost lane that it replaces.
  if (found?.kind === 'known' && row === null && !isSure) throw new ProblemError('voucher-busy')
  if (found?.kind === 'known') return ofStore(ctx, code, row, found, !store.isComparing())
  if (found !== null) return localState(ctx, code)
  if (row === null) throw new ProblemError('voucher-store-away')
  const state = alone(ctx, row)
  if (state.hereCents > 0) return state
  if (isFrozen(ctx, row.id)) throw new ProblemError('voucher-restored')
  throw new ProblemError(isLocked(ctx, row.id) ? 'voucher-lease-over' : 'voucher-store-away')
}

function requireValue(ctx: Ctx, state: VoucherState, isPaying: boolean): void {
  const { voucher, hereCents, heldCents, reserved, isMoving, awaits } = state
  if (hereCents + heldCents > 0) return
  if (isFrozen(ctx, voucher.id)) throw new ProblemError('voucher-restored')
  if (isLocked(ctx, voucher.id)) throw new ProblemError('voucher-lease-over')
  if (awaits.length > 0) throw lanesAwaited('voucher-lanes-awaited', awaits)
  if (reserved.length > 0) {
    if (isPaying) throw new ProblemError('voucher-reserved', detailsOf(reserved))
    return
  }
  throw new ProblemError(isMoving ? 'voucher-busy' : 'voucher-empty')
}

function show(ctx: Ctx, state: VoucherState): Voucher {
  const saleId = salesOf(ctx).currentId()
  requireValue(ctx, state, saleId !== null)
  const { voucher, isNew, hereCents, heldCents, reserved } = state
  const payable = hereCents + heldCents
  const rest = reserved.reduce((sum, one) => sum + one.cents, 0)
  shownVouchersOf(ctx).put(voucher.id, saleId ?? WITHOUT_SALE, isNew, heldCents + rest)
  const view = {
    id: voucher.id,
    kind: voucher.kind,
    last4: voucher.last4,
    issuedAt: isoOf(voucher.issuedAt),
    balanceCents: cents(payable + rest),
  }
  if (rest === 0) return view
  const lanes = reserved.map((one) => ({ lane: one.lane, amountCents: cents(one.cents) }))
  return { ...view, payableCents: cents(payable), reserved: lanes }
}

function parsed(typed: string): string {
  const code = parseVoucherCode(typed)
  if (code === null) throw new ProblemError('voucher-code-invalid')
  return code
}

/**
 * Returns the value of a voucher that is known here, and lets it pay the open sale for a limited time. Throws
 * ProblemError `voucher-code-invalid` or the reason why it cannot pay.
 */
export const presentHere = (ctx: Ctx, typed: string): Voucher => show(ctx, localState(ctx, parsed(typed)))

/** Like `presentHere`, but with the value at the store server, which is requested with a timeout of `REQUEST_MS`. */
export async function present(ctx: Ctx, typed: string): Promise<Voucher> {
  const shared = storeVouchersOf(ctx)
  const code = parsed(typed)
  return show(ctx, shared === null ? localState(ctx, code) : await storeState(ctx, code, shared))
}

/**
 * Draws the missing value of a voucher payment from the store server, before `pay`. Does nothing if the value is here,
 * or if `pay` will refuse the payment anyway. Throws ProblemError if the lane cannot request the draw, or the server
 * refuses it.
 */
export async function prepare(ctx: Ctx, saleId: string, voucherId: VoucherId, amountCents: number): Promise<void> {
  const shared = storeVouchersOf(ctx)
  const rows = storeVoucherRowsOf(ctx)
  const forSale = shownVouchersOf(ctx).for(voucherId, saleId)
  if (shared === null || forSale === null) return
  const row = rows.byId(voucherId)
  const missing = amountCents - (row ? payableHere(ctx, row) : 0)
  if (missing <= 0) return
  if (isFrozen(ctx, voucherId) || shared.isComparing()) throw new ProblemError('voucher-restored')
  if (shared.isDisconnected())
    throw new ProblemError(isLocked(ctx, voucherId) ? 'voucher-lease-over' : 'voucher-store-away')
  if (shared.isTakeoverPending()) throw new ProblemError('voucher-busy')
  // The predecessor's value was taken over after the voucher was presented, so it must be presented again.
  if (row === null && forSale.isNew !== null && rows.byHash(forSale.isNew.codeHash) !== null)
    throw new ProblemError('voucher-not-presented')
  await shared.draw({ voucherId, saleId, amountCents: missing, isNew: row ? null : forSale.isNew })
}

export function pay(
  ctx: Ctx,
  tx: Tx,
  saleId: string,
  voucherId: VoucherId,
  amountCents: number,
): Omit<TenderRow, 'number' | 'shiftId'> {
  const shown = shownVouchersOf(ctx)
  const rows = storeVoucherRowsOf(ctx)
  const repository = voucherRowsOf(ctx)
  const forSale = shown.for(voucherId, saleId)
  if (forSale === null) throw new ProblemError('voucher-not-presented')
  const row = rows.byId(voucherId)
  if (row === null) throw new ProblemError('voucher-balance')
  const drawn = amountCents > payableHere(ctx, row) ? storeVouchersOf(ctx)?.take(tx, voucherId, saleId) : null
  const hereCents = payableHere(ctx, row) + (drawn?.amountCents ?? 0)
  if (amountCents > hereCents)
    throw new ProblemError(isLocked(ctx, voucherId) ? 'voucher-lease-over' : 'voucher-balance')
  const restCents = drawn?.restCents ?? forSale.restCents
  shown.put(voucherId, saleId, null, restCents)
  const use = { voucherId, at: ctx.clock.now(), kind: 'redeemed', amountCents, saleId } as const
  // The database rejects an entry above the balance of a voucher that was issued here, so store such a payment as a
  // use.
  if (amountCents <= (repository.byId(voucherId)?.balanceCents ?? 0))
    repository.moved(tx, voucherId, use.at, use.kind, amountCents, saleId)
  else rows.use(tx, use)
  return {
    kind: row.kind,
    amountCents,
    roundingCents: 0,
    tenderedCents: amountCents,
    changeCents: 0,
    reference: row.last4,
    operationId: null,
    voucherId,
    voucherBalanceCents: hereCents - amountCents + restCents,
  }
}

/** Restores the amount of a payment to its voucher. Returns the balance as far as it is known here. */
export function restoreValue(ctx: Ctx, tx: Tx, saleId: Sale['id'], voucherId: VoucherId, amountCents: number): number {
  const rows = storeVoucherRowsOf(ctx)
  const shared = storeVouchersOf(ctx)
  const at = ctx.clock.now()
  const ofUse = Math.min(amountCents, rows.usedOn(voucherId, saleId))
  if (ofUse > 0) rows.use(tx, { voucherId, at, kind: 'given-back', amountCents: ofUse, saleId })
  if (amountCents > ofUse) voucherRowsOf(ctx).moved(tx, voucherId, at, 'given-back', amountCents - ofUse, saleId)
  shared?.moved(voucherId)
  return shared === null ? rows.here(voucherId) : rows.leftOn(saleId, voucherId) + amountCents
}

const detailsOf = (reserved: VoucherState['reserved']) =>
  reserved.map(({ lane, cents: amount }) => ({ path: `lane ${lane}`, message: String(amount) }))

function unreachable(): never {
  throw new Error('a known voucher has no row and cannot get one')
}
