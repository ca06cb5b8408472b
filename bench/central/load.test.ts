import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from './connection.ts'
import { atOnce, atRate } from './load.ts'

let server: http.Server
let url: string
let open = 0
let most = 0
beforeAll(async () => {
  server = http.createServer((request, response) => {
    most = Math.max(most, (open += 1))
    request.resume().on('end', () => {
      open -= 1
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(
  () =>
    new Promise((resolve) => {
      server.close(resolve)
    }),
)

describe('the load generator', () => {
  it('sends as many requests as rate and duration require, each with its own number', async () => {
    const connections = await Promise.all([connect(url), connect(url)])
    const numbers = new Set<number>()
    const { samples, perSecond } = await atRate(
      connections,
      200,
      500,
      new AbortController().signal,
      async (connection, _connectionIndex, number) => {
        numbers.add(number)
        expect((await connection.post('/', '{}', '')).status).toBe(200)
      },
    )
    for (const connection of connections) connection.close()
    expect([samples.length, numbers.size, perSecond]).toEqual([100, 100, 200])
  })
  it('has at most as many requests in flight as connections', async () => {
    most = 0
    const connections = await Promise.all([connect(url), connect(url), connect(url)])
    const { samples } = await atOnce(connections, 200, new AbortController().signal, async (connection) => {
      await connection.post('/', '{}', '')
    })
    for (const connection of connections) connection.close()
    expect(samples.length).toBeGreaterThan(3)
    expect(most).toBeLessThanOrEqual(3)
  })
  it('rejects with the error of a failed request', async () => {
    const connection = await connect(url)
    await expect(
      atRate([connection], 100, 200, new AbortController().signal, () => Promise.reject(new Error('refused'))),
    ).rejects.toThrow('refused')
    connection.close()
  })
})
