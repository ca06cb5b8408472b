import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { StorePlace } from '../../../backend/store/channel.ts'

/** A proxy to the store server that delays all data by `ms` milliseconds in each direction. */
export interface DelayingProxy {
  readonly place: StorePlace
  setDelay(ms: number): void
}

export async function startDelayingProxy(place: StorePlace): Promise<DelayingProxy> {
  const ends = new Set<Socket>()
  let ms = 0
  const pass = (from: Socket, into: Socket): void => {
    ends.add(from)
    from.on('error', () => into.destroy())
    from.on('close', () => into.destroy())
    // Timers of equal length fire in order, but a shorter delay must not overtake a longer one.
    let earlier = Promise.resolve()
    from.on('data', (chunk) => {
      const arrived = new Promise<void>((resolve) => setTimeout(resolve, ms))
      earlier = Promise.all([earlier, arrived]).then(() => {
        if (!into.destroyed) into.write(chunk)
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
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen on a port')
  return {
    place: { ...place, url: `https://localhost:${address.port}` },
    setDelay(next) {
      ms = next
    },
  }
}
