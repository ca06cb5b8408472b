import { gzipSync } from 'node:zlib'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testLog } from '../http/testing.ts'
import { json, openFarServer } from '../../../packages/lab/testing/far-server.ts'
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

test('a member’s token goes in place of the lane’s, and is neither renewed nor told', async () => {
  const server = await openFarServer(({ socket }) => {
    socket.write(json(401, {}))
  })
  const answer = await to(server.url).send({ ...CALL, authenticate: true, memberToken: 'of-the-member' })
  expect(answer).toMatchObject({ kind: 'answer', status: 401, requestHeaders: { authorization: 'Bearer •••' } })
  expect(server.requests.map(({ head }) => /^authorization: (.*)$/im.exec(head)?.[1]?.trim())).toEqual([
    'Bearer of-the-member',
  ])
})

describe('what leaves', () => {
  test('is exactly the bytes given, whole and once, with their length and their headers', async () => {
    const server = await openFarServer(({ socket }) => {
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
    'goes once, also when the answer is %i with an invitation to come again',
    async (status) => {
      const server = await openFarServer(({ socket }) => {
        socket.write(json(status, {}, { 'retry-after': '0' }))
      })
      expect(await to(server.url).send(CALL)).toMatchObject({ kind: 'answer', status })
      expect(server.requests).toHaveLength(1)
    },
  )

  test.each(['GET', 'PUT', 'POST'] as const)(
    'a %s goes once, refused or cut off: who asks again is for others to say',
    async (method) => {
      const { body: _body, ...bare } = CALL
      const call: CentralCall = method === 'GET' ? { ...bare, method } : { ...CALL, method }
      const busy = await openFarServer(({ socket }) => {
        socket.write(json(503, {}, { 'retry-after': '0' }))
      })
      expect(await to(busy.url).send(call)).toMatchObject({ kind: 'answer', status: 503 })
      const cut = await openFarServer(({ socket }) => {
        socket.destroy()
      })
      expect((await to(cut.url).send(call)).kind).toBe('unknown')
      expect([busy.requests.length, cut.requests.length]).toEqual([1, 1])
    },
  )

  test.each(['PUT', 'POST'] as const)(
    'a %s goes once also under 421, at which a client may send again: the journal counts the sends',
    async (method) => {
      const server = await openFarServer(({ socket }) => {
        socket.write(json(421, {}))
      })
      expect(await to(server.url).send({ ...CALL, method })).toMatchObject({ kind: 'answer', status: 421 })
      expect(server.requests).toHaveLength(1)
    },
  )

  test('goes once also on a connection that was kept alive and closes as the request arrives', async () => {
    const served = new Set<unknown>()
    const server = await openFarServer(({ socket }) => {
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

  test('goes once at most on a connection that was kept alive and is closed before the request arrives', async () => {
    const server = await openFarServer(({ socket }) => {
      socket.end(json(200, { responseCode: '0000' }))
    })
    const transport = to(server.url)
    for (let round = 1; round <= 20; round += 1) {
      const before = server.requests.length
      // The close may be on its way while the next call begins: then it is unknown, else a new connection takes it.
      const { kind } = await transport.send(CALL)
      expect(['answer', 'unknown']).toContain(kind)
      expect(server.requests.length - before).toBeLessThanOrEqual(1)
    }
  })

  test('follows nobody elsewhere', async () => {
    const elsewhere = await openFarServer(({ socket }) => {
      socket.write(json(200, {}))
    })
    const server = await openFarServer(({ socket }) => {
      socket.write(json(307, {}, { location: elsewhere.url }))
    })
    expect(await to(server.url).send(CALL)).toMatchObject({ kind: 'answer', status: 307 })
    expect(elsewhere.requests).toEqual([])
  })

  test('names the token to the service, and to nobody who asks what was sent', async () => {
    const server = await openFarServer(({ socket }) => {
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

describe('provably never sent', () => {
  test('a refused port', async () => {
    expect(await to(await refusedPort()).send(CALL)).toEqual({ kind: 'never-sent', reason: 'ECONNREFUSED' })
  })

  test('a name that nobody knows', async () => {
    const answer = await to('http://milepost-nowhere.invalid').send(CALL)
    expect(answer.kind).toBe('never-sent')
    expect(answer).toHaveProperty('reason', expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/))
  })

  test('only while connecting: a connection that stood and ended with the same words is unknown', () => {
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

  test('of several addresses, only when each of them was refused', () => {
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

test('only the headers of the call go out, and those of HTTP itself: no language, no client', async () => {
  const server = await openFarServer(({ socket }) => {
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

test('an answer that is packed by gzip is read as it was before', async () => {
  const packed = gzipSync('{"responseCode":"0000"}')
  const server = await openFarServer(({ socket }) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`)
    socket.write(packed)
  })
  const answer = await to(server.url).send(CALL)
  expect(answer.kind === 'answer' && Buffer.from(answer.bytes).toString()).toBe('{"responseCode":"0000"}')
})

describe('unknown', () => {
  test('a server that accepts and closes before a byte was read', async () => {
    const server = await openFarServer(
      () => undefined,
      (socket) => {
        socket.destroy()
      },
    )
    expect((await to(server.url).send(CALL)).kind).toBe('unknown')
  })

  test.each([
    ['closes without an answer', ''],
    ['answers half a head', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['answers half a body', `HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"responseCode":"0000"`],
    ['breaks off between chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"res\r\n'],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['packs what cannot be unpacked', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnone'],
  ])('a server that takes the request and %s', async (_what, said) => {
    const server = await openFarServer(({ socket }) => {
      socket.end(said)
    })
    expect((await to(server.url).send(CALL)).kind).toBe('unknown')
    expect(server.requests).toHaveLength(1)
  })

  test('a server that says nothing: at the deadline, and its socket is closed', async () => {
    const server = await openFarServer(() => undefined)
    const answer = await to(server.url).send({ ...CALL, timeoutMs: 150 })
    expect(answer).toEqual({ kind: 'unknown', reason: 'no answer within 150 ms' })
    await server.closed(server.requests[0])
    expect(server.requests).toHaveLength(1)
  })

  test('the retry finds the first connection closed: it never runs beside it', async () => {
    const order: string[] = []
    const server = await openFarServer(({ socket }, number) => {
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

  test('an answer that drips: one deadline over the whole of it', async () => {
    const drip: NodeJS.Timeout[] = []
    onTestFinished(() => {
      for (const timer of drip) clearInterval(timer)
    })
    const server = await openFarServer(({ socket }) => {
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

  test('an answer without an end: cut off, and its socket is closed', async () => {
    const server = await openFarServer(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const block = `10000\r\n${'x'.repeat(0x10000)}\r\n`
      const pour = (): void => {
        while (!socket.destroyed && socket.write(block));
      }
      socket.on('drain', pour)
      pour()
    })
    const answer = await to(server.url).send(CALL)
    expect(answer).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('larger') })
    await server.closed(server.requests[0])
  })
})

describe('the token', () => {
  /** A token server and a service on one port. `valid` decides which token the service takes. */
  async function rejectingService(
    valid: (token: string | undefined) => boolean,
    tokenAnswer: (number: number) => string = (number) =>
      json(200, { access_token: `T${number}`, token_type: 'bearer', expires_in: 300 }),
  ) {
    let asked = 0
    const calls: { token: string | undefined; body: Buffer }[] = []
    const server = await openFarServer(({ head, body, socket }) => {
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
    'without an end, or that drips, is none: cut off by its size and by one deadline over the whole',
    { timeout: 10_000 },
    async () => {
      const pouring = await openFarServer(({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
        const block = `10000\r\n${' '.repeat(0x10000)}\r\n`
        const pour = (): void => {
          while (!socket.destroyed && socket.write(block));
        }
        socket.on('drain', pour)
        pour()
      })
      const dripping = await openFarServer(({ socket }) => {
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
    'that no header can carry (%j) is none: nothing was sent, and the next call asks for another',
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

  test('is asked for once, however many wait for it, and kept for the next calls', async () => {
    const { transport, asked, calls } = await rejectingService(() => true)
    const answers = await Promise.all(Array.from({ length: 6 }, () => transport.send(AUTHENTIC)))
    expect(answers.map(({ kind }) => kind)).toEqual(Array.from({ length: 6 }, () => 'answer'))
    await transport.send(AUTHENTIC)
    expect(asked()).toBe(1)
    expect(new Set(calls.map(({ token }) => token))).toEqual(new Set(['T1']))
  })

  test('that is refused is renewed once for all who hold it', async () => {
    const { transport, asked, calls } = await rejectingService((token) => token !== 'T1')
    const answers = await Promise.all(Array.from({ length: 4 }, () => transport.send(AUTHENTIC)))
    expect(answers.map((answer) => answer.kind === 'answer' && answer.status)).toEqual([200, 200, 200, 200])
    expect(asked()).toBe(2)
    expect(calls.filter(({ token }) => token === 'T2')).toHaveLength(4)
    expect(calls.every(({ body }) => body.equals(BYTES))).toBe(true)
  })

  test('that is refused again when fresh: no token, after two sends and no more', async () => {
    const { transport, calls } = await rejectingService(() => false)
    expect(await transport.send(AUTHENTIC)).toEqual({
      kind: 'no-token',
      cause: 'refused',
      reason: 'the service refuses a fresh token',
    })
    expect(calls.map(({ token }) => token)).toEqual(['T1', 'T2'])
  })

  test('is renewed before the send where the call asks for it, and not once more after that', async () => {
    const tokens: string[] = []
    const server = await openFarServer(({ head, socket }) => {
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
    'is fresh for a refusal of %s without a code (%i): the same bytes, and its answer counts',
    async (service, status, refusal) => {
      const tokens: string[] = []
      const server = await openFarServer(({ head, socket }) => {
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
  ] as const)('is kept where %s answers %i %j: that is no word about it', async (service, status, answer) => {
    const server = await openFarServer(({ socket }) => {
      socket.write(json(status, answer))
    })
    const source: TokenSource = {
      current: async () => ({ kind: 'token', value: 'T' }),
      renew: async () => {
        throw new Error('nobody refused it')
      },
    }
    expect(await to(server.url, source).send({ ...AUTHENTIC, service })).toMatchObject({ kind: 'answer', status })
    expect(server.requests).toHaveLength(1)
  })

  test('is refused with the secret, or given: whoever watches hears of it', async () => {
    const told: boolean[] = []
    const answers = [
      json(401, { error: 'invalid_client' }),
      json(503, {}),
      json(200, { access_token: 'T', token_type: 'bearer', expires_in: 300 }),
    ]
    const server = await openFarServer(({ socket }, number) => {
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
        told.push(refused)
      },
    })
    expect([await tokens.current(), await tokens.current(), await tokens.current()].map(({ kind }) => kind)).toEqual([
      'failed',
      'failed',
      'token',
    ])
    expect(told).toEqual([true, false])
  })

  test('a 401 with a response code is about the collector, not the token: it is the answer', async () => {
    const server = await openFarServer(({ socket }) => {
      socket.write(json(401, { responseCode: '0002' }))
    })
    const tokens: TokenSource = { ...noTokens, current: async () => ({ kind: 'token', value: 'T' }) }
    expect(await to(server.url, tokens).send(AUTHENTIC)).toMatchObject({ kind: 'answer', status: 401 })
    expect(server.requests).toHaveLength(1)
  })

  test('that expires soon is renewed before it does', async () => {
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
    ['refuses without words', 'refused', () => json(403, {})],
    ['is too busy', 'unreachable', () => json(429, {})],
    ['is broken', 'unreachable', () => json(500, {})],
    ['is down and says so', 'unreachable', () => json(503, { error: 'temporarily_unavailable' })],
    ['speaks nonsense', 'unreachable', () => json(200, { hello: 'world' })],
    ['is no JSON', 'unreachable', () => 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc'],
  ])(
    'from a provider that %s (%s): nothing was sent to the service, and no secret is in the log',
    async (_what, cause, said) => {
      const { transport, calls, lines } = await rejectingService(() => true, said)
      expect(await transport.send(AUTHENTIC)).toMatchObject({ kind: 'no-token', cause })
      expect(calls).toEqual([])
      expect(lines()).toContain('no token')
      expect(lines()).not.toMatch(/S3CRET|bWU6UzNDUkVU/)
    },
  )

  test.each([
    ['refuses the connection', async () => refusedPort()],
    ['has no address', async () => 'http://tokens.invalid'],
    ['never answers', async () => (await openFarServer(() => undefined)).url],
  ])('from a provider that %s: it was not reached, and nothing is said about the secret', async (_what, where) => {
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
    const server = await openFarServer(({ socket }) => {
      socket.write(json(200, { responseCode: '0000' }))
    })
    expect(await to(server.url, tokens).send(AUTHENTIC)).toMatchObject({ kind: 'no-token', cause: 'unreachable' })
    expect(server.requests).toEqual([])
  })

  test('after a provider that failed the next call asks anew', async () => {
    const { transport } = await rejectingService(
      () => true,
      (number) =>
        number === 1 ? json(500, {}) : json(200, { access_token: 'T2', token_type: 'bearer', expires_in: 300 }),
    )
    expect((await transport.send(AUTHENTIC)).kind).toBe('no-token')
    expect((await transport.send(AUTHENTIC)).kind).toBe('answer')
  })
})
