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
    access?: Access | undefined
    byItself?: Route['byItself']
  }
  interface FastifyRequest {
    correlationId: string
    windowSession: string | null
    staff: Staff | null
  }
}
