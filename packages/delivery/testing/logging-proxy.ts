import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'

export interface LoggingProxy {
  readonly url: string
  readonly requests: string[]
  close(): Promise<void>
}

/**
 * Opens a local proxy that records requests. `answer`: the local port that a target is forwarded to, an HTTP status
 * that rejects the tunnel, or `hang-up`.
 */
export async function openLoggingProxy(answer: (target: string) => number | 'hang-up'): Promise<LoggingProxy> {
  const requested: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    requested.push(`${request.method} ${request.url}`)
    response.writeHead(502).end()
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('connect', (request, socket) => {
    const target = request.url ?? ''
    requested.push(target)
    const to = answer(target)
    if (to === 'hang-up') {
      socket.destroy()
      return
    }
    if (to < 1_000) {
      socket.end(`HTTP/1.1 ${to} Refused\r\n\r\n`)
      return
    }
    const far = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      far.pipe(socket).pipe(far)
    })
    for (const end of [far, socket])
      end.on('error', () => {
        far.destroy()
        socket.destroy()
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: requested,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
