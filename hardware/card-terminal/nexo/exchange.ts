import { request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { TLSSocket } from 'node:tls'

/** Where a terminal listens, and how it is known to be the one. */
export interface TerminalAddress {
  readonly host: string
  readonly port: number
  /** PEM: the root that signed the terminal's certificate, or the certificate itself. No other root is believed. */
  readonly certificate: string
  /** The certificate's common name. A terminal has no name in DNS, so that its address says nothing. */
  readonly commonName: string
}

/**
 * What became of one exchange. `never-sent`: the connection did not come about, so that provably no byte of the request
 * left.
 */
export type Exchanged =
  | { readonly kind: 'answer'; readonly bytes: Buffer }
  | { readonly kind: 'never-sent'; readonly reason: string }
  | { readonly kind: 'no-answer'; readonly reason: string }

const PATH = '/nexo'
const CONNECT_MS = 5_000
/** With both receipts an answer is under twenty thousand. */
const MOST_BYTES = 256 * 1024

/**
 * Sends one message and waits for its answer, on a connection of its own: one that was kept could be lost just as it is
 * used, and nobody could say whether the message left. Sends once. Never throws. What `stop` aborts ends as if the wire
 * was lost.
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
        subject.CN === address.commonName ? undefined : new Error('the certificate is of another terminal'),
      headers: { 'content-type': 'application/json', 'content-length': body.length },
      signal: ending.signal,
    })
    sent.once('socket', (socket) => {
      ;(socket as TLSSocket).once('secureConnect', () => {
        connected = true
        clearTimeout(connecting)
      })
    })
    // A later failure is told by the response; without a listener it would end the program.
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
    if (size > MOST_BYTES) {
      response.destroy()
      return { kind: 'no-answer', reason: 'the answer is longer than any can be' }
    }
  }
  const bytes = Buffer.concat(chunks)
  for (const chunk of chunks) chunk.fill(0)
  return response.statusCode === 200
    ? { kind: 'answer', bytes }
    : { kind: 'no-answer', reason: `HTTP ${response.statusCode ?? 0}` }
}

/** The system's reason, and never what came over the wire: a parser's message may quote it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the wire was lost'
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) return error.message
  return /^(?:HPE_|ERR_HTTP)/.test(code) ? 'the answer is no HTTP' : code
}
