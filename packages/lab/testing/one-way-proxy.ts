import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy between a lane and its store server that can forward requests while it drops responses. */
export interface OneWayProxy {
  readonly url: string
  dropResponses(): void
  /** Closes the connections with dropped responses; new connections get responses again. */
  restore(): void
}

export async function startOneWayProxy(url: string): Promise<OneWayProxy> {
  const far = new URL(url)
  const open = new Set<Socket>()
  let dropsResponses = false
  const server = createServer((near) => {
    const onward = connect(Number(far.port), far.hostname)
    for (const [socket, other] of [
      [near, onward],
      [onward, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    near.pipe(onward)
    onward.on('data', (bytes: Buffer) => {
      if (!dropsResponses) near.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const hangUp = (): void => {
    for (const socket of open) socket.destroy()
  }
  onTestFinished(() => {
    hangUp()
    server.close()
  })
  return {
    url: `${far.protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropResponses: () => {
      dropsResponses = true
    },
    restore: () => {
      dropsResponses = false
      hangUp()
    },
  }
}
