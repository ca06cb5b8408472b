import { EventEmitter } from 'node:events'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import { createOfferWrites, wantedBy, type WantedOffer } from '../services/offer-state.ts'
import { isTokenRefused, type Failed, type FailureCause } from '../../core/central/service-result.ts'
import { isoOf } from '../../core/clock.ts'
import type { Tx } from '../../core/db/transact.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { bound, type Ctx, perLane } from '../../core/context.ts'
import { isStopping, onStart, runLater } from '../../core/lifecycle.ts'
import { memberServicesOf, servicesOfMember } from '../services/member-services.ts'
import { memberSessionsOf } from './member-session.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import { isOpen, type OfferStateState } from '../../core/outbox/states.ts'

export interface OfferStateEvents {
  /** The program has said yes or no; committed already. */
  settled: [change: SettledChange]
}

export interface SettledChange {
  readonly saleId: SaleId
  readonly wanted: readonly WantedOffer[]
  readonly to: OfferStateState
}

/** A change of a sale's member, and what became of it. */
export interface OfferStateNow extends WantedOffer {
  readonly state: OfferStateState
  /** The program's own word for why not, e.g. `err-expired`, else the cause; null while nobody has refused. */
  readonly why: string | null
  /** Under which the program knows the call: for support. */
  readonly correlationId: string
}

export interface NewOfferStates {
  readonly saleId: SaleId
  readonly collectorHash: Uint8Array
  readonly wanted: readonly WantedOffer[]
}

const BASE_MS = 1_000
const CAP_MS = 15_000
/** Answers that say no to what was asked: the same bytes would hear them again. */
const REFUSALS: ReadonlySet<FailureCause> = new Set(['not-found', 'bad-request', 'collector-refused'])

const offerStatesStateOf = perLane(() => ({
  events: new EventEmitter<OfferStateEvents>(),
  /** Sales whose calls are on their way, or rest before the next try. */
  busy: new Set<string>(),
  /** Sales of which something may wait: the open ones are not looked for among all that waits in an outage. */
  waiting: new Set<SaleId>(),
}))

const offerWritesOf = perLane((ctx: Ctx) => {
  const { offers, offerState } = servicesOfMember(ctx)
  return createOfferWrites(offers, offerState)
})

/** Whether the sale that they were asked at has not ended, and is still this collector's. */
function stands(ctx: Ctx, { saleId, collector }: Operation): boolean {
  const sale = saleRowsOf(ctx).byId(saleId)
  // A sale that is put on hold keeps what waits for the sign-in after its recall.
  const goesOn = sale?.state === 'open' || sale?.state === 'held'
  return goesOn && sale.memberHash?.toString('hex') === collector
}

const callOf = (ctx: Ctx, id: string) => ctx.outbox.journal.call(id, 'offer-state')

const wantedOf = (ctx: Ctx, id: string): WantedOffer[] => wantedBy(callOf(ctx, id))

const openOf = (ctx: Ctx, saleId: string): Operation[] =>
  ctx.outbox.journal.offerStatesOf(saleId).filter(({ state }) => isOpen(state))

function record(ctx: Ctx, tx: Tx, { saleId, collectorHash, wanted }: NewOfferStates, apart = false): void {
  offerStatesStateOf(ctx).waiting.add(saleId)
  for (const { path, request } of offerWritesOf(ctx).storedFor(wanted, { apart })) {
    ctx.outbox.journal.open(tx, {
      kind: 'offer-state',
      type: 'offer-state',
      saleId,
      collectorHash,
      state: 'queued',
      sending: false,
      call: {
        purpose: 'offer-state',
        path,
        idempotencyKey: null,
        traceId: ctx.rng.uuid(),
        dateTime: isoOf(ctx.clock.now()),
        request,
      },
      facts: {},
    })
  }
}

/** Sends what the sale's member has asked for, oldest first, one call at a time. */
function pump(ctx: Ctx, saleId: SaleId): void {
  const state = offerStatesStateOf(ctx)
  if (isStopping(ctx) || state.busy.has(saleId) || memberSessionsOf(ctx).accessOf(saleId) === null) return
  state.busy.add(saleId)
  deliverAll(ctx, saleId)
    .catch((error: unknown): null => {
      // Storage that failed is looked at by the restart.
      ctx.log.error({ err: error }, 'a change of offer states could not be recorded')
      return null
    })
    .then((restMs) => {
      if (restMs === null) state.busy.delete(saleId)
      else
        runLater(ctx, restMs, () => {
          state.busy.delete(saleId)
          pump(ctx, saleId)
        })
    })
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the changes of offer states could not go on')
    })
}

/** Answers how long to rest before the next try; null: nothing is left to do for now. */
async function deliverAll(ctx: Ctx, saleId: SaleId): Promise<number | null> {
  for (;;) {
    // The card may have changed while an answer was recorded: nothing goes with another member's token.
    giveUp(
      ctx,
      openOf(ctx, saleId).filter((operation) => !stands(ctx, operation)),
    )
    const [next] = openOf(ctx, saleId)
    const access = memberSessionsOf(ctx).accessOf(saleId)
    if (!next || access === null || isStopping(ctx)) return null
    const restMs = await deliver(ctx, next, saleId, access)
    if (restMs !== 0) return restMs
  }
}

