import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { Server } from 'node:https'
import type { Certificate } from './certificate/files.ts'
import { DatabaseUnavailable } from './db/unavailable.ts'
import { nestsTooDeep } from '../../contracts/core/json-depth.ts'
import { traceOfParent } from '../../contracts/core/trace.ts'
import type { Routes, StoreContext } from './context.ts'
import { tellCalls } from './calls.ts'
import type { Querying } from './db/postgres.ts'

/** Largest body that is read where a route asks for no more, in bytes. */
const BODY_LIMIT = 16 * 1024
/** A lane that says nothing is not waited for longer. */
const REQUEST_MS = 15_000

/** A database that was killed is back by then, or somebody is mending it. */
const RETRY_SECONDS = 5

/**
 * The HTTP server over TLS: one log line a request, with the trace that its lane gave it, no stack in any answer, and
 * one form of refusal.
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
  tellCalls(app, counts)
  app.setNotFoundHandler((_request, reply) => void reply.code(404).send(refusal('not-found')))
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof DatabaseUnavailable) {
      request.log.error({ reason: error.message }, 'the database cannot be asked')
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

/** Shows this certificate to connections that are opened from now on. */
export function showCertificate(app: FastifyInstance, certificate: Certificate): void {
  if (app.server instanceof Server) app.server.setSecureContext(secureContext(certificate))
}

/** Parses JSON bodies of this scope, but none that is nested too deep; `onBytes` is called with the bytes first. */
export function parseJson(scope: FastifyInstance, onBytes?: (request: FastifyRequest, bytes: Buffer) => void): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  // A scope begins with the parser of the scope around it, and takes no second one beside it.
  if (scope.hasContentTypeParser('application/json')) scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    onBytes?.(request, bytes)
    const body = bytes.toString()
    if (nestsTooDeep(body)) done(Object.assign(new Error('the body is nested too deep'), { statusCode: 400 }))
    else void parse(request, body, done)
  })
}

/** What a refusal says; the lane has the words. */
export const refusal = (why: string) => ({ refused: why, serverTime: new Date().toISOString() })

/** What is said while the database is away: whether anything was done is found out by asking again. */
export const unavailable = () => ({
  ...refusal('database'),
  message: `The store server cannot reach its database. Nothing is lost: ask again in ${RETRY_SECONDS} seconds.`,
})

/** Where a listening server can be reached, e.g. https://127.0.0.1:8443. Throws before it listens. */
export function addressOf(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return `https://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

/** Reads and locks nothing; a database that takes no writes refuses it. */
const TAKES_WRITES = 'SELECT 1 FROM schema_migration LIMIT 0 FOR UPDATE'

/**
 * GET /health: whether the server is up, its parts and its time; 503 while its database cannot be asked, or takes no
 * writes. Says nothing of stores or lanes.
 */
export function healthRoutes(features: readonly string[]): Routes {
  let underWay: Promise<unknown> | null = null
  /** Anyone may call this route; all calls share one connection, so that the others are left for lanes. */
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
        request.log.error({ reason: String(error) }, 'the database cannot be asked')
        return reply.code(503).send({ ...unavailable(), ...facts, status: 'no database' })
      }
      return { status: 'up', ...facts }
    })
  }
}
