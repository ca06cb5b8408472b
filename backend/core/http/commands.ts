import type { FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'
import type { Route } from '../../../contracts/core/route.ts'
import { COMMAND_KEY, KEY_HEADER, REPLAYED_HEADER } from '../../../contracts/core/window.ts'
import type { Asker, AwaitedWork, CommandAnswer, CommandChannel, StoredWork } from '../command-channel.ts'
import type { App } from './app.ts'
import type { Tx } from '../db/transact.ts'
import { inTrace, traceOfCommand } from '../trace.ts'
import { ProblemError } from '../problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Left out: `stored`. `Route` (contracts/core/route.ts) says what the kinds are, `serve` what the hooks do. */
    command?: 'stored' | Route['command']
    before?: (request: FastifyRequest) => Promise<(() => void) | void>
    interrupted?: (request: FastifyRequest) => unknown
  }
  interface FastifyRequest {
    /** The window asks for the answer of a command that it may no longer give, and is told that alone. */
    asksAgain: boolean
    /** As whom the window asks for a command. */
    asker: Asker
    /** Puts the key of an `awaited` command into the transaction that is open. */
    claim: (tx: Tx) => void
    /** The store's word for a return, got before the transaction of its command. */
    storeClaim: string | null
    /** Cents that the same person took back without a record at other lanes today. */
    unrecordedElsewhere: number
  }
}

export interface CommandOptions {
  readonly channel: CommandChannel
  /** Runs before the transaction of a command opens. */
  readonly prepare?: (request: FastifyRequest) => Promise<void>
  /** Whether whoever asked is still there, once others were waited for. Throws ProblemError. */
  readonly admit?: (request: FastifyRequest) => void
}

/** Every route that changes something is done once for each key. Must be added before any route. */
export function addCommands(app: App, options: CommandOptions): void {
  app.decorateRequest('asksAgain', false)
  app.decorateRequest('asker')
  app.decorateRequest('storeClaim', null)
  app.decorateRequest('unrecordedElsewhere', 0)
  app.decorateRequest('claim', unclaimed)
  app.addHook('onRoute', (route) => {
    if (!isCommand(route)) return
    if (route.config?.command !== 'awaited' && isAsync(route.handler))
      throw new Error(`${route.url}: the effect of a stored command commits before its handler returns`)
    route.handler = once(route.handler, options)
  })
}

/** The key of a call, where it has a good one. */
export function keyOf(request: FastifyRequest): string | null {
  const key = request.headers[KEY_HEADER]
  return typeof key === 'string' && COMMAND_KEY.test(key) ? key : null
}

/** Whether this route changes something, so that each call of it carries a key. */
export const isCommand = ({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): boolean =>
  method !== 'GET' && method !== 'HEAD' && url.startsWith('/api') && config?.command !== 'reading'

const isAsync = (handler: RouteHandlerMethod): boolean => handler.constructor.name === 'AsyncFunction'

function unclaimed(): void {
  throw new Error('only an awaited command is claimed')
}

function once(handler: RouteHandlerMethod, { channel, prepare, admit }: CommandOptions): RouteHandlerMethod {
  return async function (request, reply) {
    const key = keyOf(request)
    if (key === null) throw new ProblemError('key-missing')
    const said = (body: unknown): CommandAnswer => ({
      status: reply.statusCode,
      // The schema of the route makes text of it.
      body: body === undefined ? null : (reply.serialize(body) as string),
    })
    const { command = 'stored', before, interrupted } = request.routeOptions.config
    const work: StoredWork | AwaitedWork =
      command === 'stored'
        ? {
            kind: 'stored',
            prepare: async () => {
              await prepare?.(request)
              if (before === undefined) return
              const release = await before(request)
              try {
                admit?.(request)
              } catch (error) {
                release?.()
                throw error
              }
              return release
            },
            run: () => said(handler.call(this, request, reply)),
          }
        : {
            kind: 'awaited',
            run: async (claim) => {
              request.claim = claim
              await prepare?.(request)
              return said(await handler.call(this, request, reply))
            },
            interrupted: interrupted ? () => said(interrupted(request)) : null,
          }
    const asked = {
      key,
      parts: [request.method, request.url, JSON.stringify(request.body ?? null)],
      asker: request.asker,
    }
    const answered = await inTrace(traceOfCommand(key), () => channel.perform(asked, work, request.asksAgain))
    return answer(reply, answered)
  }
}

function answer(
  reply: FastifyReply,
  { status, body, replayed }: CommandAnswer & { readonly replayed: boolean },
): FastifyReply {
  if (replayed) void reply.header(REPLAYED_HEADER, 'true')
  void reply.code(status)
  return body === null ? reply.send() : reply.type('application/json; charset=utf-8').send(body)
}
