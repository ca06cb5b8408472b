import { recordBundleNews, watchForBundle } from '../operations/bundles/new-bundle.ts'
import type { LaneStore } from '../operations/enrolment/lane-store.ts'
import { type LaneUpdates, createLaneUpdates, createUpdateGate } from '../operations/updates/lane-updates.ts'
import { createManagerUpdates, managerUpdatesRoutes } from '../operations/updates/manager-updates.ts'
import { updateSource } from '../operations/updates/update-source.ts'
import type { Routes } from '../core/http/app.ts'
import type { Sessions } from '../core/http/sessions.ts'
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
