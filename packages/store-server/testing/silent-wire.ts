import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface SilentWire {
  /** Where it is called: what it gets there it passes on. */
  readonly port: number
  /** How many have called. */
  calls(): number
  /** From now on nothing passes on the connections that are there, and nobody is told: as where a cable was pulled. */
  fallSilent(): void
}

/** A wire to a port of this machine; it ends with the test. */
export async function layWire(to: number): Promise<SilentWire> {
  const ends = new Set<Socket>()
  let calls = 0
  const server = createServer((near) => {
    calls += 1
    const far = connect(to, '127.0.0.1')
    near.pipe(far)
    far.pipe(near)
    for (const end of [near, far]) {
      ends.add(end)
      end.on('error', () => undefined)
    }
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const end of ends) end.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    calls: () => calls,
    fallSilent() {
      for (const end of ends) end.unpipe().pause()
    },
  }
}
