import { gzipSync } from 'node:zlib'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testLog } from '../http/testing.ts'
import { json, openRawServer } from '../../../packages/lab/testing/raw-server.ts'
import { systemClock } from '../clock.ts'
import { clientCredentials, createTokenSource, type TokenSource } from './token.ts'
import {
  createHttpExchange,
  createTransport,
  failureOf,
  type Answer,
  type CentralCall,
  type Transport,
} from './transport.ts'

const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const CALL: CentralCall = {
  service: 'cash',
  method: 'POST',
  path: '/redeem?x=1',
  headers: { 'content-type': 'application/json', 'idempotency-key': 'KEY-1' },
  body: BYTES,
  timeoutMs: 5_000,
  authenticate: false,
}

const noTokens: TokenSource = {
  current: async () => ({ kind: 'failed', cause: 'refused', reason: 'none' }),
  renew: async () => ({ kind: 'failed', cause: 'refused', reason: 'none' }),
}

function to(url: string, tokens: TokenSource = noTokens): Transport {
  return createTransport({
    exchange: createHttpExchange({ cash: url, issuance: url, offers: url }),
    tokens,
    log: testLog().log,
  })
}

async function refusedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

test('a call for a member carries the member’s token, never renews it, and masks it in the result', async () => {
  const server = await openRawServer(({ socket }) => {
    socket.write(json(401, {}))
  })
  const answer = await to(server.url).send({ ...CALL, authenticate: true, memberToken: 'of-the-member' })
  expect(answer).toMatchObject({ kind: 'answer', status: 401, requestHeaders: { authorization: 'Bearer •••' } })
  expect(server.requests.map(({ head }) => /^authorization: (.*)$/im.exec(head)?.[1]?.trim())).toEqual([
    'Bearer of-the-member',
  ])
})

