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
import { Claims } from '../../store/claims.ts'
import { lanesAwaited } from '../../store/lease.ts'
import { ASK_MS } from '../../store/link-state.ts'
import { storeOf } from '../../store/store-link.ts'
import { type DrawRow, type NewVoucher, storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'
import { isComparing } from './taking-over.ts'
import { hashOfVoucher, share, sharedHashOf } from './voucher-codes.ts'

/**
 * So long a draw that was granted waits for the payment that asked for it, which follows at once. One that waits at a
 * stop is cancelled after the next start.
 */
const PAYMENT_MS = 2_000

/** What the payment of a sale wants from the store. */
export interface WantedDraw {
  readonly voucherId: VoucherId
  readonly saleId: string
  readonly amountCents: number
  /** Of a voucher that this lane has no row of yet. */
  readonly isNew: NewVoucher | null
}

interface Granted {
  readonly draw: Omit<DrawRow, 'state'>
  /** What is left of it elsewhere, by the store's answer. */
  readonly restCents: number
}

/** Vouchers of which a draw is asked for (null), or waits for its payment. */
const underWayOf = perLane(() => new Map<VoucherId, (Granted & { readonly callOff: () => void }) | null>())

const bodyOf = (ctx: Ctx, { id, voucherId, amountCents }: Omit<DrawRow, 'state'>) => ({
  id,
  hash: hashOfVoucher(ctx, voucherId),
  amountCents,
})

/** A draw ends in the commit of its payment, or cancelled: never both. */
export const drawClaimsOf = perLane((ctx: Ctx) => {
  const rows = storeVoucherRowsOf(ctx)
  const isOpen = ({ id, voucherId }: DrawRow): boolean => rows.openDrawsOf(voucherId).some((one) => one.id === id)
  return new Claims<DrawRow>(ctx, {
    open: rows.openDraws,
    isReady: () => storeOf(ctx).state().kind === 'connected' && !isComparing(ctx),
    giveUp: (tx, { id, state }) => {
      if (state === 'asked') rows.setDraw(tx, id, 'cancelling')
    },
    end: (tx, draw, isUsed) => {
      if (isUsed) ctx.log.warn({ draw: draw.id }, 'the store says that a draw was taken before')
      // A payment beside may have had it cancelled too.
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

const isAskedFor = (draw: DrawRow, { saleId, amountCents }: WantedDraw): boolean =>
  draw.state === 'asked' && draw.saleId === saleId && draw.amountCents === amountCents

/** The draw that the same payment left open, or a new one. */
function begin(ctx: Ctx, wanted: WantedDraw): Omit<DrawRow, 'state'> {
  const rows = storeVoucherRowsOf(ctx)
  const { voucherId, saleId, amountCents, isNew } = wanted
  const again = rows.openDrawsOf(voucherId).find((draw) => isAskedFor(draw, wanted))
  if (again) return again
  const draw = { id: ctx.rng.uuid(), voucherId, saleId, amountCents }
  ctx.transact((tx) => {
    share(ctx, tx)
    if (isNew) rows.insertVoucher(tx, isNew)
    rows.insertDraw(tx, { ...draw, at: ctx.clock.now() })
  })
  return draw
}

async function grant(ctx: Ctx, wanted: WantedDraw): Promise<Granted> {
  const rows = storeVoucherRowsOf(ctx)
  const claims = drawClaimsOf(ctx)
  const deadline = ctx.clock.monotonic() + ASK_MS
  const left = (): number => Math.max(1, Math.trunc(deadline - ctx.clock.monotonic()))
  for (const other of rows.openDrawsOf(wanted.voucherId))
    if (!isAskedFor(other, wanted)) await claims.giveBack(other, left())
  const draw = begin(ctx, wanted)
  const heard = await claims.ask(draw.id, VOUCHER_PATHS.draw, bodyOf(ctx, draw), DrawnVoucher, left())
  if (heard.kind !== 'answer') throw new ProblemError('voucher-unanswered')
  const { kind, heldCents, at, isDrawn, awaits } = heard.body
  const elsewhere = at.reduce((sum, { cents }) => sum + cents, 0)
  if (kind === 'granted') return { draw, restCents: heldCents + elsewhere }
  ctx.transact((tx) => rows.setDraw(tx, draw.id, 'refused'))
  claims.drop(draw.id)
  if (awaits.length > 0) throw lanesAwaited('voucher-lanes-awaited', awaits)
  if (isDrawn) throw new ProblemError('voucher-busy')
  throw new ProblemError(elsewhere > 0 ? 'voucher-reserved' : 'voucher-balance')
}

export const isUnderWay = (ctx: Ctx, voucherId: VoucherId): boolean => underWayOf(ctx).has(voucherId)

/**
 * Asks the store for what a payment needs, `ASK_MS` altogether; `takeDraw` has it then. Throws ProblemError
 * `voucher-unanswered`, `voucher-busy`, `voucher-lanes-awaited`, `voucher-reserved` or `voucher-balance`: nothing is
 * taken then, and what was asked for goes back unless the same payment asks for it first.
 */
export async function draw(ctx: Ctx, wanted: WantedDraw): Promise<void> {
  const underWay = underWayOf(ctx)
  const { voucherId } = wanted
  if (underWay.has(voucherId)) throw new ProblemError('voucher-busy')
  underWay.set(voucherId, null)
  try {
    const granted = await grant(ctx, wanted)
    const callOff = runLater(ctx, PAYMENT_MS, () => {
      underWay.delete(voucherId)
      drawClaimsOf(ctx).drop(granted.draw.id)
    })
    underWay.set(voucherId, { ...granted, callOff })
  } catch (error) {
    underWay.delete(voucherId)
    throw error
  }
}

/** Takes what was granted for a payment of this sale, in its transaction. Null: there is nothing. */
export function takeDraw(
  ctx: Ctx,
  tx: Tx,
  voucherId: VoucherId,
  saleId: string,
): { amountCents: number; restCents: number } | null {
  const rows = storeVoucherRowsOf(ctx)
  const underWay = underWayOf(ctx)
  const granted = underWay.get(voucherId)
  if (!granted || granted.draw.saleId !== saleId) return null
  const { id, amountCents } = granted.draw
  rows.setDraw(tx, id, 'drawn')
  const at = ctx.clock.now()
  rows.insertTransfer(tx, { id, voucherId, direction: 'drawn', amountCents, at, reason: 'payment' })
  ctx.transact.afterCommit(() => {
    granted.callOff()
    if (underWay.get(voucherId) === granted) underWay.delete(voucherId)
    drawClaimsOf(ctx).letGo(id)
  })
  return { amountCents, restCents: granted.restCents }
}

const activationOf = (ctx: Ctx, code: string) => ({
  protocol: STORE_PROTOCOL,
  hash: sharedHashOf(ctx, code),
  askedAt: ctx.clock.now(),
})

/**
 * Asks the store for a card with a number of its own that this lane is about to sell: no other lane sells it meanwhile.
 * Where the store cannot be asked the card is sold all the same; two lanes that both sold it have put both amounts on
 * it. Throws ProblemError `gift-card-used` where it was sold, `gift-card-elsewhere` where another lane is selling it.
 */
export async function activate(ctx: Ctx, code: string): Promise<void> {
  const store = storeOf(ctx)
  if (store.seal() === null) return
  const heard = await store.ask(VOUCHER_PATHS.activate, activationOf(ctx, code), ActivatedCard)
  if (heard.kind !== 'answer') return
  if (heard.body.kind === 'active') throw new ProblemError('gift-card-used')
  if (heard.body.kind === 'elsewhere') throw new ProblemError('gift-card-elsewhere')
}

/** Any lane may sell the card again; also where it is not known whether the store had given it to this lane. */
export function forgo(ctx: Ctx, code: string): void {
  const store = storeOf(ctx)
  if (store.seal() !== null) void store.tell(VOUCHER_PATHS.forgo, activationOf(ctx, code), ForgoneCard)
}
