import { EventEmitter } from 'node:events'
import { dirname, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Terminal } from '../contracts/api/session.ts'
import { FOR_ACTING_WINDOW, type TerminalEvent } from '../contracts/events.ts'
import type { Lane, Profile } from '../contracts/profile.ts'
import { createBreaker } from './central/breaker.ts'
import { createLoad } from './central/load.ts'
import { createHistoryClient } from './central/history.ts'
import { createOffersClient } from './central/offers.ts'
import { clientCredentials, createTokenSource } from './central/token.ts'
import { spread } from './central/waits.ts'
import { createHttpExchange, createTransport, type Exchange } from './central/transport.ts'
import { createCentralStatus } from './central-status.ts'
import { createClockWatch } from './clock-watch.ts'
import { createCheckout } from './checkout.ts'
import { createCommandChannel } from './commands/channel.ts'
import { isoOf, type Rng, type Clock } from './clock.ts'
import { createPlainTransact } from './db/transact.ts'
import { EXIT, StartRefusedError, type DataFolder } from './data-folder.ts'
import { createBadgeReads } from './devices/badge-reads.ts'
import { createCardReads } from './devices/card-reads.ts'
import { createCustomerLines } from './devices/customer-lines.ts'
import type { TrainingServices } from './central/training-services.ts'
import { openDeviceHub } from './devices/hub.ts'
import { deviceRoutes } from './devices/routes.ts'
import { ageChecksRoutes } from './features/age-checks/routes.ts'
import { createAuditRepository } from './features/audit/repository.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { createAudit } from './features/audit/service.ts'
import { createVerification } from './features/audit/verification.ts'
import { recordProfile } from './features/audit/profile-change.ts'
import { createApprovals } from './features/approvals/service.ts'
import { cardPaymentsRoutes } from './features/card-payments/routes.ts'
import { formatCatalogErrors } from './features/catalog/load.ts'
import { basketOffersRoutes } from './features/basket-offers/routes.ts'
import { customerDisplayRoutes } from './features/customer-display/routes.ts'
import { catalogEditorRoutes } from './features/catalog/editor-routes.ts'
import { createCatalogImports } from './features/catalog/imports.ts'
import { catalogManagerRoutes } from './features/catalog/manager-routes.ts'
import { createItemsEditor } from './features/catalog/items-editor.ts'
import { createQuickKeyLists, createQuickKeysRepository } from './features/catalog/quick-key-lists.ts'
import { createPlannedPrices } from './features/catalog/planned-prices.ts'
import { catalogRoutes } from './features/catalog/routes.ts'
import { createCatalogService } from './features/catalog/service.ts'
import { closingRoutes } from './features/day-end/closing-routes.ts'
import { dayEndRoutes } from './features/day-end/routes.ts'
import { createConnectionCalls } from './features/connection/calls.ts'
import { createCentralNotices } from './features/connection/notices.ts'
import { connectionRoutes } from './features/connection/routes.ts'
import { createConnection } from './features/connection/service.ts'
import { createEchoRepository } from './features/diagnostics/repository.ts'
import { diagnosticsRoutes } from './features/diagnostics/routes.ts'
import { createDiagnosticsService } from './features/diagnostics/service.ts'
import { clockChanges } from './domain/zone.ts'
import { loadLogo } from './images/logo.ts'
import { earlierSalesRoutes } from './features/earlier-sales/routes.ts'
import { createLaneStore } from './features/enrolment/lane-store.ts'
import { enrolmentRoutes } from './features/enrolment/routes.ts'
import { createEnrolment } from './features/enrolment/service.ts'
import { heldSalesRoutes } from './features/held-sales/routes.ts'
import { memberRoutes } from './features/member/routes.ts'
import { memberOffersRoutes } from './features/member-offers/routes.ts'
import { createMemberServices } from './features/member-offers/services.ts'
import { memberHistoryRoutes } from './features/member-history/routes.ts'
import { createMemberHistory } from './features/member-history/service.ts'
import { memberSessionRoutes } from './features/member-session/routes.ts'
import { createSignInSlip } from './features/member-session/slip.ts'
import { createTrainingPhone } from './features/member-session/training-phone.ts'
import { createFetchImage, PICTURE_LIMITS } from './features/offer-images/fetch-image.ts'
import { offerImagesRoutes } from './features/offer-images/routes.ts'
import { createOfferImages } from './features/offer-images/service.ts'
import { managerOffersRoutes } from './features/offers/manager-routes.ts'
import { createManagerOffers } from './features/offers/manager-service.ts'
import { offersRoutes } from './features/offers/routes.ts'
import { createOffersService } from './features/offers/service.ts'
import { createQueueRepository } from './features/queue/repository.ts'
import { queueRoutes } from './features/queue/routes.ts'
import { createQueueService } from './features/queue/service.ts'
import { receiptsRoutes } from './features/receipts/routes.ts'
import { createIndexer } from './features/journal-search/indexer.ts'
import { createSearchRepository } from './features/journal-search/repository.ts'
import { journalSearchRoutes } from './features/journal-search/routes.ts'
import { createJournalSearch } from './features/journal-search/service.ts'
import { createAccountingRepository } from './features/reports/accounting-repository.ts'
import { reportsRoutes } from './features/reports/routes.ts'
import { createReports } from './features/reports/service.ts'
import { createDailyReports } from './features/reconciliation/daily.ts'
import { createReconciliationRepository } from './features/reconciliation/repository.ts'
import { reconciliationRoutes } from './features/reconciliation/routes.ts'
import { createReconciliation } from './features/reconciliation/service.ts'
import { returnsRoutes } from './features/returns/routes.ts'
import { saleChangesRoutes } from './features/sale-changes/routes.ts'
import { salesRoutes } from './features/sales/routes.ts'
import { scanningRoutes } from './features/scanning/routes.ts'
import { shiftsRoutes } from './features/shifts/routes.ts'
import { createSoundsRepository } from './features/sounds/repository.ts'
import { soundsRoutes } from './features/sounds/routes.ts'
import { createEffectiveProfile } from './features/settings/effective-profile.ts'
import { createSettingsRepository } from './features/settings/repository.ts'
import { settingsRoutes } from './features/settings/routes.ts'
import { createSettings } from './features/settings/service.ts'
import { createAuditTrail, type AuditEntry } from './features/staff/audit.ts'
import { peopleRoutes } from './features/staff/people-routes.ts'
import { staffRoutes } from './features/staff/routes.ts'
import { pinKeyOf } from './features/staff/pins.ts'
import { createStaffService } from './features/staff/service.ts'
import { tendersRoutes } from './features/tenders/routes.ts'
import { backupRoutes } from './features/maintenance/backup-routes.ts'
import { watchForBundle } from './features/bundles/new-bundle.ts'
import { bundleNotice, recordBundleNews } from './features/bundles/told.ts'
import { createLaneUpdates } from './features/updates/lane-updates.ts'
import type { LaneSlots } from './features/updates/lane-slots.ts'
import { createUpdateGate } from './features/updates/update-gate.ts'
import { updateSource } from './features/updates/update-source.ts'
import { createBackups } from './features/maintenance/backups.ts'
import { createCopies } from './features/maintenance/copies.ts'
import { maintenanceRoutes } from './features/maintenance/routes.ts'
import { createMaintenance } from './features/maintenance/service.ts'
import { laneCheckRoutes } from './features/lane-check/routes.ts'
import { createLaneChecks, tokenAnswerOf } from './features/lane-check/service.ts'
import { supportRoutes } from './features/support/routes.ts'
import { managerUpdatesRoutes } from './features/updates/manager-routes.ts'
import { createManagerUpdates } from './features/updates/manager-updates.ts'
import { createSupport } from './features/support/service.ts'
import { vouchersRoutes } from './features/vouchers/routes.ts'
import { createEventStream } from './http/events.ts'
import { ProblemError } from './http/problem.ts'
import { admitStill } from './http/guards.ts'
import { buildServer, type App } from './http/server.ts'
import { createSessions, type Sessions } from './http/sessions.ts'
import { createActingWindow } from './input/acting-window.ts'
import { createInputClaims } from './input/claims.ts'
import { createInputDispatcher } from './input/dispatcher.ts'
import { inputRoutes } from './input/routes.ts'
import { openTerminalDatabase } from './integrity/open-terminal.ts'
import { createOutbox } from './outbox/outbox.ts'
import type { StepObserver } from './outbox/step-observer.ts'
import type { Logger } from './log.ts'
import { noSecret, noSecretYet } from './client-secret.ts'
import { checkCatalogNames, formatProfileErrors } from './profile.ts'
import { createSecretStatus } from './secret-status.ts'

