import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/locales.ts'
import { needOwner } from '../db/owner.ts'
import type { Postgres } from '../db/postgres.ts'
import { PROJECTIONS } from '../features.ts'
import { translatorOf } from '../words.ts'
import { rebuild } from './rebuild.ts'

/** Between two lines that say how far it is. */
const SAY_MS = 2_000

/** Reads all facts again, as the owner of the tables, and says how far it is. Rejects in plain words for another. */
export async function runRebuild(
  postgres: Postgres,
  write: (line: string) => void,
  locale: Locale = FIRST_LOCALE,
): Promise<void> {
  await needOwner(postgres)
  const say = translatorOf(locale)
  let saidAt = Date.now()
  const { facts, asideBefore, aside } = await rebuild(postgres, PROJECTIONS, (read, all) => {
    if (Date.now() - saidAt < SAY_MS) return
    saidAt = Date.now()
    write(`${say('rebuilding', { read, all })}\n`)
  })
  write(`${say('rebuilt', { facts })} ${say('unread', { aside, before: asideBefore })}\n`)
}
