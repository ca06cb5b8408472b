import { watchForBundle } from '../features/bundles/new-bundle.ts'
import { recordBundleNews } from '../features/bundles/told.ts'
import type { LaneStore } from '../features/enrolment/lane-store.ts'
import { createLaneUpdates, type LaneUpdates } from '../features/updates/lane-updates.ts'
import { managerUpdatesRoutes } from '../features/updates/manager-routes.ts'
import { createManagerUpdates } from '../features/updates/manager-updates.ts'
import { createUpdateGate } from '../features/updates/update-gate.ts'
import { updateSource } from '../features/updates/update-source.ts'
import type { Routes } from '../http/app.ts'
import type { Sessions } from '../http/sessions.ts'
import type { Foundation } from './foundation.ts'
import type { Services } from './services.ts'

interface VersionParts {
  readonly services: Services
  readonly sessions: Sessions
  readonly laneStore: LaneStore
}

/** What an installer sends to a lane that sells: another bundle, another version of the program. */
export function composeVersions(base: Foundation, parts: VersionParts) {
  const newBundle = composeBundles(base, parts)
  const updates = composeUpdates(base, parts)
  return {
    routes: updatesRoutes(base, updates),
    start(): void {
      newBundle.start()
      updates?.start()
    },
    stop(): void {
      newBundle.stop()
      updates?.stop()
    },
  }
}

function composeBundles({ options, db, dataFolder, clock, record, log }: Foundation, parts: VersionParts) {
  return watchForBundle({
    db,
    dataFolder,
    clock,
    aheadMs: parts.services.watch.aheadMs,
    onLook: () => {
      recordBundleNews(dataFolder, record, log)
    },
    quietMs: parts.sessions.quietMs,
    restart: () => options.restart?.(),
    log,
  })
}

/** Null where the program is no installed one. */
function composeUpdates(base: Foundation, { sessions, laneStore }: VersionParts): LaneUpdates | null {
  const { options, db, profile, lane, outbox, isStopped, clock, rng, log } = base
  if (!options.laneSlots) return null
  return createLaneUpdates({
    ...options.laneSlots,
    source: updateSource(profile.updates.url, laneStore.device()),
    lane: { store: profile.store.id, lane: lane.id },
    schema: Number(db.pragma('user_version', { simple: true })),
    gate: createUpdateGate({ db, quietMs: sessions.quietMs, isQueueIdle: outbox.collectorMutex.idle }),
    isSound: () => !isStopped(),
    restart: () => options.restartForUpdate?.(),
    clock,
    rng,
    log,
  })
}

function updatesRoutes({ options, clock, transact, audit }: Foundation, updates: LaneUpdates | null): Routes {
  const { version, laneSlots } = options
  const lane = updates && laneSlots ? { ...laneSlots, activity: updates.activity } : null
  return managerUpdatesRoutes(createManagerUpdates({ version, lane, clock, transact, audit }))
}
