import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/locales.ts'
import { needOwner } from '../db/owner.ts'
import type { Postgres } from '../db/postgres.ts'
import { PROJECTIONS } from '../features.ts'
import { refused, translatorOf } from '../words.ts'
import { rebuild } from './rebuild.ts'

/** A lane whose facts are not all there, because an archived month is missing, or are there twice. */
const INCOMPLETE = `SELECT store || '/' || lane AS lane, applied, coalesce(told.facts, 0) AS found
  FROM stream LEFT JOIN (SELECT stream, count(*)::integer AS facts FROM fact_all GROUP BY stream) AS told
    ON told.stream = stream.name
  WHERE applied <> coalesce(told.facts, 0) ORDER BY 1, name LIMIT 1`

/** Between two lines that say how far it is. */
const SAY_MS = 2_000

/** Reads all facts again, as the owner of the tables, and says how far it is. Rejects in plain words for another. */
export async function runRebuild(
  postgres: Postgres,
  write: (line: string) => void,
  locale: Locale = FIRST_LOCALE,
): Promise<void> {
  await needOwner(postgres)
  await needAllFacts(postgres)
  const say = translatorOf(locale)
  let saidAt = Date.now()
  const { facts, asideBefore, aside } = await rebuild(postgres, PROJECTIONS, (read, all) => {
    if (Date.now() - saidAt < SAY_MS) return
    saidAt = Date.now()
    write(`${say('rebuilding', { read, all })}\n`)
  })
  write(`${say('rebuilt', { facts })} ${say('unread', { aside, before: asideBefore })}\n`)
}

/** Rejects with an explanation when facts are missing: the rebuild would lose gift-card balances. */
async function needAllFacts(postgres: Postgres): Promise<void> {
  const { rows } = await postgres.transaction(
    (tx) => tx.query<{ lane: string; applied: number; found: number }>(INCOMPLETE),
    { unlimited: true },
  )
  const [lacking] = rows
  if (lacking === undefined) return
  const { lane, applied, found } = lacking
  throw refused(['factsIncomplete', 'factsIncompleteDo'], { lane, applied: `${applied}`, found: `${found}` })
}
