import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import type { ConnectionCheck, ConnectionStepId } from '../../../contracts/operations/connection.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { clientCredentials, createTokenSource } from '../../core/central/token.ts'
import { createHttpExchange, createTransport } from '../../core/central/transport.ts'
import { systemClock } from '../../core/clock.ts'
import { openTestDatabase, testLog } from '../../core/http/testing.ts'
import { trainingProfile } from '../../../packages/lab/testing/loyalty-harness.ts'
import { hasOpenssl, openAuthority, type Certificate } from './certificates.fixture.ts'
import { connectionOf } from './connection.ts'
import { type Windows, windowsOf } from '../../core/http/events.ts'
import { type LaneProgram, programOf } from '../../core/program/lane-program.ts'
import { testContext, provideCentral } from '../../../packages/lab/testing/lane-context.ts'

type Endpoints = LaneProgram['endpoints']
type Answers = Readonly<Record<string, (response: ServerResponse, body: Record<string, string>) => void>>

const json =
  (status: number, body: unknown) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
const WELL: Answers = {
  '/token': json(200, { access_token: 'a-token', token_type: 'Bearer', expires_in: 600 }),
  '/checkout/loyaltycash/echo': (response, body) => {
    json(200, { ...body, responseCode: '0000', message: 'Approved' })(response)
  },
  '/checkout/issuance/calculate': json(400, {
    transactionId: '2f0c1e0e-0000-4000-8000-000000000001',
    errors: [{ errorCode: '234', errorReason: 'Collector Account Not Found' }],
  }),
  '/offers': json(200, { offers: [], metadata: { total: 0 } }),
  '/offers/state-reader/health': json(200, [{ healthy: true, timestamp: '2026-11-20T15:00:00Z' }]),
  '/transaction-history/health': json(200, { status: 'UP' }),
}
const silent = (): void => undefined

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
    if ('closeAllConnections' in server) server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

async function services(change: Answers = {}, certificate?: Certificate): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = []
  const answer: RequestListener = (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    asked.push(path)
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    request.on('end', () => {
      const body = path !== '/token' && text !== '' ? (JSON.parse(text) as Record<string, string>) : {}
      const how = change[path] ?? WELL[path]
      if (how) how(response, body)
      else response.writeHead(404).end()
    })
  }
  const port = await listen(certificate ? createTlsServer(certificate, answer) : createServer(answer))
  return { port, asked }
}

const at = (base: string, change: Partial<Endpoints> = {}): Endpoints => ({
  cash: base,
  issuance: base,
  offers: base,
  offerState: base,
  history: base,
  token: { url: `${base}/token`, clientId: 'me' },
  ...change,
})

async function check(
  endpoints: Endpoints,
  limits: { cashTimeoutMs?: number } = {},
): Promise<{ check: ConnectionCheck; seen: string[]; events: TerminalEvent['type'][] }> {
  const profile = trainingProfile({ cashTimeoutMs: 1_000, issuanceTimeoutMs: 1_000, ...limits })
  const [lane] = profile.lanes
  if (!lane) throw new Error('the training profile has a lane')
  const { log } = testLog()
  const clock = systemClock
  const tokens = createTokenSource({
    grant: clientCredentials({ tokenUrl: endpoints.token.url, clientId: 'me', clientSecret: 's', timeoutMs: 1_000 }),
    clock,
    log,
  })
  const transport = createTransport({ exchange: createHttpExchange(endpoints), tokens, log })
  const events: TerminalEvent['type'][] = []
  const seen: string[] = []
  const publish = (event: TerminalEvent): void => {
    events.push(event.type)
    const running = connection.status().check?.steps.find(({ state }) => state === 'running')
    if (running && seen.at(-1) !== running.step) seen.push(running.step)
  }
  const ctx = testContext({ db: await openTestDatabase(), profile, lane, log, publish })
  provideCentral(ctx, { transport, tokens })
  windowsOf.provide(ctx, { events: { publish } } as unknown as Windows)
  programOf.provide(ctx, { endpoints } as LaneProgram)
  const connection = connectionOf(ctx)
  const begun = connection.startCheck()
  expect(connection.startCheck().id).toBe(begun.id)
  const ended = await connection.finished()
  if (!ended) throw new Error('no check runs')
  expect(connection.status().check).toEqual(ended)
  return { check: ended, seen, events }
}

/** Returns each step as `state cause code`, or as the step because of which it was skipped. */
const stepsOf = ({ steps }: ConnectionCheck): Record<ConnectionStepId, string> =>
  Object.fromEntries(
    steps.map(({ step, state, cause, code, skippedFor }) => [
      step,
      [state, cause, code, skippedFor && `for ${skippedFor}`].filter(Boolean).join(' '),
    ]),
  ) as Record<ConnectionStepId, string>

