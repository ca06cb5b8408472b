import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { FoundVoucher, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import { isStopping, runLater } from '../../core/lifecycle.ts'
import { REQUEST_MS } from '../../store/link-state.ts'
import { storeLinkOf, storeOf } from '../../store/store-link.ts'
import { activate, draw, drawRequestsOf, releaseCard, isInProgress, takeDraw } from './draws.ts'
import { shownVouchersOf } from './presented-vouchers.ts'
import { type LocalValueRow, storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'
import {
  isComparing,
  isFrozen,
  isTakeoverPending,
  startComparison,
  runComparison,
  runTakeover,
  allowTakeover,
} from './lane-replacement.ts'
import { newVoucher, share, sharedHashOf } from './voucher-codes.ts'

/** Delay in ms before unused value is transferred to the store, so that a running payment or return can end first. */
const SOON_MS = 20
/** Delay in ms before another attempt while facts are unsent. */
const RETRY_MS = 100
/** Delay in ms before another attempt while the value of the replaced lane is unknown. */
const RECHECK_MS = 1_000
const TRANSFERS_PER_COMMIT = 100

const syncStateOf = perLane(() => ({
  /**
   * Vouchers whose value may have to be transferred to the store; null if all vouchers must be checked, as after a
   * connect.
   */
  moved: null as Set<VoucherId> | null,
  isSoon: false,
}))

function scheduleSync(ctx: Ctx, ms: number = SOON_MS): void {
  const state = syncStateOf(ctx)
  if (state.isSoon) return
  state.isSoon = true
  runLater(ctx, ms, () => {
    state.isSoon = false
    void syncWithStore(ctx)
  })
}

async function syncWithStore(ctx: Ctx): Promise<void> {
  if (isStopping(ctx) || storeOf(ctx).state().kind !== 'connected') return
  try {
    if (!(await runComparison(ctx))) return scheduleSync(ctx, RETRY_MS)
    if (!(await runTakeover(ctx))) return scheduleSync(ctx, RECHECK_MS)
    if (isStopping(ctx)) return
    await drawRequestsOf(ctx).giveBackAll()
    if (!isStopping(ctx) && !transferAllToStore(ctx)) scheduleSync(ctx, RETRY_MS)
  } catch (error) {
    ctx.log.warn(
      { err: error },
      'could not synchronize vouchers with the store server: trying again at the next change',
    )
  }
}

/** Value of a voucher that may be transferred to the store: of a voucher issued here, all but a reserve. */
const surplusOf = ({ profile }: Ctx, { hereCents, isOwn }: LocalValueRow): number =>
  hereCents - (isOwn === 1 ? Math.round((profile.store.voucherReserveDollars ?? 0) * 100) : 0)

function transferToStore(ctx: Ctx, vouchers: readonly LocalValueRow[]): void {
  ctx.transact((tx) => {
    share(ctx, tx)
    for (const row of vouchers)
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
 * Transfers unused value of vouchers to the store server, each as a fact in the lane's stream, so that it counts once.
 * While the server is offline, the value stays here and can be spent. Returns false while facts are unsent: the
 * connection may be lost, and value transferred then could not be spent anywhere.
 */
function transferAllToStore(ctx: Ctx): boolean {
  const state = syncStateOf(ctx)
  const rows = storeVoucherRowsOf(ctx)
  const { kind, untold } = storeOf(ctx).state()
  if (kind !== 'connected') return true
  if (untold > 0) return false
  const isNeeded = ({ id }: LocalValueRow): boolean => shownVouchersOf(ctx).has(id) || isInProgress(ctx, id)
  const local = state.moved === null ? rows.withLocalValue() : [...state.moved].flatMap((id) => rows.byId(id) ?? [])
  const free = local.filter((row) => !isNeeded(row) && surplusOf(ctx, row) > 0)
  const waiting = local.filter(isNeeded)
  for (let from = 0; from < free.length; from += TRANSFERS_PER_COMMIT)
    transferToStore(ctx, free.slice(from, from + TRANSFERS_PER_COMMIT))
  state.moved = new Set(waiting.map(({ id }) => id))
  return true
}

function moved(ctx: Ctx, id: VoucherId): void {
  syncStateOf(ctx).moved?.add(id)
  scheduleSync(ctx)
}

/**
 * Whether this lane knows which value it has of other lanes’ gift cards. If it does not know and is connected, it
 * requests the value first, for at most `REQUEST_MS`.
 */
async function confirmLocalValue(ctx: Ctx): Promise<boolean> {
  if (!isTakeoverPending(ctx) || storeOf(ctx).state().kind !== 'connected') return !isTakeoverPending(ctx)
  await new Promise<unknown>((resolve) => {
    const callOff = ctx.clock.after(REQUEST_MS, () => {
      resolve(null)
    })
    void syncWithStore(ctx).then(callOff).then(resolve)
  })
  return !isTakeoverPending(ctx)
}

async function find(ctx: Ctx, code: string): Promise<FoundVoucher | null> {
  const store = storeOf(ctx)
  if (store.seal() === null) return null
  const body = { protocol: STORE_PROTOCOL, hash: sharedHashOf(ctx, code) }
  const answer = await store.ask(VOUCHER_PATHS.find, body, FoundVoucher)
  return answer.kind === 'answer' ? answer.body : null
}

/** Whether vouchers cannot pay with value at this lane, until the store server confirms a heartbeat. */
const isLeaseOver = (ctx: Ctx): boolean => !storeOf(ctx).mayPayHere()

const isDisconnected = (ctx: Ctx): boolean => storeOf(ctx).state().kind !== 'connected'

function listen(ctx: Ctx): void {
  const { events } = storeOf(ctx)
  events.on('changed', ({ kind }) => {
    if (kind === 'connected') scheduleSync(ctx)
    // Check all vouchers after the next connect.
    else syncStateOf(ctx).moved = null
  })
  events.on('reached', () => {
    allowTakeover(ctx)
    scheduleSync(ctx)
  })
  drawRequestsOf(ctx)
  shownVouchersOf(ctx).onEnd((ids) => {
    for (const id of ids) moved(ctx, id)
  })
}

export type StoreVouchers = NonNullable<ReturnType<typeof storeVouchersOf>>

/**
 * The lane's side of vouchers that are valid at every lane of a store; null at a lane without a store server. See
 * docs/decisions/0029-stored-value-moves-and-is-leased.md.
 */
export const storeVouchersOf = perLane((ctx: Ctx) => {
  if (storeLinkOf(ctx) === null) return null
  startComparison(ctx)
  listen(ctx)
  return bound(ctx, {
    newVoucher,
    activate,
    releaseCard,
    isFrozen,
    isLeaseOver,
    isDisconnected,
    isComparing,
    isTakeoverPending,
    confirmLocalValue,
    find,
    draw,
    take: takeDraw,
    moved,
  })
})
