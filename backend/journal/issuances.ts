import { z } from 'zod'
import type { NoEarningReason } from '../../contracts/api/sales.ts'
import type { Issuance } from '../../contracts/central/issuance.ts'
import { encode } from '../central/cash.ts'
import type { IssuanceClient } from '../central/issuance.ts'
import { jsonOf } from '../central/json.ts'
import type { Answer } from '../central/transport.ts'
import type { Chance, Clock } from '../clock.ts'
import { meaningOfIssue } from '../domain/answers.ts'
import { earningRefusedByIssuance } from '../domain/earning-refusal.ts'
import type { Logger } from '../log.ts'
import type { Lanes } from './lanes.ts'
import type { IssuanceIntention, IssuanceState } from './states.ts'
import { FORETOLD, type Change, type Facts, type Journal, type Operation, type StoredCall } from './store.ts'

export interface IssuancesOptions {
  readonly journal: Journal
  readonly lanes: Lanes
  readonly issuance: IssuanceClient
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Logger
  /** Told after every committed arrow. What it throws is logged: a screen that cannot be told holds up no miles. */
  readonly onMoved: (operation: Operation) => void
  readonly onCentre: (reachable: boolean) => void
}

/** One call that waits to go to the issuance service. */
export interface NewIssuance {
  readonly intention: IssuanceIntention
  readonly saleId: string
  readonly collectorHash: Uint8Array
  /** The request as the wire has it; it is made into bytes here, once. */
  readonly request: object
  readonly traceId: string
  readonly dateTime: string
  readonly expectedMiles: number | null
  /** Why the collector was told to expect no miles. */
  readonly noEarning?: NoEarningReason | null
  /** The operation whose miles this one takes back: it waits until that one is final. */
  readonly after?: string
  /** The refused operation that this one is the corrected copy of. */
  readonly corrects?: string
}

/** "Retry at least 2 additional times, then contact support" (specification 3 §4.2 rule 4): three answers of 500 escalate. */
const FAILURES_BEFORE_ESCALATION = 3
const BASE_MS = 1_000
const CAP_MS = 60_000
/** Collectors that are served at once. After an outage the queue leaves in good order, not all at the same moment. */
const LANES_AT_ONCE = 8

/** What an answer must echo to be the answer to this request. */
const Echoed = z.object({ checkoutTransactionId: z.string().optional(), clientTransactionId: z.string().optional(), collectorNumber: z.string().optional() })

/** What the journal's entry keeps of an answer's entries: a manual correction takes miles back from the same offer (§4.4). */
const keptOf = ({ issuanceOfferCode, offerId, milesAmount, status }: Issuance) => ({ issuanceOfferCode, offerId, milesAmount, ...(status === undefined ? {} : { status }) })

/** What became of a turn of a lane. */
type Turn = 'nothing-left' | 'go-on' | { readonly restMs: number } | { readonly pauseMs: number }

/** The arrow that an answer makes, and what its lane does then. */
interface Settlement {
  readonly to: IssuanceState
  readonly change: Change
  readonly turn: Turn
}

/** Refused for its account, as the receipt had said: nobody waits for these miles, and nobody can do anything about them. */
const foretold = (operation: Operation, code: string | null): boolean => operation.outcome !== null && earningRefusedByIssuance(code) !== null

export type Issuances = ReturnType<typeof createIssuances>

/**
 * The queue to the issuance service. A row is born with its sale's commit and leaves in the order of birth per collector.
 * The bytes and the key never change, so sending again is safe; no connection and outages wait without using up attempts.
 * Waiting goes by the monotonic clock: a clock that is set neither holds the queue nor hurries it.
 */
