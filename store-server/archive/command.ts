import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/locales.ts'
import { needNoOtherOwner, needOwner } from '../db/owner.ts'
import type { Postgres } from '../db/postgres.ts'
import { translatorOf } from '../words.ts'
import { archive } from './archive.ts'

/** Between two lines that say how far it is. */
const SAY_MS = 2_000

/** Archives old facts, as the owner of the tables, and says how far it is. Rejects in plain words for another. */
export async function runArchive(
  postgres: Postgres,
  months: number,
  write: (line: string) => void,
  locale: Locale = FIRST_LOCALE,
): Promise<void> {
  await needOwner(postgres)
  await needNoOtherOwner(postgres)
  const say = translatorOf(locale)
  let saidAt = Date.now()
  const { facts, months: filled } = await archive(postgres, months, (moved) => {
    if (Date.now() - saidAt < SAY_MS) return
    saidAt = Date.now()
    write(`${say('archiving', { moved })}\n`)
  })
  const [first] = filled
  const last = filled.at(-1)
  write(
    first === undefined || last === undefined
      ? `${say('nothingToArchive')}\n`
      : `${say('archived', { facts, from: first, to: last })}\n`,
  )
}
