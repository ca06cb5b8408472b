import { randomUUID } from 'node:crypto'
import type { NoEarningReason } from '../../contracts/api/sales.ts'
import { ISSUANCE_PATHS, IssueRequest } from '../../contracts/central/issuance.ts'
import { encode } from '../central/cash.ts'
import type { IssuanceClient } from '../central/issuance.ts'
import { jsonOf } from '../central/json.ts'
import type { Answer } from '../central/transport.ts'
import type { Clock } from '../clock.ts'
import { meaningOfIssue } from '../domain/answers.ts'
import { earningRefusedByIssuance } from '../domain/earning-refusal.ts'
import type { Logger } from '../log.ts'
import type { Lanes } from './lanes.ts'
import { FORETOLD, type Facts, type Journal, type Operation } from './store.ts'
import type { IssuanceState } from './states.ts'

export interface IssuancesOptions {
  readonly journal: Journal
  readonly lanes: Lanes
  readonly issuance: IssuanceClient
  readonly clock: Clock
  readonly log: Logger
  /** Told after every committed arrow. What it throws is logged: a screen that cannot be told holds up no miles. */
  readonly onMoved: (operation: Operation) => void
  readonly onCentre: (reachable: boolean) => void
}

/** "Retry at least 2 additional times, then contact support" (specification 3 §4.2 rule 4): three answers of 500 escalate. */
const FAILURES_BEFORE_ESCALATION = 3
const BASE_MS = 1_000
const CAP_MS = 60_000

/** Refused for its account, as the receipt had said: nobody waits for these miles, and nobody can do anything about them. */
const foretold = (operation: Operation, code: string | null): boolean => operation.outcome !== null && earningRefusedByIssuance(code) !== null

export type Issuances = ReturnType<typeof createIssuances>

/**
 * The queue of issuances. A row is born with its sale's commit and leaves in the order of birth per collector. The bytes
 * and the key never change, so sending again is safe; no connection and outages wait without using up attempts.
 */
