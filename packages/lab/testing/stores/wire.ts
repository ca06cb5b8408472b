import { once } from 'node:events'
import { Agent, createServer, request, type RequestOptions } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * What may become of a call between a lane and its server. pass: nothing. refuse: the connection breaks before the
 * server hears it. swallow: the server hears it, and the connection breaks before the answer. half-open: nobody hears
 * it, and the connection stays. slow: it arrives a second late. duplicate: the server hears it twice. cut: the answer
 * breaks off in its middle.
 */
export const WIRE_FAULTS = ['refuse', 'swallow', 'half-open', 'slow', 'duplicate', 'cut'] as const
export type WireFault = (typeof WIRE_FAULTS)[number]
export type OnTheWire = WireFault | 'pass'

export interface WireOptions {
  /** The server’s own, as PEM: TLS is spoken on both sides, else no call could be told from another. */
  readonly certificate: string
  readonly key: string
  /** What becomes of the next call with this token. */
  readonly next: (token: string) => OnTheWire
}

export interface Wire {
  readonly url: string
  /** Where the server listens now. */
  lead(url: string): void
  /** Ends every connection that was left half-open. */
  heal(): void
  /** Calls so far, by what became of them. */
  readonly counts: Readonly<Record<OnTheWire, number>>
  close(): Promise<void>
}

const SLOW_MS = 1_000

/** A real proxy between the lanes of a store and its server. */
export async function layWire({ certificate, key, next }: WireOptions): Promise<Wire> {
  const agent = new Agent({ keepAlive: true, ca: [certificate], maxSockets: 400, checkServerIdentity: () => undefined })
  const counts = { pass: 0, refuse: 0, swallow: 0, 'half-open': 0, slow: 0, duplicate: 0, cut: 0 }
  const halfOpen = new Set<ServerResponse>()
  let target = 'https://127.0.0.1:1'

  const forward = async (heard: Heard, from: AbortSignal): Promise<Answered> => {
    const { method, url, headers } = heard.message
    const options: RequestOptions = { agent, method: method ?? 'POST', headers, signal: from }
    const call = request(new URL(url ?? '/', target), options)
    call.end(heard.body)
    const [answer] = await once(call, 'response')
    return await answered(answer)
  }

  async function pass(heard: Heard, reply: ServerResponse, what: OnTheWire): Promise<void> {
    // A lane that is gone asks no more: its server hears so too.
    const gone = new AbortController()
    reply.once('close', () => gone.abort())
    if (what === 'slow') await pause(SLOW_MS)
    const first = forward(heard, gone.signal)
    const { status, headers, body } = await (what === 'duplicate'
      ? Promise.all([first, forward(heard, gone.signal)]).then(([, second]) => second)
      : first)
    if (what === 'swallow') return void reply.destroy()
    reply.writeHead(status, headers)
    if (what !== 'cut') return void reply.end(body)
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
    // A server that is away breaks the connection, as it would without this between.
    serve(message, reply).catch(() => reply.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${portOf(server.address())}`,
    lead: (url) => void (target = url),
    heal() {
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

interface Heard {
  readonly message: IncomingMessage
  readonly body: Buffer
}
interface Answered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

async function bytesOf(message: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part)
  return Buffer.concat(parts)
}

const answered = async (message: IncomingMessage): Promise<Answered> => ({
  status: message.statusCode ?? 502,
  headers: message.headers,
  body: await bytesOf(message),
})

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('the wire does not listen on a port')
  return address.port
}
