import { setTimeout as delay } from 'node:timers/promises'
import { loyaltyRoutes } from './loyalty/loyalty.routes.ts'
import { paymentsRoutes } from './payments/payments.routes.ts'
import { dayRoutes } from './day/day.routes.ts'
import { operationsRoutes } from './operations/operations.routes.ts'
import { commandChannelOf } from './core/commands/channel.ts'
import { verificationOf } from './staff/audit/audit-page.ts'
import { staffRoutes, terminalFactsOf } from './staff/staff.routes.ts'
import { followStaff } from './staff/follow.ts'
import { settingsOf } from './staff/settings/settings.ts'
import { followOwner } from './staff/waiting-changes.ts'
import { catalogOf } from './catalog/catalog.ts'
import { catalogImportsOf } from './catalog/imports.ts'
import { catalogRoutes } from './catalog/catalog.routes.ts'
import { catalogSyncOf } from './catalog/catalog-sync.ts'
import { recoverCheckout, showOpenSale, startCheckout, stopCheckout } from './checkout.ts'
import { centralOf } from './core/central/services.ts'
import { isoOf } from './core/clock.ts'
import type { Ctx } from './core/context.ts'
import { devicesOf } from './core/devices/hub.ts'
import type { CommandOptions } from './core/http/commands.ts'
import { windowsOf } from './core/http/events.ts'
import { admitStill } from './core/http/guards.ts'
import { buildServer, type App } from './core/http/server.ts'
import { sessionsOf, type Sessions } from './core/http/sessions.ts'
import { programOf } from './core/program/lane-program.ts'
import { clockChanges } from './core/zone.ts'
import { reportsOf } from './day/reports/reports.ts'
import { indexerOf } from './day/search/search-index.ts'
import { openLane, type OpenLane, type TerminalOptions } from './lane.ts'
import { memberLaneOf } from './loyalty/member/member-lane.ts'
import { memberServicesOf } from './loyalty/services/member-services.ts'
import { previewOf } from './loyalty/issuance/preview.ts'
import { offerImagesOf } from './loyalty/offer-images/offer-images.ts'
import { offersOf } from './loyalty/offers/offers.ts'
import { queueOf } from './loyalty/queue/queue.ts'
import { dailyReportsOf } from './loyalty/reconciliation/reconciliation.ts'
import { backupsOf } from './operations/backups/backups.ts'
import { copiesOf } from './operations/backups/copies.ts'
import { backupProgressOf } from './operations/backups/backup.ts'
import { maintenanceOf } from './operations/backups/maintenance.ts'
import { bundleWatchOf } from './operations/bundles/new-bundle.ts'
import { centralNoticesOf } from './operations/connection/connection.ts'
import { listeningOf } from './operations/connection/probes.ts'
import { enrolmentOf } from './operations/enrolment/enrolment.ts'
import { laneMetricsOf } from './operations/metrics/metrics.ts'
import { updatesOf } from './operations/updates/lane-updates.ts'
import { customerLinesOf } from './payments/customer-display/customer-display.ts'
import { receiptsOf } from './payments/receipts/receipts.ts'
import { approvalsOf } from './sales/approvals/approvals.ts'
import { salesRoutes } from './sales/sales.routes.ts'
import { inputClaimsOf, inputDispatcherOf } from './sales/input/dispatcher.ts'
import { salesOf } from './sales/sales.ts'
import { createLaneHealth, tellMetrics } from './store/push-health.ts'
import type { LaneSays } from './store/link-state.ts'
import { storeOf } from './store/store-link.ts'
import { storeRoutes } from './store/store.ts'

export interface RunningTerminal {
  readonly app: App
  readonly sessions: Sessions
  /**
   * Starts the devices and the queues. Call once, when the server listens; what a crash left open was decided before.
   */
  start(): void
  close(): Promise<void>
}

