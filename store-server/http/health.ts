import type { Postgres } from '../db/postgres.ts'
import { unavailable, type Feature } from './server.ts'

/** Reads and locks nothing; a database that takes no writes refuses it. */
const TAKES_WRITES = 'SELECT 1 FROM schema_migration LIMIT 0 FOR UPDATE'

/**
 * GET /health: whether the server is up, and its time, for whoever watches it; 503 while its database cannot be asked,
 * or takes no writes.
 * Says nothing of stores or lanes.
 */
export const health = (features: readonly string[], database: Pick<Postgres, 'query'> | null): Feature => ({
  name: 'health',
  routes(app) {
    app.get('/health', async (request, reply) => {
      const facts = { features, serverTime: new Date().toISOString() }
      try {
        await database?.query(TAKES_WRITES)
      } catch (error) {
        request.log.error({ reason: String(error) }, 'the database cannot be asked')
        return reply.code(503).send({ ...unavailable(), ...facts, status: 'no database' })
      }
      return { status: 'up', ...facts }
    })
  },
})
