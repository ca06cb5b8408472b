import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startTestServer } from './testing.ts'

async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => {
    socket.destroy()
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

test('closing the server ends idle connections that never sent a request, and lets running calls finish', async () => {
  let answer = (): void => undefined
  const asked = Promise.withResolvers<undefined>()
  const server = await startTestServer({
    routes: () => [
      (app) => {
        app.get('/api/slow', { config: { access: 'public' } }, async () => {
          asked.resolve(undefined)
          await new Promise<void>((resolve) => (answer = resolve))
          return { done: true }
        })
      },
    ],
  })
  const slow = server.call('GET', '/api/slow')
  await asked.promise
  const unused = await connected(server.url)
  const ended = once(unused, 'close')
  const closed = server.close()
  await ended
  answer()
  expect((await slow).json()).toEqual({ done: true })
  await closed
})