/** How far back and ahead the screens are told of the store's clocks, in milliseconds: twenty years. */
const YEARS_SHOWN = 20 * 365.25 * 86_400_000

export interface TerminalOptions {
  readonly profile: Profile
  readonly profileFile: string
  /** The profile is the file's own, so that what it names must be in its catalog. */
  readonly checkNames?: boolean
  readonly lane: Lane
  readonly folder: DataFolder
  readonly endpoints: NonNullable<Profile['endpoints']>
  /** Null on a lane that is still to be enrolled: nobody has a PIN, and nothing is asked of the services. */
  readonly clientSecret: string | null
  /** The reference services' control port, in training. */
  readonly practice?: TrainingServices | null
  readonly staticRoot: string | null
  readonly allowedHosts: () => readonly string[]
  readonly allowedOrigins?: () => readonly string[]
  /** The key of the folder comes from a key store, where the client secret belongs too. */
  readonly keyStore?: boolean
  /** Ends the program in order, to be started again at once; left out where nobody would. */
  readonly restart?: () => void
  /** Where this program is an installed one that updates itself, and how it ends for another version. */
  readonly laneSlots?: LaneSlots | null
  readonly restartForUpdate?: () => void
  /** A launch link came too late: tell whoever started the terminal a new one. */
  readonly onExpiredLink: () => void
  readonly version: string
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
  /** Left out: a lane backs up when it closes. Tests close hundreds of them. */
  readonly backsUpAtClose?: false
  /**
   * For tests that end the process at a step of their choice: who is told of the steps, and what stands around every
   * exchange.
   */
  readonly seams?: { readonly observer: StepObserver; readonly around: (exchange: Exchange) => Exchange }
}

