import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface TcpProxy {
  readonly port: number
  calls(): number
  stopForwarding(): void
}

export async function startProxy(to: number): Promise<TcpProxy> {
  const ends = new Set<Socket>()
  let calls = 0
  const server = createServer((near) => {
    calls += 1
    const remote = connect(to, '127.0.0.1')
    near.pipe(remote)
    remote.pipe(near)
    for (const end of [near, remote]) {
      ends.add(end)
      end.on('error', () => undefined)
    }
    near.on('close', () => remote.destroy())
    remote.on('close', () => near.destroy())
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
    stopForwarding() {
      for (const end of ends) end.unpipe().pause()
    },
  }
}