export function createIssuances(options: IssuancesOptions) {
  const { journal, lanes, issuance, clock, chance, log } = options
  /** Collectors whose next call may go, the longest waiting first. */
  const ready = new Set<string>()
  /** Collectors whose next call rests after an answer of 500, and what calls the rest off. */
  const resting = new Map<string, () => void>()
  const working = new Set<string>()
  /** Consecutive sends that found no centre: the pause between tries grows with it, for the whole queue. */
  let unreachable = 0
  let endPause: (() => void) | null = null
  let stopped = false

  function moved(operation: Operation): void {
    try {
      options.onMoved(operation)
    } catch (error) {
      log.error({ err: error, operation: operation.id }, 'an issuance moved, and the screens could not be told')
    }
  }

  /** Full jitter: anywhere between now and the exponential cap, so that lanes that failed together do not return together. */
  const backoff = (tries: number): number => Math.round(chance.fraction() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(tries, 10)))

  function pump(): void {
    // While nobody knows whether the centre is there, one call at a time asks.
    const places = unreachable > 0 ? 1 : LANES_AT_ONCE
    for (const collector of ready) {
      if (stopped || endPause || working.size >= places) return
      // What came while its lane was being served waits for the end of that turn.
      if (working.has(collector)) continue
      ready.delete(collector)
      working.add(collector)
      serve(collector)
    }
  }

  function serve(collector: string): void {
    lanes.run(collector, 'queued', () => turn(collector)).catch((error: unknown): Turn => {
      // Storage that failed is looked at by the restart; bytes that cannot be read hold up their own collector alone.
      log.error({ err: error }, 'an issuance could not be recorded')
      return 'nothing-left'
    }).then((outcome) => {
      working.delete(collector)
      if (outcome === 'go-on') ready.add(collector)
      else if (outcome !== 'nothing-left') {
        if ('restMs' in outcome) rest(collector, outcome.restMs)
        else {
          ready.add(collector)
          pause(outcome.pauseMs)
        }
      }
      pump()
    }).catch((error: unknown) => { log.error({ err: error }, 'the queue could not go on') })
  }

  function rest(collector: string, ms: number): void {
    if (stopped) return
    // What was queued behind it meanwhile rests with it.
    ready.delete(collector)
    resting.set(collector, clock.after(ms, () => {
      resting.delete(collector)
      ready.add(collector)
      pump()
    }))
  }

  function pause(ms: number): void {
    // The centre may have answered something else while this call's end was written.
    if (stopped || endPause || unreachable === 0) return
    endPause = clock.after(ms, () => {
      endPause = null
      pump()
    })
  }

  /** The oldest call of a lane, sent once or settled without sending. */
  async function turn(collector: string): Promise<Turn> {
    const next = journal.nextIssuance(collector)
    if (!next || stopped) return 'nothing-left'
    const before = next.afterOperationId === null ? undefined : journal.get(next.afterOperationId)
    if (before && (before.state === 'dead' || before.state === 'escalated') && next.state === 'queued') {
      // Nothing came to be that could be taken back, or nobody knows whether it did: a person decides.
      moved(await journal.moveSoon(next.id, before.state, { facts: { nextAttemptAt: null, detail: `the ${before.intention} before it is ${before.state}`, outcome: before.outcome === FORETOLD ? FORETOLD : null } }))
      return 'go-on'
    }
    // Only a corrected copy can wait for another collector's lane; that one has its own turn.
    if (before && (before.state === 'queued' || before.state === 'sent')) return { restMs: CAP_MS }
    return deliver(next)
  }

  function opened({ id, intention }: Operation): StoredCall | undefined {
    try {
      return journal.call(id, intention)
    } catch (error) {
      log.error({ err: error, operation: id }, 'the bytes of a call cannot be opened')
      return undefined
    }
  }

  async function deliver(queued: Operation): Promise<Turn> {
    const purpose = queued.intention
    // Opened before the send is counted: bytes that cannot be read were not sent.
    const call = opened(queued)
    if (!call) {
      moved(await journal.moveSoon(queued.id, 'escalated', { facts: { nextAttemptAt: null, detail: 'the stored bytes of the call cannot be opened' } }))
      return 'go-on'
    }
    const sent = await journal.moveSoon(queued.id, 'sent', { sending: purpose, facts: { nextAttemptAt: null } })
    moved(sent)
    if (stopped) return 'nothing-left'
    const answer = await issuance.sendStored(call)
    options.onCentre(answer.kind === 'answer')
    const { to, change, turn: outcome } = settlementOf(sent, answer, call.request)
    moved(await journal.moveSoon(sent.id, to, change))
    return outcome
  }

  function settlementOf(operation: Operation, answer: Answer, request: Uint8Array): Settlement {
    const final = (to: IssuanceState, facts: Facts, entries: readonly Issuance[] = []): Settlement => ({
      to, change: { facts, ...(entries.length > 0 ? { kept: { issuances: entries.map(keptOf) } } : {}) }, turn: 'go-on',
    })
    const again = (facts: Facts, ms: number, turn: Turn): Settlement => ({ to: 'queued', change: { facts: { ...facts, nextAttemptAt: clock.now() + ms } }, turn })
    const noCentre = (detail: string): Settlement => {
      unreachable += 1
      const pauseMs = backoff(unreachable)
      return again({ detail }, pauseMs, { pauseMs })
    }
    if (answer.kind !== 'answer') return noCentre(answer.reason)
    const meaning = meaningOfIssue(answer.status, jsonOf(answer.bytes), Echoed.parse(jsonOf(request)))
    if (meaning.kind === 'outage') return noCentre('outage')
    unreachable = 0
    switch (meaning.kind) {
      case 'confirmed':
        return final('confirmed', { miles: meaning.miles, transactionId: meaning.transactionId, detail: null }, meaning.entries)
      case 'rejected-entries':
        return final('rejected', { miles: meaning.miles, transactionId: meaning.transactionId, responseCode: meaning.code, detail: meaning.message }, meaning.entries)
      case 'accepted':
        return final('accepted', { miles: meaning.miles, transactionId: meaning.transactionId, detail: null }, meaning.entries)
      case 'dead':
        return final('dead', { responseCode: meaning.code, detail: meaning.message, outcome: foretold(operation, meaning.code) ? FORETOLD : null })
      case 'retry': {
        const failures = operation.failures + 1
        if (failures >= FAILURES_BEFORE_ESCALATION) return final('escalated', { failures, detail: meaning.message })
        const restMs = backoff(failures)
        return again({ failures, detail: meaning.message }, restMs, { restMs })
      }
    }
  }

  function makeReady(collector: string): void {
    if (!resting.has(collector)) ready.add(collector)
  }

  return {
    /** Records a call; call inside the transaction that commits what it is for, and `wake` after it. */
    enqueue(entry: NewIssuance): Operation {
      const { intention, saleId, collectorHash, request, traceId, dateTime, expectedMiles, noEarning = null, after, corrects } = entry
      const operation = journal.open({
        kind: 'issuance', intention, saleId, collectorHash, state: 'queued', sending: false,
        call: { purpose: intention, path: issuance.pathOf(intention), idempotencyKey: intention === 'record' ? null : chance.uuid(), traceId, dateTime, request: encode(request) },
        facts: { miles: expectedMiles, outcome: noEarning },
        ...(after === undefined ? {} : { afterOperationId: after }),
        ...(corrects === undefined ? {} : { correctsId: corrects }),
      })
      makeReady(operation.collector)
      return operation
    },

    /** Looks for work soon; call after a commit that queued some. */
    wake: (): void => { clock.after(0, pump) },

    /** Takes up what an earlier run left in the queue. Call once, at start. */
    start(): void {
      for (const collector of journal.waitingCollectors()) makeReady(collector)
      pump()
    },

    /** The centre answered something: what waits for it need not wait longer. */
    centreIsBack(): void {
      if (unreachable === 0) return
      unreachable = 0
      endPause?.()
      endPause = null
      pump()
    },

    /** Sends a call that was given up once more, since a person says that the centre can take it now: the same bytes and key. */
    sendAgain(id: string, staffId: string): Operation {
      const queued = journal.order(id, 'queued', staffId, { facts: { failures: 0, detail: null, responseCode: null } })
      moved(queued)
      makeReady(queued.collector)
      pump()
      return queued
    },

    stop(): void {
      stopped = true
      journal.settle()
      endPause?.()
      for (const callOff of resting.values()) callOff()
    },
  }
}
