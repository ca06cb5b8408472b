import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { Profile } from '../../../contracts/core/profile.ts'
import type { Token } from '../../core/central/token.ts'
import { type Answer, createHttpExchange, createTransport } from '../../core/central/transport.ts'
import { openTestDatabase, startTestServer, testClock, testLog, windowOfHeader } from '../../core/http/testing.ts'
import { type DiagnosticsService, diagnosticsOf, diagnosticsRoutes } from './diagnostics.ts'
import { createCentralStatus } from '../../core/central/central-status.ts'
import type { Ctx } from '../../core/context.ts'
import { type Windows, windowsOf } from '../../core/http/events.ts'
import { testContext, provideCentral } from '../../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../../packages/lab/testing/load/store.ts'

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, string>
}

async function cashService(
  answer: (request: Received, response: ServerResponse) => void,
): Promise<{ url: string; received: Received[]; stop: () => Promise<void> }> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    request.on('end', () => {
      const entry: Received = {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: JSON.parse(text) as Record<string, string>,
      }
      received.push(entry)
      answer(entry, response)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve()
      })
      server.closeAllConnections()
    })
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, stop }
}

const reply = (response: ServerResponse, status: number, body: unknown): void => {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(typeof body === 'string' ? body : JSON.stringify(body))
}
const approve = (request: Received, response: ServerResponse): void => {
  reply(response, 200, {
    ...request.body,
    responseCode: '0000',
    message: 'Approved',
    transDateTime: '2026-11-20T10:00:00-05:00',
  })
}

const profile = {
  timeZone: 'America/Toronto',
  store: { id: 'TRAIN-001', name: 'Store', address: [], taxNumbers: [] },
  program: {
    sponsorCode: 'NRTH',
    vendorId: 'NORTHSTAR',
    acquirerId: 'NORTHSTAR',
    provider: 'NORTHSTAR',
    program: 'CORE',
    locationCode: 'N101',
    originClient: 'internal:pos:milepost',
    cards: { track1: 'a', track2: 'b', barcode: 'c' },
  },
  limits: { ...Profile.shape.limits.parse({}), cashTimeoutMs: 1_500 },
} satisfies Pick<Profile, 'store' | 'program' | 'limits' | 'timeZone'>

async function open(
  url: string,
  token: Token = { kind: 'token', value: 'a-secret-token' },
): Promise<{
  service: DiagnosticsService
  ctx: Ctx
  published: TerminalEvent[]
  received: string[]
  lines: () => string
}> {
  const { log, lines } = testLog()
  const published: TerminalEvent[] = []
  const received: string[] = []
  const transport = createTransport({
    exchange: createHttpExchange({ cash: url, issuance: url, offers: url }),
    tokens: { current: async () => token, renew: async () => token },
    log,
  })
  const store = trainingStore()
  const ctx = testContext({
    db: await openTestDatabase(),
    clock: testClock('2026-11-20T15:00:00Z'),
    profile: { ...store.profile, ...profile },
    lane: { ...store.lane, deviceId: 'N101-01' },
    log,
  })
  const central = Object.assign(createCentralStatus(), {
    onResponse: (_service: string, answer: Answer) => {
      received.push(answer.kind)
    },
  })
  provideCentral(ctx, { transport, central })
  windowsOf.provide(ctx, {
    events: {
      publish: (event: TerminalEvent) => {
        published.push(event)
      },
    },
  } as unknown as Windows)
  const service = diagnosticsOf(ctx)
  return { service, ctx, published, received, lines }
}

