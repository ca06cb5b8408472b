import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { FoundVoucher, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import { isStopping, runLater } from '../../core/lifecycle.ts'
import { ASK_MS } from '../../store/link-state.ts'
import { storeLinkOf, storeOf } from '../../store/store-link.ts'
import { activate, draw, drawClaimsOf, forgo, isUnderWay, takeDraw } from './draws.ts'
import { shownVouchersOf } from './shown.ts'
import { type LyingRow, storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'
import {
  isComparing,
  isFrozen,
  isTakingOver,
  openComparing,
  runComparing,
  runTakingOver,
  takeOverAgain,
} from './taking-over.ts'
import { newVoucher, share, sharedHashOf } from './voucher-codes.ts'

/** Whoever paid or gave back is done before anything is handed over. */
const SOON_MS = 20
/** Looked for again where the store had not heard everything yet. */
const AGAIN_MS = 100
/** Asked again where nobody said what lay at the lane before. */
const LATER_MS = 1_000
/** Transfers of one commit. */
const HAND_OVER_AT_ONCE = 100

const settlingOf = perLane(() => ({
  /** What may have something to hand over; null: nobody has looked since the store was reached. */
  moved: null as Set<VoucherId> | null,
  isSoon: false,
}))

function soon(ctx: Ctx, ms: number = SOON_MS): void {
  const state = settlingOf(ctx)
  if (state.isSoon) return
  state.isSoon = true
  runLater(ctx, ms, () => {
    state.isSoon = false
    void settle(ctx)
  })
}

/** Brings everything to where it belongs, as far as the store is there. Whatever fails is tried again. */
async function settle(ctx: Ctx): Promise<void> {
  if (isStopping(ctx) || storeOf(ctx).state().kind !== 'connected') return
  try {
    if (!(await runComparing(ctx))) return soon(ctx, AGAIN_MS)
    if (!(await runTakingOver(ctx))) return soon(ctx, LATER_MS)
    if (isStopping(ctx)) return
    await drawClaimsOf(ctx).giveBackAll()
    if (!isStopping(ctx) && !handOverAll(ctx)) soon(ctx, AGAIN_MS)
  } catch (error) {
    ctx.log.warn({ err: error }, 'vouchers could not be settled with the store')
  }
}

/** All but the reserve of a voucher that this lane issued. */
const surplusOf = ({ profile }: Ctx, { hereCents, isOwn }: LyingRow): number =>
  hereCents - (isOwn === 1 ? Math.round((profile.store.voucherReserveDollars ?? 0) * 100) : 0)

function handOver(ctx: Ctx, lying: readonly LyingRow[]): void {
  ctx.transact((tx) => {
    share(ctx, tx)
    for (const row of lying)
      storeVoucherRowsOf(ctx).insertTransfer(tx, {
        id: ctx.rng.uuid(),
        voucherId: row.id,
        direction: 'handed-over',
        amountCents: surplusOf(ctx, row),
        at: ctx.clock.now(),
        reason: 'surplus',
      })
  })
  storeOf(ctx).kick()
}

/**
 * Hands over to the store what lies at this lane and nobody pays with: each as a transfer that its stream tells, so
 * that it is counted once. Where the store is away it stays, and pays here. False: the store has not heard yet what was
 * told last, and may be gone and not missed: what is handed over then, nobody could spend.
 */
function handOverAll(ctx: Ctx): boolean {
  const state = settlingOf(ctx)
  const rows = storeVoucherRowsOf(ctx)
  const { kind, untold } = storeOf(ctx).state()
  if (kind !== 'connected') return true
  if (untold > 0) return false
  const isNeeded = ({ id }: LyingRow): boolean => shownVouchersOf(ctx).has(id) || isUnderWay(ctx, id)
  const lying = state.moved === null ? rows.lying() : [...state.moved].flatMap((id) => rows.byId(id) ?? [])
  const free = lying.filter((row) => !isNeeded(row) && surplusOf(ctx, row) > 0)
  const waiting = lying.filter(isNeeded)
  for (let from = 0; from < free.length; from += HAND_OVER_AT_ONCE)
    handOver(ctx, free.slice(from, from + HAND_OVER_AT_ONCE))
  state.moved = new Set(waiting.map(({ id }) => id))
  return true
}

/** Something of it lies here, or no sale needs it any more: it is handed over soon. */
function moved(ctx: Ctx, id: VoucherId): void {
  settlingOf(ctx).moved?.add(id)
  soon(ctx)
}

/** Whether it is known what lies here of other lanes’ cards: a lane that has just reached its store asks for it. */
async function knowsWhatLies(ctx: Ctx): Promise<boolean> {
  if (!isTakingOver(ctx) || storeOf(ctx).state().kind !== 'connected') return !isTakingOver(ctx)
  await new Promise<unknown>((resolve) => {
    const callOff = ctx.clock.after(ASK_MS, () => {
      resolve(null)
    })
    void settle(ctx).then(callOff).then(resolve)
  })
  return !isTakingOver(ctx)
}

/** What the store knows of a code; null where it cannot be asked. */
async function find(ctx: Ctx, code: string): Promise<FoundVoucher | null> {
  const store = storeOf(ctx)
  if (store.seal() === null) return null
  const body = { protocol: STORE_PROTOCOL, hash: sharedHashOf(ctx, code) }
  const heard = await store.ask(VOUCHER_PATHS.find, body, FoundVoucher)
  return heard.kind === 'answer' ? heard.body : null
}

/** Value that lies here is not paid with until the store has confirmed a heartbeat. */
const isLeaseOver = (ctx: Ctx): boolean => !storeOf(ctx).mayPayHere()

const isAway = (ctx: Ctx): boolean => storeOf(ctx).state().kind !== 'connected'

function listen(ctx: Ctx): void {
  const { events } = storeOf(ctx)
  events.on('changed', ({ kind }) => {
    if (kind === 'connected') soon(ctx)
    // Looks at all that there are the next time.
    else settlingOf(ctx).moved = null
  })
  events.on('reached', () => {
    takeOverAgain(ctx)
    soon(ctx)
  })
  drawClaimsOf(ctx)
  shownVouchersOf(ctx).onGone((ids) => {
    for (const id of ids) moved(ctx, id)
  })
}

export type StoreVouchers = NonNullable<ReturnType<typeof storeVouchersOf>>

/** The lane's side of vouchers that pay at every lane of its store (docs/decisions/0029-stored-value-moves-and-is-leased.md); null at a lane alone. */
export const storeVouchersOf = perLane((ctx: Ctx) => {
  if (storeLinkOf(ctx) === null) return null
  openComparing(ctx)
  listen(ctx)
  return bound(ctx, {
    newVoucher,
    activate,
    forgo,
    isFrozen,
    isLeaseOver,
    isAway,
    isComparing,
    isTakingOver,
    knowsWhatLies,
    find,
    draw,
    take: takeDraw,
    moved,
  })
})
