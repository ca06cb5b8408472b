import { refused } from '../words.ts'
import type { Postgres } from './postgres.ts'

/** Rejects in plain words where the user of this connection does not own the tables: what follows is the owner's. */
export async function needOwner(postgres: Postgres): Promise<void> {
  const { rows } = await postgres.query<{ owns: boolean }>(
    `SELECT pg_has_role(current_user, relowner, 'MEMBER') AS owns FROM pg_class WHERE oid = to_regclass('stream')`,
  )
  if (rows[0]?.owns !== true) throw refused('notOwner', { place: postgres.place })
}
