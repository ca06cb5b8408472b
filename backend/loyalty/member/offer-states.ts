import { EventEmitter } from 'node:events'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import { createOfferWrites, requestedBy, type RequestedOffer } from '../services/offer-state.ts'
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
  settled: [change: SettledChange]
}

export interface SettledChange {
  readonly saleId: SaleId
  readonly requested: readonly RequestedOffer[]
  readonly to: OfferStateState
}

export interface OfferStateNow extends RequestedOffer {
  readonly state: OfferStateState
  /**
   * Of a refused change: the program's error code such as `err-expired`, else the cause. Of a lapsed one: `unknown` if
   * it was sent, else `not-sent`. Otherwise null.
   */
  readonly why: string | null
  readonly correlationId: string
}

export interface NewOfferStates {
  readonly saleId: SaleId
  readonly collectorHash: Uint8Array
  readonly requested: readonly RequestedOffer[]
}

const BASE_MS = 1_000
const CAP_MS = 15_000
/** Causes of final refusals: sending the same bytes again would not change them. */
const REFUSALS: ReadonlySet<FailureCause> = new Set(['not-found', 'bad-request', 'collector-refused'])

const offerStatesStateOf = perLane(() => ({
  events: new EventEmitter<OfferStateEvents>(),
  busy: new Set<string>(),
  /** Sales that may have pending changes: `endUnwanted` reads only these, and not every call of a long outage. */
  waiting: new Set<SaleId>(),
}))

const offerWritesOf = perLane((ctx: Ctx) => {
  const { offers, offerState } = servicesOfMember(ctx)
  return createOfferWrites(offers, offerState)
})

function isCurrent(ctx: Ctx, { saleId, collector }: Operation): boolean {
  const sale = saleRowsOf(ctx).byId(saleId)
  // The changes of a held sale stay stored, and are sent when it is resumed and its member signs in again.
  const isUnfinished = sale?.state === 'open' || sale?.state === 'held'
  return isUnfinished && sale.memberHash?.toString('hex') === collector
}

const callOf = (ctx: Ctx, id: string) => ctx.outbox.journal.call(id, 'offer-state')

const requestedOf = (ctx: Ctx, id: string): RequestedOffer[] => requestedBy(callOf(ctx, id))

const openOf = (ctx: Ctx, saleId: string): Operation[] =>
  ctx.outbox.journal.offerStatesOf(saleId).filter(({ state }) => isOpen(state))

