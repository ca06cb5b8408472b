import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyError, type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { badIssuance } from '../issuance/requests.ts'
import { cashAnswer } from '../cash/rules.ts'

export const BODY_LIMIT = 256 * 1024
const CASH_PREFIX = CASH_PATHS.echo.slice(0, CASH_PATHS.echo.lastIndexOf('/') + 1)
const ISSUANCE_PREFIX = '/checkout/issuance/'

/** HTTP parser errors of Node that are answered with a more precise status than 400. */
const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

export interface ServerTls {
  readonly cert: string
  readonly key: string
}

/**
 * Creates the HTTP server of the services: bodies as exact bytes, one log line per request, no stack trace in answers.
 */
export function createServer(logLevel: string, tls?: ServerTls): FastifyInstance {
  const logger: FastifyBaseLogger = pino({ level: logLevel }, pino.destination({ dest: 2, sync: true }))
  const app: FastifyInstance = Fastify({
    ...(tls && { https: { ...tls } }),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 2_000 },
    clientErrorHandler: refuseBytes,
    frameworkErrors: (_error, request, reply) => {
      reply.hijack()
      reply.raw
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify(errorBody(pathOf(request.url), 400, 'the request cannot be read')))
    },
  })
  // Route schemas are documentation only: each service validates its requests and answers with its own errors.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => (body) => JSON.stringify(body))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body)
  })
  // A repeated Authorization or Content-Type header is refused: Node would keep the first of two values and drop the
  // other, which may be the intended one.
  app.addHook('onRequest', (request, reply, done) => {
    const doubled = doubledHeader(request.raw.rawHeaders)
    if (doubled === undefined) done()
    else void reply.code(400).send(errorBody(pathOf(request.url), 400, `${doubled}: exactly one value is expected`))
  })
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        path: pathOf(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'answered',
    )
    done()
  })
  app.setNotFoundHandler((request, reply) => {
    void reply
      .code(404)
      .send(
        errorBody(
          pathOf(request.url),
          404,
          `${request.method} ${pathOf(request.url)} is not an operation of these services`,
        ),
      )
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500 ? 400 : 500
    if (status === 500) request.log.error({ err: error }, 'call failed')
    const reason =
      error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
        ? `the body is larger than ${BODY_LIMIT} bytes`
        : 'the request cannot be read'
    void reply.code(status).send(errorBody(pathOf(request.url), status, reason))
  })
  return app
}

/**
 * Answers bytes that are not HTTP and unknown methods. No path was parsed, so the body is not specific to a service.
 */
function refuseBytes(error: Error & { readonly code: string }, socket: Socket): void {
  if (!socket.writable) return
  const body = JSON.stringify({ message: 'the request cannot be read' })
  socket.end(
    `HTTP/1.1 ${UNREADABLE[error.code] ?? '400 Bad Request'}\r\nContent-Type: ` +
      `application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Headers that must have a single value; other repeated headers are read as lists. */
const SINGLE = ['Authorization', 'Content-Type'] as const

const doubledHeader = (raw: readonly string[]): string | undefined =>
  SINGLE.find(
    (name) => raw.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase()).length > 1,
  )

/** Returns the path without its query, which may contain a collector number and must not be logged. */
const pathOf = (url: string): string => url.split('?', 1)[0] ?? url

function errorBody(path: string, status: 400 | 404 | 500, reason: string): unknown {
  if (path.startsWith(CASH_PREFIX)) {
    return status === 500
      ? cashAnswer('0096', {}).body
      : { ...cashAnswer('0035', {}).body, errors: [{ errorCode: '0035', errorReason: reason }] }
  }
  if (path.startsWith(ISSUANCE_PREFIX)) {
    return status === 500
      ? { transactionId: randomUUID(), responseCode: '500', message: 'Internal error' }
      : badIssuance([{ path: '', message: reason }], {}).body
  }
  return { message: status === 500 ? 'Internal error' : reason }
}
