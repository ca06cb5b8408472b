import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'

export type SoundsRepository = ReturnType<typeof createSoundsRepository>

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