describe('a request to a central service', () => {
  test('is sent once, with exactly the given bytes and headers, and the length of the body', async () => {
    const server = await openRawServer(({ socket }) => {
      socket.write(json(200, { responseCode: '0000' }))
    })
    const answer = await to(`${server.url}/base/`).send(CALL)
    expect(answer).toMatchObject({ kind: 'answer', status: 200 })
    const [request, ...more] = server.requests
    expect(more).toEqual([])
    expect(request?.body.equals(BYTES)).toBe(true)
    expect(request?.head).toMatch(/^POST \/base\/redeem\?x=1 HTTP\/1\.1\r\n/)
    expect(request?.head).toMatch(/^content-length: 256$/im)
    expect(request?.head).toMatch(/^content-type: application\/json$/im)
    expect(request?.head).toMatch(/^idempotency-key: KEY-1$/im)
    expect(request?.head).not.toMatch(/^(transfer-encoding|authorization|expect):/im)
  })

  test.each([408, 413, 425, 429, 500, 502, 503, 504])(
    'is sent once even when the answer is %i with Retry-After',
    async (status) => {
      const server = await openRawServer(({ socket }) => {
        socket.write(json(status, {}, { 'retry-after': '0' }))
      })
      expect(await to(server.url).send(CALL)).toMatchObject({ kind: 'answer', status })
      expect(server.requests).toHaveLength(1)
    },
  )

  test.each(['GET', 'PUT', 'POST'] as const)(
    'with method %s is sent once, even when refused or interrupted: the transport does not retry',
    async (method) => {
      const { body: _body, ...bare } = CALL
      const call: CentralCall = method === 'GET' ? { ...bare, method } : { ...CALL, method }
      const busy = await openRawServer(({ socket }) => {
        socket.write(json(503, {}, { 'retry-after': '0' }))
      })
      expect(await to(busy.url).send(call)).toMatchObject({ kind: 'answer', status: 503 })
      const cut = await openRawServer(({ socket }) => {
        socket.destroy()
      })
      expect((await to(cut.url).send(call)).kind).toBe('unknown')
      expect([busy.requests.length, cut.requests.length]).toEqual([1, 1])
    },
  )

  test.each(['PUT', 'POST'] as const)(
    'with method %s is sent once even after 421, for which HTTP clients may retry: the journal counts the sends',
    async (method) => {
      const server = await openRawServer(({ socket }) => {
        socket.write(json(421, {}))
      })
      expect(await to(server.url).send({ ...CALL, method })).toMatchObject({ kind: 'answer', status: 421 })
      expect(server.requests).toHaveLength(1)
    },
  )

  test('is sent once when a kept-alive connection closes while the request arrives', async () => {
    const served = new Set<unknown>()
    const server = await openRawServer(({ socket }) => {
      if (served.has(socket)) socket.destroy()
      else socket.write(json(200, { responseCode: '0000' }))
      served.add(socket)
    })
    const transport = to(server.url)
    let calls = 0
    let kind: Answer['kind']
    do {
      ;({ kind } = await transport.send(CALL))
      calls += 1
    } while (kind === 'answer' && calls < 100)
    expect(kind).toBe('unknown')
    expect(server.requests).toHaveLength(calls)
  })

  test('is sent at most once when the server closes a kept-alive connection before the request arrives', async () => {
    const server = await openRawServer(({ socket }) => {
      socket.end(json(200, { responseCode: '0000' }))
    })
    const transport = to(server.url)
    for (let round = 1; round <= 20; round += 1) {
      const before = server.requests.length
      // The server's close may race with the next call: the result is unknown, or a new connection is used.
      const { kind } = await transport.send(CALL)
      expect(['answer', 'unknown']).toContain(kind)
      expect(server.requests.length - before).toBeLessThanOrEqual(1)
    }
  })

  test('is not sent on to the target of a redirect', async () => {
    const elsewhere = await openRawServer(({ socket }) => {
      socket.write(json(200, {}))
    })
    const server = await openRawServer(({ socket }) => {
      socket.write(json(307, {}, { location: elsewhere.url }))
    })
    expect(await to(server.url).send(CALL)).toMatchObject({ kind: 'answer', status: 307 })
    expect(elsewhere.requests).toEqual([])
  })

  test('carries the token to the service, and the result does not list the token among the sent headers', async () => {
    const server = await openRawServer(({ socket }) => {
      socket.write(json(200, {}))
    })
    const tokens: TokenSource = { ...noTokens, current: async () => ({ kind: 'token', value: 'T0KEN' }) }
    const answer = await to(server.url, tokens).send({ ...CALL, authenticate: true })
    expect(server.requests[0]?.head).toMatch(/^authorization: Bearer T0KEN$/im)
    expect(answer).toMatchObject({
      kind: 'answer',
      requestHeaders: { 'idempotency-key': 'KEY-1', authorization: 'Bearer •••' },
    })
    expect(JSON.stringify(answer)).not.toContain('T0KEN')
  })
})

describe('the result “never sent”', () => {
  test('is given for a refused port', async () => {
    expect(await to(await refusedPort()).send(CALL)).toEqual({ kind: 'never-sent', reason: 'ECONNREFUSED' })
  })

  test('is given for an unknown host name', async () => {
    const answer = await to('http://milepost-nowhere.invalid').send(CALL)
    expect(answer.kind).toBe('never-sent')
    expect(answer).toHaveProperty('reason', expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/))
  })

  test('is given only for errors while connecting: the same error on an open connection is “unknown”', () => {
    const broken = (code: string, syscall?: string): Error =>
      new TypeError('fetch failed', {
        cause: Object.assign(new Error(code), { code, ...(syscall ? { syscall } : {}) }),
      })
    const kindOf = (error: unknown): Answer['kind'] => failureOf(error).kind
    for (const code of ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']) {
      expect([code, kindOf(broken(code, 'connect'))]).toEqual([code, 'never-sent'])
      expect([code, kindOf(broken(code, 'read'))]).toEqual([code, 'unknown'])
      expect([code, kindOf(broken(code))]).toEqual([code, 'unknown'])
    }
    expect(kindOf(broken('ENOTFOUND', 'getaddrinfo'))).toBe('never-sent')
    for (const code of ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ETIMEDOUT'])
      expect([code, kindOf(broken(code, 'connect'))]).toEqual([code, 'unknown'])
    expect(kindOf(new Error('something else'))).toBe('unknown')
    expect(kindOf('not even an error')).toBe('unknown')
  })

  test('is given for a host with several addresses only if all of them refused the connection', () => {
    const one = (code: string): Error => Object.assign(new Error(code), { code, syscall: 'connect' })
    expect(
      failureOf(new TypeError('fetch failed', { cause: new AggregateError([one('ECONNREFUSED'), one('ENETUNREACH')]) }))
        .kind,
    ).toBe('never-sent')
    expect(
      failureOf(new TypeError('fetch failed', { cause: new AggregateError([one('ECONNREFUSED'), one('ECONNRESET')]) }))
        .kind,
    ).toBe('unknown')
    expect(failureOf(new TypeError('fetch failed', { cause: new AggregateError([]) })).kind).toBe('unknown')
  })
})