test('the connection check runs nine timed steps in order, and reports that training is not encrypted', async () => {
  const { port, asked } = await services()
  const { check: ended, seen, events } = await check(at(`http://127.0.0.1:${port}`))
  expect(stepsOf(ended)).toEqual({
    dns: 'ok',
    connect: 'ok',
    tls: 'ok',
    token: 'ok',
    echo: 'ok 0000',
    issuance: 'ok 234',
    offers: 'ok HTTP 200',
    'offer-state': 'ok HTTP 200',
    history: 'ok HTTP 200',
  })
  expect(ended.endedAt).not.toBeNull()
  expect(ended.steps.every(({ ms }) => ms !== null && ms >= 0)).toBe(true)
  expect(ended.steps[2]?.hosts).toMatchObject([{ host: `127.0.0.1:${port}`, plain: true, validTo: null }])
  expect(ended.steps.find(({ step }) => step === 'issuance')?.trace).toBe('2f0c1e0e-0000-4000-8000-000000000001')
  expect(seen).toEqual(['dns', 'connect', 'tls', 'token', 'echo', 'issuance', 'offers', 'offer-state', 'history'])
  expect(events.filter((type) => type === 'connection-check-changed').length).toBeGreaterThanOrEqual(18)
  // The check made only calls without effects: for a token, ECHO, CALCULATE, and reads.
  expect(new Set(asked)).toEqual(new Set(Object.keys(WELL)))
})

test('the connection check skips steps of a service with an unknown host name, but not those of others', async () => {
  const { port } = await services()
  const base = `http://127.0.0.1:${port}`
  const { check: ended } = await check(at(base, { cash: 'https://nobody.invalid' }))
  const steps = stepsOf(ended)
  expect(steps.dns).toMatch(/^failed (name-unknown ENOTFOUND|dns-no-answer EAI_AGAIN)$/)
  expect(steps).toMatchObject({ connect: 'ok', tls: 'ok', token: 'ok', issuance: 'ok 234', offers: 'ok HTTP 200' })
  expect(steps.echo).toBe('skipped for dns')
  expect(ended.steps[0]?.hosts.find(({ host }) => host === 'nobody.invalid:443')?.services).toEqual(['cash'])
})

test('the connection check skips steps after a refused connection, and marks services without an address', async () => {
  const gone = createTcpServer()
  const port = await listen(gone)
  await new Promise((resolve) => {
    gone.close(resolve)
  })
  const { check: ended } = await check(at(`http://127.0.0.1:${port}`, { history: undefined }))
  expect(stepsOf(ended)).toEqual({
    dns: 'ok',
    connect: 'failed refused ECONNREFUSED',
    tls: 'skipped for connect',
    token: 'skipped for connect',
    echo: 'skipped for connect',
    issuance: 'skipped for connect',
    offers: 'skipped for connect',
    'offer-state': 'skipped for connect',
    history: 'not-configured',
  })
})

test('the connection check ends if a service accepts connections and does not answer: its TLS step fails', async () => {
  const port = await listen(createTcpServer((socket) => void socket.on('error', silent)))
  const { check: ended } = await check(at(`https://127.0.0.1:${port}`))
  const steps = stepsOf(ended)
  expect(steps).toMatchObject({ connect: 'ok', tls: 'failed no-answer', token: 'skipped for tls' })
  expect(ended.endedAt).not.toBeNull()
})

test.skipIf(!hasOpenssl)(
  'the TLS step reports a certificate as valid, ending soon, expired, not yet valid, of another name or untrusted',
  async () => {
    const authority = openAuthority()
    const trusted = getCACertificates()
    setDefaultCACertificates([...trusted, authority.root])
    onTestFinished(() => {
      setDefaultCACertificates(trusted)
    })
    const tlsOf = async (certificate: Certificate): Promise<{ check: ConnectionCheck; until: string | null }> => {
      const { port } = await services({}, certificate)
      const { check: ended } = await check(at(`https://localhost:${port}`))
      return { check: ended, until: ended.steps[2]?.hosts[0]?.validTo ?? null }
    }
    const inDays = (iso: string | null): number => Math.round((Date.parse(iso ?? '') - Date.now()) / 86_400_000)

    const good = await tlsOf(authority.issue('localhost', -1, 90))
    expect(stepsOf(good.check)).toMatchObject({ tls: 'ok', token: 'ok', echo: 'ok 0000', history: 'ok HTTP 200' })
    expect(inDays(good.until)).toBe(90)
    const soon = await tlsOf(authority.issue('localhost', -1, 10))
    expect(stepsOf(soon.check)).toMatchObject({ tls: 'warning certificate-ends-soon', echo: 'ok 0000' })
    expect(inDays(soon.until)).toBe(10)
    const over = await tlsOf(authority.issue('localhost', -30, -2))
    expect(stepsOf(over.check)).toMatchObject({
      tls: 'failed certificate-expired CERT_HAS_EXPIRED',
      token: 'skipped for tls',
      offers: 'skipped for tls',
    })
    expect(inDays(over.until)).toBe(-2)
    const early = await tlsOf(authority.issue('localhost', 2, 30))
    expect(stepsOf(early.check).tls).toBe('failed certificate-not-yet CERT_NOT_YET_VALID')
    const other = await tlsOf(authority.issue('shop.example', -1, 90))
    expect(stepsOf(other.check).tls).toBe('failed certificate-name ERR_TLS_CERT_ALTNAME_INVALID')
    const unknown = await tlsOf(openAuthority().issue('localhost', -1, 90))
    expect(stepsOf(unknown.check).tls).toMatch(/^failed certificate-untrusted /)
  },
  60_000,
)

