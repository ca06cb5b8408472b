import { randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { LogController, type FastifyBaseLogger } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { StreamName } from '../../../contracts/staff/session.ts'
import { nestsTooDeep } from '../../../contracts/core/json-depth.ts'
import { TerminalEvent } from '../../../contracts/core/events.ts'
import type { Logger } from '../log.ts'
import type { App, Routes } from './app.ts'
import { addCommands, type CommandOptions } from './commands.ts'
import { answerError, sendProblem } from './errors.ts'
import type { EventStream } from './events.ts'
import { addGuards, windowOf, type GuardOptions } from './guards.ts'
import { addOpenApi } from './openapi.ts'
import { problemBody } from '../problem.ts'
import type { Sessions } from './sessions.ts'
import { addStaticFiles, hasPage, isNavigation, SECURITY_HEADERS, sendPage } from './static.ts'

export type { App, Routes } from './app.ts'

export interface ServerOptions {
  readonly log: Logger
  readonly version: string
  readonly guards: GuardOptions
  readonly sessions: Sessions
  readonly events: EventStream
  readonly commands: CommandOptions
  readonly staticRoot: string | null
  readonly routes: readonly Routes[]
}

const BODY_LIMIT = 256 * 1024
const REQUEST_TIMEOUT_MS = 15_000
/** Time in ms that running calls have to finish when the terminal stops. */
const CLOSE_GRACE_MS = 2_000

const unexpectedCompile = (): never => {
  throw new Error('schemas are compiled by the type provider')
}

/**
 * Builds the local API without listening: use `await app.listen({ host: '127.0.0.1', port })` or `{ path }`.
 * `app.close()` ends the event streams and lets running calls finish.
 */
export function buildServer(options: ServerOptions): App {
  const logger: FastifyBaseLogger = options.log
  const app: App = Fastify({
    loggerInstance: logger,
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    frameworkErrors: answerError,
    logController: new LogController({ disableRequestLogging: true }),
    // Without these, Fastify would load compilers of its own, 2 MB of code that is not used.
    schemaController: { compilersFactory: { buildValidator: unexpectedCompile, buildSerializer: unexpectedCompile } },
  }).withTypeProvider<ZodTypeProvider>()

  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.removeContentTypeParser('text/plain')
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (nestsTooDeep(body)) done(Object.assign(new Error('the body is nested too deep'), { statusCode: 400 }))
    else void parseJson(request, body, done)
  })
  app.decorateRequest('correlationId', '')
  app.decorateRequest('windowSession', null)
  app.decorateRequest('staff', null)
  app.decorateRequest('approved', null)
  app.setErrorHandler(answerError)

  app.addHook('onRequest', async (request, reply) => {
    request.correlationId = request.id
    void reply.headers(SECURITY_HEADERS).header('x-correlation-id', request.id)
    if (request.url.startsWith('/api')) void reply.header('cache-control', 'no-store')
  })
  addGuards(app, options.guards, options.sessions, options.commands.channel)
  addCommands(app, options.commands)
  addOpenApi(app, options.version)

  const page = options.staticRoot !== null && hasPage(options.staticRoot) ? options.staticRoot : null
  if (options.staticRoot !== null && page === null)
    options.log.warn({ folder: options.staticRoot }, 'the renderer is not built: only the API is served')
  app.setNotFoundHandler((request, reply) => {
    if (page !== null && isNavigation(request)) return sendPage(reply, page)
    return sendProblem(reply, problemBody('not-found', request.id))
  })

  void app.register(async (scope) => {
    const typed = scope.withTypeProvider<ZodTypeProvider>()
    addEventRoute(typed, options.events)
    for (const addRoutes of options.routes) addRoutes(typed)
    if (page !== null) addStaticFiles(typed, page)
  })

  const closeUnused = watchUnusedConnections(app)
  app.addHook('preClose', async () => {
    options.events.close()
    closeUnused()
    // A connection that never finishes its request would block the stop, so it is cut. Only an answer is lost: the
    // journal has the effect, and the window repeats the call.
    setTimeout(() => {
      app.server.closeAllConnections()
    }, CLOSE_GRACE_MS).unref()
  })
  return app
}

/**
 * Closes connections that browsers open in advance. Node counts one without a request as busy, so it would block the
 * stop for the whole grace period. Call the returned function on close.
 */
function watchUnusedConnections({ server }: App): () => void {
  const unused = new Set<Socket>()
  let closing = false
  server.on('connection', (socket: Socket) => {
    if (closing) socket.destroy()
    else unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))
  return () => {
    closing = true
    for (const socket of unused) socket.destroy()
  }
}

function addEventRoute(app: App, events: EventStream): void {
  app.get(
    '/api/events',
    {
      schema: {
        tags: ['terminal'],
        description: 'Server-sent events, until the window or the terminal closes.',
        headers: z.looseObject({
          'last-event-id': z
            .string()
            .optional()
            .describe('Id of the last event that this window received: later ones are sent first.'),
        }),
        querystring: z.object({
          as: StreamName.optional().describe('Name of this stream, with which its window reports that it acts.'),
        }),
        response: {
          200: {
            description:
              'The `data` of each event is one of these. `resync`: events may have been missed; ' +
              'read the state again.',
            content: { 'text/event-stream': { schema: TerminalEvent } },
          },
        },
      },
      config: { access: 'window' },
    },
    (request, reply) => {
      const lastEventId = request.headers['last-event-id']
      reply.hijack()
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
      })
      reply.raw.flushHeaders()
      events.attach(reply.raw, lastEventId, windowOf(request), request.query.as)
    },
  )
}
