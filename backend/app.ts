import { createCommandChannel, type CommandChannel } from './core/commands/channel.ts'
import { composeConnection } from './composition/connection.ts'
import { composeInput, openDevices } from './composition/devices.ts'
import { openFoundation, type Foundation } from './composition/foundation.ts'
import { composeLaneLooks } from './composition/lane-looks.ts'
import { composeLoyalty, composeOffers } from './composition/offers.ts'
import type { TerminalOptions } from './composition/options.ts'
import { composeEnrolment, keepSweeping, openSessions, openStaff, signInRoutes } from './composition/people.ts'
import { composeMeasures } from './composition/measures.ts'
import { composeReview } from './composition/review.ts'
import { openCheckout, saleRoutes } from './composition/sale.ts'
import { composeServices } from './composition/services.ts'
import { laneSays, openStoreLink, storePages } from './composition/store.ts'
import { openStoreCatalog } from './composition/store-catalog.ts'
import { terminalFacts } from './composition/terminal-facts.ts'
import { composeUpkeep } from './composition/upkeep.ts'
import { composeVersions } from './composition/versions.ts'
import { createApprovals, type Approvals } from './sales/approvals/approvals.ts'
import { recordProfile } from './staff/audit/audit-page.ts'
import { settingsRoutes } from './staff/settings/settings.routes.ts'
import { createWaitingChanges, followOwner, waitingChangesRoutes } from './staff/waiting-changes.ts'
import { createSettings, type Settings } from './staff/settings/settings.ts'
import type { CommandOptions } from './core/http/commands.ts'
import { admitStill } from './core/http/guards.ts'
import { buildServer, type App, type Routes } from './core/http/server.ts'
import type { Sessions } from './core/http/sessions.ts'

export interface RunningTerminal {
  readonly app: App
  readonly sessions: Sessions
  /**
   * Starts the devices and the queues. Call once, when the server listens; what a crash left open was decided before.
   */
  start(): void
  close(): Promise<void>
}

/** Composes the terminal: every part once, in the order in which they need each other. */
export async function createTerminal(options: TerminalOptions): Promise<RunningTerminal> {
  const base = await openFoundation(options)
  const lane = await openLane(base)
  const parts = composeParts(base, lane)
  const app = openServer(base, lane, parts)
  // Before anybody can connect: what a request meets is decided.
  void lane.checkout.recover()
  return {
    app,
    sessions: lane.sessions,
    start() {
      start(base, lane, parts)
    },
    async close() {
      await close(base, lane, parts, app)
    },
  }
}

type OpenLane = Awaited<ReturnType<typeof openLane>>
type Parts = ReturnType<typeof composeParts>

/** What the checkout needs, and the checkout itself. Throws StartRefusedError where the lane cannot sell. */
async function openLane(base: Foundation) {
  const staff = await openStaff(base)
  const { laneStore, enrolment } = composeEnrolment(base, staff)
  base.plainly((tx) => {
    recordProfile(tx, base.db, base.audit, base.options.profile)
  })
  const staffName = staff.nameOf
  const storeCatalog = await openStoreCatalog(base, staffName)
  const { catalog } = storeCatalog
  const sessions = openSessions(base)
  const services = composeServices(base)
  const devices = await openDevices(base)
  const kept = composeOffers(base, services)
  const store = openStoreLink(base, laneStore, services.watch)
  storeCatalog.follow(store)
  const checkout = openCheckout(base, { services, devices, kept, catalog, sessions, staffName, store })
  return {
    staff,
    staffName,
    laneStore,
    enrolment,
    storeCatalog,
    catalog,
    sessions,
    services,
    devices,
    kept,
    store,
    checkout,
  }
}

