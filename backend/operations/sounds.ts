import { SoundSettings } from '../../contracts/operations/devices.ts'
import type { Tx } from '../core/db/transact.ts'
import type { Routes } from '../core/http/app.ts'
import { signedIn } from '../core/http/guards.ts'
import type { Database } from '../core/db/database.ts'
import { perLane, type Ctx } from '../core/context.ts'

/** Heard in a store, and not at the next lane. */
const DEFAULT_VOLUME = 6

/** How loud this lane is; kept for the lane, whoever is signed in and however often the terminal starts. */
export const soundsRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const { transact, lane, audit } = ctx
    const repository = soundRowsOf(ctx)
    const settings = (): SoundSettings => ({ volume: repository.volumeOf(lane.id) ?? DEFAULT_VOLUME })
    app.get('/api/sounds', { schema: { summary: 'How loud this lane is', response: { 200: SoundSettings } } }, () =>
      settings(),
    )
    app.put(
      '/api/sounds',
      {
        schema: {
          summary: 'Make this lane louder or quieter; 0 is off',
          body: SoundSettings,
          response: { 200: SoundSettings },
        },
      },
      (request) => {
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
      },
    )
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
