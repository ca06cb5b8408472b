import { HeldSaleFact } from '../../../contracts/store/facts.ts'
import {
  aboutHold,
  ClaimAnswer,
  ClaimedHolds,
  HOLD_PATHS,
  OfferAnswer,
  Settled,
  type HeldContent,
  type OfferHold,
  type SettleHolds,
} from '../../../contracts/store/holds.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import { STORE_PROTOCOL, StoreRefusal, type ForeignFact } from '../../../contracts/store/protocol.ts'
import type { Tx } from '../../core/db/transact.ts'
import {
  IN_STORE,
  RESUMED_BEFORE,
  type ClaimRow,
  type CopyRow,
  type HoldRow,
  storeHoldRowsOf,
} from './held-sales.sql.ts'
import { type Awaiting, type HoldsStand, seenHoldsOf, startWatching } from './watch-holds.ts'
import { Claims } from '../../store/claims.ts'
import { storeLinkOf, storeOf } from '../../store/store-link.ts'
import { offerOf } from './content.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import { isStopping, onStart, runLater } from '../../core/lifecycle.ts'

/** A claim that the store has granted. */
export interface Granted {
  readonly claim: string
  readonly content: HeldContent
  readonly collector: string | null
}
export type Claimed =
  | ({ readonly kind: 'yours' } & Granted)
  | { readonly kind: 'taken'; readonly lane: string }
  | { readonly kind: 'gone' | 'away' }
  | Awaiting

/** Of what nobody waits for, in milliseconds; and how often what is left is tried again. */
const BACKGROUND_MS = 5_000
const AGAIN_MS = 2_000

const tellingOf = perLane(() => ({
  run: null as Promise<void> | null,
  isDue: false,
  callOff: (): void => undefined,
}))

const holdClaimsOf = perLane((ctx: Ctx) => {
  const rows = storeHoldRowsOf(ctx)
  return new Claims<ClaimRow>(ctx, {
    open: rows.openClaims,
    giveUp: (tx, { id, state }) => {
      if (state === 'asked') rows.setClaim(tx, id, 'back')
    },
    end: (tx, { id }) => rows.setClaim(tx, id, 'over'),
    givenBack: rows.claimOver,
    back: {
      path: HOLD_PATHS.settle,
      answer: Settled.transform(() => false),
      bodyOf: ({ id }) => ({ what: { kind: 'back', claim: id } }),
    },
    listed: { path: HOLD_PATHS.claimed, answer: ClaimedHolds.transform(({ claims }) => claims) },
  })
})

const tellChange = (ctx: Ctx): void => ctx.publish({ type: 'held-sales-changed' })

async function settle(ctx: Ctx, what: SettleHolds['what']): Promise<boolean> {
  const body = { protocol: STORE_PROTOCOL, what }
  return (await storeOf(ctx).ask(HOLD_PATHS.settle, body, Settled, BACKGROUND_MS)).kind === 'answer'
}

/** Whether the store has it now, or had it under this id before. */
async function isKept(ctx: Ctx, { id, saleId }: HoldRow): Promise<boolean> {
  const body: OfferHold = { protocol: STORE_PROTOCOL, hold: id, ...offerOf(ctx, saleId) }
  const heard = await storeOf(ctx).ask(HOLD_PATHS.offer, body, OfferAnswer, BACKGROUND_MS)
  return heard.kind === 'answer' && heard.body.kind === 'kept'
}

/** The store is to keep it; once this lane has heard that it does, the right is in the store. */
async function offer(ctx: Ctx, hold: HoldRow): Promise<boolean> {
  const { id, saleId } = hold
  const rows = storeHoldRowsOf(ctx)
  if (!(await isKept(ctx, hold))) return false
  const given = ctx.transact((tx) => {
    // Meanwhile it may have been resumed here.
    if (rows.openOf(saleId)?.id !== id) return false
    rows.become(tx, id, 'given')
    rows.place(tx, saleId, IN_STORE)
    return true
  })
  if (!given) return true
  tellChange(ctx)
  return end(ctx, { id, saleId, state: 'given' })
}

