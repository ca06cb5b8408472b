import { EventEmitter } from 'node:events'
import { dirname, resolve } from 'node:path'
import { FOR_ACTING_WINDOW, type TerminalEvent } from '../contracts/core/events.ts'
import { catalogOf } from './catalog/catalog.ts'
import { formatCatalogErrors } from './catalog/editions/load.ts'
import { catalogSyncOf } from './catalog/catalog-sync.ts'
import { openCheckout } from './checkout.ts'
import { createAuditTrail } from './core/audit.ts'
import { plainTransactOf } from './core/record.ts'
import { centralOf, openCentral } from './core/central/services.ts'
import { noSecret } from './core/central/client-secret.ts'
import { type Ctx, droppedOf, publishAfterCommit } from './core/context.ts'
import { onStop } from './core/lifecycle.ts'
import { devicesOf, openDeviceHub } from './core/devices/hub.ts'
import { EventStream, windowsOf } from './core/http/events.ts'
import { sessionsOf } from './core/http/sessions.ts'
import { openTerminalDatabase } from './core/integrity/open-terminal.ts'
import { createOutbox } from './core/outbox/outbox.ts'
import { loadLogo } from './core/paper/images.ts'
import { ProblemError } from './core/problem.ts'
import type { CatalogNames } from './core/profile/profile-checks.ts'
import { checkCatalogNames, formatProfileErrors } from './core/profile/profile.ts'
import { EXIT, StartRefusedError } from './core/program/data-folder.ts'
import { type LaneStart, programOf } from './core/program/lane-program.ts'
import { approvalRowsOf } from './loyalty/reconciliation/reconciliation.ts'
import { hasFallenBack } from './operations/new-bundle.ts'
import { enrolmentOf } from './operations/enrolment/enrolment.ts'
import { laneStoreOf } from './operations/enrolment/lane-store.ts'
import { countsOf, createLaneCounts } from './operations/metrics/metrics.ts'
import { type LaneSlots, laneSlotsOf } from './operations/updates/lane-updates.ts'
import { actingWindowOf, createActingWindow } from './core/http/acting-window.ts'
import { recordProfile } from './staff/audit.ts'
import { createEffectiveProfile, effectiveProfileOf } from './staff/settings/effective-profile.ts'
import { staffOf } from './staff/sign-in.ts'
import { openStore, storePlaceOf } from './store/store.ts'
import { storeOf } from './store/store-link.ts'

export interface TerminalOptions extends LaneStart {
  /** Updates of the program; null where the program is not installed with slots for two versions. */
  readonly laneSlots?: LaneSlots | null
}

export interface OpenLane {
  readonly ctx: Ctx
  readonly readRest: (() => Promise<string | null>) | null
  readonly closeDatabase: () => void
}

/**
 * Opens the lane: database, staff, catalog, devices and checkout. Throws StartRefusedError without a client secret, if
 * the lane cannot be enrolled, and for a catalog that cannot be used.
 */
export async function openLane(options: TerminalOptions): Promise<OpenLane> {
  const { ctx, database } = await openContext(options)
  laneSlotsOf.provide(ctx, options.laneSlots ?? null)
  await staffOf(ctx).sync(ctx.profile)
  if (options.clientSecret === null && !enrolmentOf(ctx).isOffered()) {
    database.close()
    throw new StartRefusedError(noSecret(programOf(ctx).dataFolder), EXIT.badArguments)
  }
  plainTransactOf(ctx)((tx) => {
    recordProfile(tx, ctx.db, ctx.audit, options.profile)
  })
  await openCatalog(ctx)
  sessionsOf(ctx)
  const { around } = countsOf(ctx)
  const { seams } = options
  centralOf.provide(
    ctx,
    openCentral(ctx, {
      ...options,
      around: (exchange) => around(seams?.around(exchange) ?? exchange),
      random: seams?.luck ?? ctx.rng,
    }),
  )
  await openDevices(ctx)
  provideStore(ctx)
  catalogSyncOf(ctx)
  openCheckout(ctx)
  countsOf(ctx).watch(ctx)
  return { ctx, readRest: database.readRest, closeDatabase: () => database.close() }
}

async function openContext(options: TerminalOptions) {
  const { folder, clock, rng, log, lane, seams } = options
  const database = await openTerminalDatabase(folder, clock)
  const { db, seal } = database
  const effective = createEffectiveProfile({ db, clock }, options.profile)
  const counts = createLaneCounts()
  const windows = {
    events: new EventStream(log, counts.dropped),
    published: new EventEmitter<{ event: [event: TerminalEvent] }>(),
  }
  const acting = createActingWindow(windows.events)
  const publish = (event: TerminalEvent, stream?: string): void => {
    windows.events.publish(event, stream ?? (FOR_ACTING_WINDOW.has(event.type) ? acting.stream() : undefined))
    windows.published.emit('event', event)
  }
  windows.published.on('event', counts.onEvent)
  const outbox = createOutbox({
    ...database,
    clock,
    rng,
    log,
    ...(seams ? { observer: seams.observer } : {}),
    onCommit: counts.onCommit,
    onStop(reason) {
      publish({ type: 'stopped', reason })
    },
    refusal: (reason) => new ProblemError(reason),
  })
  const ctx: Ctx = {
    db,
    transact: outbox.transact,
    outbox,
    seal,
    audit: createAuditTrail({ db, clock, seal }),
    clock,
    rng,
    log,
    profile: effective.profile,
    lane,
    publish: publishAfterCommit(outbox.transact, publish),
    signedIn: () => sessionsOf(ctx).signedIn(),
    staffName: (id) => staffOf(ctx).nameOf(id),
  }
  programOf.provide(ctx, { ...options, dataFolder: dirname(folder.database), startedAt: clock.now() })
  effectiveProfileOf.provide(ctx, effective)
  countsOf.provide(ctx, counts)
  droppedOf(ctx).on('dropped', counts.dropped)
  windowsOf.provide(ctx, windows)
  actingWindowOf.provide(ctx, acting)
  return { ctx, database }
}

async function openCatalog(ctx: Ctx): Promise<void> {
  const { profile } = ctx
  const { dataFolder, profileFile, checkNames, profile: base } = programOf(ctx)
  const catalog = catalogOf(ctx)
  const refuseUnknown = (names: CatalogNames): void => {
    const unknown = checkNames === true ? checkCatalogNames(profileFile, base, names) : []
    if (unknown.length > 0)
      throw new StartRefusedError(formatProfileErrors(unknown, profile.locales.default), EXIT.badArguments)
  }
  const opened = await catalog.open(resolve(dirname(profileFile), profile.catalog.file), {
    checkNames: refuseUnknown,
    isFallback: hasFallenBack(dataFolder, profileFile),
  })
  if ('errors' in opened)
    throw new StartRefusedError(formatCatalogErrors(opened.errors, profile.locales.default), EXIT.badArguments)
  catalog.shared.items.start()
  catalog.onChange(() => {
    ctx.publish({ type: 'catalog-changed' })
  })
}

async function openDevices(ctx: Ctx): Promise<void> {
  const { folder, profileFile } = programOf(ctx)
  const logo = loadLogo(ctx.profile, profileFile)
  devicesOf.provide(ctx, await openDeviceHub(ctx, { paperFolder: folder.paper, profileFile, logo }))
}

function provideStore(ctx: Ctx): void {
  const laneStore = laneStoreOf(ctx)
  const store = openStore(ctx, storePlaceOf(laneStore.device()), approvalRowsOf(ctx), laneStore.storeAuthority)
  onStop(ctx, () => store.close())
  storeOf.provide(ctx, store)
}
