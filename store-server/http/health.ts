import type { Postgres } from '../db/postgres.ts'
import { unavailable, type Feature } from './server.ts'

/**
 * GET /health: whether the server is up, and its time, for whoever watches it; 503 while its database cannot be asked.
 * Says nothing of stores or lanes.
 */
export const health = (features: readonly string[], database: Pick<Postgres, 'query'> | null): Feature => ({
  name: 'health',
  routes(app) {
    app.get('/health', async (request, reply) => {
      const facts = { features, serverTime: new Date().toISOString() }
      try {
        await database?.query('SELECT 1')
      } catch (error) {
        request.log.error({ reason: String(error) }, 'the database cannot be asked')
        return reply.code(503).send({ ...unavailable(), ...facts, status: 'no database' })
      }
      return { status: 'up', ...facts }
    })
  },
})