async function tell(ctx: Ctx, hold: HoldRow): Promise<boolean> {
  const { state } = hold
  if (state === 'offered') return offer(ctx, hold)
  if (state === 'ended') return true
  // The store may have gone back to a backup from before it had it.
  if (state === 'given' && !(await isKept(ctx, hold))) return false
  return end(ctx, hold)
}

/** What this lane has decided of it, for good. */
async function end(ctx: Ctx, hold: HoldRow): Promise<boolean> {
  const { id, saleId, state } = hold
  const what = state === 'given' ? { kind: state, hold: id } : ({ kind: 'kept', hold: id, sale: saleId } as const)
  const isTold = await settle(ctx, what)
  if (isTold) ctx.transact((tx) => storeHoldRowsOf(ctx).told(tx, hold))
  return isTold
}

async function tellCopy(ctx: Ctx, { saleId, heldSale }: CopyRow): Promise<boolean> {
  const isTold = await settle(ctx, { kind: 'copied', sale: heldSale })
  if (isTold) ctx.transact((tx) => storeHoldRowsOf(ctx).copyTold(tx, saleId))
  return isTold
}

/** Everything that is left to say. False: the store did not hear all of it. */
async function sayAll(ctx: Ctx): Promise<boolean> {
  const rows = storeHoldRowsOf(ctx)
  const fresh = rows.unoffered(ctx.lane.id)
  if (fresh.length > 0)
    ctx.transact((tx) => {
      for (const saleId of fresh) rows.offer(tx, ctx.rng.uuid(), saleId)
    })
  const left = [
    ...rows.untold().map((hold) => () => tell(ctx, hold)),
    ...rows.untoldCopies().map((copy) => () => tellCopy(ctx, copy)),
  ]
  let isAll = true
  // One that cannot be told holds up none of the others.
  for (const say of left) if (isStopping(ctx) || !(await said(ctx, say))) isAll = false
  return isAll
}

const said = (ctx: Ctx, say: () => Promise<boolean>): Promise<boolean> =>
  say().catch((error: unknown) => {
    ctx.log.error({ err: error }, 'a sale on hold could not be told to the store')
    return false
  })

async function sayUntilDone(ctx: Ctx): Promise<void> {
  const state = tellingOf(ctx)
  for (state.isDue = true; state.isDue && !isStopping(ctx);) {
    state.isDue = false
    if (await sayAll(ctx)) continue
    state.callOff()
    state.callOff = runLater(ctx, AGAIN_MS, () => kick(ctx))
    return
  }
}

/** Says what is left to say, in the background; one at a time. */
function kick(ctx: Ctx): void {
  const state = tellingOf(ctx)
  state.isDue = true
  if (isStopping(ctx) || state.run !== null || !isOn(ctx)) return
  state.run = sayUntilDone(ctx)
    .catch((error: unknown) => ctx.log.error({ err: error }, 'sales on hold could not be told to the store'))
    .finally(() => {
      state.run = null
      if (state.isDue) kick(ctx)
    })
}

/** Its database may have gone back to a backup from before it was told, also while the two were speaking. */
function tellAgain(ctx: Ctx): void {
  ctx.transact(storeHoldRowsOf(ctx).tellAgain)
  kick(ctx)
}

/**
 * Another lane tells that it has resumed a sale of this one: it went there. Or this lane itself, which has lost that to
 * a backup: what it sold then is no more on hold. Throws for a sale that this lane still has: a lane whose key was
 * stolen may tell anything.
 */
function take(ctx: Ctx, tx: Tx, { lane: to, at, body }: ForeignFact): void {
  const rows = storeHoldRowsOf(ctx)
  const lane = ctx.lane.id
  const { sale, resumedAs, by } = HeldSaleFact.parse(body)
  if (!rows.isOnHold(sale, lane)) return
  if (to !== lane && !rows.mayBeGiven(sale, lane)) throw new Error(`sale ${sale} was never given to the store`)
  // Of a lane that went back to a backup it stands here as it was before the store had it.
  if (rows.openOf(sale) === undefined) rows.offer(tx, ctx.rng.uuid(), sale)
  rows.end(tx, sale, { lane: to, by: by.name, at })
  rows.place(tx, sale, to === lane ? RESUMED_BEFORE : to)
  ctx.audit.record(tx, {
    kind: 'sale-moved',
    actorId: null,
    subject: sale,
    detail: { lane: to, person: by.name, saleId: resumedAs },
  })
  ctx.transact.afterCommit(() => tellChange(ctx))
}

