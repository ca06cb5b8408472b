import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ProblemError } from '../problem.ts'
import { startTestServer, type TestServer } from './testing.ts'

const SECRET_LINE = 'the password of the disk is swordfish'

const start = (): Promise<TestServer> =>
  startTestServer({
    routes: () => [
      (app) => {
        app.post(
          '/api/lines',
          {
            schema: { body: z.object({ sku: z.string().min(1), quantity: z.int().min(1).max(999) }) },
            config: { access: 'public' },
          },
          (request) => request.body,
        )
        app.post('/api/no-body', { config: { access: 'public' } }, () => ({ ok: true }))
        app.get(
          '/api/search',
          { schema: { querystring: z.object({ q: z.string().min(2) }) }, config: { access: 'public' } },
          async (request) => request.query,
        )
        app.get('/api/refuses', { config: { access: 'public' } }, async () => {
          throw new ProblemError('pin-locked', [{ path: 'lockedUntil', message: '2026-11-20T15:05:00.000Z' }])
        })
        app.get('/api/breaks', { config: { access: 'public' } }, async () => {
          throw new Error(SECRET_LINE)
        })
        app.get('/api/throws-text', { config: { access: 'public' } }, async () => {
          throw SECRET_LINE as unknown as Error
        })
        app.get(
          '/api/answers-wrongly',
          { schema: { response: { 200: z.object({ total: z.int() }) } }, config: { access: 'public' } },
          async () => ({ total: 0.5 }),
        )
        app.get(
          '/api/says-too-much',
          { schema: { response: { 200: z.object({ last4: z.string() }) } }, config: { access: 'public' } },
          async () => ({ last4: '0011', collectorNumber: '80000000011' }),
        )
      },
    ],
  })

test('an invalid body or query is answered with the location of each mistake', async () => {
  const server = await start()
  const reply = await server.call('POST', '/api/lines', { body: { sku: '', quantity: 1000 } })
  expect(reply.status).toBe(400)
  const problem = reply.json<{ code: string; details: { path: string; message: string }[] }>()
  expect(problem.code).toBe('body-invalid')
  expect(problem.details.map((detail) => detail.path)).toEqual(['/sku', '/quantity'])
  expect(problem.details.every((detail) => detail.message.length > 5)).toBe(true)
  expect((await server.call('GET', '/api/search?q=a')).json()).toMatchObject({
    code: 'body-invalid',
    details: [{ path: '/q' }],
  })
})

test.each([
  ['cut off', '{"sku": "1001", "quantity"'],
  ['empty', ''],
  ['an object with __proto__', '{"sku":"1","quantity":1,"__proto__":{"admin":true}}'],
  ['not an object', '[]'],
  ['null', 'null'],
])('a body that is %s is refused', async (_case, body) => {
  const server = await start()
  expect((await server.call('POST', '/api/lines', { body })).json()).toMatchObject({
    status: 400,
    code: 'body-invalid',
  })
})

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'nonsense',
])('a body of type %s is refused: only JSON is accepted', async (type) => {
  const server = await start()
  const reply = await server.call('POST', '/api/lines', {
    body: '{"sku":"1001","quantity":1}',
    headers: { 'content-type': type },
  })
  expect(reply.status).toBe(415)
  expect(reply.json()).toMatchObject({ code: 'not-json' })
})

test('a command without a body and content type is accepted', async () => {
  const server = await start()
  expect((await server.call('POST', '/api/no-body')).status).toBe(200)
})

test('a body over 256 kB is refused, and the server then accepts one of 200 kB', async () => {
  const server = await start()
  // The server may close the socket while the client still sends; either way it accepts nothing.
  const outcome = await server.call('POST', '/api/lines', { body: { sku: 'x'.repeat(300 * 1024), quantity: 1 } }).then(
    (reply) => reply.json().code,
    () => 'connection closed',
  )
  expect(['body-too-large', 'connection closed']).toContain(outcome)
  expect((await server.call('POST', '/api/lines', { body: { sku: 'x'.repeat(200 * 1024), quantity: 1 } })).status).toBe(
    200,
  )
})

test('a body whose announced length exceeds the limit is refused', async () => {
  const server = await start()
  const { hostname, port, host } = new URL(server.url)
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = createConnection(Number(port), hostname, () =>
      socket.write(
        `POST /api/lines HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${server.url}\r\nContent-Type: ` +
          `application/json\r\nContent-Length: 999999999\r\n\r\n`,
      ),
    )
    socket.once('data', (chunk) => {
      resolve(chunk.toString())
      socket.destroy()
    })
    socket.on('error', reject)
  })
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  expect(answer).toContain('"code":"body-too-large"')
})

test('the problem code, status and details of a handler’s refusal reach the caller', async () => {
  const server = await start()
  const reply = await server.call('GET', '/api/refuses')
  expect(reply.status).toBe(423)
  expect(reply.json()).toMatchObject({
    type: 'urn:milepost:problem:pin-locked',
    code: 'pin-locked',
    details: [{ path: 'lockedUntil', message: '2026-11-20T15:05:00.000Z' }],
  })
})

test.each(['/api/breaks', '/api/throws-text', '/api/answers-wrongly'])(
  'an unexpected failure (%s) is answered without details, and logged with the same correlation id',
  async (path) => {
    const server = await start()
    const reply = await server.call('GET', path)
    expect(reply.status).toBe(500)
    expect(reply.json()).toMatchObject({ code: 'internal' })
    expect(reply.text).not.toMatch(/swordfish|stack|\.ts:|node_modules/)
    expect(server.logLines()).toContain(String(reply.headers['x-correlation-id']))
  },
)

test('the log has the cause of a failure that the answer omits', async () => {
  const server = await start()
  await server.call('GET', '/api/breaks')
  expect(server.logLines()).toContain(SECRET_LINE)
})

test('answers contain only fields of the contract', async () => {
  const server = await start()
  expect((await server.call('GET', '/api/says-too-much')).text).toBe('{"last4":"0011"}')
})

test('unknown addresses and methods are answered with a problem, not a page', async () => {
  const server = await start()
  for (const [method, path] of [
    ['GET', '/api/nothing'],
    ['DELETE', '/api/lines'],
    ['GET', '/nothing'],
    ['GET', '/api/../etc/passwd'],
  ] as const) {
    expect((await server.call(method, path)).json(), path).toMatchObject({ status: 404, code: 'not-found' })
  }
})
