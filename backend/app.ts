import { dirname, resolve } from 'node:path'
import type { Terminal } from '../contracts/api/session.ts'
import type { QueueSummary } from '../contracts/api/diagnostics.ts'
import type { Lane, Profile } from '../contracts/profile.ts'
import { createCashClient } from './central/cash.ts'
import { createIssuanceClient } from './central/issuance.ts'
import { createTokenSource } from './central/token.ts'
import { createTransport } from './central/transport.ts'
import { createCentreStatus } from './centre-status.ts'
import type { Clock } from './clock.ts'
import { EXIT, StartRefusedError, type DataFolder } from './data-folder.ts'
import { migrate, readMigrations, SchemaTooNewError } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { createTransact } from './db/transact.ts'
import { createCardReads } from './devices/card-reads.ts'
import { openDeviceHub } from './devices/hub.ts'
import { deviceRoutes } from './devices/routes.ts'
import { taxesOf } from './domain/tax.ts'
import { formatCatalogErrors } from './features/catalog/load.ts'
import { catalogRoutes } from './features/catalog/routes.ts'
import { createCatalogService } from './features/catalog/service.ts'
import { diagnosticsRoutes } from './features/diagnostics/routes.ts'
import { createDiagnosticsService } from './features/diagnostics/service.ts'
import { createPreview } from './features/member/preview.ts'
import { createMembers } from './features/member/service.ts'
import { offersRoutes } from './features/offers/routes.ts'
import { createOffersService } from './features/offers/service.ts'
import { queueRoutes } from './features/queue/routes.ts'
import { createReceiptsRepository } from './features/receipts/repository.ts'
import { createReceipts } from './features/receipts/service.ts'
import { createSalesRepository } from './features/sales/repository.ts'
import { salesRoutes } from './features/sales/routes.ts'
import { createSales } from './features/sales/service.ts'
import { createAuditTrail } from './features/staff/audit.ts'
import { staffRoutes } from './features/staff/routes.ts'
import { createStaffService } from './features/staff/service.ts'
import { createMilesTender } from './features/tenders/redemption.ts'
import { createTenders } from './features/tenders/service.ts'
import { createEventStream } from './http/events.ts'
import { ProblemError } from './http/problem.ts'
import { buildServer, type App } from './http/server.ts'
import { createSessions, type Sessions } from './http/sessions.ts'
import { createIssuances } from './journal/issuances.ts'
import { createLanes } from './journal/lanes.ts'
import { createRedemptions } from './journal/redemptions.ts'
import { createSeal } from './journal/seal.ts'
import { createJournal } from './journal/store.ts'
import type { Logger } from './log.ts'

export interface TerminalOptions {
  readonly profile: Profile
  readonly profileFile: string
  readonly lane: Lane
  readonly folder: DataFolder
  readonly endpoints: NonNullable<Profile['endpoints']>
  readonly clientSecret: string
  readonly staticRoot: string | null
  readonly allowedHosts: () => readonly string[]
  readonly allowedOrigins?: () => readonly string[]
  /** A launch link came too late: tell whoever started the terminal a new one. */
  readonly onExpiredLink: () => void
  readonly version: string
  readonly clock: Clock
  readonly log: Logger
}

export interface RunningTerminal {
  readonly app: App
  readonly sessions: Sessions
  /** Finishes or escalates what a crash left open, then starts the queues. Call once, when the server listens. */
  start(): void
  close(): Promise<void>
}

