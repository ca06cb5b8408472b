import type { FastifyInstance } from 'fastify'
import { cashRoutes } from './cash/cash.routes.ts'
import { type CentralOptions, type Context, openContext } from './context.ts'
import { createControlServer } from './control.ts'
import { type Db, claimFolder, openDatabase } from './db/database.ts'
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
import { layImport } from './import.ts'
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
  /** Where a partner's screen asks for a member's code (RFC 8628 §3.1). */
  readonly memberSignInUrl: string
  /** Where a token is ended (RFC 7009). */
  readonly revocationUrl: string
  /** Of the ID token that a member's sign-in brings. */
  readonly issuer: string
  readonly controlUrl: string | null
  readonly clientId: string
  readonly clientSecret: string
  /** Closes every connection, then the database. */
  close(): Promise<void>
}

/**
 * Claims the data folder, composes the five services and starts to listen. Resolves once they can be called; throws in
 * words when others run on the folder.
 */
export async function startCentral(options: CentralOptions): Promise<Central> {
  const giveBack = claimFolder(options.data)
  try {
    const central = await composeCentral(options)
    return { ...central, close: () => central.close().finally(giveBack) }
  } catch (error) {
    giveBack()
    throw error
  }
}

async function composeCentral(options: CentralOptions): Promise<Central> {
  const db = openDatabase(options.data)
  try {
    layData(db, options)
    return await listen(db, openContext(db, options), options)
  } catch (error) {
    db.close()
    throw error
  }
}

function layData(db: Db, { importFrom, seed }: CentralOptions): void {
  const ledger = createLedger(db)
  const own = importFrom === undefined ? null : readImport(importFrom)
  if (seed !== null) seedProgram(db, ledger, seed, Date.now())
  if (own) layImport(db, ledger, own, Date.now())
}

/** The services on one port, not listening yet. */
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
    // The control port reads the ledger and breaks the services: it never leaves the machine.
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

/**
 * Issuances that wait settle by themselves once they have waited long enough on the services' clock (specification 3
 * §4.2 rule 2).
 */
function settleInTime(ctx: Context, afterMs: number): NodeJS.Timeout {
  const { clock, commit, issuances } = ctx
  return setInterval(
    () => {
      const until = clock.now() - afterMs
      // A settlement that fails leaves everything waiting: the next turn tries again.
      if (issuances.isPending(until)) commit(() => settlePending(ctx, clock.now(), until)).catch(() => undefined)
    },
    Math.min(1_000, Math.max(20, afterMs / 4)),
  ).unref()
}