test('a request has only the headers of the call and of HTTP itself, and none for language or client', async () => {
  const server = await openRawServer(({ socket }) => {
    socket.write(json(200, {}))
  })
  await to(server.url).send(CALL)
  const names = server.requests[0]?.head
    .split('\r\n')
    .slice(1)
    .filter(Boolean)
    .map((line) => line.split(':')[0] ?? '')
  const own = Object.keys(CALL.headers ?? {})
  const ofHttp = ['accept-encoding', 'connection', 'content-length', 'host']
  expect(names?.filter((name) => !own.includes(name)).toSorted()).toEqual(ofHttp)
})

test('a gzip answer is unpacked', async () => {
  const packed = gzipSync('{"responseCode":"0000"}')
  const server = await openRawServer(({ socket }) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`)
    socket.write(packed)
  })
  const answer = await to(server.url).send(CALL)
  expect(answer.kind === 'answer' && Buffer.from(answer.bytes).toString()).toBe('{"responseCode":"0000"}')
})

describe('the result “unknown”', () => {
  test('is given when a server closes the connection before reading a byte', async () => {
    const server = await openRawServer(
      () => undefined,
      (socket) => {
        socket.destroy()
      },
    )
    expect((await to(server.url).send(CALL)).kind).toBe('unknown')
  })

  test.each([
    ['closes without an answer', ''],
    ['sends half of the headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['sends half of the body', `HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"responseCode":"0000"`],
    ['closes between chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"res\r\n'],
    ['does not use HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['sends invalid gzip', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnone'],
  ])('is given when a server accepts the request and then %s', async (_case, bytes) => {
    const server = await openRawServer(({ socket }) => {
      socket.end(bytes)
    })
    expect((await to(server.url).send(CALL)).kind).toBe('unknown')
    expect(server.requests).toHaveLength(1)
  })

  test('is given at the deadline when a server does not answer, and the socket is closed', async () => {
    const server = await openRawServer(() => undefined)
    const answer = await to(server.url).send({ ...CALL, timeoutMs: 150 })
    expect(answer).toEqual({ kind: 'unknown', reason: 'no answer within 150 ms' })
    await server.closed(server.requests[0])
    expect(server.requests).toHaveLength(1)
  })

  test('is given only after the first connection is closed, so that a retry never runs at the same time', async () => {
    const order: string[] = []
    const server = await openRawServer(({ socket }, number) => {
      order.push(`request ${number}`)
      socket.once('close', () => {
        order.push(`closed ${number}`)
      })
      if (number === 2) socket.write(json(200, {}))
    })
    const transport = to(server.url)
    await transport.send({ ...CALL, timeoutMs: 150 })
    await transport.send(CALL)
    expect(order).toEqual(['request 1', 'closed 1', 'request 2'])
  })

  test('is given for a slowly dripping answer at the deadline, which covers the whole exchange', async () => {
    const drip: NodeJS.Timeout[] = []
    onTestFinished(() => {
      for (const timer of drip) clearInterval(timer)
    })
    const server = await openRawServer(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
      drip.push(
        setInterval(() => {
          socket.write(' ')
        }, 20),
      )
    })
    expect(await to(server.url).send({ ...CALL, timeoutMs: 200 })).toEqual({
      kind: 'unknown',
      reason: 'no answer within 200 ms',
    })
    await server.closed(server.requests[0])
  })

  test('is given for an endless answer, which is cut off and its socket closed', async () => {
    const server = await openRawServer(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const block = `10000\r\n${'x'.repeat(0x10000)}\r\n`
      const pour = (): void => {
        while (!socket.destroyed && socket.write(block));
      }
      socket.on('drain', pour)
      pour()
    })
    const answer = await to(server.url).send(CALL)
    expect(answer).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('exceeds') })
    await server.closed(server.requests[0])
  })
})

describe('the lane’s access token', () => {
  async function rejectingService(
    valid: (token: string | undefined) => boolean,
    tokenAnswer: (number: number) => string = (number) =>
      json(200, { access_token: `T${number}`, token_type: 'bearer', expires_in: 300 }),
  ) {
    let asked = 0
    const calls: { token: string | undefined; body: Buffer }[] = []
    const server = await openRawServer(({ head, body, socket }) => {
      if (head.startsWith('POST /token ')) {
        asked += 1
        socket.write(tokenAnswer(asked))
        return
      }
      const token = /^authorization: Bearer (.*)$/im.exec(head)?.[1]
      calls.push({ token, body })
      socket.write(
        valid(token) ? json(200, { responseCode: '0000' }) : json(401, { message: 'Missing or invalid bearer token' }),
      )
    })
    const { log, lines } = testLog()
    const tokens = createTokenSource({
      grant: clientCredentials({
        tokenUrl: `${server.url}/token`,
        clientId: 'me',
        clientSecret: 'S3CRET',
        timeoutMs: 2_000,
      }),
      clock: systemClock,
      log,
    })
    return {
      transport: createTransport({
        exchange: createHttpExchange({ cash: server.url, issuance: server.url, offers: server.url }),
        tokens,
        log,
      }),
      calls,
      asked: () => asked,
      lines,
      server,
    }
  }
  const AUTHENTIC = { ...CALL, authenticate: true }

  test(
    'is not accepted from an endless answer (size limit) or from a slowly dripping one (deadline)',
    { timeout: 10_000 },
    async () => {
      const pouring = await openRawServer(({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
        const block = `10000\r\n${' '.repeat(0x10000)}\r\n`
        const pour = (): void => {
          while (!socket.destroyed && socket.write(block));
        }
        socket.on('drain', pour)
        pour()
      })
      const dripping = await openRawServer(({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
        const drip = setInterval(() => {
          socket.write('1\r\n \r\n')
        }, 50)
        socket.on('close', () => {
          clearInterval(drip)
        })
      })
      for (const [server, reason] of [
        [pouring, 'larger'],
        [dripping, 'time'],
      ] as const) {
        const tokens = createTokenSource({
          grant: clientCredentials({
            tokenUrl: `${server.url}/token`,
            clientId: 'me',
            clientSecret: 's',
            timeoutMs: 1_000,
          }),
          clock: systemClock,
          log: testLog().log,
        })
        expect(await tokens.current()).toMatchObject({
          kind: 'failed',
          cause: 'unreachable',
          reason: expect.stringMatching(new RegExp(reason, 'i')),
        })
        await server.closed(server.requests[0])
      }
    },
  )

  test.each(['a\nb', 'à'])(
    'is rejected if a header cannot contain it (%j): no call is sent, and the next call requests another token',
    async (token) => {
      const { transport, calls } = await rejectingService(
        () => true,
        (number) => json(200, { access_token: number === 1 ? token : 'T2', token_type: 'bearer', expires_in: 300 }),
      )
      expect(await transport.send(AUTHENTIC)).toMatchObject({
        kind: 'no-token',
        cause: 'unreachable',
        reason: expect.stringContaining('header') as string,
      })
      expect(await transport.send(AUTHENTIC)).toMatchObject({ kind: 'answer', status: 200 })
      expect(calls.map((call) => call.token)).toEqual(['T2'])
    },
  )

  test('is requested once for concurrent callers, and reused by later calls', async () => {
    const { transport, asked, calls } = await rejectingService(() => true)
    const answers = await Promise.all(Array.from({ length: 6 }, () => transport.send(AUTHENTIC)))
    expect(answers.map(({ kind }) => kind)).toEqual(Array.from({ length: 6 }, () => 'answer'))
    await transport.send(AUTHENTIC)
    expect(asked()).toBe(1)
    expect(new Set(calls.map(({ token }) => token))).toEqual(new Set(['T1']))
  })

  test('is renewed once for all callers after a refusal', async () => {
    const { transport, asked, calls } = await rejectingService((token) => token !== 'T1')
    const answers = await Promise.all(Array.from({ length: 4 }, () => transport.send(AUTHENTIC)))
    expect(answers.map((answer) => answer.kind === 'answer' && answer.status)).toEqual([200, 200, 200, 200])
    expect(asked()).toBe(2)
    expect(calls.filter(({ token }) => token === 'T2')).toHaveLength(4)
    expect(calls.every(({ body }) => body.equals(BYTES))).toBe(true)
  })

  test('is reported as refused after a service refused two tokens in a row; the call is sent only twice', async () => {
    const { transport, calls } = await rejectingService(() => false)
    expect(await transport.send(AUTHENTIC)).toEqual({
      kind: 'no-token',
      cause: 'refused',
      reason: 'the service refuses a fresh token',
    })
    expect(calls.map(({ token }) => token)).toEqual(['T1', 'T2'])
  })

  test('is renewed before the call is sent when the call asks for it, and not again after a refusal', async () => {
    const tokens: string[] = []
    const server = await openRawServer(({ head, socket }) => {
      tokens.push(/^authorization: Bearer (.*)$/im.exec(head)?.[1] ?? '')
      socket.write(json(401, {}))
    })
    const source: TokenSource = {
      current: async () => ({ kind: 'token', value: 'OLD' }),
      renew: async () => ({ kind: 'token', value: 'NEW' }),
    }
    expect(await to(server.url, source).send({ ...AUTHENTIC, renewToken: true })).toMatchObject({
      kind: 'no-token',
      cause: 'refused',
    })
    expect(tokens).toEqual(['NEW'])
  })

  test.each([
    ['cash', 403, {}],
    ['cash', 401, { responseCode: null, errors: [] }],
    ['cash', 401, { responseCode: ' ' }],
    ['cash', 401, { errors: [{ errorCode: '401' }] }],
    ['issuance', 401, {}],
    ['issuance', 403, { errorCode: '' }],
  ] as const)(
    'is renewed after the %s service refuses it without a code of its own (%i), and the same bytes are sent again',
    async (service, status, refusal) => {
      const tokens: string[] = []
      const server = await openRawServer(({ head, socket }) => {
        const token = /^authorization: Bearer (.*)$/im.exec(head)?.[1] ?? ''
        tokens.push(token)
        socket.write(token === 'OLD' ? json(status, refusal) : json(200, { responseCode: '0000' }))
      })
      const source: TokenSource = {
        current: async () => ({ kind: 'token', value: 'OLD' }),
        renew: async () => ({ kind: 'token', value: 'NEW' }),
      }
      expect(await to(server.url, source).send({ ...AUTHENTIC, service })).toMatchObject({
        kind: 'answer',
        status: 200,
      })
      expect(tokens).toEqual(['OLD', 'NEW'])
      expect(server.requests.every(({ body }) => body.equals(BYTES))).toBe(true)
    },
  )

  test.each([
    ['cash', 400, { responseCode: '0035' }],
    ['cash', 403, { responseCode: '0009' }],
    ...[400, 404, 405, 408, 409, 410, 421, 422, 429].map((status) => ['cash', status, {}] as const),
    ['issuance', 400, { message: 'parallel transaction' }],
    ['issuance', 404, {}],
    ['cash', 500, {}],
    ['issuance', 400, { errors: [{ errorCode: '234' }] }],
    ['issuance', 400, { issuances: [{ errors: [{ errorCode: 221, errorReason: 'x' }] }] }],
    ['issuance', 500, {}],
    ['offers', 400, { message: 'no such sort' }],
    ['offers', 404, {}],
  ] as const)(
    'stays cached after the %s service answers %i %j, which does not concern the token',
    async (service, status, answer) => {
      const server = await openRawServer(({ socket }) => {
        socket.write(json(status, answer))
      })
      const source: TokenSource = {
        current: async () => ({ kind: 'token', value: 'T' }),
        renew: async () => {
          throw new Error('the token was not refused')
        },
      }
      expect(await to(server.url, source).send({ ...AUTHENTIC, service })).toMatchObject({ kind: 'answer', status })
      expect(server.requests).toHaveLength(1)
    },
  )

  test('has a source that reports when the lane’s secret is refused and accepted again, but not a 503', async () => {
    const refusals: boolean[] = []
    const answers = [
      json(401, { error: 'invalid_client' }),
      json(503, {}),
      json(200, { access_token: 'T', token_type: 'bearer', expires_in: 300 }),
    ]
    const server = await openRawServer(({ socket }, number) => {
      socket.end(answers[number - 1] ?? '')
    })
    const grant = clientCredentials({
      tokenUrl: `${server.url}/token`,
      clientId: 'me',
      clientSecret: 'S3CRET',
      timeoutMs: 2_000,
    })
    const tokens = createTokenSource({
      grant,
      clock: systemClock,
      log: testLog().log,
      onSecret: (refused) => {
        refusals.push(refused)
      },
    })
    expect([await tokens.current(), await tokens.current(), await tokens.current()].map(({ kind }) => kind)).toEqual([
      'failed',
      'failed',
      'token',
    ])
    expect(refusals).toEqual([true, false])
  })

  test('stays cached after a 401 with a response code, which is about the collector', async () => {
    const server = await openRawServer(({ socket }) => {
      socket.write(json(401, { responseCode: '0002' }))
    })
    const tokens: TokenSource = { ...noTokens, current: async () => ({ kind: 'token', value: 'T' }) }
    expect(await to(server.url, tokens).send(AUTHENTIC)).toMatchObject({ kind: 'answer', status: 401 })
    expect(server.requests).toHaveLength(1)
  })

  test('is renewed before it expires', async () => {
    const { transport, asked } = await rejectingService(
      () => true,
      (number) => json(200, { access_token: `T${number}`, token_type: 'bearer', expires_in: 4 }),
    )
    await transport.send(AUTHENTIC)
    await transport.send(AUTHENTIC)
    expect(asked()).toBe(2)
  })

  test.each([
    ['refuses', 'refused', () => json(401, { error: 'invalid_client' })],
    ['challenges', 'refused', () => json(401, {}, { 'www-authenticate': 'Basic realm="tokens"' })],
    ['refuses without a code', 'refused', () => json(403, {})],
    ['is too busy', 'unreachable', () => json(429, {})],
    ['is broken', 'unreachable', () => json(500, {})],
    ['reports its outage', 'unreachable', () => json(503, { error: 'temporarily_unavailable' })],
    ['sends another JSON object', 'unreachable', () => json(200, { hello: 'world' })],
    ['sends no JSON', 'unreachable', () => 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc'],
  ])(
    'is missing when the identity provider %s (cause: %s): no request is sent, and the secret is not logged',
    async (_case, cause, respond) => {
      const { transport, calls, lines } = await rejectingService(() => true, respond)
      expect(await transport.send(AUTHENTIC)).toMatchObject({ kind: 'no-token', cause })
      expect(calls).toEqual([])
      expect(lines()).toContain('no token')
      expect(lines()).not.toMatch(/S3CRET|bWU6UzNDUkVU/)
    },
  )

  test.each([
    ['refuses the connection', async () => refusedPort()],
    ['has no address', async () => 'http://tokens.invalid'],
    ['never answers', async () => (await openRawServer(() => undefined)).url],
  ])(
    'is missing when the identity provider %s: it counts as unreachable, and the secret not as refused',
    async (_case, where) => {
      const { log } = testLog()
      const tokens = createTokenSource({
        grant: clientCredentials({
          tokenUrl: `${await where()}/token`,
          clientId: 'me',
          clientSecret: 'S3CRET',
          timeoutMs: 1_000,
        }),
        clock: systemClock,
        log,
      })
      const server = await openRawServer(({ socket }) => {
        socket.write(json(200, { responseCode: '0000' }))
      })
      expect(await to(server.url, tokens).send(AUTHENTIC)).toMatchObject({ kind: 'no-token', cause: 'unreachable' })
      expect(server.requests).toEqual([])
    },
  )

  test('is requested again by the next call after the identity provider failed', async () => {
    const { transport } = await rejectingService(
      () => true,
      (number) =>
        number === 1 ? json(500, {}) : json(200, { access_token: 'T2', token_type: 'bearer', expires_in: 300 }),
    )
    expect((await transport.send(AUTHENTIC)).kind).toBe('no-token')
    expect((await transport.send(AUTHENTIC)).kind).toBe('answer')
  })
})
