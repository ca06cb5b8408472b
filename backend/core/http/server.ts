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
  /** Folder of the built renderer; null when something else serves it. */
  readonly staticRoot: string | null
  readonly routes: readonly Routes[]
}

const BODY_LIMIT = 256 * 1024
/** A body that has not arrived by then never will. */
const REQUEST_TIMEOUT_MS = 15_000
/** How long calls that are under way may take to end when the terminal stops. */
const CLOSE_GRACE_MS = 2_000

const neverAsked = (): never => {
  throw new Error('schemas are compiled by the type provider')
}

/**
 * The local API, not listening yet: `await app.listen({ host: '127.0.0.1', port })` or `{ path }`.
 * `app.close()` ends the event streams and lets calls that are under way finish.
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
    // Else Fastify loads compilers of its own, some 2 MB that nobody asks.
    schemaController: { compilersFactory: { buildValidator: neverAsked, buildSerializer: neverAsked } },
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
    options.log.warn({ folder: options.staticRoot }, 'there are no built screens here: only the API is served')
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

  const endUnasked = watchUnasked(app)
  app.addHook('preClose', async () => {
    options.events.close()
    endUnasked()
    // A connection that never finishes its request would hold the terminal open for ever. What is cut here is only an
    // answer: the journal has what matters, and the window asks again.
    setTimeout(() => {
      app.server.closeAllConnections()
    }, CLOSE_GRACE_MS).unref()
  })
  return app
}

/**
 * A browser opens a connection to have one ready, and Node takes one that has asked nothing yet for a busy one: it
 * would hold the terminal open for the whole grace. Call the answer when the terminal closes.
 */
function watchUnasked({ server }: App): () => void {
  const unasked = new Set<Socket>()
  let closing = false
  server.on('connection', (socket: Socket) => {
    if (closing) socket.destroy()
    else unasked.add(socket)
    socket.once('close', () => unasked.delete(socket))
  })
  server.on('request', ({ socket }) => unasked.delete(socket))
  return () => {
    closing = true
    for (const socket of unasked) socket.destroy()
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
            .describe('The id of the last event that this window received: later ones are sent first.'),
        }),
        querystring: z.object({
          as: StreamName.optional().describe('The name of this stream, by which its window says that it acts.'),
        }),
        response: {
          200: {
            description:
              'The `data` of each event is one of these. `resync` says that something may have been missed: ' +
              'read the state anew.',
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
