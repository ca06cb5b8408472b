import type { LaneMode } from '../../contracts/store/protocol.ts'
import type { Querying } from '../db/postgres.ts'
import type { Caller } from './caller.ts'

/** Whether all lanes of a store train, or sell; null: none has said so yet. */
export async function modeOf(on: Querying, store: string): Promise<LaneMode | null> {
  const { rows } = await on.query<{ mode: LaneMode }>('SELECT mode FROM store_mode WHERE store = $1', [store])
  return rows[0]?.mode ?? null
}

/** Whether the store is of this mode. The first of its lanes that says one decides, whichever server it asks. */
export async function isOfMode(on: Querying, { store, lane }: Caller, mode: LaneMode): Promise<boolean> {
  const known = await modeOf(on, store)
  if (known !== null) return known === mode
  await on.query('INSERT INTO store_mode (store, mode, lane) VALUES ($1, $2, $3) ON CONFLICT (store) DO NOTHING', [
    store,
    mode,
    lane,
  ])
  return (await modeOf(on, store)) === mode
}
