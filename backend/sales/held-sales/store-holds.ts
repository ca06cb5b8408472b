import { HeldSaleFact } from '../../../contracts/store/facts.ts'
import {
  aboutHold,
  ReserveHoldAnswer,
  ReservedHolds,
  HOLD_PATHS,
  OfferAnswer,
  HoldDecisionAnswer,
  type HeldContent,
  type OfferHold,
  type HoldDecision,
} from '../../../contracts/store/holds.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import { STORE_PROTOCOL, StoreRefusal, type ForeignFact } from '../../../contracts/store/protocol.ts'
import type { Tx } from '../../core/db/transact.ts'
import {
  IN_STORE,
  RESUMED_BEFORE,
  type ReservationRow,
  type CopyRow,
  type HoldRow,
  storeHoldRowsOf,
} from './held-sales.sql.ts'
import { type Awaiting, type HoldsState, seenHoldsOf, startWatching } from './watch-holds.ts'
import { Reservations } from '../../store/reservations.ts'
import { storeLinkOf, storeOf } from '../../store/store-link.ts'
import { offerOf } from './content.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import { isStopping, onStart, runLater } from '../../core/lifecycle.ts'

export interface Granted {
  readonly reservationId: string
  readonly content: HeldContent
  readonly collector: string | null
}
export type ReservedHold =
  | ({ readonly kind: 'yours' } & Granted)
  | { readonly kind: 'taken'; readonly lane: string }
  | { readonly kind: 'gone' | 'unavailable' }
  | Awaiting

/** Timeout in ms of requests that no person waits for. */
const BACKGROUND_MS = 5_000
const RETRY_MS = 2_000

const syncStateOf = perLane(() => ({
  run: null as Promise<void> | null,
  isDue: false,
  callOff: (): void => undefined,
}))

const holdReservationsOf = perLane((ctx: Ctx) => {
  const rows = storeHoldRowsOf(ctx)
  return new Reservations<ReservationRow>(ctx, {
    open: rows.openReservations,
    giveUp: (tx, { id, state }) => {
      if (state === 'asked') rows.setReservation(tx, id, 'back')
    },
    end: (tx, { id }) => rows.setReservation(tx, id, 'over'),
    givenBack: rows.endedReservation,
    back: {
      path: HOLD_PATHS.decide,
      answer: HoldDecisionAnswer.transform(() => false),
      bodyOf: ({ id }) => ({ what: { kind: 'back', claim: id } }),
    },
    listed: { path: HOLD_PATHS.reserved, answer: ReservedHolds.transform(({ claims }) => claims) },
  })
})

const sendChange = (ctx: Ctx): void => ctx.publish({ type: 'held-sales-changed' })

async function sendDecision(ctx: Ctx, what: HoldDecision['what']): Promise<boolean> {
  const body = { protocol: STORE_PROTOCOL, what }
  return (await storeOf(ctx).ask(HOLD_PATHS.decide, body, HoldDecisionAnswer, BACKGROUND_MS)).kind === 'answer'
}

async function isStored(ctx: Ctx, { id, saleId }: HoldRow): Promise<boolean> {
  const body: OfferHold = { protocol: STORE_PROTOCOL, hold: id, ...offerOf(ctx, saleId) }
  const answer = await storeOf(ctx).ask(HOLD_PATHS.offer, body, OfferAnswer, BACKGROUND_MS)
  return answer.kind === 'answer' && answer.body.kind === 'kept'
}

/** Offers a held sale to the store server. Once the server has stored it, gives up this lane's right to resume it. */
async function offer(ctx: Ctx, hold: HoldRow): Promise<boolean> {
  const { id, saleId } = hold
  const rows = storeHoldRowsOf(ctx)
  if (!(await isStored(ctx, hold))) return false
  const given = ctx.transact((tx) => {
    // If this lane resumed the held sale during the request, the sale stays here.
    if (rows.openOf(saleId)?.id !== id) return false
    rows.become(tx, id, 'given')
    rows.place(tx, saleId, IN_STORE)
    return true
  })
  if (!given) return true
  sendChange(ctx)
  return end(ctx, { id, saleId, state: 'given' })
}

