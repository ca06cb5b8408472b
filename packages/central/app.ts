import type { FastifyInstance } from 'fastify'
import { cashRoutes } from './cash/cash.routes.ts'
import { type CentralOptions, type Context, openContext } from './context.ts'
import { createControlServer } from './control.ts'
import { type Db, lockFolder, openDatabase } from './db/database.ts'
import { historyRoutes } from './history/history.routes.ts'
import { addressOf } from './http/call.ts'
import { createServer } from './http/server.ts'
import {
  DEVICE_AUTHORIZATION_PATH,
  IDENTITY_PATH,
  MEMBER_PAGE_PATH,
  REVOCATION_PATH,
  TOKEN_PATH,
} from './identity/artifacts.ts'
import { identityRoutes } from './identity/provider.ts'
import { readImport } from './import-files.ts'
import { applyImport } from './import.ts'
import { issuanceRoutes } from './issuance/issuance.routes.ts'
import { settlePending } from './issuance/settlement.ts'
import { createLedger } from './ledger.ts'
import { offerStateRoutes } from './offers/offer-state.ts'
import { offerRoutes } from './offers/offers.routes.ts'
import { addDescription } from './openapi.ts'
import { seedProgram } from './seed/seed.ts'

export interface Central {
  readonly url: string
  readonly tokenUrl: string
  /** Device authorization endpoint for member sign-in (RFC 8628 §3.1). */
  readonly memberSignInUrl: string
  /** Token revocation endpoint (RFC 7009). */
  readonly revocationUrl: string
  readonly issuer: string
  readonly controlUrl: string | null
  readonly clientId: string
  readonly clientSecret: string
  close(): Promise<void>
}

/**
 * Locks the data folder, composes the five services and listens. Throws a readable error when another process uses the
 * folder.
 */
export async function startCentral(options: CentralOptions): Promise<Central> {
  const releaseFolder = lockFolder(options.data)
  try {
    const central = await composeCentral(options)
    return { ...central, close: () => central.close().finally(releaseFolder) }
  } catch (error) {
    releaseFolder()
    throw error
  }
}

async function composeCentral(options: CentralOptions): Promise<Central> {
  const db = openDatabase(options.data)
  try {
    prepareData(db, options)
    return await listen(db, openContext(db, options), options)
  } catch (error) {
    db.close()
    throw error
  }
}

function prepareData(db: Db, { importFrom, seed }: CentralOptions): void {
  const ledger = createLedger(db)
  const own = importFrom === undefined ? null : readImport(importFrom)
  if (seed !== null) seedProgram(db, ledger, seed, Date.now())
  if (own) applyImport(db, ledger, own, Date.now())
}

function createServices(ctx: Context, options: CentralOptions): FastifyInstance {
  const app = createServer(options.logLevel, options.tls)
  addDescription(app)
  app.register(async (scope) => identityRoutes(scope, ctx))
  app.register(async (scope) => {
    cashRoutes(scope, ctx)
    issuanceRoutes(scope, ctx)
    offerRoutes(scope, ctx)
    offerStateRoutes(scope, ctx)
    historyRoutes(scope, ctx)
    scope.get('/openapi.json', () => scope.swagger())
  })
  return app
}

async function listen(db: Db, ctx: Context, options: CentralOptions): Promise<Central> {
  const app = createServices(ctx, options)
  const control =
    options.controlPort === null ? null : createControlServer(ctx, () => addressOf(app) + MEMBER_PAGE_PATH)
  try {
    await app.listen({ host: options.host, port: options.port })
    // The control port accepts only loopback connections, because it exposes the ledger and the faults.
    if (control && options.controlPort !== null) await control.listen({ host: '127.0.0.1', port: options.controlPort })
  } catch (error) {
    await Promise.all([app.close(), control?.close()])
    throw error
  }
  const settling = settleInTime(ctx, options.settleAfterMs ?? 60_000)
  const url = addressOf(app)
  return {
    url,
    tokenUrl: `${url}${TOKEN_PATH}`,
    memberSignInUrl: `${url}${DEVICE_AUTHORIZATION_PATH}`,
    revocationUrl: `${url}${REVOCATION_PATH}`,
    issuer: `${url}${IDENTITY_PATH}`,
    controlUrl: control && addressOf(control),
    clientId: ctx.client.clientId,
    clientSecret: ctx.client.clientSecret,
    async close() {
      clearInterval(settling)
      await Promise.all([app.close(), control?.close()])
      db.close()
    },
  }
}

/** Settles pending issuances after `afterMs` on the services' clock (specification 3 §4.2 rule 2). */
function settleInTime(ctx: Context, afterMs: number): NodeJS.Timeout {
  const { clock, commit, issuances } = ctx
  return setInterval(
    () => {
      const until = clock.now() - afterMs
      // If settling fails, nothing changed, and the next interval retries.
      if (issuances.isPending(until)) commit(() => settlePending(ctx, clock.now(), until)).catch(() => undefined)
    },
    Math.min(1_000, Math.max(20, afterMs / 4)),
  ).unref()
}