/** What stands around the checkout: who comes first hears of a change first. */
function composeParts(base: Foundation, lane: OpenLane) {
  base.counts.watch({ domain: lane.checkout.events, journal: base.journal, transact: base.transact })
  const input = composeInput(base, lane)
  const loyalty = composeLoyalty(base, lane)
  const connecting = composeConnection(base, lane.services)
  const settings = composeSettings(base, lane)
  settings.onChange(lane.checkout.settingsChanged)
  settings.onChange(connecting.settingsChanged)
  const waitingChanges = createWaitingChanges({ ...base, ...lane, settings })
  const stopFollowingOwner = followOwner({ ...base, link: lane.store, waiting: waitingChanges })
  const review = composeReview(base, lane)
  const { db, transact, outbox, seal, clock, counts } = base
  const channel = createCommandChannel({
    db,
    transact,
    failStop: outbox.failStop,
    seal,
    clock,
    onForgotten: (answers) => counts.dropped('command-answers', answers),
  })
  const upkeep = composeUpkeep(base, { ...lane, channel })
  const versions = composeVersions(base, lane)
  const startedAtMs = clock.now()
  const looks = composeLaneLooks(base, { ...lane, connecting, upkeep, settings, startedAtMs })
  const measures = composeMeasures(base, { ...lane, upkeep, startedAtMs })
  const stopSweeping = keepSweeping(lane.sessions)
  return {
    input,
    loyalty,
    connecting,
    settings,
    waitingChanges,
    stopFollowingOwner,
    review,
    channel,
    upkeep,
    versions,
    startedAtMs,
    looks,
    measures,
    stopSweeping,
  }
}

function composeSettings(base: Foundation, { staffName }: OpenLane): Settings {
  const { settingRows, effective, transact, audit, clock, lane, publish, changes } = base
  return createSettings({
    repository: settingRows,
    effective,
    transact,
    audit,
    clock,
    lane,
    staffName,
    publish,
    changes,
  })
}

function openServer(base: Foundation, lane: OpenLane, parts: Parts): App {
  const { options, events, log } = base
  const { sessions, staff } = lane
  return buildServer({
    log,
    version: options.version,
    guards: {
      allowedHosts: options.allowedHosts,
      ...(options.allowedOrigins ? { allowedOrigins: options.allowedOrigins } : {}),
    },
    sessions,
    events,
    commands: commandsOf(parts.channel, createApprovals({ staff }), sessions),
    staticRoot: options.staticRoot,
    routes: routesOf(base, lane, parts),
  })
}

const commandsOf = (channel: CommandChannel, approvals: Approvals, sessions: Sessions): CommandOptions => ({
  channel,
  prepare: async (request) => {
    await approvals.prepare(request)
    // Without a PIN nothing was waited for.
    if (request.approved !== null) admitStill(request, sessions)
  },
  admit: (request) => {
    admitStill(request, sessions)
  },
})

function routesOf(base: Foundation, lane: OpenLane, parts: Parts): Routes[] {
  const terminal = terminalFacts(base, {
    startedAtMs: parts.startedAtMs,
    foundOpen: lane.checkout.sales.current()?.id ?? null,
    servesMembers: lane.kept.member !== null,
    isToEnrol: lane.enrolment.isOffered,
  })
  return [
    ...signInRoutes(base, { ...lane, terminal }),
    ...lane.storeCatalog.routes(lane.checkout),
    ...saleRoutes(lane.checkout, base),
    ...parts.loyalty,
    ...parts.connecting.routes,
    ...parts.review.routes,
    ...parts.input.routes,
    settingsRoutes(parts.settings),
    waitingChangesRoutes(parts.waitingChanges),
    ...parts.upkeep.routes,
    ...parts.looks,
    ...parts.measures.routes,
    parts.versions.routes,
    ...storePages(base, lane),
  ]
}

function start(base: Foundation, lane: OpenLane, parts: Parts): void {
  const { database, outbox } = base
  const { kept, checkout, store } = lane
  kept.offers.start()
  checkout.start()
  parts.input.start()
  parts.connecting.start()
  parts.upkeep.start()
  parts.settings.start()
  parts.review.start()
  parts.versions.start()
  store.start(laneSays(base, lane))
  void database.readRest?.().then((problem) => {
    if (problem !== null) outbox.halt(new Error(`the database cannot be trusted: ${problem}`))
  })
}

/** First what begins something by itself, then the server, then what still has to end well. */
async function close(base: Foundation, lane: OpenLane, parts: Parts, app: App): Promise<void> {
  const { database, folder, log } = base
  parts.stopSweeping()
  parts.stopFollowingOwner()
  await lane.store.close()
  await lane.kept.close()
  parts.connecting.stop()
  parts.settings.stop()
  parts.review.stop()
  parts.measures.stop()
  lane.checkout.stop()
  log.debug('closing the server')
  await app.close()
  log.debug('closing the devices')
  await lane.devices.hub.close()
  log.debug('finishing the print queue')
  await lane.checkout.receipts.settled()
  await lane.storeCatalog.close()
  await parts.upkeep.close()
  parts.versions.stop()
  database.close()
  folder.release()
}