test('an ECHO is sent with the headers of the specification, and its answer is stored', async () => {
  const cash = await cashService(approve)
  const { service, published, received, lines } = await open(cash.url)
  const result = await service.runEcho()
  const [request] = cash.received
  expect(request).toMatchObject({
    method: 'POST',
    url: '/checkout/loyaltycash/echo',
    headers: {
      authorization: 'Bearer a-secret-token',
      'content-type': 'application/json',
      'cache-control': 'no-cache',
    },
  })
  expect(request?.body).toEqual({
    deviceId: 'N101-01',
    sponsorCode: 'NRTH',
    storeId: 'TRAIN-001',
    traceId: result.traceId,
    vendorId: 'NORTHSTAR',
  })
  expect(result).toMatchObject({
    at: '2026-11-20T15:00:00.000Z',
    outcome: 'approved',
    responseCode: '0000',
    httpStatus: 200,
    message: null,
  })
  expect(result.latencyMs).toBeGreaterThan(0)
  expect(result.requestHeaders).toMatchObject({ 'cache-control': 'no-cache', authorization: 'Bearer •••' })
  expect(service.latest()).toEqual([result])
  expect(received).toEqual(['answer'])
  expect(published).toEqual([{ type: 'echo-result', result }])
  expect(JSON.stringify([service.latest(), published]) + lines()).not.toContain('a-secret-token')
})

test.each([
  ['silence', () => undefined],
  [
    '0008',
    (response: ServerResponse) => {
      reply(response, 408, { responseCode: '0008' })
    },
  ],
  [
    '0096',
    (response: ServerResponse) => {
      reply(response, 500, { responseCode: '0096' })
    },
  ],
] as const)(
  'an ECHO that gets %s is sent once more with the same body, and the second answer counts',
  async (_case, first) => {
    const cash = await cashService((request, response) => {
      if (cash.received.length === 1) first(response)
      else approve(request, response)
    })
    const { service, received } = await open(cash.url)
    expect(await service.runEcho()).toMatchObject({ outcome: 'approved', responseCode: '0000' })
    expect(cash.received).toHaveLength(2)
    expect(cash.received[1]?.body).toEqual(cash.received[0]?.body)
    expect(received).toEqual(['answer'])
    expect(service.latest()).toHaveLength(1)
  },
)

test('the fields that ECHO returns are compared without case and outer spaces, as in other cash calls', async () => {
  const cash = await cashService((request, response) => {
    const { traceId = '', storeId = '', ...rest } = request.body
    reply(response, 200, {
      ...rest,
      traceId: ` ${traceId.toUpperCase()}`,
      storeId: storeId.toLowerCase(),
      responseCode: '0000',
    })
  })
  expect(await (await open(cash.url)).service.runEcho()).toMatchObject({ outcome: 'approved' })
  expect(cash.received).toHaveLength(1)
})

test('an ECHO answer with another store’s id is rejected', async () => {
  const cash = await cashService((request, response) => {
    reply(response, 200, { ...request.body, storeId: 'ANOTHER', responseCode: '0000' })
  })
  expect(await (await open(cash.url)).service.runEcho()).toMatchObject({ outcome: 'malformed' })
})

test('every unanswered ECHO is repeated once, even in a long outage', async () => {
  const cash = await cashService((_request, response) => {
    response.destroy()
  })
  const { service } = await open(cash.url)
  for (let call = 1; call <= 3; call += 1) {
    await service.runEcho()
    expect(cash.received).toHaveLength(2 * call)
  }
})

