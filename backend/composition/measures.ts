import { createLaneMetrics, metricsRoutes } from '../operations/metrics/metrics.ts'
import { createTraceReader, tracesRoutes } from '../operations/traces/traces.ts'
import type { Routes } from '../core/http/app.ts'
import { tellMetrics } from '../store/push-health.ts'
import type { StoreLink } from '../store/store-link.ts'
import type { LaneDevices } from './devices.ts'
import type { Foundation } from './foundation.ts'
import type { Services } from './services.ts'
import type { Upkeep } from './upkeep.ts'

interface MeasuredParts {
  readonly services: Services
  readonly devices: LaneDevices
  readonly upkeep: Upkeep
  readonly store: StoreLink
  readonly startedAtMs: number
}

/** What whoever watches many lanes reads of this one, and the traces of its calls. */
export function composeMeasures(base: Foundation, { services, devices, upkeep, store, startedAtMs }: MeasuredParts) {
  const { options, db, dataFolder, profile, lane, journal, counts, isStopped, clock, log } = base
  const metrics = createLaneMetrics({
    counts,
    logCounts: options.logCounts,
    journal,
    breakers: services.breakers,
    health: devices.hub.health,
    maintenance: upkeep.maintenance,
    isStopped,
    identity: { version: options.version, store: profile.store.id, lane: lane.id, mode: profile.mode },
    startedAt: startedAtMs,
    clock,
  })
  tellMetrics({ link: store, samples: metrics.samples, clock, log })
  return {
    routes: [tracesRoutes(createTraceReader(db)), metricsRoutes(metrics, dataFolder)] satisfies Routes[],
    stop: metrics.stop,
  }
}
