import { setTimeout as wait } from 'node:timers/promises'
import type { DeviceListener } from '../device.ts'
import type { CardOutcome, CardRequest, CardStatus, CardTerminal } from './terminal.ts'
import { type TerminalAddress, createRequester, watchTerminal } from './exchange.ts'
import { deriveKey, type SharedKey } from './crypto.ts'
import { abortRequest, freshServiceId, type Parties, statusRequest, transactionRequest } from './messages.ts'
import { outcomeOf, statusOf } from './outcome.ts'

export interface NexoTerminalConfig {
  readonly address: TerminalAddress
  readonly parties: Parties
  readonly key: SharedKey | null
  readonly waits?: Partial<NexoWaits>
}

export interface NexoWaits {
  /** Timeout in ms of a request that waits for the cardholder. Card terminals time out after 120 seconds. */
  readonly transaction: number
  /** Timeout in ms of an answer that needs no cardholder. */
  readonly question: number
  /**
   * Time in ms after which a repeated "not found" is accepted as final: until then a request on a closed connection may
   * still reach the card terminal.
   */
  readonly inTransit: number
  readonly health: number
}

const WAITS: NexoWaits = { transaction: 150_000, question: 10_000, inTransit: 5_000, health: 30_000 }

export function openNexoTerminal(
  { address, parties, key, waits }: NexoTerminalConfig,
  { onHealth }: Pick<DeviceListener<never>, 'onHealth'>,
): CardTerminal {
  const time = { ...WAITS, ...waits }
  const closing = new AbortController()
  const ask = createRequester(address, key && deriveKey(key), closing.signal)
  const moving = new Map<string, Promise<CardOutcome>>()
  const isBusy = (): boolean => moving.size > 0
  const watch = watchTerminal({ ask, parties, answerMs: time.question, everyMs: time.health, isBusy, onHealth })

  async function move(request: CardRequest): Promise<CardOutcome> {
    const answer = await ask(transactionRequest(request, parties, new Date()), time.transaction)
    watch.onAnswer(answer)
    if (answer.kind === 'message') return outcomeOf(answer.message, request, parties)
    if (answer.kind === 'never-sent') return { kind: 'declined', reason: 'not-reached' }
    return { kind: 'unknown', reason: answer.kind }
  }

  /**
   * Refuses a second call with the reference of a running one: the card terminal would answer it, for example, that it
   * is busy, which is not the outcome of the first.
   */
  async function moveOnce(request: CardRequest): Promise<CardOutcome> {
    checkRequest(request)
    if (moving.has(request.reference)) throw new Error('a request with this reference is already running')
    const outcome = move(request)
    moving.set(request.reference, outcome)
    try {
      return await outcome
    } finally {
      moving.delete(request.reference)
    }
  }

  async function requestStatus(request: CardRequest): Promise<CardStatus> {
    const serviceId = freshServiceId()
    const answer = await ask(statusRequest(request, serviceId, parties), time.question)
    watch.onAnswer(answer)
    if (answer.kind === 'message') return statusOf(answer.message, serviceId, request, parties)
    return { kind: 'unknown', reason: answer.kind === 'never-sent' ? 'no-answer' : answer.kind }
  }

  return {
    get health() {
      return watch.health
    },
    async checkHealth() {
      await watch.checkHealth()
      return watch.health
    },
    pay: moveOnce,
    refund: moveOnce,
    async cancel(request) {
      checkRequest(request)
      // The answer to an abort is ignored: only the answer to the transaction itself has the outcome.
      await ask(abortRequest(request, freshServiceId(), parties), time.question)
    },
    async status(request) {
      checkRequest(request)
      const first = await requestStatus(request)
      if (first.kind !== 'not-found') return first
      await wait(time.inTransit, undefined, { signal: closing.signal }).catch(() => undefined)
      return requestStatus(request)
    },
    async close() {
      closing.abort()
      await Promise.all([watch.close(), ...moving.values()])
    },
  }
}

function checkRequest({ reference, amountCents }: CardRequest): void {
  if (!/^[A-Za-z0-9]{1,10}$/.test(reference))
    throw new RangeError('a reference must have one to ten letters and digits')
  if (amountCents <= 0) throw new RangeError('an amount must be greater than zero')
}
