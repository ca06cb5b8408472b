import { request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { z } from 'zod'
import { type MessageKey, SealedMessage, openMessage, sealMessage } from './crypto.ts'
import { type Parties, type SaleToPoiRequest, SaleToPoiResponse, diagnosisRequest, freshServiceId } from './messages.ts'
import type { Health } from '../device.ts'
import { echoes } from './outcome.ts'

export interface TerminalAddress {
  readonly host: string
  readonly port: number
  /**
   * Certificate (PEM) that is trusted, and no other: the root that signed the card terminal's certificate, or that
   * certificate itself.
   */
  readonly certificate: string
  /**
   * Common name of the card terminal's certificate. A card terminal has no DNS name, so its address cannot be verified
   * instead.
   */
  readonly commonName: string
}

/** Result of one exchange. `never-sent`: there was no connection, so no byte of the request left. */
export type Exchanged =
  | { readonly kind: 'answer'; readonly bytes: Buffer }
  | { readonly kind: 'never-sent'; readonly reason: string }
  | { readonly kind: 'no-answer'; readonly reason: string }

const PATH = '/nexo'
const CONNECT_MS = 5_000
/** Maximum size of an answer in bytes; one with both receipts is shorter than 20,000. */
const MAX_BYTES = 256 * 1024

/**
 * Sends one message once, on its own connection, and waits for the answer. A reused connection could fail during the
 * write, which would leave it unknown whether the message left. Never throws. Aborting `stop` has the same result as a
 * lost connection.
 */
export async function exchange(
  address: TerminalAddress,
  message: string,
  deadlineMs: number,
  stop: AbortSignal,
): Promise<Exchanged> {
  let connected = false
  const ending = new AbortController()
  const end = (reason: string): void => {
    ending.abort(new Error(reason))
  }
  const stopped = (): void => {
    end('the connection was closed')
  }
  stop.addEventListener('abort', stopped)
  if (stop.aborted) stopped()
  const connecting = setTimeout(() => {
    end(`no connection within ${CONNECT_MS} ms`)
  }, CONNECT_MS)
  const answering = setTimeout(() => {
    end(`no answer within ${deadlineMs} ms`)
  }, deadlineMs)
  try {
    ending.signal.throwIfAborted()
    const body = Buffer.from(message, 'utf8')
    const sent = httpsRequest({
      host: address.host,
      port: address.port,
      path: PATH,
      method: 'POST',
      agent: false,
      ca: address.certificate,
      minVersion: 'TLSv1.2',
      checkServerIdentity: (_, { subject }) =>
        subject.CN === address.commonName ? undefined : new Error('the certificate belongs to another terminal'),
      headers: { 'content-type': 'application/json', 'content-length': body.length },
      signal: ending.signal,
    })
    sent.once('socket', (socket) => {
      ;(socket as TLSSocket).once('secureConnect', () => {
        connected = true
        clearTimeout(connecting)
      })
    })
    // Later failures reach `answerOf` through the response; an error of the request without a listener would end the
    // process.
    sent.on('error', () => undefined)
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return await answerOf(response)
  } catch (error) {
    const reason = reasonOf(ending.signal.aborted ? ending.signal.reason : error)
    return { kind: connected ? 'no-answer' : 'never-sent', reason }
  } finally {
    clearTimeout(connecting)
    clearTimeout(answering)
    stop.removeEventListener('abort', stopped)
  }
}

async function answerOf(response: IncomingMessage): Promise<Exchanged> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BYTES) {
      response.destroy()
      return { kind: 'no-answer', reason: 'the answer is too long' }
    }
  }
  const bytes = Buffer.concat(chunks)
  for (const chunk of chunks) chunk.fill(0)
  return response.statusCode === 200
    ? { kind: 'answer', bytes }
    : { kind: 'no-answer', reason: `HTTP ${response.statusCode ?? 0}` }
}

/**
 * Returns the error's code, or the message of an error without one; never a parser's message, which may quote received
 * data.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the wire was lost'
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) return error.message
  return /^(?:HPE_|ERR_HTTP)/.test(code) ? 'the answer is not valid HTTP' : code
}

/** Answer to one message, or the reason for a missing one. A reason never contains received data. */
export type Answer =
  | { readonly kind: 'message'; readonly message: SaleToPoiResponse }
  | { readonly kind: 'never-sent' | 'no-answer' | 'not-understood'; readonly reason: string }

export type Ask = (request: SaleToPoiRequest, deadlineMs: number) => Promise<Answer>