export function createIssuances(options: IssuancesOptions) {
  const { journal, lanes, issuance, clock, log } = options
  const draining = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let timerAt = 0
  let stopped = false
  /** Consecutive sends that found no centre: the pause between tries grows with it, for the whole queue. */
  let unreachable = 0

  function moved(operation: Operation): void {
    try {
      options.onMoved(operation)
    } catch (error) {
      log.error({ err: error, operation: operation.id }, 'an issuance moved, and the screens could not be told')
    }
  }

  /** Looks for work after this pause; an earlier look that is planned already stands. */
  function wakeAfter(ms: number): void {
    const at = performance.now() + ms
    if (stopped || (timer && timerAt <= at)) return
    if (timer) clearTimeout(timer)
    timerAt = at
    timer = setTimeout(() => {
      timer = null
      pump()
    }, ms)
  }

  /** Full jitter: anywhere between now and the exponential cap, so that lanes that failed together do not return together. */
  const backoff = (tries: number): number => Math.round(Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(tries, 10)))

  function pump(): void {
    if (stopped) return
    const due = journal.openOperations().filter((operation) => operation.kind === 'issuance')
    const seen = new Set<string>()
    let soonest: number | null = null
    for (const operation of due) {
      // The oldest of a collector speaks for the lane: what was born later does not overtake its pause.
      if (seen.has(operation.collector)) continue
      seen.add(operation.collector)
      const wait = waitOf(operation)
      if (wait > 0) soonest = Math.min(soonest ?? wait, wait)
      else if (!draining.has(operation.collector)) drain(operation.collector)
    }
    if (soonest !== null) wakeAfter(soonest)
  }

  /** Milliseconds until it may be sent. A clock that was set back must not hold a queue for years: no wait is longer than the cap. */
  function waitOf(operation: Operation): number {
    const wait = (operation.nextAttemptAt ?? 0) - clock.now()
    return wait > CAP_MS ? 0 : Math.max(0, wait)
  }

  function drain(collector: string): void {
    draining.add(collector)
    lanes.run(collector, 'queued', async () => {
      const next = journal.openOperations().find((operation) => operation.kind === 'issuance' && operation.collector === collector)
      return next && !stopped ? deliver(next) : false
    }).catch((error: unknown) => {
      log.error({ err: error }, 'an issuance could not be recorded')
      return false
    }).then((goOn) => {
      draining.delete(collector)
      if (goOn) pump()
    }).catch(() => undefined)
  }

  /** One send of the oldest issuance of a lane. Answers whether the lane may go on at once. */
  async function deliver(queued: Operation): Promise<boolean> {
    // Opened before the send is counted: bytes that cannot be read were not sent.
    const call = journal.call(queued.id, 'issue')
    const sent = journal.move(queued.id, 'sent', { sending: 'issue', facts: { nextAttemptAt: null } })
    moved(sent)
    const answer = await issuance.sendStored(call)
    options.onCentre(answer.kind === 'answer')
    const settled = settle(sent, answer)
    moved(settled)
    if (settled.nextAttemptAt === null) return true
    wakeAfter(Math.max(0, settled.nextAttemptAt - clock.now()))
    return false
  }

  function settle(operation: Operation, answer: Answer): Operation {
    const wait = (facts: Facts): Operation => journal.move(operation.id, 'queued', { facts })
    const final = (state: IssuanceState, facts: Facts): Operation => journal.move(operation.id, state, { facts })
    if (answer.kind !== 'answer') {
      unreachable += 1
      return wait({ nextAttemptAt: clock.now() + backoff(unreachable), detail: answer.reason })
    }
    const request = IssueRequest.parse(jsonOf(journal.call(operation.id, 'issue').request))
    const meaning = meaningOfIssue(answer.status, jsonOf(answer.bytes), request)
    if (meaning.kind !== 'outage') unreachable = 0
    switch (meaning.kind) {
      case 'confirmed':
        return final('confirmed', { miles: meaning.miles, transactionId: meaning.transactionId, detail: null })
      case 'rejected-entries':
        return final('rejected', { miles: meaning.miles, transactionId: meaning.transactionId, responseCode: meaning.code, detail: meaning.message })
      case 'accepted':
        return final('accepted', { miles: meaning.miles, transactionId: meaning.transactionId, detail: null })
      case 'dead':
        return final('dead', { responseCode: meaning.code, detail: meaning.message, outcome: foretold(operation, meaning.code) ? FORETOLD : null })
      case 'outage':
        unreachable += 1
        return wait({ nextAttemptAt: clock.now() + backoff(unreachable), detail: 'outage' })
      case 'retry': {
        const failures = operation.failures + 1
        if (failures >= FAILURES_BEFORE_ESCALATION) return final('escalated', { failures, detail: meaning.message })
        return wait({ failures, nextAttemptAt: clock.now() + backoff(failures), detail: meaning.message })
      }
    }
  }

  return {
    /** Records an issuance, and why the collector was told to expect no miles; call inside the transaction that commits its sale. */
    enqueue(entry: { saleId: string; collectorHash: Uint8Array; request: IssueRequest; expectedMiles: number | null; noEarning: NoEarningReason | null }): Operation {
      return journal.open({
        kind: 'issuance', saleId: entry.saleId, collectorHash: entry.collectorHash, state: 'queued', sending: false,
        call: { purpose: 'issue', path: ISSUANCE_PATHS.issue, idempotencyKey: randomUUID(), traceId: entry.saleId, dateTime: entry.request.checkoutDateTime, request: encode(entry.request) },
        facts: { miles: entry.expectedMiles, outcome: entry.noEarning },
      })
    },
    /** Looks for work now; call after a commit that queued some, at start, and when the centre is heard again. */
    wake: (): void => { wakeAfter(0) },
    /** The centre answered something: what waits for it need not wait longer. */
    centreIsBack(): void {
      if (unreachable === 0) return
      unreachable = 0
      for (const operation of journal.openOperations()) {
        if (operation.kind === 'issuance' && operation.nextAttemptAt !== null && !draining.has(operation.collector) && operation.failures === 0) drain(operation.collector)
      }
    },
    stop(): void {
      stopped = true
      if (timer) clearTimeout(timer)
    },
  }
}
