import { setTimeout as delay } from 'node:timers/promises'
import { catalogOf } from './catalog/catalog.ts'
import { catalogRoutes } from './catalog/catalog.routes.ts'
import { catalogSyncOf } from './catalog/catalog-sync.ts'
import { catalogImportsOf } from './catalog/imports.ts'
import { recoverCheckout, startCheckout } from './checkout.ts'
import { commandChannelOf } from './core/command-channel.ts'
import type { Ctx } from './core/context.ts'
import { devicesOf } from './core/devices/hub.ts'
import { windowsOf } from './core/http/events.ts'
import { checkSignedIn } from './core/http/guards.ts'
import { buildServer, type App } from './core/http/server.ts'
import { sessionsOf, type Sessions } from './core/http/sessions.ts'
import { stopComponents } from './core/lifecycle.ts'
import { programOf } from './core/program/lane-program.ts'
import { dayRoutes } from './day/day.routes.ts'
import { indexerOf } from './day/search/search-index.ts'
import { openLane, type OpenLane, type TerminalOptions } from './lane.ts'
import { previewOf } from './loyalty/issuance/preview.ts'
import { loyaltyRoutes } from './loyalty/loyalty.routes.ts'
import { memberEventsOf } from './loyalty/member/member-events.ts'
import { offerImagesOf } from './loyalty/offer-images/offer-images.ts'
import { offersOf } from './loyalty/offers/offers.ts'
import { dailyReportsOf } from './loyalty/reconciliation/reconciliation.ts'
import { backupsOf } from './operations/backups/backups.ts'
import { copiesOf } from './operations/backups/copies.ts'
import { maintenanceOf } from './operations/backups/maintenance.ts'
import { bundleWatchOf } from './operations/new-bundle.ts'
import { centralNoticesOf } from './operations/connection/connection.ts'
import { listeningOf } from './operations/connection/probes.ts'
import { operationsRoutes } from './operations/operations.routes.ts'
import { updatesOf } from './operations/updates/lane-updates.ts'
import { customerLinesOf } from './payments/customer-display/customer-display.ts'
import { paymentsRoutes } from './payments/payments.routes.ts'
import { receiptsOf } from './payments/receipts/receipts.ts'
import { approvalsOf } from './sales/approvals/approvals.ts'
import { inputDispatcherOf } from './sales/input/dispatcher.ts'
import { salesRoutes } from './sales/sales.routes.ts'
import { salesOf } from './sales/sales.ts'
import { followStaff } from './staff/store-changes.ts'
import { settingsOf } from './staff/settings/settings.ts'
import { staffRoutes } from './staff/staff.routes.ts'
import { followOwner } from './staff/waiting-changes.ts'
import { laneHealthOf } from './store/push-health.ts'
import { storeOf } from './store/store-link.ts'
import { storeRoutes } from './store/store.ts'

export interface RunningTerminal {
  readonly app: App
  readonly sessions: Sessions
  /** Starts the components, the devices and the link to the store server. Call it once, when the server listens. */
  start(): void
  close(): Promise<void>
}

/**
 * Maximum wait at close for copying the last backup to the second backup folder. The next start copies it otherwise.
 */
const COPY_AT_CLOSE_MS = 4_000

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

const BACKGROUND = [
  followStaff,
  followOwner,
  settingsOf,
  offersOf,
  offerImagesOf,
  dailyReportsOf,
  customerLinesOf,
  indexerOf,
  listeningOf,
  centralNoticesOf,
  maintenanceOf,
  copiesOf,
  bundleWatchOf,
  updatesOf,
] as const

/** Opens the lane: its components and the server for its windows. */
export async function createTerminal(options: TerminalOptions): Promise<RunningTerminal> {
  const lane = await openLane(options)
  const { ctx } = lane
  for (const open of BACKGROUND) open(ctx)
  connect(ctx)
  const app = openServer(ctx)
  // Recovery begins before a client can connect, so that each request finds the calls that a crash left open queued,
  // with their collectors locked.
  void recoverCheckout(ctx)
  return {
    app,
    sessions: sessionsOf(ctx),
    start() {
      start(lane)
    },
    close: () => close(lane, app),
  }
}

function connect(ctx: Ctx): void {
  const { published } = windowsOf(ctx)
  published.on('event', ({ type }) => {
    if (type === 'signed-in') previewOf(ctx).languageChanged()
  })
  published.on('event', memberEventsOf(ctx).onEvent)
  settingsOf(ctx).onChange(() => {
    const open = salesOf(ctx).currentId()
    if (open) salesOf(ctx).publish(open, 'settings')
  })
}

function openServer(ctx: Ctx): App {
  const { version, allowedHosts, allowedOrigins, staticRoot } = programOf(ctx)
  const sessions = sessionsOf(ctx)
  return buildServer({
    log: ctx.log,
    version,
    guards: { allowedHosts, ...(allowedOrigins ? { allowedOrigins } : {}) },
    sessions,
    events: windowsOf(ctx).events,
    commands: {
      channel: commandChannelOf(ctx),
      prepare: approvalsOf(ctx).prepare,
      admit: (request) => checkSignedIn(request, sessions),
    },
    staticRoot,
    routes: ROUTES.map((add) => (scope) => add(ctx, scope)),
  })
}

function start({ ctx, readRest }: OpenLane): void {
  startCheckout(ctx)
  const dispatch = inputDispatcherOf(ctx)
  devicesOf(ctx).enable((gesture) => {
    sessionsOf(ctx).active(null)
    dispatch(gesture)
  })
  // The link to the store server starts last, so that every component that applies the store's changes exists by then.
  storeOf(ctx).start(laneHealthOf(ctx))
  void readRest?.().then((problem) => {
    if (problem !== null) ctx.outbox.halt(new Error(`the database cannot be trusted: ${problem}`))
  })
}

/**
 * Stops timers and listeners first, then the server after its open requests, then the components that finish work. The
 * database closes last, because all of them write to it.
 */
async function close({ ctx, closeDatabase }: OpenLane, app: App): Promise<void> {
  const { log } = ctx
  const { folder, backsUpAtClose = true } = programOf(ctx)
  await stopComponents(ctx)
  log.debug('closing the server')
  await app.close()
  log.debug('closing the devices')
  await devicesOf(ctx).close()
  log.debug('finishing the print queue')
  await receiptsOf(ctx).whenPrinted()
  await catalogSyncOf(ctx)?.close()
  catalogImportsOf(ctx).close()
  catalogOf(ctx).close()
  // A restart for a restore keeps the database that it replaces, so a backup at close would only delay it.
  await maintenanceOf(ctx).close(backsUpAtClose && !backupsOf(ctx).isRestarting())
  await Promise.race([copiesOf(ctx).whenIdle(), delay(COPY_AT_CLOSE_MS, undefined, { ref: false })])
  copiesOf(ctx).stop()
  // Stopped this late: it decides whether the next start tries a pending update, which is not the case while a drawer
  // is open, and drawers cannot change any more.
  updatesOf(ctx)?.stop()
  closeDatabase()
  folder.release()
}
