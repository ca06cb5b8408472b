import { UNSTORABLE } from '../../contracts/store/storable.ts'
import { needOwner } from '../db/owner.ts'
import type { Postgres } from '../db/postgres.ts'

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
  JOIN fact USING (stream, seq) JOIN stream ON stream.name = stream
  WHERE settled_at IS NULL ORDER BY fact_aside.at, stream, seq`
const SETTLE = `UPDATE fact_aside SET settled_by = $3, settled_why = $4, settled_at = now()
  WHERE stream = $1 AND seq = $2 AND settled_at IS NULL`

type Row = Record<'stream' | 'store' | 'lane' | 'kind' | 'subject' | 'reason', string> & { seq: number }

/** Answers what is to be said. Rejects in plain words for whoever is not the owner, and where nothing can be done. */
export async function runAside(postgres: Postgres, action: AsideAction): Promise<string> {
  await needOwner(postgres)
  if (action.kind === 'list') return listed((await postgres.query<Row>(OPEN)).rows)
  const { stream, seq, by, why } = action
  if ((await postgres.query(SETTLE, [stream, seq, by, why])).count > 0)
    return `${stream}/${seq} is counted no more. It stays where it is.\n`
  throw new Error(`${stream}/${seq} is not set aside, or was settled before. See: npm run store -- aside`)
}

function listed(rows: readonly Row[]): string {
  if (rows.length === 0) return 'Nothing is set aside.\n'
  const lines = rows.map(
    ({ stream, seq, store, lane, kind, subject, reason }) =>
      `${stream}/${seq}  ${printable(`${kind} ${subject} of lane ${store}/${lane}: ${reason}`)}`,
  )
  return `${lines.join('\n')}\n\n${LOOK}\n`
}

/** What a lane told is shown as one line of text: no sign of it begins another, or orders the terminal about. */
const printable = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[\p{Cc}\p{Cf}]/gu, UNSTORABLE)

const LOOK = `After an update of this program: npm run store -- rebuild --database URL
Where one stays that nobody can read, look at the papers of its lane, and then:
npm run store -- aside settle STREAM/NUMBER --by NAME --why TEXT --database URL`
