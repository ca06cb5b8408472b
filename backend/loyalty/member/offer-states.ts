import { EventEmitter } from 'node:events'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import { wantedBy, type OfferWrites, type WantedOffer } from '../services/offer-state.ts'
import { isTokenRefused, type Failed, type FailureCause } from '../../core/central/service-result.ts'
import { isoOf, type Clock, type Rng } from '../../core/clock.ts'
import type { Transact, Tx } from '../../core/db/transact.ts'
import type { Logger } from '../../core/log.ts'
import type { Journal } from '../../core/outbox/journal.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import { isOpen, type OfferStateState } from '../../core/outbox/states.ts'

export interface OfferStatesOptions {
  readonly journal: Journal
  readonly transact: Transact
  readonly writes: OfferWrites
  /** Of whoever has signed in at the sale; null: nobody has. */
  readonly accessOf: (saleId: string) => MemberAccess | null
  /** The token was refused: the member signs in again. */
  readonly refused: (saleId: string) => void
  /** Whether the sale that they were asked at has not ended, and is still this collector's. */
  readonly stands: (operation: Operation) => boolean
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
}

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

export type OfferStates = ReturnType<typeof createOfferStates>

const BASE_MS = 1_000
const CAP_MS = 15_000
/** Answers that say no to what was asked: the same bytes would hear them again. */
const REFUSALS: ReadonlySet<FailureCause> = new Set(['not-found', 'bad-request', 'collector-refused'])

/**
 * What a member does with offers, from the wish to the answer: recorded before it is sent, sent in the order of the
 * wishes as long as the member is signed in, and again under the same bytes until the program has said yes or no. The
 * same change once more changes nothing there (specification 1 §3), so that a crash, which takes the member's token
 * along, leaves at most a call to repeat when they sign in again; a sale that ends first leaves nothing waiting.
 */
