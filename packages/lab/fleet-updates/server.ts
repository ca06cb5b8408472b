import Fastify from 'fastify'
import { openFileStorage } from '../../store-server/storage.ts'
import { type UpdateKeys, updates } from '../../store-server/updates/updates.ts'

/** The store server’s own feature of updates on a socket of this machine, with its database and its controller. */
export async function serveUpdates(options: {
  readonly folder: string
  readonly data: string
  readonly keys: UpdateKeys
  readonly now: () => Date
}): Promise<{ readonly base: string; close(): Promise<void> }> {
  const storage = openFileStorage(options.data)
  const feature = updates({ ...options, repository: storage.reports, requests: storage.haltRequests })
  const app = Fastify({ forceCloseConnections: true })
  await app.register(async (scope) => await feature.routes(scope))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    base: `${url}/updates/`,
    async close() {
      await app.close()
      await storage.close()
    },
  }
}