function record(ctx: Ctx, tx: Tx, { saleId, collectorHash, requested }: NewOfferStates, split = false): void {
  offerStatesStateOf(ctx).waiting.add(saleId)
  for (const { path, request } of offerWritesOf(ctx).storedFor(requested, { apart: split })) {
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

function pump(ctx: Ctx, saleId: SaleId): void {
  const state = offerStatesStateOf(ctx)
  if (isStopping(ctx) || state.busy.has(saleId) || memberSessionsOf(ctx).accessOf(saleId) === null) return
  state.busy.add(saleId)
  deliverAll(ctx, saleId)
    .catch((error: unknown): null => {
      // After a storage failure the change waits for the next sign-in or change of offer states on this sale.
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
      ctx.log.error({ err: error }, 'could not schedule the next change of offer states')
    })
}

/** Returns the pause before the next attempt in ms; null if nothing is left to send for now. */
async function deliverAll(ctx: Ctx, saleId: SaleId): Promise<number | null> {
  for (;;) {
    // The card may have changed while an answer was recorded: never send with another member's token.
    markLapsed(
      ctx,
      openOf(ctx, saleId).filter((operation) => !isCurrent(ctx, operation)),
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
  // A send that was interrupted, for example by a crash, counts as a send; so does the next one.
  if (next.state === 'sent') await ctx.outbox.journal.moveSoon(next.id, 'queued')
  const sent = await ctx.outbox.journal.moveSoon(next.id, 'sent', { sending: 'offer-state' })
  if (isStopping(ctx)) return null
  const answer = await offerWritesOf(ctx).send(call, {
    memberToken: access.memberToken,
    signal: access.signal,
    correlationId: call.traceId,
  })
  const requested = requestedBy(call)
  if (answer.kind === 'ok') {
    await settle(ctx, sent, saleId, requested, 'confirmed')
    return 0
  }
  if (REFUSALS.has(answer.cause) || (answer.cause === 'refused' && !isTokenRefused(answer))) {
    await settle(ctx, sent, saleId, requested, 'refused', answer)
    return 0
  }
  return requeue(ctx, sent, saleId, access, answer)
}

async function settle(
  ctx: Ctx,
  sent: Operation,
  saleId: SaleId,
  requested: readonly RequestedOffer[],
  to: 'confirmed' | 'refused',
  failed?: Failed,
): Promise<void> {
  // One refused offer fails the whole call (specification 2 §4.1), so send each change separately.
  const split = to === 'refused' && requested.length > 1
  if (failed) {
    const { cause, code, errorCode, correlationId } = failed
    ctx.log.info({ cause, code, errorCode, correlationId }, 'the program refused a change of offer states')
  }
  // Leave out changes of offers for which the member has requested another state in the meantime.
  const since = split ? openOf(ctx, saleId).flatMap(({ id }) => (id === sent.id ? [] : requestedOf(ctx, id))) : []
  const left = requested.filter(({ offerId }) => since.every((later) => later.offerId !== offerId))
  await ctx.outbox.journal.moveSoon(sent.id, to, {
    facts: failed ? { outcome: failed.errorCode ?? failed.cause, detail: failed.code } : {},
    also: (tx) => {
      if (split && left.length > 0)
        record(ctx, tx, { saleId, collectorHash: Buffer.from(sent.collector, 'hex'), requested: left }, true)
    },
  })
  if (!split) offerStatesStateOf(ctx).events.emit('settled', { saleId, requested, to })
}

async function requeue(
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
  if (!isCurrent(ctx, sent)) endUnwanted(ctx)
  if (accessOf(saleId) === null) return null
  return Math.round(BASE_MS + ctx.rng.fraction() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(sent.failures, 10)))
}

function endUnwanted(ctx: Ctx): void {
  const { waiting, busy } = offerStatesStateOf(ctx)
  const open = [...waiting].flatMap((saleId) => openOf(ctx, saleId))
  const ended = open.filter((operation) => !isCurrent(ctx, operation))
  const lapsing = ended.filter(({ saleId, state }) => state === 'queued' || !busy.has(saleId))
  for (const saleId of waiting) if (open.every((left) => left.saleId !== saleId)) waiting.delete(saleId)
  markLapsed(ctx, lapsing)
}

function markLapsed(ctx: Ctx, operations: readonly Operation[]): void {
  if (operations.length === 0) return
  ctx.transact((tx) => {
    for (const { id, sends } of operations)
      ctx.outbox.journal.move(tx, id, 'lapsed', { facts: { outcome: sends > 0 ? 'unknown' : 'not-sent' } })
  })
}

function requestStates(ctx: Ctx, tx: Tx, asked: NewOfferStates): void {
  record(ctx, tx, asked)
  ctx.transact.afterCommit(() => {
    pump(ctx, asked.saleId)
  })
}

const of = (ctx: Ctx, saleId: string): OfferStateNow[] =>
  ctx.outbox.journal
    .offerStatesOf(saleId)
    .filter((one) => isCurrent(ctx, one))
    .flatMap(({ id, state, outcome }) => {
      const call = callOf(ctx, id)
      const now = { state, why: outcome, correlationId: call.traceId }
      return requestedBy(call).map((requested) => ({ ...requested, ...now }))
    })

function start(ctx: Ctx): void {
  if (memberServicesOf(ctx) === null) return
  for (const { saleId } of ctx.outbox.journal.openOfferStates())
    offerStatesStateOf(ctx).waiting.add(SaleId.parse(saleId))
  endUnwanted(ctx)
}

/**
 * Changes of a member's offer states, from the request to the answer. Each change is recorded before it is sent, sent
 * in order while the member is signed in, and retried with the same bytes until the program accepts or refuses it.
 * Changes are idempotent (specification 1 §3), so a crash, which discards the member's token, at most leaves a call to
 * be repeated after the next sign-in. If the sale ends first, its pending changes lapse.
 */
export const offerStatesOf = perLane((ctx: Ctx) => {
  onStart(ctx, () => start(ctx))
  return {
    ...bound(ctx, {
      request: requestStates,
      of,
      resume: pump,
      endUnwanted,
    }),
    events: offerStatesStateOf(ctx).events,
  }
})