/** How often idle sessions are looked for and ended. */
const SWEEP_MS = 15_000
/** How long a closing terminal waits for its last copy in the second folder; the next start makes what it missed. */
const COPY_AT_CLOSE_MS = 4_000
/** The screens get the changes of the store's clock for 20 years back and ahead, in milliseconds. */
const YEARS_SHOWN = 20 * 365.25 * 86_400_000
/** States of a device that need attention. */
const TROUBLED: ReadonlySet<string> = new Set(['unavailable', 'needs-attention'])

/** The routes of the local API, area by area. */
const ROUTES = [
  staffRoutes,
  catalogRoutes,
  salesRoutes,
  loyaltyRoutes,
  paymentsRoutes,
  dayRoutes,
  storeRoutes,
  operationsRoutes,
] as const

/** The lane's program: its parts, and the server that its windows speak with. */
export async function createTerminal(options: TerminalOptions): Promise<RunningTerminal> {
  const lane = await openLane(options)
  const { ctx } = lane
  followAll(ctx)
  terminalFactsOf.provide(ctx, terminalFacts(ctx))
  const app = openServer(ctx)
  const sessions = sessionsOf(ctx)
  const sweeping = setInterval(() => {
    sessions.sweep()
  }, SWEEP_MS)
  const stopFollowingOwner = followOwner(ctx)
  // Before anybody can connect, so that a request finds everything decided.
  void recoverCheckout(ctx)
  return {
    app,
    sessions,
    start() {
      start(lane)
    },
    async close() {
      clearInterval(sweeping)
      stopFollowingOwner()
      await close(lane, app)
    },
  }
}

/** Connects the parts that follow events, settings and the state of the central services. */
function followAll(ctx: Ctx): void {
  const { published } = windowsOf(ctx)
  followStaff(ctx)
  published.on('event', ({ type }) => {
    if (type === 'signed-in') previewOf(ctx).speak()
    if (type === 'signed-out') inputClaimsOf(ctx).forget()
  })
  const lines = customerLinesOf(ctx)
  if (lines) published.on('event', lines.onEvent)
  published.on('event', memberLaneOf(ctx).onEvent)
  centralOf(ctx).central.onChange((state) => {
    if (state === 'online') void offersOf(ctx).centralIsBack()
  })
  offersOf(ctx).onKept(() => void offerImagesOf(ctx).refresh())
  centralNoticesOf(ctx)
  settingsOf(ctx).onChange(() => showOpenSale(ctx))
  settingsOf(ctx).onChange(listeningOf(ctx).settingsChanged)
  backupProgressOf(ctx).on('moved', backupsOf(ctx).onProgress)
  tellMetrics(ctx, laneMetricsOf(ctx).samples)
}

function openServer(ctx: Ctx): App {
  const { version, allowedHosts, allowedOrigins, staticRoot } = programOf(ctx)
  return buildServer({
    log: ctx.log,
    version,
    guards: { allowedHosts, ...(allowedOrigins ? { allowedOrigins } : {}) },
    sessions: sessionsOf(ctx),
    events: windowsOf(ctx).events,
    commands: commandsOf(ctx),
    staticRoot,
    routes: ROUTES.map((add) => (scope) => add(ctx, scope)),
  })
}

function commandsOf(ctx: Ctx): CommandOptions {
  const sessions = sessionsOf(ctx)
  const approvals = approvalsOf(ctx)
  return {
    channel: commandChannelOf(ctx),
    prepare: async (request) => {
      await approvals.prepare(request)
      // Without a PIN nothing was waited for.
      if (request.approved !== null) admitStill(request, sessions)
    },
    admit: (request) => {
      admitStill(request, sessions)
    },
  }
}

