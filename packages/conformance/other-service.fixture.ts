import http from 'node:http'
import { once } from 'node:events'
import { z } from 'zod'
import { Bench } from './bench.ts'
import { otherAnswer, otherRequest, type Exchange } from './service-variants.fixture.ts'

export interface Behind {
  readonly url: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface OtherService {
  readonly url: string
  readonly bench: Bench
  close(): Promise<void>
}

export type Breaks = (exchange: Exchange) => void

const LOGIN = '/login/token'
const PATHS = {
  cashReverse: '/cash/refund',
  post: '/partner/basket',
  postEvent: '/partner/event',
  reverse: '/partner/basket/undo',
} as const
const UPSTREAM: Readonly<Record<string, string>> = {
  [PATHS.cashReverse]: '/checkout/loyaltycash/reverse',
  [PATHS.post]: '/checkout/issuance/post',
  [PATHS.postEvent]: '/checkout/issuance/post/event',
  [PATHS.reverse]: '/checkout/issuance/reverse',
}

/**
 * Starts services that conform to the specifications but differ on many open points: a proxy before the reference
 * services, reachable only on the loopback interface. Close it before the reference services.
 */
export async function openOtherService(behind: Behind, breaks: Breaks = () => undefined): Promise<OtherService> {
  let answered = 0
  const server = http.createServer((request, response) => {
    // A repeated answer differs in its bytes, because each answer has another indentation.
    void serve({ behind, breaks, indent: answered++ % 7 }, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.number() }).parse(server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    bench: Bench.parse({
      clientId: behind.clientId,
      clientSecret: behind.clientSecret,
      tokenUrl: LOGIN,
      revocationPath: null,
      token: { client: 'fields', body: 'json', fields: { grant: 'machine', audience: 'checkout' }, answer: 'token' },
      device: { tokenUrl: '/oidc/token' },
      paths: PATHS,
      returnMiles: 'positive',
      keyedEntryMode: 'MANUAL',
      findAll: { rows: 'all' },
      findSorts: null,
      offers: { endingSoon: 'closing' },
      statuses: {
        checkoutToken: [403],
        offersRefused: [422],
        offersToken: [403],
        offersForbidden: [403, 422],
        historyToken: [403],
        method: [410],
      },
    }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function serve(
  { behind, breaks, indent }: { behind: Behind; breaks: Breaks; indent: number },
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const body = await bytesOf(request)
  const url = new URL(request.url ?? '/', behind.url)
  if (url.pathname === LOGIN) return logIn(behind, body, response)
  // The specifications do not define the identity provider’s pages for members, so they are passed on unchanged.
  if (url.pathname.startsWith('/oidc/'))
    return pass(
      await send(behind, request.method ?? 'GET', `${url.pathname}${url.search}`, request.headers, body),
      response,
    )
  const exchange: Exchange = {
    method: request.method ?? 'GET',
    path: UPSTREAM[url.pathname] ?? url.pathname,
    query: url.searchParams,
    headers: { ...request.headers },
    sent: parse(body),
    status: 0,
    answer: undefined,
  }
  otherRequest(exchange)
  const out = exchange.sent === undefined ? body : Buffer.from(JSON.stringify(exchange.sent))
  const received = await send(
    behind,
    exchange.method,
    `${exchange.path}?${exchange.query.toString()}`,
    exchange.headers,
    out,
  )
  exchange.status = received.status
  exchange.answer = parse(received.body)
  otherAnswer(exchange)
  breaks(exchange)
  const text =
    exchange.answer === undefined ? received.body : Buffer.from(JSON.stringify(exchange.answer, null, indent))
  pass({ status: exchange.status, headers: received.headers, body: text }, response)
}

async function logIn(behind: Behind, body: Buffer, response: http.ServerResponse): Promise<void> {
  const asked = z
    .object({
      grant: z.literal('machine'),
      audience: z.literal('checkout'),
      client_id: z.string(),
      client_secret: z.string(),
    })
    .safeParse(parse(body))
  if (!asked.success) return pass({ status: 400, headers: {}, body: Buffer.from('{}') }, response)
  const { client_id: id, client_secret: secret } = asked.data
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  }
  const received = await send(
    behind,
    'POST',
    new URL(behind.tokenUrl).pathname,
    headers,
    Buffer.from('grant_type=client_credentials'),
  )
  const { access_token: token } = z.object({ access_token: z.string() }).parse(parse(received.body))
  pass(
    { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify({ token })) },
    response,
  )
}

interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

function send(
  behind: Behind,
  method: string,
  path: string,
  headers: http.OutgoingHttpHeaders,
  body: Buffer,
): Promise<Reply> {
  const { host: _host, 'content-length': _length, connection: _connection, ...forwarded } = headers
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${behind.url}${path}`,
      {
        method,
        headers: { ...forwarded, ...(body.length > 0 || method === 'POST' ? { 'content-length': body.length } : {}) },
      },
      (answer) => {
        bytesOf(answer).then((bytes) => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: bytes })
        }, reject)
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

function pass({ status, headers, body }: Reply, response: http.ServerResponse): void {
  const { 'content-length': _length, 'transfer-encoding': _encoding, connection: _connection, ...forwarded } = headers
  response
    .writeHead(status, { ...forwarded, ...(status === 204 ? {} : { 'content-length': body.length }) })
    .end(status === 204 ? undefined : body)
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}
