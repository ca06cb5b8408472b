import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Health } from '../device.ts'
import { Line } from './line.ts'

async function listen(onConnection: (end: () => void) => void, port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume()
    onConnection(() => {
      socket.destroy()
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return { server, port: (server.address() as AddressInfo).port }
}

function openLine(port: number): { line: Line; until: (state: Health['state']) => Promise<Health> } {
  let waiting: { state: string; resolve: (health: Health) => void }[] = []
  const line = new Line(
    { kind: 'tcp', host: '127.0.0.1', port },
    {
      onData: () => undefined,
      onBreak: () => undefined,
      onHealth(health) {
        for (const waiter of waiting) if (waiter.state === health.state) waiter.resolve(health)
        waiting = waiting.filter((waiter) => waiter.state !== health.state)
      },
    },
  )
  onTestFinished(() => line.close())
  return {
    line,
    until: (state) =>
      line.health.state === state
        ? Promise.resolve(line.health)
        : new Promise((resolve) => {
            waiting.push({ state, resolve })
          }),
  }
}

test('a connection that is lost right after it opens is opened again with increasing delays', async () => {
  const times: number[] = []
  const five = new Promise<void>((resolve) => {
    void listen((end) => {
      times.push(performance.now())
      end()
      if (times.length === 5) resolve()
    }).then(({ port }) => openLine(port))
  })
  await five
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  // The delays are 100, 200, 400 and 800 ms, each reduced by up to a quarter.
  expect(waits[3]).toBeGreaterThan((waits[0] ?? 0) * 3)
  expect(waits.every((wait) => wait >= 70)).toBe(true)
})

test('a health check of an unavailable device connects at once instead of at the next scheduled attempt', async () => {
  const { server, port } = await listen(() => undefined)
  server.close()
  await once(server, 'close')
  const { line, until } = openLine(port)
  await until('unavailable')
  // After several failures the next scheduled attempt is more than a second later.
  for (let round = 0; round < 6; round += 1) expect((await line.check()).state).toBe('unavailable')
  await listen(() => undefined, port)
  const start = performance.now()
  expect((await line.check()).state).toBe('ready')
  expect(performance.now() - start).toBeLessThan(500)
  expect([line.connections, line.disconnections]).toEqual([1, 0])
})

test('a line counts its connections and disconnections', async () => {
  let drop: () => void = () => undefined
  const { port } = await listen((end) => {
    drop = end
  })
  const { line, until } = openLine(port)
  await until('ready')
  drop()
  await until('unavailable')
  await until('ready')
  expect([line.connections, line.disconnections]).toEqual([2, 1])
})
