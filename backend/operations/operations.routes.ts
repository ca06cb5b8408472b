import type { SoundSettings } from '../../contracts/operations/devices.ts'
import type { Tx } from '../core/db/transact.ts'
import type { App } from '../core/http/app.ts'
import { devicesContract } from '../../contracts/operations/devices.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn } from '../core/http/guards.ts'
import type { Database } from '../core/db/database.ts'
import { perLane, type Ctx } from '../core/context.ts'
import { maintenanceRoutes, backupRoutes } from './backups/backups.ts'
import { connectionRoutes } from './connection/connection.ts'
import { deviceRoutes, trainingRoutes } from './devices/devices.routes.ts'
import { diagnosticsRoutes } from './diagnostics/diagnostics.ts'
import { enrolmentRoutes } from './enrolment/enrolment.ts'
import { laneCheckRoutes } from './lane-check/lane-check-page.ts'
import { metricsRoutes } from './metrics/metrics.ts'
import { supportRoutes } from './support/support.ts'
import { tracesRoutes } from './traces/traces.ts'
import { managerUpdatesRoutes } from './updates/manager-updates.ts'

/** The routes of the lane as a machine: devices, connection, backups, support. */
export function operationsRoutes(ctx: Ctx, app: App): void {
  enrolmentRoutes(ctx, app)
  deviceRoutes(ctx, app)
  trainingRoutes(ctx, app)
  soundsRoutes(ctx, app)
  diagnosticsRoutes(ctx, app)
  connectionRoutes(ctx, app)
  maintenanceRoutes(ctx, app)
  backupRoutes(ctx, app)
  supportRoutes(ctx, app)
  laneCheckRoutes(ctx, app)
  tracesRoutes(ctx, app)
  metricsRoutes(ctx, app)
  managerUpdatesRoutes(ctx, app)
}

/** Heard in a store, and not at the next lane. */
const DEFAULT_VOLUME = 6

/** How loud this lane is; kept for the lane, whoever is signed in and however often the terminal starts. */
function soundsRoutes(ctx: Ctx, app: App): void {
  const { transact, lane, audit } = ctx
  const repository = soundRowsOf(ctx)
  const settings = (): SoundSettings => ({ volume: repository.volumeOf(lane.id) ?? DEFAULT_VOLUME })
  serve(app, devicesContract['GET /sounds'], () => settings())
  serve(app, devicesContract['PUT /sounds'], (request) => {
    const { volume: before } = settings()
    const { volume: after } = request.body
    transact((tx) => {
      if (before !== after)
        audit.record(tx, {
          kind: 'setting-changed',
          actorId: signedIn(request).id,
          detail: { setting: 'volume', before, after },
        })
      repository.setVolume(tx, lane.id, after)
    })
    return settings()
  })
}

/** How loud a lane is; undefined where nobody has said. */
export function createSoundsRepository(db: Database) {
  const select = db.prepare<[string], { volume: number }>('SELECT volume FROM lane_sound WHERE lane = ?')
  const upsert = db.prepare(
    'INSERT INTO lane_sound (lane, volume) VALUES (?, ?) ON CONFLICT (lane) DO UPDATE SET volume = excluded.volume',
  )
  return {
    volumeOf: (lane: string): number | undefined => select.get(lane)?.volume,
    setVolume: (tx: Tx, lane: string, volume: number): void => {
      tx.run(upsert, lane, volume)
    },
  }
}

const soundRowsOf = perLane(({ db }) => createSoundsRepository(db))
