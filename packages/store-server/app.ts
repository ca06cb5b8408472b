import type { FastifyInstance } from 'fastify'
import { fingerprintOf, pinOf, type Certificate } from './certificate/files.ts'
import { catalogRoutes } from './changes/catalog.ts'
import { changeRoutes } from './changes/changes.ts'
import type { Routes, StoreContext } from './context.ts'
import { enrolmentRoutes } from './enrolment/enrolment.ts'
import { holdRoutes } from './holds/holds.ts'
import { nameFeature } from './calls.ts'
import { addressOf, createServer, healthRoutes, showCertificate } from './server.ts'
import { createLaneGuard } from './lanes/guard.ts'
import { laneRoutes } from './lanes/lanes.ts'
import { metricsRoutes } from './metrics/metrics.routes.ts'
import { overviewRoutes } from './overview/overview.ts'
import { onlineReceiptRoutes } from './receipts/online.ts'
import { receiptRoutes } from './receipts/receipts.ts'
import { collectorLockRoutes } from './lanes/collector-locks.ts'
import { updateRoutes } from './updates.ts'
import { voucherRoutes } from './vouchers/vouchers.ts'

export interface StoreServer {
  readonly url: string
  /** SHA-256 in hex of the certificate that lanes pin: the server's own, or its authority's. */
  readonly fingerprint: string
  show(certificate: Certificate): void
  close(): Promise<void>
}

/** Groups of routes; the object keys are the group names in the metrics and in `GET /health`. */
export const STORE_ROUTES: Readonly<Record<string, Routes>> = {
  lanes: laneRoutes,
  vouchers: voucherRoutes,
  receipts: receiptRoutes,
  'online-receipts': onlineReceiptRoutes,
  overview: overviewRoutes,
  turns: collectorLockRoutes,
  holds: holdRoutes,
  catalog: catalogRoutes,
  changes: changeRoutes,
}

export function composeServer(ctx: StoreContext, certificate: Certificate): FastifyInstance {
  const app = createServer(ctx, certificate)
  const guard = createLaneGuard(ctx)
  const { enrolment, updates } = ctx.settings
  const features: Readonly<Record<string, Routes>> = {
    ...(enrolment ? { enrolment: enrolmentRoutes } : {}),
    ...(updates ? { updates: updateRoutes } : {}),
    ...STORE_ROUTES,
  }
  const health = healthRoutes(Object.keys(features))
  for (const [name, routes] of Object.entries({ health, ...features, metrics: metricsRoutes }))
    app.register(async (scope) => {
      nameFeature(scope, name)
      guard.protect(scope)
      await routes(scope, ctx)
    })
  return app
}

export async function startStoreServer(
  ctx: StoreContext,
  certificate: Certificate,
  listen: { readonly host: string; readonly port: number },
): Promise<StoreServer> {
  const app = composeServer(ctx, certificate)
  try {
    await app.listen(listen)
  } catch (error) {
    await app.close()
    throw error
  }
  return {
    url: addressOf(app),
    fingerprint: fingerprintOf(pinOf(certificate.certificate)),
    show: (next) => showCertificate(app, next),
    close: async () => {
      await app.close()
    },
  }
}