async function sendHold(ctx: Ctx, hold: HoldRow): Promise<boolean> {
  const { state } = hold
  if (state === 'offered') return offer(ctx, hold)
  if (state === 'ended') return true
  // The store server may have been restored from an older backup, so offer the sale again.
  if (state === 'given' && !(await isStored(ctx, hold))) return false
  return end(ctx, hold)
}

async function end(ctx: Ctx, hold: HoldRow): Promise<boolean> {
  const { id, saleId, state } = hold
  const what = state === 'given' ? { kind: state, hold: id } : ({ kind: 'kept', hold: id, sale: saleId } as const)
  const isSent = await sendDecision(ctx, what)
  if (isSent) ctx.transact((tx) => storeHoldRowsOf(ctx).markSent(tx, hold))
  return isSent
}

async function sendCopy(ctx: Ctx, { saleId, heldSale }: CopyRow): Promise<boolean> {
  const isSent = await sendDecision(ctx, { kind: 'copied', sale: heldSale })
  if (isSent) ctx.transact((tx) => storeHoldRowsOf(ctx).markCopySent(tx, saleId))
  return isSent
}

async function sendAll(ctx: Ctx): Promise<boolean> {
  const rows = storeHoldRowsOf(ctx)
  const fresh = rows.unoffered(ctx.lane.id)
  if (fresh.length > 0)
    ctx.transact((tx) => {
      for (const saleId of fresh) rows.offer(tx, ctx.rng.uuid(), saleId)
    })
  const left = [
    ...rows.unsent().map((hold) => () => sendHold(ctx, hold)),
    ...rows.untoldCopies().map((copy) => () => sendCopy(ctx, copy)),
  ]
  let isAll = true
  // Continue after a failure, which must not block the other held sales.
  for (const send of left) if (isStopping(ctx) || !(await attempted(ctx, send))) isAll = false
  return isAll
}

const attempted = (ctx: Ctx, send: () => Promise<boolean>): Promise<boolean> =>
  send().catch((error: unknown) => {
    ctx.log.error({ err: error }, 'could not send a held sale to the store server')
    return false
  })

async function sendUntilDone(ctx: Ctx): Promise<void> {
  const state = syncStateOf(ctx)
  for (state.isDue = true; state.isDue && !isStopping(ctx);) {
    state.isDue = false
    if (await sendAll(ctx)) continue
    state.callOff()
    state.callOff = runLater(ctx, RETRY_MS, () => kick(ctx))
    return
  }
}

function kick(ctx: Ctx): void {
  const state = syncStateOf(ctx)
  state.isDue = true
  if (isStopping(ctx) || state.run !== null || !isOn(ctx)) return
  state.run = sendUntilDone(ctx)
    .catch((error: unknown) => ctx.log.error({ err: error }, 'could not send held sales to the store server'))
    .finally(() => {
      state.run = null
      if (state.isDue) kick(ctx)
    })
}

/**
 * Sends the states of held sales again, after each connect and when the store server waits for lanes: its database may
 * have been restored from an older backup, also during a connection.
 */
function sendLater(ctx: Ctx): void {
  ctx.transact(storeHoldRowsOf(ctx).markUnsent)
  kick(ctx)
}

/**
 * Applies the fact that a sale of this lane was resumed: by another lane, or by this lane before a restore. Throws for
 * a sale that was never offered, because a thief with the key of a lane can send any fact.
 */
function take(ctx: Ctx, tx: Tx, { lane: to, at, body }: ForeignFact): void {
  const rows = storeHoldRowsOf(ctx)
  const lane = ctx.lane.id
  const { sale, resumedAs, by } = HeldSaleFact.parse(body)
  if (!rows.isOnHold(sale, lane)) return
  if (to !== lane && !rows.mayBeGiven(sale, lane)) throw new Error(`sale ${sale} was never offered to the store server`)
  // After a restore, this lane may have the sale as it was before the offer.
  if (rows.openOf(sale) === undefined) rows.offer(tx, ctx.rng.uuid(), sale)
  rows.end(tx, sale, { lane: to, by: by.name, at })
  rows.place(tx, sale, to === lane ? RESUMED_BEFORE : to)
  ctx.audit.record(tx, {
    kind: 'sale-moved',
    actorId: null,
    subject: sale,
    detail: { lane: to, person: by.name, saleId: resumedAs },
  })
  ctx.transact.afterCommit(() => sendChange(ctx))
}

