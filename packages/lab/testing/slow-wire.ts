import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { StorePlace } from '../../../backend/store/channel.ts'

/** A line to the store's server on which everything takes so long, each way, in milliseconds. */
export interface SlowWire {
  readonly place: StorePlace
  takes(ms: number): void
}

/** Lays it for the rest of the test. */
export async function laySlowWire(place: StorePlace): Promise<SlowWire> {
  const ends = new Set<Socket>()
  let ms = 0
  const pass = (from: Socket, into: Socket): void => {
    ends.add(from)
    from.on('error', () => into.destroy())
    from.on('close', () => into.destroy())
    // Timers of one length come in the order in which they were set; a shorter one may not overtake.
    let earlier = Promise.resolve()
    from.on('data', (part) => {
      const arrived = new Promise<void>((resolve) => setTimeout(resolve, ms))
      earlier = Promise.all([earlier, arrived]).then(() => {
        if (!into.destroyed) into.write(part)
      })
    })
  }
  const server = createServer((near) => {
    const far = connect(Number(new URL(place.url).port), '127.0.0.1')
    pass(near, far)
    pass(far, near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const end of ends) end.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it does not listen on a port')
  return {
    place: { ...place, url: `https://localhost:${address.port}` },
    takes(next) {
      ms = next
    },
  }
}