/** Composes the terminal: every room once, in the order in which they need each other. */
export async function createTerminal(options: TerminalOptions): Promise<RunningTerminal> {
  const { profile, lane, folder, clock, log } = options
  const db = openDatabase(folder.database)
  try {
    await migrate(db, readMigrations(), folder.backup)
    folder.markDatabase()
  } catch (error) {
    db.close()
    throw error instanceof SchemaTooNewError ? new StartRefusedError(error.message, EXIT.dataMissing) : error
  }

  const events = createEventStream({ log })
  const publish = events.publish.bind(events)
  const { transact, failStop } = createTransact(db, (error) => {
    log.fatal({ err: error }, 'storage failed: the terminal stops taking money')
    publish({ type: 'stopped', reason: 'storage-failed' })
  }, () => new ProblemError('storage-failed'))

  const audit = createAuditTrail({ db, clock })
  const staff = createStaffService({ db, clock, audit })
  await staff.sync(profile)
  const catalog = createCatalogService({ db, clock })
  const imported = catalog.importFile(resolve(dirname(options.profileFile), profile.catalog.file))
  if ('errors' in imported) throw new StartRefusedError(formatCatalogErrors(imported.errors), EXIT.badArguments)

  const sessions = createSessions({ db, clock })
  const seal = createSeal(folder.masterKey)
  const journal = createJournal(db, transact, seal, clock)
  const lanes = createLanes()
  const centre = createCentreStatus()
  const taxes = taxesOf(profile.taxes, profile.region)
  // The store's own choice, else the language that the customer is served in.
  const locale = () => profile.locales.receipt ?? sessions.signedIn()?.locale ?? profile.locales.default
  const { token, ...services } = options.endpoints
  const tokens = createTokenSource({ tokenUrl: token.url, clientId: token.clientId, clientSecret: options.clientSecret, scope: token.scope, timeoutMs: profile.limits.cashTimeoutMs, log })
  const transport = createTransport({ endpoints: services, tokens, log })
  const cash = createCashClient({ profile, lane, transport })
  const issuance = createIssuanceClient({ profile, lane, transport })

  const repository = createSalesRepository(db)
  const sales = createSales({ repository, transact, journal, findByBarcode: catalog.findByBarcode, findBySku: catalog.findBySku, publish, clock, profile, lane, taxes, signedIn: sessions.signedIn })
  const cardReads = createCardReads(clock, profile.limits.cardReadMs)
  const hub = await openDeviceHub({ profile, lane, cardReads, onItem: sales.scan, publish, paperFolder: folder.paper, log })
  const members = createMembers({ sales, repository, transact, cardReads, cash, seal, clock, taxes, locale, onCentre: centre.heard, log })
  const preview = createPreview({ sales, members, issuance, lanes, clock, taxes, locale, log })
  const receipts = createReceipts({
    repository: createReceiptsRepository(db), transact, parts: sales.parts, printer: hub.printer, profile, lane, taxes, locale, clock, publish, log,
    staffName: (id) => staff.list().find((person) => person.id === id)?.name ?? id,
  })

  const queueSummary = (): QueueSummary => ({ ...journal.counts(), centre: centre.state })
  const announceQueue = (): void => { publish({ type: 'queue-changed', summary: queueSummary() }) }
  const issuances = createIssuances({
    journal, lanes, issuance, clock, log, onCentre: centre.heard,
    onMoved(operation) {
      announceQueue()
      sales.publish(operation.saleId, 'issuance')
    },
  })
  const tenders = createTenders({
    sales, repository, transact, members, issuance, issuances, redemptions: () => redemptions, receipts, clock, taxes, locale,
    announceClosed(saleId, state) {
      publish({ type: 'sale-closed', saleId, state })
      announceQueue()
    },
  })
  const milesTender = createMilesTender({ sales, repository, members, tenders, redemptions: () => redemptions, cash, clock, taxes, locale })
  const redemptions = createRedemptions({
    journal, transact, lanes, cash, clock, retryDeadlineMs: profile.limits.redeemRetryDeadlineMs, log, onCentre: centre.heard,
    saleIsOpen: (saleId) => sales.parts(saleId).sale.state === 'open',
    onApproved: milesTender.onApproved,
    onMoved(operation) {
      announceQueue()
      milesTender.onMoved(operation)
    },
  })
  centre.onChange((state) => {
    announceQueue()
    if (state === 'online') issuances.centreIsBack()
  })

  const offers = createOffersService({ db, clock, transport, profile, log })
  const diagnostics = createDiagnosticsService({ db, clock, transport, profile, lane, events, log })
  const listenForCentre = (): void => {
    diagnostics.runEcho().then(({ outcome }) => { if (outcome !== 'no-token') centre.heard(outcome !== 'unreachable' && outcome !== 'timeout') }).catch((error: unknown) => { log.error({ err: error }, 'the echo could not be recorded') })
  }
  const echoTimer = setInterval(listenForCentre, profile.limits.echoIntervalMs)
  const terminal = (): Omit<Terminal, 'signedIn'> => ({
    mode: profile.mode,
    version: options.version,
    store: { id: profile.store.id, name: profile.store.name },
    lane: lane.id,
    region: profile.region,
    timeZone: profile.timeZone,
    defaultLocale: profile.locales.default,
    redemptionSeconds: Math.ceil((2 * profile.limits.cashTimeoutMs) / 1000) + 2,
    stopped: failStop.reason,
  })

  const app = buildServer({
    log,
    version: options.version,
    guards: { allowedHosts: options.allowedHosts, ...(options.allowedOrigins ? { allowedOrigins: options.allowedOrigins } : {}) },
    sessions,
    events,
    staticRoot: options.staticRoot,
    routes: [
      staffRoutes({ staff, sessions, events, audit, onExpiredLink: options.onExpiredLink, terminal }),
      catalogRoutes(catalog),
      salesRoutes({ sales, tenders, milesTender, members, receipts }),
      offersRoutes(offers),
      diagnosticsRoutes(diagnostics),
      queueRoutes({ journal, summary: queueSummary }),
      deviceRoutes({ hub, profile }),
    ],
  })

  return {
    app,
    sessions,
    start() {
      preview.watch()
      offers.start()
      receipts.recover()
      redemptions.recover()
        .catch((error: unknown) => { log.error({ err: error }, 'recovery could not finish') })
        .finally(() => { issuances.wake() })
      listenForCentre()
      const open = sales.currentId()
      if (open) {
        members.resume(open)
        // Shows the sale again, and asks anew for the miles that it earns.
        sales.publish(open, 'recovery')
      }
    },
    async close() {
      clearInterval(echoTimer)
      offers.stop()
      preview.stop()
      issuances.stop()
      redemptions.stop()
      log.debug('closing the server')
      await app.close()
      log.debug('closing the devices')
      await hub.close()
      log.debug('finishing the print queue')
      await receipts.settled()
      db.close()
      folder.release()
    },
  }
}
