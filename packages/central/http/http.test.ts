import { once } from 'node:events'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { withoutEmpty } from './answer.ts'
import { parseBody } from './call.ts'
import { createServer } from './server.ts'

test('answers of the reference services omit null and empty values at any depth, and keep zeros and false', () => {
  expect(
    withoutEmpty({
      a: null,
      b: '',
      c: [],
      d: {},
      e: { f: { g: '' } },
      h: ['', null, [{}]],
      i: 0,
      j: false,
      k: [{ l: '', m: 1 }, 'n', ''],
      o: { p: 'q', r: [] },
    }),
  ).toEqual({ i: 0, j: false, k: [{ m: 1 }, 'n'], o: { p: 'q' } })
})
test('an answer that has only empty values becomes undefined', () => {
  expect([withoutEmpty({ a: {} }), withoutEmpty([]), withoutEmpty('')]).toEqual([undefined, undefined, undefined])
})
test('the body parser accepts JSON, and rejects other text and JSON nested too deeply', () => {
  expect(parseBody(Buffer.from('{"a":[1]}'))).toEqual({ a: [1] })
  expect(parseBody(Buffer.from('{'))).toBeUndefined()
  expect(parseBody(Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))).toBeUndefined()
})

describe('an unreadable request', () => {
  let app: FastifyInstance
  let port: number
  beforeEach(async () => {
    app = createServer('silent')
    await app.listen({ host: '127.0.0.1', port: 0 })
    port = (app.server.address() as AddressInfo).port
  })
  afterEach(() => app.close())

  async function answerTo(bytes: string): Promise<{ status: string; body: unknown }> {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.write(bytes)
    await once(socket, 'close')
    return {
      status: text.split('\r\n')[0] ?? '',
      body: JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as unknown,
    }
  }

  test.each([
    ['an unknown method', 'FOO /checkout/issuance/issue HTTP/1.1\r\nHost: x\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['bytes that are not HTTP', '\u0000\u0001\u0002 not at all\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    [
      'two Content-Length headers',
      'POST /checkout/issuance/issue HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      'HTTP/1.1 400 Bad Request',
    ],
    [
      'headers over the size limit',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`,
      'HTTP/1.1 431 Request Header Fields Too Large',
    ],
  ])('is answered with a message of this program, not of the framework: %s', async (_what, bytes, status) => {
    expect(await answerTo(bytes)).toEqual({ status, body: { message: 'the request cannot be read' } })
  })

  test('does not prevent later requests from being answered', async () => {
    await answerTo('FOO / HTTP/1.1\r\n\r\n')
    const response = await fetch(`http://127.0.0.1:${port}/nowhere`)
    expect(response.status).toBe(404)
  })
})
