import { openDatabase } from '../../store-server/database.ts'
import { startPostgres } from '../../store-server/db/start-postgres.ts'
import { createLog } from '../../store-server/log.ts'
import { contextOf, openRoutes } from '../../store-server/testing/context.ts'
import type { UpdateKeys } from '../../store-server/context.ts'
import { updateRoutes } from '../../store-server/updates.ts'

export async function serveUpdates(options: {
  readonly folder: string
  readonly keys: UpdateKeys
  readonly now: () => Date
}): Promise<{ readonly base: string; close(): Promise<void> }> {
  // PostgreSQL runs without fsync, because the simulation does not test durability.
  const cluster = await startPostgres({ fsync: false })
  const postgres = await openDatabase(cluster.url('postgres'), { log: createLog('error') })
  const { folder, keys, now } = options
  const settings = { updates: { folder, keys, tokens: false } }
  const ctx = contextOf(postgres, { now: () => now().getTime(), settings })
  const app = await openRoutes(ctx, [updateRoutes], () => null)
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
