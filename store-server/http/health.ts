import type { Postgres } from '../db/postgres.ts'
import { unavailable, type Feature } from './server.ts'

/** Reads and locks nothing; a database that takes no writes refuses it. */
const TAKES_WRITES = 'SELECT 1 FROM schema_migration LIMIT 0 FOR UPDATE'

/**
 * GET /health: whether the server is up, and its time, for whoever watches it; 503 while its database cannot be asked,
 * or takes no writes.
 * Says nothing of stores or lanes.
 */
export function health(features: readonly string[], database: Pick<Postgres, 'query'> | null): Feature {
  let underWay: Promise<unknown> | null = null
  /** Anybody may call, and however many do, one connection is theirs: the others are the lanes’. */
  const ask = (on: Pick<Postgres, 'query'>): Promise<unknown> =>
    (underWay ??= on.query(TAKES_WRITES).finally(() => {
      underWay = null
    }))
  return {
    name: 'health',
    routes(app) {
      app.get('/health', async (request, reply) => {
        const facts = { features, serverTime: new Date().toISOString() }
        try {
          if (database) await ask(database)
        } catch (error) {
          request.log.error({ reason: String(error) }, 'the database cannot be asked')
          return reply.code(503).send({ ...unavailable(), ...facts, status: 'no database' })
        }
        return { status: 'up', ...facts }
      })
    },
  }
}
