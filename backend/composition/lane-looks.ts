import { createLaneChecks, laneCheckRoutes, tokenAnswerOf } from '../operations/lane-check/lane-check-page.ts'
import type { Settings } from '../staff/settings/settings.ts'
import { createSupport, supportRoutes } from '../operations/support/support.ts'
import type { Routes } from '../core/http/app.ts'
import type { Connecting } from './connection.ts'
import type { LaneDevices } from './devices.ts'
import type { Foundation } from './foundation.ts'
import type { Offers } from './offers.ts'
import type { Services } from './services.ts'
import type { Upkeep } from './upkeep.ts'

interface LookParts {
  readonly services: Services
  readonly devices: LaneDevices
  readonly connecting: Connecting
  readonly upkeep: Upkeep
  readonly kept: Offers
  readonly settings: Settings
  readonly startedAtMs: number
}

/** What helps whoever looks after a lane: the support file, and the check of the whole lane. */
export const composeLaneLooks = (base: Foundation, parts: LookParts): Routes[] => [
  supportRoutes(composeSupport(base, parts)),
  laneCheckRoutes(composeLaneChecks(base, parts)),
]

function composeSupport(base: Foundation, parts: LookParts) {
  const { options, db, dataFolder, folder, lane, transact, audit, clock } = base
  return createSupport({
    db,
    dataFolder,
    version: options.version,
    profile: options.profile,
    lane,
    secrets: [folder.masterKey, ...(options.clientSecret === null ? [] : [options.clientSecret])],
    transact,
    audit,
    clock,
    running: runningFacts(base, parts),
  })
}

function runningFacts({ profile, outbox }: Foundation, parts: LookParts) {
  const { services, devices, connecting, upkeep, kept, settings } = parts
  return {
    startedAt: parts.startedAtMs,
    timeZone: profile.timeZone,
    stopped: () => outbox.failStop.reason,
    clock: () => services.watch.health,
    health: devices.hub.health,
    details: devices.hub.details,
    central: () => services.central.state,
    connection: connecting.connection.status,
    copies: upkeep.copies.state,
    offers: kept.offers.lists,
    settings: settings.list,
  }
}

function composeLaneChecks(base: Foundation, { services, devices, connecting }: LookParts) {
  const { options, dataFolder, lane, clock, publish, log } = base
  const { profile, profileFile, version, endpoints } = options
  return createLaneChecks({
    dataFolder,
    profileFile,
    version,
    running: {
      profile,
      lane,
      endpoints,
      health: devices.hub.health,
      clock: () => services.watch.health,
      askToken: async () => tokenAnswerOf((await connecting.calls.token()).cause),
    },
    clock,
    publish,
    log,
  })
}
