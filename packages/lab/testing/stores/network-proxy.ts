import { once } from 'node:events'
import { Agent, createServer, request, type RequestOptions } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Network faults of a call between a lane and the store server:
 *
 * - pass: no fault
 * - refuse: the connection is closed before the request reaches the server
 * - drop-response: the server receives the request; the connection is closed before the response
 * - half-open: the request is dropped and the connection stays open
 * - slow: the request is delayed by a second
 * - duplicate: the server receives the request twice
 * - truncate: the response is truncated
 */
export const NETWORK_FAULTS = ['refuse', 'drop-response', 'half-open', 'slow', 'duplicate', 'truncate'] as const
export type NetworkFault = (typeof NETWORK_FAULTS)[number]
export type CallFate = NetworkFault | 'pass'

export interface ProxyOptions {
  /**
   * The store server’s own certificate and key (PEM): the proxy ends TLS on both sides, because it must read the token
   * of each call.
   */
  readonly certificate: string
  readonly key: string
  readonly next: (token: string) => CallFate
}

export interface NetworkProxy {
  readonly url: string
  setTarget(url: string): void
  closeHalfOpen(): void
  readonly counts: Readonly<Record<CallFate, number>>
  close(): Promise<void>
}

const SLOW_MS = 1_000

export async function startNetworkProxy({ certificate, key, next }: ProxyOptions): Promise<NetworkProxy> {
  const agent = new Agent({ keepAlive: true, ca: [certificate], maxSockets: 400, checkServerIdentity: () => undefined })
  const counts = { pass: 0, refuse: 0, 'drop-response': 0, 'half-open': 0, slow: 0, duplicate: 0, truncate: 0 }
  const halfOpen = new Set<ServerResponse>()
  let target = 'https://127.0.0.1:1'

  const forward = async (received: ReceivedRequest, from: AbortSignal): Promise<ForwardedResponse> => {
    const { method, url, headers } = received.message
    const options: RequestOptions = { agent, method: method ?? 'POST', headers, signal: from }
    const call = request(new URL(url ?? '/', target), options)
    call.end(received.body)
    const [answer] = await once(call, 'response')
    return await answered(answer)
  }

  async function pass(received: ReceivedRequest, reply: ServerResponse, what: CallFate): Promise<void> {
    // When a lane disconnects, the proxy also disconnects from the store server.
    const gone = new AbortController()
    reply.once('close', () => gone.abort())
    if (what === 'slow') await pause(SLOW_MS)
    const first = forward(received, gone.signal)
    const { status, headers, body } = await (what === 'duplicate'
      ? Promise.all([first, forward(received, gone.signal)]).then(([, second]) => second)
      : first)
    if (what === 'drop-response') return void reply.destroy()
    reply.writeHead(status, headers)
    if (what !== 'truncate') return void reply.end(body)
    reply.write(body.subarray(0, Math.floor(body.byteLength / 2)), () => reply.destroy())
  }

  async function serve(message: IncomingMessage, reply: ServerResponse): Promise<void> {
    const what = next((message.headers.authorization ?? '').slice('Bearer '.length))
    counts[what] += 1
    if (what === 'refuse') return void message.destroy()
    const body = await bytesOf(message)
    if (what === 'half-open') {
      halfOpen.add(reply.once('close', () => halfOpen.delete(reply)))
      return
    }
    await pass({ message, body }, reply, what)
  }

  const server = createServer({ cert: certificate, key, keepAliveTimeout: 60_000 }, (message, reply) => {
    // When the store server is down, the connection is closed, as it would be without this proxy.
    serve(message, reply).catch(() => reply.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${portOf(server.address())}`,
    setTarget: (url) => void (target = url),
    closeHalfOpen() {
      for (const reply of halfOpen) reply.destroy()
    },
    counts,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

interface ReceivedRequest {
  readonly message: IncomingMessage
  readonly body: Buffer
}
interface ForwardedResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

async function bytesOf(message: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const answered = async (message: IncomingMessage): Promise<ForwardedResponse> => ({
  status: message.statusCode ?? 502,
  headers: message.headers,
  body: await bytesOf(message),
})

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen on a port')
  return address.port
}
