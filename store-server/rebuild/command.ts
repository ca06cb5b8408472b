import { needOwner } from '../db/owner.ts'
import type { Postgres } from '../db/postgres.ts'
import { PROJECTIONS } from '../features.ts'
import { rebuild } from './rebuild.ts'

/** Between two lines that say how far it is. */
const SAY_MS = 2_000

/** Reads all facts again, as the owner of the tables, and says how far it is. Rejects in plain words for another. */
export async function runRebuild(postgres: Postgres, say: (line: string) => void): Promise<void> {
  await needOwner(postgres)
  let saidAt = Date.now()
  const { facts, asideBefore, aside } = await rebuild(postgres, PROJECTIONS, (read, all) => {
    if (Date.now() - saidAt < SAY_MS) return
    saidAt = Date.now()
    say(`${read} of ${all} facts\n`)
  })
  say(`${facts} facts were read again. ${aside} could not be read, ${asideBefore} before.\n`)
}