/** Whether this lane has ever spoken with a store. */
const isOn = (ctx: Ctx): boolean => storeOf(ctx).seal() !== null

function start(ctx: Ctx): void {
  const link = storeOf(ctx)
  link.follow('held-sale', (tx, fact) => take(ctx, tx, fact))
  for (const event of ['reached', 'awaited'] as const) link.events.on(event, () => tellAgain(ctx))
  link.events.on('changed', ({ kind }) => {
    if (kind === 'connected') kick(ctx)
  })
  holdClaimsOf(ctx)
  kick(ctx)
  startWatching(ctx)
}

/** Has what the store holds of all lanes in `seen`; where it does not answer, that is what it had last. */
const look = async (ctx: Ctx): Promise<HoldsStand> => (isOn(ctx) ? seenHoldsOf(ctx).ask() : { kind: 'away' })

const seen = (ctx: Ctx) => seenHoldsOf(ctx).all()

/** Asks the store for a held sale: written down before it is asked. `done` or `back` say what came of it. */
async function claim(ctx: Ctx, sale: SaleId, staffId: string): Promise<Claimed> {
  const rows = storeHoldRowsOf(ctx)
  const claims = holdClaimsOf(ctx)
  const id = ctx.rng.uuid()
  ctx.transact((tx) => rows.claim(tx, id, sale, staffId, ctx.clock.now()))
  const heard = await claims.ask(id, HOLD_PATHS.claim, { claim: id, sale }, ClaimAnswer)
  if (heard.kind !== 'answer') {
    const refusal = heard.kind === 'refused' ? StoreRefusal.safeParse(heard.body) : null
    if (refusal?.data?.refused !== 'not-settled') return { kind: 'away' }
    return { kind: 'awaiting', lanes: refusal.data.awaitedLanes ?? [] }
  }
  if (heard.body.kind === 'yours') {
    const { content, sealed } = heard.body
    return { kind: 'yours', claim: id, content, collector: sealed === null ? null : opened(ctx, sealed, sale) }
  }
  ctx.transact((tx) => rows.setClaim(tx, id, 'over'))
  claims.letGo(id)
  return heard.body.kind === 'taken' ? heard.body : { kind: 'gone' }
}

function opened(ctx: Ctx, sealed: string, sale: SaleId): string | null {
  try {
    return storeOf(ctx).seal()?.open(sealed, aboutHold(sale)) ?? null
  } catch (error) {
    ctx.log.error({ err: error }, 'the collector of a held sale cannot be read: the sale goes on without')
    return null
  }
}

/** In the transaction that makes it a sale of this lane. */
function done(ctx: Ctx, tx: Tx, claimId: string, saleId: string): void {
  storeHoldRowsOf(ctx).claimDone(tx, claimId, saleId, ctx.clock.now())
  ctx.transact.afterCommit(() => {
    holdClaimsOf(ctx).letGo(claimId)
    storeOf(ctx).kick()
  })
}

const back = (ctx: Ctx, claimId: string): void => holdClaimsOf(ctx).drop(claimId)

export type StoreHolds = NonNullable<ReturnType<typeof storeHoldsOf>>

/**
 * Sales on hold and the store. The right to resume one moves in steps that each are on the lane's disk before they are
 * told: offered, the store has it, the lane has given it up, the store may give it to whoever asks. What is cut off at
 * any step is told again, under the same ids, until the store has said that it knows. Null at a lane that is alone.
 */
export const storeHoldsOf = perLane((ctx: Ctx) => {
  if (storeLinkOf(ctx) === null) return null
  onStart(ctx, () => start(ctx))
  return bound(ctx, { kick, isOn, look, seen, claim, done, back })
})
