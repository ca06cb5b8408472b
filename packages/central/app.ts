import { ASSUMED_PATHS, type UnshownPaths } from './http/unshown-paths.ts'
import { createCashRepository } from './cash/cash.sql.ts'
import { cashRoutes, createCashService } from './cash/cash.ts'
import { createClock } from './clock.ts'
import { createControlServer, createPhone } from './control.ts'
import { claimFolder, createCommitter, openDatabase } from './db/database.ts'
import { createFaults } from './faults/faults.ts'
import { createHistoryRepository } from './history/history.sql.ts'
import { historyRoutes } from './history/history.routes.ts'
import { type CallDependencies, addressOf } from './http/call.ts'
import { createServer, type ServerTls } from './http/server.ts'
import { createKeyedMutex, createStoredAnswers } from './http/stored-answers.ts'
import { createArtifacts } from './identity/artifacts.ts'
import { identityRoutes, partnerClient, tokenFaults } from './identity/provider.ts'
import {
  DEVICE_AUTHORIZATION_PATH,
  IDENTITY_PATH,
  MEMBER_PAGE_PATH,
  REVOCATION_PATH,
  TOKEN_PATH,
} from './identity/bearer.ts'
import { layImport } from './import/lay.ts'
import { readImport } from './import/files.ts'
import { createPartnerIssuanceService } from './issuance/partner-service.ts'
import { createIssuanceRepository } from './issuance/issuance.sql.ts'
import { issuanceRoutes } from './issuance/issuance.routes.ts'
import { createIssuanceService } from './issuance/issuance.ts'
import { createLedger } from './ledger.ts'
import { offerStateRoutes } from './offers/offer-state.ts'
import { createOfferRepository } from './offers/offers.ts'
import { offerRoutes } from './offers/offers.routes.ts'
import { createOfferStateRepository } from './offers/states.ts'
import { descriptionRoutes } from './openapi.ts'
import { createProgramRepository, createSettings } from './program.ts'
import { createRequestJournal } from './http/journal.ts'
import { seedProgram } from './seed/seed.ts'

export interface CentralOptions {
  /** Folder of the database; made when missing. */
  readonly data: string
  /** null: no seed data, only what is imported. */
  readonly seed: number | null
  /** Folder of the user's own data, laid over what is there at every start. Throws ImportError when it cannot be. */
  readonly importFrom?: string
  readonly host: string
  /** HTTPS in the place of HTTP. */
  readonly tls?: ServerTls
  /** 0: any free port. */
  readonly port: number
  /** null: no control port. */
  readonly controlPort: number | null
  /** Life of a partner's token in seconds. */
  readonly tokenTtl: number
  /** Life of a member's token in seconds; as a partner's when left out. */
  readonly memberTokenTtl?: number
  /** Seconds between two polls of a lane for a member; left out: five. */
  readonly memberPollInterval?: number
  /** Life of a code for a member's phone in seconds; ten minutes when left out. */
  readonly memberCodeTtl?: number
  /** How long an issuance that waits does so before it settles by itself; a minute when left out. */
  readonly settleAfterMs?: number
  /** Paths that the specification does not show (3 §4.4, §4.5). */
  readonly paths?: Partial<UnshownPaths>
  readonly logLevel: string
}

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
  const clock = createClock()
  const ledger = createLedger(db)
  try {
    const own = options.importFrom === undefined ? null : readImport(options.importFrom)
    if (options.seed !== null) seedProgram(db, ledger, options.seed, clock.now())
    if (own) layImport(db, ledger, own, clock.now())
  } catch (error) {
    db.close()
    throw error
  }

  const program = createProgramRepository(db)
  const settings = createSettings(db)
  const artifacts = createArtifacts(db)
  const client = partnerClient(settings)
  const dependencies: CallDependencies = {
    clock,
    artifacts,
    commit: createCommitter(db),
    answers: createStoredAnswers(db),
    mutex: createKeyedMutex(),
    busyCollectors: new Set(),
    faults: createFaults(),
    requests: createRequestJournal(options.controlPort !== null),
  }
  const offerStates = createOfferStateRepository(db)
  const issuance = { program, ledger, issuances: createIssuanceRepository(db), offerStates }
  const issuanceService = createIssuanceService(issuance)

  const app = createServer(options.logLevel, options.tls)
  app.register(async (scope) => {
    tokenFaults(dependencies)(scope)
    identityRoutes({
      settings,
      artifacts,
      client,
      tokenTtl: options.tokenTtl,
      memberTokenTtl: options.memberTokenTtl ?? options.tokenTtl,
      memberPollInterval: options.memberPollInterval ?? 5,
      memberCodeTtl: options.memberCodeTtl ?? 600,
      isMember: (number) => program.findCollector(number)?.state === 'active',
      hasPin: (number, pin) => program.findCollector(number)?.pin === pin,
    })(scope)
  })
  const paths: UnshownPaths = { ...ASSUMED_PATHS, ...options.paths }
  const offers = createOfferRepository(db)
  cashRoutes(
    dependencies,
    paths.cashReverse,
    createCashService({ program, ledger, redemptions: createCashRepository(db) }),
  )(app)
  issuanceRoutes(dependencies, paths, issuanceService, createPartnerIssuanceService(issuance))(app)
  offerRoutes(dependencies, program, offers, offerStates)(app)
  offerStateRoutes(dependencies, program, offers, offerStates)(app)
  historyRoutes(dependencies, program, createHistoryRepository(db))(app)
  descriptionRoutes(paths)(app)

  const control =
    options.controlPort === null
      ? null
      : createControlServer({
          dependencies,
          ledger,
          settle: (now) => issuanceService.settle(now, now),
          phone: createPhone({ page: () => addressOf(app) + MEMBER_PAGE_PATH, program }),
        })
  try {
    await app.listen({ host: options.host, port: options.port })
    // The control port reads the ledger and breaks the services: it never leaves the machine.
    if (control && options.controlPort !== null) await control.listen({ host: '127.0.0.1', port: options.controlPort })
  } catch (error) {
    await Promise.all([app.close(), control?.close()])
    db.close()
    throw error
  }
  const settling = settleInTime(dependencies, issuanceService, options.settleAfterMs ?? 60_000)
  const url = addressOf(app)
  return {
    url,
    tokenUrl: `${url}${TOKEN_PATH}`,
    memberSignInUrl: `${url}${DEVICE_AUTHORIZATION_PATH}`,
    revocationUrl: `${url}${REVOCATION_PATH}`,
    issuer: `${url}${IDENTITY_PATH}`,
    controlUrl: control && addressOf(control),
    clientId: client.clientId,
    clientSecret: client.clientSecret,
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
function settleInTime(
  { clock, commit }: CallDependencies,
  service: ReturnType<typeof createIssuanceService>,
  afterMs: number,
): NodeJS.Timeout {
  return setInterval(
    () => {
      const until = clock.now() - afterMs
      // A settlement that fails leaves everything waiting: the next turn tries again.
      if (service.isWaiting(until)) commit(() => service.settle(clock.now(), until)).catch(() => undefined)
    },
    Math.min(1_000, Math.max(20, afterMs / 4)),
  ).unref()
}
