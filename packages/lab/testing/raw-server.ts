import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface RawRequest {
  readonly head: string
  readonly body: Buffer
  readonly socket: Socket
}

/** A TCP server that records each request and can respond with any bytes, or not at all. */
export interface RawServer {
  readonly url: string
  readonly requests: readonly RawRequest[]
  received(count: number): Promise<void>
  closed(request: RawRequest | undefined): Promise<void>
}

export async function openRawServer(
  answer: (request: RawRequest, number: number) => void,
  onConnection: (socket: Socket) => void = () => undefined,
): Promise<RawServer> {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  let waiting: (() => void)[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onConnection(socket)
    let pending = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      const end = pending.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = pending.subarray(0, end).toString('latin1')
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
      if (pending.length < end + 4 + length) return
      const request = { head, body: pending.subarray(end + 4, end + 4 + length), socket }
      pending = pending.subarray(end + 4 + length)
      requests.push(request)
      answer(request, requests.length)
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    const done = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await done
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async received(count) {
      while (requests.length < count)
        await new Promise<void>((wake) => {
          waiting.push(wake)
        })
    },
    async closed(request) {
      if (request && !request.socket.closed)
        await new Promise<void>((resolve) => {
          request.socket.once('close', () => {
            resolve()
          })
        })
    },
  }
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(body)
  const lines = Object.entries({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Said\r\n${lines.join('')}\r\n${text}`
}
