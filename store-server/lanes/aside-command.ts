import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/locales.ts'
import { needOwner } from '../db/owner.ts'
import type { Postgres } from '../db/postgres.ts'
import { printable } from '../printable.ts'
import { refused, translatorOf } from '../words.ts'

/** What the owner of a store does about facts that could not be read. */
export type AsideAction =
  | { readonly kind: 'list' }
  | {
      readonly kind: 'settle'
      readonly stream: string
      readonly seq: number
      readonly by: string
      readonly why: string
    }

const OPEN = `SELECT stream, seq, store, lane, kind, subject, reason FROM fact_aside
  JOIN fact_all USING (stream, seq) JOIN stream ON stream.name = stream
  WHERE settled_at IS NULL ORDER BY fact_aside.at, stream, seq`
const SETTLE = `UPDATE fact_aside SET settled_by = $3, settled_why = $4, settled_at = now()
  WHERE stream = $1 AND seq = $2 AND settled_at IS NULL`

type Row = Record<'stream' | 'store' | 'lane' | 'kind' | 'subject' | 'reason', string> & { seq: number }

/** Answers what is to be said. Rejects in plain words for whoever is not the owner, and where nothing can be done. */
export async function runAside(
  postgres: Postgres,
  action: AsideAction,
  locale: Locale = FIRST_LOCALE,
): Promise<string> {
  await needOwner(postgres)
  const say = translatorOf(locale)
  if (action.kind === 'list') return listed((await postgres.query<Row>(OPEN)).rows, say)
  const { stream, seq, by, why } = action
  const fact = `${stream}/${seq}`
  if ((await postgres.query(SETTLE, [stream, seq, by, why])).count > 0) return `${say('aside.settled', { fact })}\n`
  throw refused('notAside', { fact })
}

function listed(rows: readonly Row[], say: ReturnType<typeof translatorOf>): string {
  if (rows.length === 0) return `${say('aside.none')}\n`
  const lines = rows.map(({ stream, seq, store, lane, ...told }) => {
    const fact = `${stream}/${seq}`
    const [kind, subject, reason] = [printable(told.kind), printable(told.subject), printable(told.reason)]
    return say('aside.line', { fact, kind, subject, lane: `${store}/${lane}`, reason })
  })
  return `${[...lines, '', say('aside.rebuild'), say('aside.look'), say('aside.settle')].join('\n')}\n`
}
