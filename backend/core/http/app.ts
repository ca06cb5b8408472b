import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Access, Route } from '../../../contracts/core/route.ts'
import type { Staff } from '../../../contracts/staff/session.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

export type Routes = (app: App) => void

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Access that the route requires; default: `staff`. */
    access?: Access | undefined
    byItself?: Route['byItself']
  }
  interface FastifyRequest {
    /** UUID of this call, sent in the answer's X-Correlation-Id and in every problem. */
    correlationId: string
    /** Id of the calling window; null without a valid proof of its key. */
    windowSession: string | null
    staff: Staff | null
  }
}
