import type { FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'
import type { Route } from '../../../contracts/core/route.ts'
import { COMMAND_KEY, KEY_HEADER, REPLAYED_HEADER } from '../../../contracts/core/window.ts'
import type { CommandClient, AwaitedWork, CommandAnswer, CommandChannel, StoredWork } from '../command-channel.ts'
import type { App } from './app.ts'
import type { Tx } from '../db/transact.ts'
import { inTrace, traceOfCommand } from '../trace.ts'
import { ProblemError } from '../problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Kind of the command; default: `stored`. `Route` (contracts/core/route.ts) describes the kinds, `serve` the hooks.
     */
    command?: 'stored' | Route['command']
    before?: (request: FastifyRequest) => Promise<(() => void) | void>
    interrupted?: (request: FastifyRequest) => unknown
  }
  interface FastifyRequest {
    isRepeated: boolean
    client: CommandClient
    storeKey: (tx: Tx) => void
    /**
     * Id of the store server's reservation for a return, made before the transaction of its command; null without one.
     */
    storeReservation: string | null
    unrecordedElsewhere: number
  }
}

export interface CommandOptions {
  readonly channel: CommandChannel
  readonly prepare?: (request: FastifyRequest) => Promise<void>
  readonly admit?: (request: FastifyRequest) => void
}

/** Makes every changing route run once per idempotency key. Call it before any route is added. */
export function addCommands(app: App, options: CommandOptions): void {
  app.decorateRequest('isRepeated', false)
  app.decorateRequest('client')
  app.decorateRequest('storeReservation', null)
  app.decorateRequest('unrecordedElsewhere', 0)
  app.decorateRequest('storeKey', refuseStoreKey)
  app.addHook('onRoute', (route) => {
    if (!isCommand(route)) return
    if (route.config?.command !== 'awaited' && isAsync(route.handler))
      throw new Error(
        `${route.url}: the handler of a stored command must be synchronous: its effect commits before it returns`,
      )
    route.handler = once(route.handler, options)
  })
}

export function keyOf(request: FastifyRequest): string | null {
  const key = request.headers[KEY_HEADER]
  return typeof key === 'string' && COMMAND_KEY.test(key) ? key : null
}

/** Whether this route changes something, so that its calls need an idempotency key. */
export const isCommand = ({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): boolean =>
  method !== 'GET' && method !== 'HEAD' && url.startsWith('/api') && config?.command !== 'reading'

const isAsync = (handler: RouteHandlerMethod): boolean => handler.constructor.name === 'AsyncFunction'

function refuseStoreKey(): void {
  throw new Error('only an awaited command can store its key')
}

function once(handler: RouteHandlerMethod, { channel, prepare, admit }: CommandOptions): RouteHandlerMethod {
  return async function (request, reply) {
    const key = keyOf(request)
    if (key === null) throw new ProblemError('key-missing')
    const answerOf = (body: unknown): CommandAnswer => ({
      status: reply.statusCode,
      // The response schema of the route converts the body to JSON.
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
            run: () => answerOf(handler.call(this, request, reply)),
          }
        : {
            kind: 'awaited',
            run: async (storeKey) => {
              request.storeKey = storeKey
              await prepare?.(request)
              return answerOf(await handler.call(this, request, reply))
            },
            interrupted: interrupted ? () => answerOf(interrupted(request)) : null,
          }
    const asked = {
      key,
      requestFields: [request.method, request.url, JSON.stringify(request.body ?? null)],
      client: request.client,
    }
    const answered = await inTrace(traceOfCommand(key), () => channel.perform(asked, work, request.isRepeated))
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