const isOn = (ctx: Ctx): boolean => storeOf(ctx).seal() !== null

function start(ctx: Ctx): void {
  const link = storeOf(ctx)
  link.follow('held-sale', (tx, fact) => take(ctx, tx, fact))
  for (const event of ['reached', 'awaited'] as const) link.events.on(event, () => sendLater(ctx))
  link.events.on('changed', ({ kind }) => {
    if (kind === 'connected') kick(ctx)
  })
  holdReservationsOf(ctx)
  kick(ctx)
  startWatching(ctx)
}

const currentState = async (ctx: Ctx): Promise<HoldsState> =>
  isOn(ctx) ? seenHoldsOf(ctx).ask() : { kind: 'unavailable' }

const seen = (ctx: Ctx) => seenHoldsOf(ctx).all()

/**
 * Reserves a held sale at the store server. The request is recorded before it is sent, so that the start after a crash
 * releases the reservation. The caller must end a granted one with `done` or `back`.
 */
async function reserve(ctx: Ctx, sale: SaleId, staffId: string): Promise<ReservedHold> {
  const rows = storeHoldRowsOf(ctx)
  const reservations = holdReservationsOf(ctx)
  const id = ctx.rng.uuid()
  ctx.transact((tx) => rows.insertReservation(tx, id, sale, staffId, ctx.clock.now()))
  const answer = await reservations.ask(id, HOLD_PATHS.reserve, { claim: id, sale }, ReserveHoldAnswer)
  if (answer.kind !== 'answer') {
    const refusal = answer.kind === 'refused' ? StoreRefusal.safeParse(answer.body) : null
    if (refusal?.data?.refused !== 'not-settled') return { kind: 'unavailable' }
    return { kind: 'awaiting', lanes: refusal.data.awaitedLanes ?? [] }
  }
  if (answer.body.kind === 'yours') {
    const { content, sealed } = answer.body
    return { kind: 'yours', reservationId: id, content, collector: sealed === null ? null : opened(ctx, sealed, sale) }
  }
  ctx.transact((tx) => rows.setReservation(tx, id, 'over'))
  reservations.release(id)
  return answer.body.kind === 'taken' ? answer.body : { kind: 'gone' }
}

function opened(ctx: Ctx, sealed: string, sale: SaleId): string | null {
  try {
    return storeOf(ctx).seal()?.open(sealed, aboutHold(sale)) ?? null
  } catch (error) {
    ctx.log.error({ err: error }, 'could not decrypt the collector of a held sale: resuming it without')
    return null
  }
}

function done(ctx: Ctx, tx: Tx, reservationId: string, saleId: string): void {
  storeHoldRowsOf(ctx).finishReservation(tx, reservationId, saleId, ctx.clock.now())
  ctx.transact.afterCommit(() => {
    holdReservationsOf(ctx).release(reservationId)
    storeOf(ctx).kick()
  })
}

const back = (ctx: Ctx, reservationId: string): void => holdReservationsOf(ctx).drop(reservationId)

export type StoreHolds = NonNullable<ReturnType<typeof storeHoldsOf>>

/**
 * Shares held sales with the store server. The right to resume a sale moves in steps, each committed at the lane before
 * it is sent: offered, stored by the server, given up by the lane, available to any lane. Interrupted steps are
 * repeated under the same ids until the server confirms them. Null at a lane without a store server.
 */
export const storeHoldsOf = perLane((ctx: Ctx) => {
  if (storeLinkOf(ctx) === null) return null
  onStart(ctx, () => start(ctx))
  return bound(ctx, { kick, isOn, currentState, seen, reserve, done, back })
})
