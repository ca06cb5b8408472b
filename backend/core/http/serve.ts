import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { z } from 'zod'
import type { AnswerOf, NamedRoute, Route } from '../../../contracts/core/route.ts'
import type { App } from './app.ts'

type RequestOf<One extends Route> = FastifyRequest & {
  readonly params: { readonly [Name in keyof One['params']]: z.output<One['params'][Name]> }
  readonly query: z.output<One['query']>
  readonly body: z.output<One['body']>
}

/**
 * A stored command answers synchronously, because its effect commits before its handler returns. See
 * docs/decisions/0003-routes-are-declared-once.md.
 */
type AnswerIn<One extends NamedRoute> = One extends { file: readonly string[] }
  ? FastifyReply | Promise<FastifyReply>
  : One extends { name: `GET ${string}` } | { command: string }
    ? AnswerOf<One> | Promise<AnswerOf<One>>
    : AnswerOf<One>

type Handler<One extends NamedRoute> = (request: RequestOf<One>, reply: FastifyReply) => AnswerIn<One>

interface RouteExtras<One extends Route> {
  /**
   * For a stored command: asynchronous work before its transaction opens. The function that it returns is called after
   * the transaction, whether committed or not.
   */
  readonly before?: (request: RequestOf<One>) => Promise<(() => void) | void>
  readonly interrupted?: (request: RequestOf<One>) => AnswerOf<One>
  /** Maximum size of the body in bytes, where the default is too small. */
  readonly bodyLimit?: number
}

export function serve<One extends NamedRoute>(
  app: App,
  route: One,
  handler: Handler<One>,
  { bodyLimit, ...hooks }: RouteExtras<One> = {},
): void {
  const { name, tag, summary, description, access, byItself, command, params, query, body, answer, file } = route
  const [method = '', path = ''] = name.split(' ')
  const status = route.status ?? (answer === undefined && file === undefined ? 204 : 200)
  app.route({
    method,
    url: `/api${path}`,
    // Keys without a schema are left out: Fastify warns on standard error of each key that is undefined.
    schema: {
      summary,
      tags: [tag],
      ...(description === undefined ? {} : { description }),
      ...(params && { params: z.object(params) }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(file ? { produces: file } : { response: { [status]: answer ?? z.undefined() } }),
    },
    config: { access, byItself, command, ...(hooks as object) },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(status === 200
      ? {}
      : {
          preHandler: (_request: FastifyRequest, reply: FastifyReply, done: () => void) => {
            void reply.code(status)
            done()
          },
        }),
    handler: handler as unknown as RouteHandlerMethod,
  })
}
