import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { Server } from 'node:https'
import type { Certificate } from './certificate/files.ts'
import { DatabaseUnavailable } from './db/unavailable.ts'
import { nestsTooDeep } from '../../contracts/core/json-depth.ts'
import { traceOfParent } from '../../contracts/core/trace.ts'
import type { Routes, StoreContext } from './context.ts'
import { logCalls } from './calls.ts'
import type { Querying } from './db/postgres.ts'

const BODY_LIMIT = 16 * 1024
const REQUEST_MS = 15_000

/** Seconds in the Retry-After header, enough for a restart of the database. */
const RETRY_SECONDS = 5

/**
 * Creates the HTTPS server: it writes one log line per request with the lane's trace id, sends no stack traces, and has
 * one format for refusals.
 */
export function createServer(
  { log, counts }: Pick<StoreContext, 'log' | 'counts'>,
  certificate: Certificate,
): FastifyInstance {
  const app: FastifyInstance = Fastify({
    https: { ...secureContext(certificate), handshakeTimeout: REQUEST_MS },
    loggerInstance: log,
    childLoggerFactory(logger, bindings, options, { headers }) {
      const trace = traceOfParent(headers.traceparent)
      return logger.child(trace === null ? bindings : { ...bindings, trace }, options)
    },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_MS,
    forceCloseConnections: true,
    frameworkErrors: (_error, _request, reply) => {
      reply.hijack()
      reply.raw.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusal('unreadable')))
    },
  })
  parseJson(app)
  logCalls(app, counts)
  app.setNotFoundHandler((_request, reply) => void reply.code(404).send(refusal('not-found')))
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof DatabaseUnavailable) {
      request.log.error({ reason: error.message }, 'the database is unavailable')
      return reply.code(503).header('retry-after', RETRY_SECONDS).send(unavailable())
    }
    const status = error.statusCode ?? 500
    if (status >= 500) request.log.error({ err: error }, 'call failed')
    return reply
      .code(status >= 400 && status < 500 ? status : 500)
      .send(refusal(status >= 500 ? 'failed' : status === 429 ? 'busy' : 'unreadable'))
  })
  return app
}

const secureContext = ({ certificate, key }: Certificate) =>
  ({ cert: certificate, key, minVersion: 'TLSv1.2' }) as const

export function showCertificate(app: FastifyInstance, certificate: Certificate): void {
  if (app.server instanceof Server) app.server.setSecureContext(secureContext(certificate))
}

/**
 * Adds a parser of JSON bodies to this scope, which rejects JSON nested too deeply and first calls `onBytes` with the
 * raw bytes.
 */
export function parseJson(scope: FastifyInstance, onBytes?: (request: FastifyRequest, bytes: Buffer) => void): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  // A scope inherits its parent's parser, which must be removed because only one is allowed.
  if (scope.hasContentTypeParser('application/json')) scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    onBytes?.(request, bytes)
    const body = bytes.toString()
    if (nestsTooDeep(body)) done(Object.assign(new Error('the body is nested too deep'), { statusCode: 400 }))
    else void parse(request, body, done)
  })
}

/** Body of a refusal; the lane has the message texts. */
export const refusal = (why: string) => ({ refused: why, serverTime: new Date().toISOString() })

/** Answer while the database is unavailable; the lane retries to find out whether its request was executed. */
export const unavailable = () => ({
  ...refusal('database'),
  message: `The store server cannot reach its database. Nothing is lost: retry in ${RETRY_SECONDS} seconds.`,
})

/** Returns the URL at which the server listens, e.g. https://127.0.0.1:8443. Throws while it does not listen. */
export function addressOf(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return `https://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

/** Statement that reads and locks no row, but fails on a read-only database. */
const TAKES_WRITES = 'SELECT 1 FROM schema_migration LIMIT 0 FOR UPDATE'

/**
 * Route `GET /health`: status, route groups and time of the server; 503 when the database is unavailable or read-only.
 * Contains nothing about stores or lanes.
 */
export function healthRoutes(features: readonly string[]): Routes {
  let underWay: Promise<unknown> | null = null
  /** The route is public, so all its calls share one connection; the other connections stay available to lanes. */
  const ask = (db: Querying): Promise<unknown> =>
    (underWay ??= db.query(TAKES_WRITES).finally(() => {
      underWay = null
    }))
  return (app, { db }) => {
    app.get('/health', async (request, reply) => {
      const facts = { features, serverTime: new Date().toISOString() }
      try {
        await ask(db)
      } catch (error) {
        request.log.error({ reason: String(error) }, 'the database is unavailable')
        return reply.code(503).send({ ...unavailable(), ...facts, status: 'no database' })
      }
      return { status: 'up', ...facts }
    })
  }
}