test('after a refused token request, the connection check skips the steps that need a token', async () => {
  const { port, asked } = await services({ '/token': json(401, { error: 'invalid_client' }) })
  const { check: ended } = await check(at(`http://127.0.0.1:${port}`))
  expect(stepsOf(ended)).toMatchObject({
    echo: 'skipped for token',
    issuance: 'skipped for token',
    offers: 'ok HTTP 200',
    'offer-state': 'skipped for token',
    history: 'skipped for token',
  })
  expect(stepsOf(ended).token).toMatch(/^failed token-refused/)
  expect(asked).not.toContain('/checkout/loyaltycash/echo')
})

test.each([
  ['0008', 408, 'failed timeout 0008'],
  ['0035', 400, 'failed request-refused 0035'],
  ['0092', 503, 'failed maintenance 0092'],
  ['0096', 500, 'failed server-error 0096'],
])(
  'an ECHO answer with code %s and status %i fails only the ECHO step of the connection check: %s',
  async (responseCode, status, step) => {
    const { port } = await services({ '/checkout/loyaltycash/echo': json(status, { responseCode }) })
    const { check: ended } = await check(at(`http://127.0.0.1:${port}`))
    expect(stepsOf(ended)).toMatchObject({ echo: step, issuance: 'ok 234', history: 'ok HTTP 200' })
    expect(ended.steps.find(({ step: one }) => one === 'echo')?.trace).toMatch(/^[0-9a-f-]{36}$/)
  },
)

test('the connection check reports why the issuance, offer, offer-state and history services fail', async () => {
  const unwell = await services({
    '/checkout/issuance/calculate': json(400, { errors: [{ errorCode: '221' }] }),
    '/offers': json(500, {}),
    '/offers/state-reader/health': json(200, [{ healthy: false, timestamp: '2026-11-20T15:00:00Z' }]),
    '/transaction-history/health': json(200, { status: 'down' }),
  })
  expect(stepsOf((await check(at(`http://127.0.0.1:${unwell.port}`))).check)).toMatchObject({
    issuance: 'failed store-codes 221',
    offers: 'failed server-error HTTP 500',
    'offer-state': 'failed unhealthy HTTP 200',
    history: 'failed unhealthy HTTP 200',
  })
  const unavailable = await services({
    '/checkout/issuance/calculate': json(404, {}),
    '/offers': json(200, 'a page of another server'),
    '/offers/state-reader/health': json(401, {}),
    '/transaction-history/health': json(503, {}),
  })
  expect(stepsOf((await check(at(`http://127.0.0.1:${unavailable.port}`))).check)).toMatchObject({
    issuance: 'failed wrong-address HTTP 404',
    offers: 'failed malformed HTTP 200',
    'offer-state': 'failed token-refused',
    history: 'failed maintenance HTTP 503',
  })
})

test('the connection check reports a slow answer as a warning, and a missing answer as failed', async () => {
  const late: Answers[string] = (response, body) => {
    setTimeout(() => {
      json(200, { ...body, responseCode: '0000' })(response)
    }, 350)
  }
  const { port } = await services({ '/checkout/loyaltycash/echo': late, '/checkout/issuance/calculate': silent })
  const { check: ended } = await check(at(`http://127.0.0.1:${port}`), { cashTimeoutMs: 600 })
  expect(stepsOf(ended)).toMatchObject({ echo: 'warning slow 0000', issuance: 'failed timeout', offers: 'ok HTTP 200' })
  expect(ended.steps[4]?.ms).toBeGreaterThan(340)
})

test('the connection check covers the profile’s proxy: address, connection, TLS to services behind it', async () => {
  const asked: string[] = []
  const far = await listen(
    createTcpServer((socket) => void socket.on('error', silent).on('data', () => socket.destroy())),
  )
  const open = createServer()
  open.on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    const tunnel = connect(far, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      tunnel.pipe(socket).pipe(tunnel)
    })
    for (const end of [tunnel, socket]) end.on('error', silent)
  })
  const closed = createServer()
  closed.on('connect', (_request, socket) => {
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
  })
  const through = async (proxy: Server): Promise<ConnectionCheck> =>
    (await check(at('https://services.invalid', { proxy: `http://127.0.0.1:${await listen(proxy)}` }))).check
  const led = await through(open)
  expect(stepsOf(led)).toMatchObject({ dns: 'ok', connect: 'ok', tls: 'failed closed ECONNRESET' })
  expect(new Set(asked)).toEqual(new Set(['services.invalid:443']))
  expect(led.steps[1]?.hosts[0]).toMatchObject({ host: 'services.invalid:443', proxied: true })
  expect(stepsOf(await through(closed)).connect).toBe('failed proxy-refused HTTP 407')
})
