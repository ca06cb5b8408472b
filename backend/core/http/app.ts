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

/** The local API as a feature sees it: routes with zod schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** Puts a feature's routes on the app. */
export type Routes = (app: App) => void

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Left out: `staff`. */
    access?: Access | undefined
    byItself?: Route['byItself']
  }
  interface FastifyRequest {
    /** UUID of this call, in the answer's X-Correlation-Id and in every problem. */
    correlationId: string
    /** Names the window that calls; null where it proved no key. */
    windowSession: string | null
    /** Who is signed in at the window that calls. */
    staff: Staff | null
  }
}