export function createOfferStates(options: OfferStatesOptions) {
  const { journal, transact, writes, accessOf, stands, clock, rng, log } = options
  const events = new EventEmitter<OfferStateEvents>()
  /** Sales whose calls are on their way, or rest before the next try. */
  const busy = new Map<string, { callOff: () => void }>()
  /** Sales of which something may wait: the open ones are not looked for among all that waits in an outage. */
  const waiting = new Set<SaleId>()
  let stopped = false

  const callOf = (id: string) => journal.call(id, 'offer-state')
  const wantedOf = (id: string): WantedOffer[] => wantedBy(callOf(id))
  const openOf = (saleId: string): Operation[] => journal.offerStatesOf(saleId).filter(({ state }) => isOpen(state))

  function record(tx: Tx, { saleId, collectorHash, wanted }: NewOfferStates, apart = false): void {
    waiting.add(saleId)
    for (const { path, request } of writes.storedFor(wanted, { apart })) {
      journal.open(tx, {
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
          traceId: rng.uuid(),
          dateTime: isoOf(clock.now()),
          request,
        },
        facts: {},
      })
    }
  }

  /** Sends what the sale's member has asked for, oldest first, one call at a time. */
  function pump(saleId: SaleId): void {
    if (stopped || busy.has(saleId) || accessOf(saleId) === null) return
    const turn = { callOff: (): void => undefined }
    busy.set(saleId, turn)
    deliverAll(saleId)
      .catch((error: unknown): null => {
        // Storage that failed is looked at by the restart.
        log.error({ err: error }, 'a change of offer states could not be recorded')
        return null
      })
      .then((restMs) => {
        if (restMs === null) busy.delete(saleId)
        else
          turn.callOff = clock.after(restMs, () => {
            busy.delete(saleId)
            pump(saleId)
          })
      })
      .catch((error: unknown) => {
        log.error({ err: error }, 'the changes of offer states could not go on')
      })
  }

  /** Answers how long to rest before the next try; null: nothing is left to do for now. */
  async function deliverAll(saleId: SaleId): Promise<number | null> {
    for (;;) {
      // The card may have changed while an answer was recorded: nothing goes with another member's token.
      giveUp(openOf(saleId).filter((operation) => !stands(operation)))
      const [next] = openOf(saleId)
      const access = accessOf(saleId)
      if (!next || access === null || stopped) return null
      const restMs = await deliver(next, saleId, access)
      if (restMs !== 0) return restMs
    }
  }

  async function deliver(next: Operation, saleId: SaleId, access: MemberAccess): Promise<number | null> {
    const call = journal.call(next.id, 'offer-state')
    // A send that a crash or the end of a sign-in has cut off is counted as one; the next is counted anew.
    if (next.state === 'sent') await journal.moveSoon(next.id, 'queued')
    // mutant: offer-state-not-counted
    const sent = await journal.moveSoon(next.id, 'sent', { sending: 'offer-state' })
    if (stopped) return null
    const answer = await writes.send(call, {
      memberToken: access.memberToken,
      signal: access.signal,
      correlationId: call.traceId,
    })
    const wanted = wantedBy(call)
    // mutant: offer-state-silence-is-done
    if (answer.kind === 'ok') {
      await settle(sent, saleId, wanted, 'confirmed')
      return 0
    }
    if (REFUSALS.has(answer.cause) || (answer.cause === 'refused' && !isTokenRefused(answer))) {
      await settle(sent, saleId, wanted, 'refused', answer)
      return 0
    }
    return again(sent, saleId, access, answer)
  }

  async function settle(
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
      log.info({ cause, code, errorCode, correlationId }, 'a change of offer states was refused')
    }
    // What the member has changed their mind about since is not asked for after all.
    const since = apart ? openOf(saleId).flatMap(({ id }) => (id === sent.id ? [] : wantedOf(id))) : []
    const left = wanted.filter(({ offerId }) => since.every((later) => later.offerId !== offerId))
    await journal.moveSoon(sent.id, to, {
      facts: failed ? { outcome: failed.errorCode ?? failed.cause, detail: failed.code } : {},
      also: (tx) => {
        if (apart && left.length > 0)
          record(tx, { saleId, collectorHash: Buffer.from(sent.collector, 'hex'), wanted: left }, true)
      },
    })
    if (!apart) events.emit('settled', { saleId, wanted, to })
  }

  /** Not done, or nobody knows: the same bytes go again, while somebody is signed in and the sale waits for it. */
  async function again(
    sent: Operation,
    saleId: SaleId,
    access: MemberAccess,
    { cause, code }: Failed,
  ): Promise<number | null> {
    await journal.moveSoon(sent.id, 'queued', { facts: { failures: sent.failures + 1, detail: code ?? cause } })
    if (cause === 'refused' && accessOf(saleId) === access) options.refused(saleId)
    if (!stands(sent)) lapse()
    if (accessOf(saleId) === null) return null
    return Math.round(BASE_MS + rng.fraction() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(sent.failures, 10)))
  }

  /** Ends what is not wanted any more; a call that is under way comes back here by itself. */
  function lapse(): void {
    const open = [...waiting].flatMap(openOf)
    const ended = open.filter((operation) => !stands(operation))
    const lapsing = ended.filter(({ saleId, state }) => state === 'queued' || !busy.has(saleId))
    for (const saleId of waiting) if (open.every((left) => left.saleId !== saleId)) waiting.delete(saleId)
    giveUp(lapsing)
  }

  function giveUp(operations: readonly Operation[]): void {
    if (operations.length === 0) return
    transact((tx) => {
      for (const { id, sends } of operations)
        journal.move(tx, id, 'lapsed', { facts: { outcome: sends > 0 ? 'unknown' : 'not-sent' } })
    })
  }

  return {
    events,

    /** Records what the member wants; it leaves after the commit. */
    order(tx: Tx, asked: NewOfferStates): void {
      record(tx, asked)
      transact.afterCommit(() => {
        pump(asked.saleId)
      })
    },

    /** Every change of the member who is on the sale now, the oldest first: the newest of an offer counts. */
    of: (saleId: string): OfferStateNow[] =>
      journal
        .offerStatesOf(saleId)
        .filter(stands)
        .flatMap(({ id, state, outcome }) => {
          const call = callOf(id)
          const now = { state, why: outcome, correlationId: call.traceId }
          return wantedBy(call).map((wanted) => ({ ...wanted, ...now }))
        }),

    /** The member has signed in: what waits for them goes on. */
    resume: pump,

    lapse,

    /** Looks what an earlier run has left. Call once, at start: whoever had signed in is gone. */
    start(): void {
      for (const { saleId } of journal.openOfferStates()) waiting.add(SaleId.parse(saleId))
      lapse()
    },

    stop(): void {
      stopped = true
      for (const { callOff } of busy.values()) callOff()
    },
  }
}