function terminalFacts(ctx: Ctx): ReturnType<typeof terminalFactsOf> {
  const { profile, lane, clock, outbox } = ctx
  const { version, endpoints, startedAt } = programOf(ctx)
  const clocks = clockChanges(profile.timeZone, clock.now() - YEARS_SHOWN, clock.now() + YEARS_SHOWN)
  const foundOpen = salesOf(ctx).current()?.id ?? null
  const servesMembers = memberServicesOf(ctx) !== null
  return () => ({
    mode: profile.mode,
    version,
    store: { id: profile.store.id, name: profile.store.name },
    lane: lane.id,
    region: profile.region,
    timeZone: profile.timeZone,
    clockChanges: clocks,
    defaultLocale: profile.locales.default,
    payments: profile.payments,
    memberHistory: servesMembers && endpoints.history !== undefined,
    redemptionSeconds: Math.ceil((2 * profile.limits.cashTimeoutMs) / 1000) + 2,
    startedAt: isoOf(startedAt),
    foundOpen,
    stopped: outbox.failStop.reason,
    toEnrol: enrolmentOf(ctx).isOffered(),
  })
}

function start({ ctx, readRest }: OpenLane): void {
  const { outbox } = ctx
  offersOf(ctx).start()
  startCheckout(ctx)
  const dispatch = inputDispatcherOf(ctx)
  devicesOf(ctx).enable((gesture) => {
    // A swipe or scan keeps the session alive.
    sessionsOf(ctx).active(null)
    dispatch(gesture)
  })
  listeningOf(ctx).look()
  maintenanceOf(ctx).start()
  copiesOf(ctx).start()
  settingsOf(ctx).start()
  dailyReportsOf(ctx).start()
  indexerOf(ctx).start()
  bundleWatchOf(ctx).start()
  updatesOf(ctx)?.start()
  storeOf(ctx).start(laneSays(ctx))
  void readRest?.().then((problem) => {
    if (problem !== null) outbox.halt(new Error(`the database cannot be trusted: ${problem}`))
  })
}

/** The lane's own state, for the heartbeat to its store. */
function laneSays(ctx: Ctx): LaneSays {
  const ofDatabase = createLaneHealth(ctx.db, ctx.lane.id)
  return () => ({
    ...ofDatabase(),
    version: programOf(ctx).version,
    mode: ctx.profile.mode,
    central: centralOf(ctx).central.state,
    troubles: devicesOf(ctx)
      .health()
      .flatMap(({ role, state }) => (TROUBLED.has(state) ? [role] : [])),
    stopped: ctx.outbox.failStop.reason,
  })
}

/** Stops timers and listeners first, then the server, then the parts that must finish their work. */
async function close({ ctx, closeDatabase }: OpenLane, app: App): Promise<void> {
  const { log } = ctx
  const { folder, backsUpAtClose = true } = programOf(ctx)
  await storeOf(ctx).close()
  offersOf(ctx).stop()
  await offerImagesOf(ctx).close()
  listeningOf(ctx).stop()
  centralNoticesOf(ctx).stop()
  settingsOf(ctx).stop()
  queueOf(ctx).stop()
  dailyReportsOf(ctx).stop()
  verificationOf(ctx).stop()
  reportsOf(ctx).stop()
  indexerOf(ctx).stop()
  laneMetricsOf(ctx).stop()
  stopCheckout(ctx)
  log.debug('closing the server')
  await app.close()
  log.debug('closing the devices')
  await devicesOf(ctx).close()
  log.debug('finishing the print queue')
  await receiptsOf(ctx).settled()
  await catalogSyncOf(ctx)?.close()
  catalogImportsOf(ctx).close()
  catalogOf(ctx).close()
  // A restore keeps the replaced database as it is, so a backup at the close would only delay it.
  await maintenanceOf(ctx).close(backsUpAtClose && !backupsOf(ctx).isRestarting())
  await Promise.race([copiesOf(ctx).settled(), delay(COPY_AT_CLOSE_MS, undefined, { ref: false })])
  copiesOf(ctx).stop()
  bundleWatchOf(ctx).stop()
  updatesOf(ctx)?.stop()
  closeDatabase()
  folder.release()
}