describe('the meaning of an ECHO answer', () => {
  test.each([
    ['0008', 408, 'timeout'],
    ['0035', 400, 'refused'],
    ['0092', 503, 'outage'],
    ['0096', 500, 'server-error'],
    // In the next rows the response code decides, not the status.
    ['0000', 500, 'approved'],
    ['0092', 200, 'outage'],
    ['0051', 202, 'malformed'],
    ['9999', 200, 'malformed'],
  ])('with code %s and status %i is “%s”', async (responseCode, status, outcome) => {
    const cash = await cashService((_request, response) => {
      reply(response, status, { responseCode, message: 'words' })
    })
    const { service } = await open(cash.url)
    expect(await service.runEcho()).toMatchObject({ outcome, responseCode, httpStatus: status, message: 'words' })
  })

  test.each([
    ['not JSON', 200, '<html>proxy</html>', 'malformed'],
    ['JSON without a code', 200, '{"message":"hello"}', 'malformed'],
    ['a gateway without a reachable service', 502, 'Bad gateway', 'timeout'],
    ['a gateway that waited in vain', 504, '', 'timeout'],
    ['a gateway that reports an outage', 503, '<html>', 'outage'],
    ['an error page', 500, '<html>', 'server-error'],
    ['another call’s echo', 200, '{"responseCode":"0000","traceId":"somebody-else"}', 'malformed'],
  ])('is decided by status and body when there is no code: %s', async (_case, status, body, outcome) => {
    const cash = await cashService((_request, response) => {
      reply(response, status, body)
    })
    expect(await (await open(cash.url)).service.runEcho()).toMatchObject({ outcome, httpStatus: status })
  })

  test('distinguishes an unreachable service, no answer, a refused token and no reachable token service', async () => {
    const gone = await cashService(approve)
    await gone.stop()
    const cut = await open(gone.url)
    expect(await cut.service.runEcho()).toMatchObject({
      outcome: 'unreachable',
      httpStatus: null,
      message: 'ECONNREFUSED',
    })
    expect(cut.received).toEqual(['never-sent'])
    const silent = await cashService(() => undefined)
    const waiting = await open(silent.url)
    expect(await waiting.service.runEcho()).toMatchObject({ outcome: 'timeout', httpStatus: null, latencyMs: null })
    expect(waiting.received).toEqual(['unknown'])
    const cash = await cashService(approve)
    const refused = await open(cash.url, { kind: 'failed', cause: 'refused', reason: 'invalid_client' })
    expect(await refused.service.runEcho()).toMatchObject({ outcome: 'no-token', message: 'invalid_client' })
    expect(refused.received).toEqual(['no-token'])
    const cutOff = await open(cash.url, { kind: 'failed', cause: 'unreachable', reason: 'ENOTFOUND' })
    expect(await cutOff.service.runEcho()).toMatchObject({ outcome: 'token-unreachable', message: 'ENOTFOUND' })
    expect(cutOff.received).toEqual(['no-token'])
    expect(cash.received).toEqual([])
  })
})

test('diagnostics store the last fifty ECHO results, newest first', async () => {
  const cash = await cashService(approve)
  const { service } = await open(cash.url)
  const traces: string[] = []
  for (let count = 0; count < 53; count += 1) traces.unshift((await service.runEcho()).traceId)
  expect(service.latest().map((result) => result.traceId)).toEqual(traces.slice(0, 50))
})

test('two simultaneous requests for a check share one ECHO', async () => {
  const cash = await cashService(approve)
  const { service } = await open(cash.url)
  const [one, two] = await Promise.all([service.runEcho(), service.runEcho()])
  expect(one).toEqual(two)
  expect(cash.received).toHaveLength(1)
  await service.runEcho()
  expect(cash.received).toHaveLength(2)
})

test('only managers can request an ECHO over HTTP; they get an outage as its result, not as an error', async () => {
  const cash = await cashService((_request, response) => {
    reply(response, 503, { responseCode: '0092', message: 'Scheduled maintenance' })
  })
  const { ctx } = await open(cash.url)
  const server = await startTestServer({ routes: () => [(app) => diagnosticsRoutes(ctx, app)] })
  server.db
    .prepare(
      `INSERT INTO staff (id, name, role, locale)
        VALUES ('sam', 'Sam', 'manager', 'en-CA'), ('alex', 'Alex', 'cashier', 'en-CA')`,
    )
    .run()
  const window = server.openWindow()
  server.sessions.signIn(windowOfHeader(window), 'alex')
  expect((await server.call('POST', '/api/diagnostics/echo', { window })).json()).toMatchObject({
    code: 'manager-required',
  })
  expect(cash.received).toEqual([])
  server.sessions.signIn(windowOfHeader(window), 'sam')
  expect((await server.call('POST', '/api/diagnostics/echo', { window })).json()).toMatchObject({
    outcome: 'outage',
    responseCode: '0092',
  })
  expect(
    (await server.call('GET', '/api/diagnostics/echo', { window })).json<{ results: unknown[] }>().results,
  ).toHaveLength(1)
})
