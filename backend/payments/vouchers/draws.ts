import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import {
  ActivatedCard,
  CancelledDraw,
  DrawnVoucher,
  ForgoneCard,
  GrantedDraws,
  VOUCHER_PATHS,
} from '../../../contracts/store/vouchers.ts'
import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { runLater } from '../../core/lifecycle.ts'
import type { Tx } from '../../core/db/transact.ts'
import { ProblemError } from '../../core/problem.ts'
import { Reservations } from '../../store/reservations.ts'
import { lanesAwaited } from '../../store/lease.ts'
import { REQUEST_MS } from '../../store/link-state.ts'
import { storeOf } from '../../store/store-link.ts'
import { type DrawRow, type NewVoucher, storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'
import { isComparing } from './lane-replacement.ts'
import { hashOfVoucher, share, sharedHashOf } from './voucher-codes.ts'

/**
 * Time in ms that a granted draw on a voucher waits for its payment, which normally follows at once; then the draw is
 * given back. A draw that a stop interrupted is given back after the next start.
 */
const PAYMENT_MS = 2_000

export interface RequestedDraw {
  readonly voucherId: VoucherId
  readonly saleId: string
  readonly amountCents: number
  /** Row to insert if this lane does not know the voucher yet; else null. */
  readonly isNew: NewVoucher | null
}

interface Granted {
  readonly draw: Omit<DrawRow, 'state'>
  readonly restCents: number
}

/** Vouchers with a draw that waits for the server's answer (null) or, once granted, for its payment. */
const inProgressOf = perLane(() => new Map<VoucherId, (Granted & { readonly callOff: () => void }) | null>())

const bodyOf = (ctx: Ctx, { id, voucherId, amountCents }: Omit<DrawRow, 'state'>) => ({
  id,
  hash: hashOfVoucher(ctx, voucherId),
  amountCents,
})

/** Every draw on a voucher ends in the commit of its payment, or is given back. */
export const drawRequestsOf = perLane((ctx: Ctx) => {
  const rows = storeVoucherRowsOf(ctx)
  const isOpen = ({ id, voucherId }: DrawRow): boolean => rows.openDrawsOf(voucherId).some((one) => one.id === id)
  return new Reservations<DrawRow>(ctx, {
    open: rows.openDraws,
    isReady: () => storeOf(ctx).state().kind === 'connected' && !isComparing(ctx),
    giveUp: (tx, { id, state }) => {
      if (state === 'asked') rows.setDraw(tx, id, 'cancelling')
    },
    end: (tx, draw, isUsed) => {
      if (isUsed)
        ctx.log.warn({ draw: draw.id }, 'the store server reports a draw as used before: check this lane’s payments')
      // A concurrent payment may already have cancelled the draw.
      if (isOpen(draw)) rows.setDraw(tx, draw.id, isUsed ? 'left' : 'cancelled')
    },
    givenBack: (id) => {
      const draw = rows.drawById(id)
      return draw?.state === 'cancelled' ? draw : null
    },
    back: {
      path: VOUCHER_PATHS.cancel,
      answer: CancelledDraw.transform(({ kind }) => kind === 'taken'),
      bodyOf: (draw) => bodyOf(ctx, draw),
    },
    listed: { path: VOUCHER_PATHS.granted, answer: GrantedDraws.transform(({ ids }) => ids) },
  })
})

const isRequested = (draw: DrawRow, { saleId, amountCents }: RequestedDraw): boolean =>
  draw.state === 'asked' && draw.saleId === saleId && draw.amountCents === amountCents

function begin(ctx: Ctx, wanted: RequestedDraw): Omit<DrawRow, 'state'> {
  const rows = storeVoucherRowsOf(ctx)
  const { voucherId, saleId, amountCents, isNew } = wanted
  const open = rows.openDrawsOf(voucherId).find((draw) => isRequested(draw, wanted))
  if (open) return open
  const draw = { id: ctx.rng.uuid(), voucherId, saleId, amountCents }
  ctx.transact((tx) => {
    share(ctx, tx)
    if (isNew) rows.insertVoucher(tx, isNew)
    rows.insertDraw(tx, { ...draw, at: ctx.clock.now() })
  })
  return draw
}

async function grant(ctx: Ctx, wanted: RequestedDraw): Promise<Granted> {
  const rows = storeVoucherRowsOf(ctx)
  const requests = drawRequestsOf(ctx)
  const deadline = ctx.clock.monotonic() + REQUEST_MS
  const left = (): number => Math.max(1, Math.trunc(deadline - ctx.clock.monotonic()))
  for (const other of rows.openDrawsOf(wanted.voucherId))
    if (!isRequested(other, wanted)) await requests.giveBack(other, left())
  const draw = begin(ctx, wanted)
  const answer = await requests.ask(draw.id, VOUCHER_PATHS.draw, bodyOf(ctx, draw), DrawnVoucher, left())
  if (answer.kind !== 'answer') throw new ProblemError('voucher-unanswered')
  const { kind, heldCents, at, isDrawn, awaits } = answer.body
  const elsewhere = at.reduce((sum, { cents }) => sum + cents, 0)
  if (kind === 'granted') return { draw, restCents: heldCents + elsewhere }
  ctx.transact((tx) => rows.setDraw(tx, draw.id, 'refused'))
  requests.drop(draw.id)
  if (awaits.length > 0) throw lanesAwaited('voucher-lanes-awaited', awaits)
  if (isDrawn) throw new ProblemError('voucher-busy')
  throw new ProblemError(elsewhere > 0 ? 'voucher-reserved' : 'voucher-balance')
}

export const isInProgress = (ctx: Ctx, voucherId: VoucherId): boolean => inProgressOf(ctx).has(voucherId)

/**
 * Requests the draw on a voucher for a payment, with a timeout of `REQUEST_MS` in total; `takeDraw` then uses it.
 * Throws ProblemError `voucher-unanswered`, `voucher-busy`, `voucher-lanes-awaited`, `voucher-reserved` or
 * `voucher-balance`. A failed draw is given back unless the same payment requests it again first.
 */
export async function draw(ctx: Ctx, wanted: RequestedDraw): Promise<void> {
  const inProgress = inProgressOf(ctx)
  const { voucherId } = wanted
  if (inProgress.has(voucherId)) throw new ProblemError('voucher-busy')
  inProgress.set(voucherId, null)
  try {
    const granted = await grant(ctx, wanted)
    const callOff = runLater(ctx, PAYMENT_MS, () => {
      inProgress.delete(voucherId)
      drawRequestsOf(ctx).drop(granted.draw.id)
    })
    inProgress.set(voucherId, { ...granted, callOff })
  } catch (error) {
    inProgress.delete(voucherId)
    throw error
  }
}

/**
 * Uses the granted draw for a payment of this sale, in the transaction of the payment. Returns null if there is no
 * granted draw.
 */
export function takeDraw(
  ctx: Ctx,
  tx: Tx,
  voucherId: VoucherId,
  saleId: string,
): { amountCents: number; restCents: number } | null {
  const rows = storeVoucherRowsOf(ctx)
  const inProgress = inProgressOf(ctx)
  const granted = inProgress.get(voucherId)
  if (!granted || granted.draw.saleId !== saleId) return null
  const { id, amountCents } = granted.draw
  rows.setDraw(tx, id, 'drawn')
  const at = ctx.clock.now()
  rows.insertTransfer(tx, { id, voucherId, direction: 'drawn', amountCents, at, reason: 'payment' })
  ctx.transact.afterCommit(() => {
    granted.callOff()
    if (inProgress.get(voucherId) === granted) inProgress.delete(voucherId)
    drawRequestsOf(ctx).release(id)
  })
  return { amountCents, restCents: granted.restCents }
}

const activationOf = (ctx: Ctx, code: string) => ({
  protocol: STORE_PROTOCOL,
  hash: sharedHashOf(ctx, code),
  askedAt: ctx.clock.now(),
})

/**
 * Reserves a gift card with its own number at the store server, so that no other lane sells it at the same time. If the
 * server is offline, the card is sold anyway; a card that two lanes have sold has both amounts. Throws ProblemError
 * `gift-card-used` for a sold card, `gift-card-elsewhere` while another lane is selling it.
 */
export async function activate(ctx: Ctx, code: string): Promise<void> {
  const store = storeOf(ctx)
  if (store.seal() === null) return
  const answer = await store.ask(VOUCHER_PATHS.activate, activationOf(ctx, code), ActivatedCard)
  if (answer.kind !== 'answer') return
  if (answer.body.kind === 'active') throw new ProblemError('gift-card-used')
  if (answer.body.kind === 'elsewhere') throw new ProblemError('gift-card-elsewhere')
}

/**
 * Lets any lane sell a gift card again. Also called if it is unknown whether this lane's reservation reached the
 * server.
 */
export function releaseCard(ctx: Ctx, code: string): void {
  const store = storeOf(ctx)
  if (store.seal() !== null) void store.send(VOUCHER_PATHS.forgo, activationOf(ctx, code), ForgoneCard)
}