export interface RunningTerminal {
  readonly app: App
  readonly sessions: Sessions
  /**
   * Starts the devices and the queues. Call once, when the server listens; what a crash left open was decided before.
   */
  start(): void
  close(): Promise<void>
}

/** So long a closing terminal waits for its last copy in the second folder; the next start makes what it missed. */
const COPY_AT_CLOSE_MS = 4_000
/** How soon after its time somebody who is away is signed out. */
const SWEEP_MS = 15_000

/** Composes the terminal: every part once, in the order in which they need each other. */
export async function createTerminal(options: TerminalOptions): Promise<RunningTerminal> {
  const { lane, folder, clock, rng, log } = options
  const database = await openTerminalDatabase(folder, clock)
  const { db, seal } = database
  const settingRows = createSettingsRepository(db)
  const effective = createEffectiveProfile({ db, rows: settingRows, base: options.profile, clock })
  const { profile } = effective

  const events = createEventStream({ log })
  const published = new EventEmitter<{ event: [event: TerminalEvent] }>()
  const acting = createActingWindow({ notify: events.publish, isOpen: events.isOpen })
  const publish = (event: TerminalEvent, stream?: string): void => {
    events.publish(event, stream ?? (FOR_ACTING_WINDOW.has(event.type) ? acting.stream() : undefined))
    published.emit('event', event)
  }

  const outbox = createOutbox({
    ...database,
    clock,
    rng,
    log,
    ...(options.seams ? { observer: options.seams.observer } : {}),
    onStop(reason) {
      publish({ type: 'stopped', reason })
    },
    refusal: (reason) => new ProblemError(reason),
  })
  const { transact, failStop, journal } = outbox

  const logo = loadLogo(profile, options.profileFile)
  const audit = createAuditTrail({ db, clock, seal })
  const plainly = createPlainTransact(db, outbox.chain.committed)
  const record = (entry: AuditEntry): void => {
    plainly((tx) => {
      audit.record(tx, entry)
    })
  }
  const staff = createStaffService({
    db,
    clock,
    audit,
    committed: outbox.chain.committed,
    pinKey: pinKeyOf(folder.masterKey),
    training: profile.mode === 'training',
    pinDigits: () => profile.limits.pinDigits,
    badges: () => profile.signIn.badges,
  })
  await staff.sync(profile)
  const laneStore = createLaneStore({
    dataFolder: dirname(folder.database),
    masterKey: folder.masterKey,
    keyStore: options.keyStore === true,
  })
  const enrolment = createEnrolment({
    store: laneStore,
    identity: { store: profile.store.id, lane: lane.id },
    training: profile.mode === 'training',
    hasSecret: options.clientSecret !== null,
    staff,
    record,
    clock,
    log,
    restart: options.restart,
  })
  if (options.clientSecret === null && !enrolment.isOffered()) {
    database.close()
    throw new StartRefusedError(noSecret(dirname(folder.database)), EXIT.badArguments)
  }
  plainly((tx) => {
    recordProfile(tx, db, audit, options.profile)
  })
  const approvals = createApprovals({ staff })
  const { timeZone } = profile
  const catalog = createCatalogService({ db, transact, audit, clock, folder: folder.catalog, timeZone, log })
  const opened = await catalog.open(resolve(dirname(options.profileFile), profile.catalog.file))
  if ('errors' in opened) throw new StartRefusedError(formatCatalogErrors(opened.errors), EXIT.badArguments)
  // What a manager has changed since is theirs: a quick key whose item they took out stops no start.
  const checksNames = options.checkNames === true && catalog.isProfiles()
  const unknown = checksNames ? checkCatalogNames(options.profileFile, options.profile, catalog.names()) : []
  if (unknown.length > 0) throw new StartRefusedError(formatProfileErrors(unknown), EXIT.badArguments)

  const catalogChanged = (): void => {
    publish({ type: 'catalog-changed' })
  }
  catalog.onChange(catalogChanged)
  const managed = { catalog, transact, audit, clock, timeZone, log }
  const imports = createCatalogImports({ ...managed, staffName: staff.nameOf, onStep: catalogChanged })
  const quickKeys = createQuickKeyLists({
    ...managed,
    repository: createQuickKeysRepository(db),
    settings: profile.catalog.departments,
    onChange: catalogChanged,
  })

  const sessions = createSessions({
    db,
    clock,
    idleMs: () => profile.limits.idleLockMs,
    longestMs: () => profile.limits.signedInMs,
    onGone: events.end,
    onEnd(staffId, why) {
      record({ kind: 'sign-out', actorId: staffId, detail: { why } })
      publish({ type: 'signed-out' })
      publish({ type: 'signed-in', staff: null })
    },
  })
  const central = createCentralStatus(clock)
  const { token, ...services } = options.endpoints
  const secret = createSecretStatus({ clock })
  const tokens = createTokenSource({
    grant:
      options.clientSecret === null
        ? noSecretYet
        : clientCredentials({
            tokenUrl: token.url,
            clientId: token.clientId,
            clientSecret: options.clientSecret,
            scope: token.scope,
            timeoutMs: profile.limits.cashTimeoutMs,
          }),
    clock,
    rng,
    log,
    onSecret: secret.onResponse,
  })
  const exchange = createHttpExchange(services)
  const watch = createClockWatch({
    clock,
    toleranceMs: profile.limits.clockToleranceMs,
    timeZone: profile.timeZone,
    newestEntryAt: outbox.chain.newestEntryAt,
    log,
  })
  const load = createLoad({ clock, rng })
  const transport = createTransport({
    exchange: load.around(watch.around(options.seams?.around(exchange) ?? exchange)),
    tokens,
    log,
  })
  const cardReads = createCardReads(clock, profile.limits.cardReadMs)
  const badgeReads = createBadgeReads(clock, profile.limits.cardReadMs)
  const claims = createInputClaims(clock, events.isOpen)
  const hub = await openDeviceHub({
    profile,
    lane,
    publish,
    paperFolder: folder.paper,
    profileFile: options.profileFile,
    logo,
    log,
  })
  const offers = createOffersService({ db, clock, rng, load, transport, profile, log })
  const offerImages = createOfferImages({
    folder: folder.offerImages,
    fetchImage: createFetchImage({
      sources: {
        service: options.endpoints.offers,
        hosts: profile.offers.imageHosts,
        plainHttp: profile.mode === 'training',
      },
      proxied: options.endpoints.proxy !== undefined,
      ...PICTURE_LIMITS,
    }),
    addresses: () => offers.pictures(),
    clock,
    log,
  })
  offers.onKept(() => void offerImages.refresh())
  const member = createMemberServices({
    endpoints: options.endpoints,
    clientSecret: options.clientSecret ?? '',
    transport,
    profile,
    lane,
    clock,
  })
  const checkout = createCheckout({
    db,
    seal,
    outbox,
    profile,
    lane,
    catalog,
    cardReads,
    printer: hub.printer,
    cardTerminal: hub.cardTerminal,
    logo,
    transport,
    offers: offers.kept,
    offerPicture: offerImages.pathOf,
    member,
    central,
    load,
    secret,
    clock,
    rng,
    publish,
    log,
    audit,
    signedIn: sessions.signedIn,
    staffName: staff.nameOf,
  })
  const { sales, members, tenders, milesTender, returns, receipts, earlierSales, news } = checkout
  const dispatch = createInputDispatcher({
    profile,
    cardReads,
    claims,
    signedIn: sessions.signedIn,
    identify: members.identify,
    ring: checkout.scanning.scan,
    presentVoucher: checkout.vouchers.scanned,
    holdBadge: badgeReads.hold,
    checkBadge: staff.badges.signIn,
    findItem: (code) => catalog.findByBarcode(code) ?? catalog.findBySku(code),
    publish,
    log,
  })
  published.on('event', ({ type }) => {
    if (type === 'signed-in') checkout.speak()
    if (type === 'signed-out') claims.forget()
  })
  if (hub.lineDisplay) {
    const lines = createCustomerLines({
      display: hub.lineDisplay,
      storeName: profile.store.name,
      locale: checkout.locale,
      openSale: sales.current,
    })
    published.on('event', lines.onEvent)
  }

  published.on('event', checkout.memberLane.onEvent)
  const practice = profile.mode === 'training' ? (options.practice ?? null) : null
  const memberHistory = createMemberHistory({
    client:
      services.history === undefined
        ? null
        : createHistoryClient({
            transport,
            originClient: profile.program.originClient,
            breaker: createBreaker({ monotonic: () => clock.monotonic() }),
          }),
    sessions: checkout.memberLane.sessions,
    saleOf: checkout.saleOf,
    collectorOf: members.collectorOf,
    printer: hub.printer,
    profile,
    lane,
    clock,
    locale: checkout.locale,
    staffName: staff.nameOf,
    publish,
  })
  const offersBreaker = createBreaker({ monotonic: () => clock.monotonic() })
  central.onChange((state) => {
    if (state === 'online') void offers.centralIsBack()
  })
  const notices = createCentralNotices({
    central,
    clock,
    settings: () => profile.connection,
    publish,
  })
  const echoes = createEchoRepository(db)
  const diagnostics = createDiagnosticsService({
    results: echoes,
    clock,
    transport,
    profile,
    lane,
    events,
    log,
    onResponse: central.onResponse,
  })
  const calls = createConnectionCalls({
    profile,
    lane,
    transport,
    tokens,
    runEcho: diagnostics.runEcho,
    now: () => clock.now(),
  })
  const connection = createConnection({
    profile,
    endpoints: options.endpoints,
    results: echoes,
    calls,
    clock,
    publish,
  })
  const settings = createSettings({
    repository: settingRows,
    effective,
    transact,
    audit,
    clock,
    lane,
    staffName: staff.nameOf,
    publish,
  })
  settings.onChange(checkout.settingsChanged)
  const reconciliation = createReconciliation({
    repository: createReconciliationRepository(db),
    journal,
    transact,
    audit,
    clock,
    profile,
    lane,
    staffName: staff.nameOf,
  })
  const dailyReports = createDailyReports({
    reconciliation,
    clock,
    isStopped: () => failStop.reason !== null,
    log,
  })
  const queue = createQueueService({
    journal,
    transact,
    repository: createQueueRepository(db),
    issuances: checkout.issuances,
    reversals: checkout.reversals,
    issuance: checkout.issuance,
    seal,
    cardReads,
    audit,
    clock,
    profile,
    staffName: staff.nameOf,
    epoch: checkout.epoch,
    rng,
    log,
    secretRefusedSince: () => secret.refusedSince ?? central.refusedSince,
    sales,
    news,
    credit: tenders.creditLateReversal,
  })
  const channel = createCommandChannel({
    db,
    transact,
    failStop,
    seal,
    clock,
  })
  const copies = createCopies({
    folder: folder.backups,
    copyTo: profile.backups.copyTo ?? null,
    lane: `${profile.store.id}-${lane.id}`.replace(/[^A-Za-z0-9-]+/g, '-'),
    timeZone: profile.timeZone,
    keepDays: profile.limits.backupKeepDays,
    clock,
    record,
    log,
  })
  const maintenance = createMaintenance({
    db,
    clock,
    profile,
    folder: folder.backups,
    masterKey: folder.masterKey,
    watch,
    bundleNotice: () => bundleNotice(dirname(folder.database)),
    log,
    isQuiet: () => sales.currentId() === null && outbox.collectorMutex.idle(),
    isStopped: () => failStop.reason !== null,
    forgetCommands: channel.forgetOld,
    publish,
    record,
    onKept: copies.onKept,
    onProgress: (phase, share) => {
      backups.onProgress(phase, share)
    },
  })
  const backups = createBackups({
    db,
    transact,
    dataFolder: dirname(folder.database),
    folder: folder.backups,
    database: folder.database,
    masterKey: folder.masterKey,
    maintenance,
    copies,
    clock,
    audit,
    record,
    staffName: staff.nameOf,
    isManager: (id) => staff.list().some((person) => person.id === id && person.role === 'manager'),
    restart: () => options.restart?.(),
    log,
  })
  const newBundle = watchForBundle({
    db,
    dataFolder: dirname(folder.database),
    clock,
    aheadMs: watch.aheadMs,
    onLook: () => {
      recordBundleNews(dirname(folder.database), record, log)
    },
    quietMs: sessions.quietMs,
    restart: () => options.restart?.(),
    log,
  })
  const updates =
    options.laneSlots &&
    createLaneUpdates({
      ...options.laneSlots,
      source: updateSource(profile.updates.url, laneStore.device()),
      lane: { store: profile.store.id, lane: lane.id },
      schema: Number(db.pragma('user_version', { simple: true })),
      gate: createUpdateGate({ db, quietMs: sessions.quietMs, isQueueIdle: outbox.collectorMutex.idle }),
      isSound: () => failStop.reason === null,
      restart: () => options.restartForUpdate?.(),
      clock,
      rng,
      log,
    })
  const trailRows = createAuditRepository(db)
  const verification = createVerification({
    files: { database: folder.database, mark: folder.journalMark, masterKey: folder.masterKey },
    clock,
    total: trailRows.newest,
    record,
  })
  const reports = createReports({
    database: folder.database,
    accounting: createAccountingRepository(db),
    transact,
    audit,
    clock,
    profile,
    lane,
    staffName: staff.nameOf,
    log,
  })
  const startedAtMs = clock.now()
  const support = createSupport({
    db,
    dataFolder: dirname(folder.database),
    version: options.version,
    profile: options.profile,
    lane,
    secrets: [folder.masterKey, ...(options.clientSecret === null ? [] : [options.clientSecret])],
    transact,
    audit,
    clock,
    running: {
      startedAt: startedAtMs,
      timeZone,
      stopped: () => failStop.reason,
      clock: () => watch.health,
      health: hub.health,
      details: hub.details,
      central: () => central.state,
      connection: connection.status,
      copies: copies.state,
      offers: offers.lists,
      settings: settings.list,
    },
  })
  const laneChecks = createLaneChecks({
    dataFolder: dirname(folder.database),
    profileFile: options.profileFile,
    version: options.version,
    running: {
      profile: options.profile,
      lane,
      endpoints: options.endpoints,
      health: hub.health,
      clock: () => watch.health,
      askToken: async () => tokenAnswerOf((await calls.token()).cause),
    },
    clock,
    publish,
    log,
  })
  const searchRows = createSearchRepository(db)
  const indexer = createIndexer({
    repository: searchRows,
    transact: plainly,
    clock,
    isQuiet: () => sales.currentId() === null,
    log,
  })
  const listenForCentral = (): void => {
    watch.look()
    if (!load.admits('cash')) return
    diagnostics.runEcho().catch((error: unknown) => {
      log.error({ err: error }, 'the echo could not be recorded')
    })
  }
  let echoMs = profile.limits.echoIntervalMs
  const echoAgain = (): NodeJS.Timeout =>
    setTimeout(
      () => {
        echoTimer = echoAgain()
        listenForCentral()
      },
      spread(echoMs, rng.fraction()),
    )
  let echoTimer = echoAgain()
  settings.onChange(() => {
    if (profile.limits.echoIntervalMs === echoMs) return
    echoMs = profile.limits.echoIntervalMs
    clearTimeout(echoTimer)
    echoTimer = echoAgain()
  })
  const sweepTimer = setInterval(sessions.sweep, SWEEP_MS)
  const startedAt = isoOf(startedAtMs)
  const foundOpen = sales.current()?.id ?? null
  const clocks = clockChanges(profile.timeZone, clock.now() - YEARS_SHOWN, clock.now() + YEARS_SHOWN)
  const terminal = (): Omit<Terminal, 'signedIn'> => ({
    mode: profile.mode,
    version: options.version,
    store: { id: profile.store.id, name: profile.store.name },
    lane: lane.id,
    region: profile.region,
    timeZone: profile.timeZone,
    clockChanges: clocks,
    defaultLocale: profile.locales.default,
    payments: profile.payments,
    memberHistory: member !== null && services.history !== undefined,
    redemptionSeconds: Math.ceil((2 * profile.limits.cashTimeoutMs) / 1000) + 2,
    startedAt,
    foundOpen,
    stopped: failStop.reason,
    toEnrol: enrolment.isOffered(),
  })

  const app = buildServer({
    log,
    version: options.version,
    guards: {
      allowedHosts: options.allowedHosts,
      ...(options.allowedOrigins ? { allowedOrigins: options.allowedOrigins } : {}),
    },
    sessions,
    events,
    commands: {
      channel,
      prepare: async (request) => {
        await approvals.prepare(request)
        // Without a PIN nothing was waited for.
        if (request.approved !== null) admitStill(request, sessions)
      },
    },
    staticRoot: options.staticRoot,
    routes: [
      staffRoutes({
        staff,
        sessions,
        publish: checkout.publish,
        record,
        atOnce: (work) => plainly(work),
        events,
        onExpiredLink: options.onExpiredLink,
        onSignIn: acting.signedInAt,
        takeBadge: badgeReads.take,
        terminal,
      }),
      enrolmentRoutes(enrolment),
      peopleRoutes({ staff, transact, publish: checkout.publish, takeBadge: badgeReads.take }),
      catalogRoutes({ search: catalog.search, quickKeys: quickKeys.quickKeys }),
      catalogManagerRoutes({ imports, planned: createPlannedPrices(managed) }),
      catalogEditorRoutes({ catalog, items: createItemsEditor(managed), quickKeys, coupons: checkout.couponBook }),
      salesRoutes({ sales, settle: tenders.settle }),
      scanningRoutes(checkout.scanning),
      memberRoutes(members),
      tendersRoutes({ tenders, takeBack: checkout.takeBack, milesTender, view: sales.view }),
      cardPaymentsRoutes(checkout.cardTender),
      receiptsRoutes(receipts),
      saleChangesRoutes({
        changes: checkout.changes,
        coupons: checkout.coupons,
        undo: checkout.undo,
        tenders,
      }),
      ageChecksRoutes({ ageChecks: checkout.ageChecks, settle: tenders.settle }),
      heldSalesRoutes(checkout.heldSales),
      customerDisplayRoutes({ sales, publish }),
      earlierSalesRoutes(earlierSales),
      returnsRoutes(returns),
      vouchersRoutes(checkout.vouchers),
      shiftsRoutes(checkout.shifts),
      dayEndRoutes(checkout.dayEnd),
      closingRoutes(checkout.closings),
      inputRoutes({ claims, acting }),
      offersRoutes(offers),
      offerImagesRoutes(offerImages),
      ...(checkout.offerWishes ? [memberOffersRoutes(checkout.offerWishes)] : []),
      basketOffersRoutes({ offers: checkout.basketOffers, coupons: checkout.offerCoupons }),
      memberSessionRoutes(
        checkout.memberLane.sessions,
        createSignInSlip({
          waitingOn: checkout.memberLane.sessions.waitingOn,
          printer: hub.printer,
          trouble: () => hub.health().find(({ role }) => role === 'printer')?.trouble?.kind ?? null,
          profile,
          locale: checkout.locale,
          columns: lane.devices.printer?.columns ?? 42,
        }),
      ),
      memberHistoryRoutes(memberHistory),
      managerOffersRoutes(
        createManagerOffers({
          client: createOffersClient({
            transport,
            originClient: profile.program.originClient,
            breaker: offersBreaker,
          }),
          breaker: offersBreaker,
          offers,
          kept: { find: offers.kept },
          transact,
          audit,
          clock,
          profile,
          lane,
        }),
      ),
      diagnosticsRoutes(diagnostics),
      connectionRoutes(connection),
      queueRoutes({ queue, news }),
      reconciliationRoutes(reconciliation),
      auditRoutes({
        audit: createAudit({
          repository: trailRows,
          transact,
          audit,
          clock,
          profile,
          lane,
          staffName: staff.nameOf,
        }),
        verification,
      }),
      reportsRoutes(reports),
      journalSearchRoutes(
        createJournalSearch({
          repository: searchRows,
          indexer,
          skuOf: (code) => catalog.findByBarcode(code)?.sku,
          timeZone: profile.timeZone,
          staffName: staff.nameOf,
        }),
      ),
      deviceRoutes({
        hub,
        profile,
        lane,
        practice,
        phone:
          practice &&
          createTrainingPhone({
            collectorOf: members.collectorOf,
            sessions: checkout.memberLane.sessions,
            saleOf: checkout.saleOf,
            services: practice,
          }),
        publish,
      }),
      maintenanceRoutes(maintenance),
      settingsRoutes(settings),
      backupRoutes(backups),
      supportRoutes(support),
      managerUpdatesRoutes(
        createManagerUpdates({
          version: options.version,
          lane: updates && options.laneSlots ? { ...options.laneSlots, activity: updates.activity } : null,
          clock,
          transact,
          audit,
        }),
      ),
      laneCheckRoutes(laneChecks),
      soundsRoutes({ repository: createSoundsRepository(db), transact, lane, audit }),
    ],
  })

  // Before anybody can connect: what a request meets is decided.
  void checkout.recover()

  return {
    app,
    sessions,
    start() {
      offers.start()
      checkout.start()
      hub.enable((gesture) => {
        // Whoever swipes and scans is there.
        sessions.active(null)
        dispatch(gesture)
      })
      listenForCentral()
      maintenance.start()
      settings.start()
      indexer.start()
      copies.start()
      newBundle.start()
      updates?.start()
      dailyReports.start()
      void database.readRest?.().then((problem) => {
        if (problem !== null) outbox.halt(new Error(`the database cannot be trusted: ${problem}`))
      })
    },
    async close() {
      clearTimeout(echoTimer)
      clearInterval(sweepTimer)
      offers.stop()
      await offerImages.close()
      notices.stop()
      settings.stop()
      verification.stop()
      reports.stop()
      indexer.stop()
      dailyReports.stop()
      queue.stop()
      checkout.stop()
      log.debug('closing the server')
      await app.close()
      log.debug('closing the devices')
      await hub.close()
      log.debug('finishing the print queue')
      await receipts.settled()
      imports.close()
      catalog.close()
      // What a restore replaces is kept whole: another copy of it would only make it take longer.
      await maintenance.close((options.backsUpAtClose ?? true) && !backups.isRestarting())
      await Promise.race([copies.settled(), delay(COPY_AT_CLOSE_MS, undefined, { ref: false })])
      newBundle.stop()
      updates?.stop()
      copies.stop()
      database.close()
      folder.release()
    },
  }
}
