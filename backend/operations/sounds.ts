import type { SoundSettings } from '../../contracts/operations/devices.ts'
import { devicesContract } from '../../contracts/operations/devices.routes.ts'
import { perLane, type Ctx } from '../core/context.ts'
import type { Database } from '../core/db/database.ts'
import type { Tx } from '../core/db/transact.ts'
import type { App } from '../core/http/app.ts'
import { signedIn } from '../core/http/guards.ts'
import { serve } from '../core/http/serve.ts'

/** Loud enough for a store, and inaudible at the next lane. */
const DEFAULT_VOLUME = 6

/** The volume belongs to the lane, not to the signed-in person, and survives a restart. */
export function soundsRoutes(ctx: Ctx, app: App): void {
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

function createSoundsRepository(db: Database) {
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
