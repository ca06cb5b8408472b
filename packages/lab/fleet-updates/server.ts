import Fastify from 'fastify'
import { openDatabase } from '../../store-server/database.ts'
import { startPostgres } from '../../store-server/db/start-postgres.ts'
import { createLog } from '../../store-server/log.ts'
import { type UpdateKeys, updates } from '../../store-server/updates/updates.ts'

/** Serves the store server's own feature of updates over HTTP, with a temporary PostgreSQL. */
export async function serveUpdates(options: {
  readonly folder: string
  readonly keys: UpdateKeys
  readonly now: () => Date
}): Promise<{ readonly base: string; close(): Promise<void> }> {
  // A simulation judges no durability.
  const cluster = await startPostgres({ fsync: false })
  const postgres = await openDatabase(cluster.url('postgres'), { log: createLog('error') })
  const feature = updates({ ...options, postgres })
  const app = Fastify({ forceCloseConnections: true })
  await app.register(async (scope) => await feature.routes(scope))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    base: `${url}/updates/`,
    async close() {
      await app.close()
      await postgres.close()
      await cluster.stop()
    },
  }
}