async function deliver(ctx: Ctx, next: Operation, saleId: SaleId, access: MemberAccess): Promise<number | null> {
  const call = callOf(ctx, next.id)
  // A send that a crash or the end of a sign-in has cut off is counted as one; the next is counted anew.
  if (next.state === 'sent') await ctx.outbox.journal.moveSoon(next.id, 'queued')
  const sent = await ctx.outbox.journal.moveSoon(next.id, 'sent', { sending: 'offer-state' })
  if (isStopping(ctx)) return null
  const answer = await offerWritesOf(ctx).send(call, {
    memberToken: access.memberToken,
    signal: access.signal,
    correlationId: call.traceId,
  })
  const wanted = wantedBy(call)
  if (answer.kind === 'ok') {
    await settle(ctx, sent, saleId, wanted, 'confirmed')
    return 0
  }
  if (REFUSALS.has(answer.cause) || (answer.cause === 'refused' && !isTokenRefused(answer))) {
    await settle(ctx, sent, saleId, wanted, 'refused', answer)
    return 0
  }
  return again(ctx, sent, saleId, access, answer)
}

async function settle(
  ctx: Ctx,
  sent: Operation,
  saleId: SaleId,
  wanted: readonly WantedOffer[],
  to: 'confirmed' | 'refused',
  failed?: Failed,
): Promise<void> {
  // One offer that is none for this member refuses all that went with it (specification 2 §4.1): each goes by itself.
  const apart = to === 'refused' && wanted.length > 1
  if (failed) {
    const { cause, code, errorCode, correlationId } = failed
    ctx.log.info({ cause, code, errorCode, correlationId }, 'a change of offer states was refused')
  }
  // What the member has changed their mind about since is not asked for after all.
  const since = apart ? openOf(ctx, saleId).flatMap(({ id }) => (id === sent.id ? [] : wantedOf(ctx, id))) : []
  const left = wanted.filter(({ offerId }) => since.every((later) => later.offerId !== offerId))
  await ctx.outbox.journal.moveSoon(sent.id, to, {
    facts: failed ? { outcome: failed.errorCode ?? failed.cause, detail: failed.code } : {},
    also: (tx) => {
      if (apart && left.length > 0)
        record(ctx, tx, { saleId, collectorHash: Buffer.from(sent.collector, 'hex'), wanted: left }, true)
    },
  })
  if (!apart) offerStatesStateOf(ctx).events.emit('settled', { saleId, wanted, to })
}

/** Not done, or nobody knows: the same bytes go again, while somebody is signed in and the sale waits for it. */
async function again(
  ctx: Ctx,
  sent: Operation,
  saleId: SaleId,
  access: MemberAccess,
  { cause, code }: Failed,
): Promise<number | null> {
  const accessOf = memberSessionsOf(ctx).accessOf
  await ctx.outbox.journal.moveSoon(sent.id, 'queued', {
    facts: { failures: sent.failures + 1, detail: code ?? cause },
  })
  if (cause === 'refused' && accessOf(saleId) === access) memberSessionsOf(ctx).refused(saleId)
  if (!stands(ctx, sent)) lapse(ctx)
  if (accessOf(saleId) === null) return null
  return Math.round(BASE_MS + ctx.rng.fraction() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(sent.failures, 10)))
}

/** Ends what is not wanted any more; a call that is under way comes back here by itself. */
function lapse(ctx: Ctx): void {
  const { waiting, busy } = offerStatesStateOf(ctx)
  const open = [...waiting].flatMap((saleId) => openOf(ctx, saleId))
  const ended = open.filter((operation) => !stands(ctx, operation))
  const lapsing = ended.filter(({ saleId, state }) => state === 'queued' || !busy.has(saleId))
  for (const saleId of waiting) if (open.every((left) => left.saleId !== saleId)) waiting.delete(saleId)
  giveUp(ctx, lapsing)
}

function giveUp(ctx: Ctx, operations: readonly Operation[]): void {
  if (operations.length === 0) return
  ctx.transact((tx) => {
    for (const { id, sends } of operations)
      ctx.outbox.journal.move(tx, id, 'lapsed', { facts: { outcome: sends > 0 ? 'unknown' : 'not-sent' } })
  })
}

/** Records what the member wants; it leaves after the commit. */
function order(ctx: Ctx, tx: Tx, asked: NewOfferStates): void {
  record(ctx, tx, asked)
  ctx.transact.afterCommit(() => {
    pump(ctx, asked.saleId)
  })
}

/** Every change of the member who is on the sale now, the oldest first: the newest of an offer counts. */
const of = (ctx: Ctx, saleId: string): OfferStateNow[] =>
  ctx.outbox.journal
    .offerStatesOf(saleId)
    .filter((one) => stands(ctx, one))
    .flatMap(({ id, state, outcome }) => {
      const call = callOf(ctx, id)
      const now = { state, why: outcome, correlationId: call.traceId }
      return wantedBy(call).map((wanted) => ({ ...wanted, ...now }))
    })

/** Looks what an earlier run has left: whoever had signed in is gone. */
function start(ctx: Ctx): void {
  if (memberServicesOf(ctx) === null) return
  for (const { saleId } of ctx.outbox.journal.openOfferStates())
    offerStatesStateOf(ctx).waiting.add(SaleId.parse(saleId))
  lapse(ctx)
}

/**
 * What a member does with offers, from the wish to the answer: recorded before it is sent, sent in the order of the
 * wishes as long as the member is signed in, and again under the same bytes until the program has said yes or no. The
 * same change once more changes nothing there (specification 1 §3), so that a crash, which takes the member's token
 * along, leaves at most a call to repeat when they sign in again; a sale that ends first leaves nothing waiting.
 */
export const offerStatesOf = perLane((ctx: Ctx) => {
  onStart(ctx, () => start(ctx))
  return {
    ...bound(ctx, {
      order,
      of,
      /** The member has signed in: what waits for them goes on. */
      resume: pump,
      lapse,
    }),
    events: offerStatesStateOf(ctx).events,
  }
})
