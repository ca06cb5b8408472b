import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A TCP proxy between the terminal and the loyalty service. While it is unplugged, connections are refused. */
export interface Cable {
  readonly url: string
  plug(): Promise<void>
  unplug(): Promise<void>
  readonly connections: number
}

/** Starts the proxy, plugged in, to the services at `url`. Its own address does not change when it is unplugged. */
export async function startCable(url: string): Promise<Cable> {
  const far = new URL(url)
  const open = new Set<Socket>()
  let port = 0
  let connections = 0
  let server: Server | null = null

  async function plug(): Promise<void> {
    server = createServer((near) => {
      connections += 1
      const onward = connect(Number(far.port), far.hostname)
      for (const [socket, other] of [
        [near, onward],
        [onward, near],
      ] as const) {
        open.add(socket)
        socket.on('error', () => {
          other.destroy()
        })
        socket.on('close', () => {
          open.delete(socket)
          other.destroy()
        })
      }
      near.pipe(onward).pipe(near)
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  async function unplug(): Promise<void> {
    const closing = server
    server = null
    if (!closing) return
    const closed = once(closing, 'close')
    closing.close()
    for (const socket of open) socket.destroy()
    await closed
  }

  await plug()
  onTestFinished(unplug)
  return {
    url: `http://127.0.0.1:${port}`,
    plug,
    unplug,
    get connections() {
      return connections
    },
  }
}