/** Returns a function that sends a request in one exchange without retries, sealed if there is a shared key. */
export function createRequester(address: TerminalAddress, key: MessageKey | null, stop: AbortSignal): Ask {
  return async (request, deadlineMs) => {
    const exchanged = await exchange(address, written(request, key), deadlineMs, stop)
    if (exchanged.kind !== 'answer') return exchanged
    const message = readAnswer(exchanged.bytes, key)
    exchanged.bytes.fill(0)
    return message === null
      ? { kind: 'not-understood', reason: 'the answer is not valid, or not sealed with our key' }
      : { kind: 'message', message }
  }
}

function written(request: SaleToPoiRequest, key: MessageKey | null): string {
  const plain = { SaleToPOIRequest: request }
  if (key === null) return JSON.stringify(plain)
  const { MessageHeader } = request
  return JSON.stringify({ SaleToPOIRequest: { MessageHeader, ...sealMessage(key, JSON.stringify(plain)) } })
}

const Plain = z.object({ SaleToPOIResponse: SaleToPoiResponse })
const Sealed = z.object({ SaleToPOIResponse: SealedMessage })

/**
 * Parses a message. Returns null for a message that is not valid in this protocol or, if there is a key, not sealed
 * with it.
 */
export function readAnswer(bytes: Buffer, key: MessageKey | null): SaleToPoiResponse | null {
  let text = bytes.toString('utf8')
  if (key !== null) {
    const sealed = Sealed.safeParse(parseJson(text))
    const opened = sealed.success ? openMessage(key, sealed.data.SaleToPOIResponse) : null
    if (opened === null) return null
    text = opened
  }
  const message = Plain.safeParse(parseJson(text))
  return message.success ? message.data.SaleToPOIResponse : null
}

/** Parses JSON; returns undefined when it is invalid. The parser's error is dropped because it quotes received data. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface WatchOptions {
  readonly ask: Ask
  readonly parties: Parties
  readonly answerMs: number
  readonly everyMs: number
  readonly isBusy: () => boolean
  readonly onHealth: (health: Health) => void
}

/**
 * Health of a card terminal, from periodic diagnosis requests and from the results of payments, refunds and status
 * requests.
 */
export interface HealthWatch {
  readonly health: Health
  checkHealth(): Promise<void>
  onAnswer(answer: Answer): void
  close(): Promise<void>
}

export function watchTerminal({
  ask,
  parties,
  answerMs,
  everyMs,
  isBusy: atWork,
  onHealth,
}: WatchOptions): HealthWatch {
  let health: Health = { state: 'connecting', detail: null }
  let closed = false
  let next: NodeJS.Timeout | undefined
  let looking = Promise.resolve()

  function setHealth(next: Health): void {
    if (closed || (next.state === health.state && next.detail === health.detail)) return
    health = next
    onHealth(next)
  }

  function onAnswer(answer: Answer): void {
    if (answer.kind === 'not-understood') setHealth({ state: 'needs-attention', detail: answer.reason })
    else if (answer.kind !== 'message') setHealth({ state: 'unavailable', detail: answer.reason })
    else if (health.state !== 'needs-attention') setHealth({ state: 'ready', detail: null })
  }

  async function requestHealth(): Promise<void> {
    const serviceId = freshServiceId()
    const answer = await ask(diagnosisRequest(serviceId, parties), answerMs)
    if (answer.kind === 'message') setHealth(healthOf(answer.message, serviceId, parties))
    else onAnswer(answer)
  }

  /**
   * Checks the health once a check in progress has ended: that check may have started before the change that it is to
   * notice, such as a reconnected cable. Sends nothing while a payment or refund runs.
   */
  function look(): Promise<void> {
    looking = looking
      .then(() => (closed || atWork() ? undefined : requestHealth()))
      .finally(() => {
        clearTimeout(next)
        if (!closed) next = setTimeout(() => void look(), everyMs).unref()
      })
    return looking
  }

  void look()
  return {
    get health() {
      return health
    },
    checkHealth: look,
    onAnswer,
    async close() {
      closed = true
      clearTimeout(next)
      await looking
    },
  }
}

function healthOf(message: SaleToPoiResponse, serviceId: string, parties: Parties): Health {
  const diagnosis = message.DiagnosisResponse
  if (!echoes(message.MessageHeader, 'Diagnosis', serviceId, parties) || diagnosis === undefined)
    return { state: 'needs-attention', detail: 'the answer belongs to another terminal or request' }
  switch (diagnosis.POIStatus?.GlobalStatus) {
    case 'OK':
    case 'Busy':
      return { state: 'ready', detail: null }
    case 'Maintenance':
      return { state: 'needs-attention', detail: 'the terminal is in maintenance' }
    case 'Unreachable':
      return { state: 'needs-attention', detail: 'the terminal cannot reach its bank' }
    default:
      return { state: 'needs-attention', detail: 'the terminal did not report that it is ready' }
  }
}
