import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A line between a lane and its store's server that can be made to carry what is asked and not what is answered. */
export interface DeafLine {
  readonly url: string
  /** From now on nothing that the server says arrives. */
  deafen(): void
  /** Ends what was cut in the middle; whatever connects from now on is heard. */
  hear(): void
}

/** Lays a line to the server at `url`, which can be heard. */
export async function layDeafLine(url: string): Promise<DeafLine> {
  const far = new URL(url)
  const open = new Set<Socket>()
  let isDeaf = false
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
      if (!isDeaf) near.write(bytes)
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
    deafen: () => {
      isDeaf = true
    },
    hear: () => {
      isDeaf = false
      hangUp()
    },
  }
}
