import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { tmpdir } from 'node:os'
import { DEFAULT_LIMITS, type Routes, type StoreContext, type StoreSettings } from '../context.ts'
import type { Postgres } from '../db/postgres.ts'
import type { Caller } from '../lanes/caller.ts'
import { createLog } from '../log.ts'
import { createStoreCounts } from '../metrics/counts.ts'
import { PROJECTIONS } from '../projections.ts'

export const contextOf = (
  db: Postgres,
  { settings, ...change }: Partial<Omit<StoreContext, 'settings'>> & { settings?: Partial<StoreSettings> } = {},
): StoreContext => ({
  db,
  log: createLog('error'),
  counts: createStoreCounts(),
  now: Date.now,
  projections: PROJECTIONS,
  ...change,
  settings: {
    folder: tmpdir(),
    version: 'test',
    enrolment: false,
    updates: null,
    sealKey: Buffer.alloc(32, 7),
    proofKey: Buffer.alloc(32, 8),
    authority: null,
    ends: { server: new Date(), authority: null },
    ...DEFAULT_LIMITS,
    ...settings,
  },
})

export async function openRoutes(
  ctx: StoreContext,
  features: readonly Routes[],
  callerOf: (request: FastifyRequest) => Caller | null,
): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true })
  app.decorateRequest('feature', null).decorateRequest('caller', null).decorateRequest('outcome', null)
  app.addHook('onRequest', async (request) => {
    request.caller = callerOf(request)
  })
  for (const routes of features) await routes(app, ctx)
  return app
}
