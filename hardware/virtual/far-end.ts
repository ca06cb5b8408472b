import { createServer, type Socket } from 'node:net'

export interface FarEndEvents {
  readonly onConnect?: (socket: Socket) => void
}

/** The far end of a virtual wire: a listener on loopback to which a production driver connects. */
export interface FarEnd {
  readonly connection: { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  /** Sends to whoever is connected; lost when nobody is, as on a cable. */
  send(bytes: Uint8Array): void
  /** Pulls the cable: open connections die, new ones are refused. */
  unplug(): Promise<void>
  /** Puts it back, on the same port. */
  plug(): Promise<void>
  readonly plugged: boolean
}

const HOST = '127.0.0.1'

export async function openFarEnd(events: FarEndEvents = {}): Promise<FarEnd> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
    })
    if (events.onConnect) events.onConnect(socket)
    else socket.resume()
  })
  let plugged = false

  async function listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: HOST, port }, () => {
        server.off('error', reject)
        resolve()
      })
    })
    plugged = true
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : port
  }

  const port = await listen(0)
  return {
    connection: { kind: 'tcp', host: HOST, port },
    send(bytes) {
      for (const socket of sockets) socket.write(bytes)
    },
    async unplug() {
      if (!plugged) return
      plugged = false
      const closed = new Promise<void>((resolve) => {
        server.close(() => {
          resolve()
        })
      })
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async plug() {
      if (!plugged) await listen(port)
    },
    get plugged() {
      return plugged
    },
  }
}
