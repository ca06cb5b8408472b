import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { fingerprintOf, pinOf, type Certificate } from './certificate/files.ts'
import type { Postgres } from './db/postgres.ts'
import { type Feature, addressOf, createServer, health, showCertificate } from './http/server.ts'
import { namePart } from './http/calls.ts'
import { createLog } from './log.ts'
import type { LaneGuard } from './lanes/guard.ts'
import type { StoreCounts } from './metrics/counts.ts'

export interface StoreServerOptions {
  readonly certificate: Certificate
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly logLevel: string
  /** Default: one of its own, of this level. */
  readonly log?: FastifyBaseLogger
  /** Where its calls are counted; default: nowhere. */
  readonly counts?: StoreCounts
  /** What this server is for; each in a scope of its own. */
  readonly features: readonly Feature[]
  /** Admits the calls of lanes; default: the server has no routes for lanes. */
  readonly guard?: LaneGuard
  /** What it cannot serve without, and says so of; default: nothing. */
  readonly database?: Pick<Postgres, 'query'> | null
}

export interface StoreServer {
  readonly url: string
  /** SHA-256 of what lanes pin of its certificate, in hex. */
  readonly fingerprint: string
  /** New connections get this certificate; those that are open go on. */
  show(certificate: Certificate): void
  /** Ends every connection, then what the features hold. */
  close(): Promise<void>
}

/** Composes the features; it does not listen yet. */
export function composeServer(options: Omit<StoreServerOptions, 'host' | 'port'>): FastifyInstance {
  const { features, guard, database = null, log = createLog(options.logLevel), counts = null } = options
  const app = createServer(options.certificate, { log, counts })
  for (const feature of [
    health(
      features.filter(({ isPurpose = true }) => isPurpose).map(({ name }) => name),
      database,
    ),
    ...features,
  ])
    app.register(async (scope) => {
      namePart(scope, feature.name)
      guard?.protect(scope)
      await feature.routes(scope)
    })
  return app
}

/** Composes the features and listens over TLS. Resolves once it can be called. */
export async function startStoreServer(options: StoreServerOptions): Promise<StoreServer> {
  const { features } = options
  const app = composeServer(options)
  const close = async (): Promise<void> => {
    await app.close()
    for (const feature of features) await feature.close?.()
  }
  try {
    await app.listen({ host: options.host, port: options.port })
  } catch (error) {
    await close()
    throw error
  }
  return {
    url: addressOf(app),
    fingerprint: fingerprintOf(pinOf(options.certificate.certificate)),
    show: (certificate) => showCertificate(app, certificate),
    close,
  }
}
