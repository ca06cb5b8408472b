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
import { shownVouchersOf } from './shown.ts'
import { salesOf } from '../../sales/sales.ts'
import type { Ctx } from '../../core/context.ts'

// A collector's hash is of eleven digits: the two can never be one.
export const hashOf = (ctx: Ctx, code: string): Buffer => ctx.seal.keyedHash(`voucher ${code}`)

/** What a code was found to be. */
interface Standing {
  readonly voucher: Pick<Voucher, 'kind' | 'last4'> & { readonly id: VoucherId; readonly issuedAt: number }
  readonly isNew: NewVoucher | null
  readonly hereCents: number
  readonly heldCents: number
  readonly reserved: { readonly lane: string; readonly cents: number }[]
  /** Nothing is to be had of it just now, and in a moment there may be. */
  readonly isMoving: boolean
  /** Lanes that the store hears first: until then nothing of what it holds is to be had. */
  readonly awaits: readonly string[]
}

const isFrozen = (ctx: Ctx, id: VoucherId): boolean => storeVouchersOf(ctx)?.isFrozen(id) ?? false

const isLeaseOver = (ctx: Ctx): boolean => storeVouchersOf(ctx)?.isLeaseOver() ?? false

/** Why something of it lies here and pays nothing: the lease is over. */
const isLocked = (ctx: Ctx, id: VoucherId): boolean => isLeaseOver(ctx) && storeVoucherRowsOf(ctx).here(id) > 0

/** What pays at this lane without asking anybody. */
const payableHere = (ctx: Ctx, { id, hereCents }: Pick<ShownRow, 'id' | 'hereCents'>): number =>
  isFrozen(ctx, id) || isLeaseOver(ctx) ? 0 : Math.max(0, hereCents)

function ofStore(ctx: Ctx, code: string, row: ShownRow | null, found: KnownVoucher, canDraw: boolean): Standing {
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

const alone = (ctx: Ctx, row: ShownRow): Standing => ({
  voucher: row,
  isNew: null,
  hereCents: payableHere(ctx, row),
  heldCents: 0,
  reserved: [],
  isMoving: storeVoucherRowsOf(ctx).onItsWay(row.id) > 0,
  awaits: [],
})

/** What this lane knows without asking. Throws ProblemError `voucher-unknown`. */
function standingHere(ctx: Ctx, code: string): Standing {
  const row = storeVoucherRowsOf(ctx).byHash(hashOf(ctx, code))
  if (row === null) throw new ProblemError('voucher-unknown')
  return alone(ctx, row)
}

/** Throws ProblemError `voucher-unknown`, `voucher-busy`, `voucher-store-away`, `-restored` or `-lease-over`. */
async function standingInStore(ctx: Ctx, code: string, store: StoreVouchers): Promise<Standing> {
  const [found, isSure] = await Promise.all([store.find(code), store.knowsWhatLies()])
  const row = storeVoucherRowsOf(ctx).byHash(hashOf(ctx, code))
  // What lay at a lane that is lost may be about to lie here.
  if (found?.kind === 'known' && row === null && !isSure) throw new ProblemError('voucher-busy')
  if (found?.kind === 'known') return ofStore(ctx, code, row, found, !store.isComparing())
  if (found !== null) return standingHere(ctx, code)
  if (row === null) throw new ProblemError('voucher-store-away')
  const standing = alone(ctx, row)
  if (standing.hereCents > 0) return standing
  if (isFrozen(ctx, row.id)) throw new ProblemError('voucher-restored')
  throw new ProblemError(isLocked(ctx, row.id) ? 'voucher-lease-over' : 'voucher-store-away')
}

/** Throws ProblemError where nothing can be paid with it now. */
function refuseWorthless(ctx: Ctx, standing: Standing, isPaying: boolean): void {
  const { voucher, hereCents, heldCents, reserved, isMoving, awaits } = standing
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

/** It may pay the sale that is open; between two sales its balance is told, and nothing can be paid with it yet. */
function show(ctx: Ctx, standing: Standing): Voucher {
  const saleId = salesOf(ctx).currentId()
  refuseWorthless(ctx, standing, saleId !== null)
  const { voucher, isNew, hereCents, heldCents, reserved } = standing
  const payable = hereCents + heldCents
  const rest = reserved.reduce((sum, one) => sum + one.cents, 0)
  if (saleId !== null) shownVouchersOf(ctx).put(voucher.id, saleId, isNew, heldCents + rest)
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
 * What a code is worth by what this lane knows; with a sale open it may pay that for a while. Throws ProblemError
 * `voucher-code-invalid` and what says why nothing can be paid with it.
 */
export const presentHere = (ctx: Ctx, typed: string): Voucher => show(ctx, standingHere(ctx, parsed(typed)))

/** The same with what the store knows, which is asked for `ASK_MS` at most. */
export async function present(ctx: Ctx, typed: string): Promise<Voucher> {
  const shared = storeVouchersOf(ctx)
  const code = parsed(typed)
  return show(ctx, shared === null ? standingHere(ctx, code) : await standingInStore(ctx, code, shared))
}

/**
 * Draws from the store what a payment needs beyond what lies here; `pay` then finds it. Nothing is asked where it
 * lies here, or `pay` will refuse anyway. Throws ProblemError where the store does not give it.
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
  if (shared.isAway()) throw new ProblemError(isLocked(ctx, voucherId) ? 'voucher-lease-over' : 'voucher-store-away')
  if (shared.isTakingOver()) throw new ProblemError('voucher-busy')
  // It was shown while it had no row, and what lay at the lane before came in between.
  if (row === null && forSale.isNew !== null && rows.byHash(forSale.isNew.codeHash) !== null)
    throw new ProblemError('voucher-not-presented')
  await shared.draw({ voucherId, saleId, amountCents: missing, isNew: row ? null : forSale.isNew })
}

/** Takes the amount off a voucher that was shown, for a sale. Answers the tender. */
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
  // What this lane has issued of it stands in its own entries, which refuse more.
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

/** What a tender took is on the voucher again. Answers the balance, as far as this lane knows it. */
export function putBack(ctx: Ctx, tx: Tx, saleId: Sale['id'], voucherId: VoucherId, amountCents: number): number {
  const rows = storeVoucherRowsOf(ctx)
  const shared = storeVouchersOf(ctx)
  const at = ctx.clock.now()
  const ofUse = Math.min(amountCents, rows.usedOn(voucherId, saleId))
  if (ofUse > 0) rows.use(tx, { voucherId, at, kind: 'given-back', amountCents: ofUse, saleId })
  if (amountCents > ofUse) voucherRowsOf(ctx).moved(tx, voucherId, at, 'given-back', amountCents - ofUse, saleId)
  shared?.moved(voucherId)
  return shared === null ? rows.here(voucherId) : rows.leftOn(saleId, voucherId) + amountCents
}

const detailsOf = (reserved: Standing['reserved']) =>
  reserved.map(({ lane, cents: amount }) => ({ path: `lane ${lane}`, message: String(amount) }))

function unreachable(): never {
  throw new Error('a voucher that is known has a row, or can have one')
}
