import type { AuditPage } from '../../contracts/staff/audit.ts'
import type { Database } from '../core/db/database.ts'
import { perLane } from '../core/context.ts'

export interface EntryRow {
  readonly number: number
  readonly at: number
  readonly kind: string
  readonly actor: string | null
  readonly subject: string | null
  readonly detail: string
}

/** Position in the list of audit entries: older entries follow, by time and then by number. */
export interface Place {
  readonly at: number
  readonly number: number
}

/** Filter of audit entries by time (epoch ms), number, person, kinds and subject. A null field accepts every entry. */
export interface EntryFilter {
  readonly from: number
  readonly before: Place
  readonly upTo: number
  readonly person: string | null
  readonly kinds: readonly string[] | null
  readonly subject: string | null
}

interface Window {
  readonly from: number
  readonly at: number
  readonly number: number
  readonly upTo: number
  readonly limit: number
}

const SELECT = 'SELECT id AS number, at, kind, actor_id AS actor, subject, detail FROM audit_entry'
const list = (which: string): string =>
  `${SELECT} WHERE ${which}(at, id) < (@at, @number) AND at >= @from AND id <= @upTo
    ORDER BY at DESC, id DESC LIMIT @limit`
const AMONG = '(@kinds IS NULL OR kind IN (SELECT value FROM json_each(@kinds)))'

/** Queries of audit entries. Each reads one index from the position on, in its order. `+?`: see core/db/database.ts. */
export const AUDIT_LISTS = {
  all: list(''),
  ofKind: list('kind = +@kind AND '),
  ofPerson: list('actor_id = +@person AND kind = +@kind AND '),
  ofSubject: list(`subject = +@subject AND (@person IS NULL OR actor_id IS @person) AND ${AMONG} AND `),
} as const
/** All kinds of entries that a person caused, by one index lookup per kind. */
export const KINDS_OF_PERSON = `WITH RECURSIVE known (kind) AS (
  SELECT min(kind) FROM audit_entry WHERE actor_id = @person
  UNION ALL SELECT (SELECT min(kind) FROM audit_entry WHERE actor_id = @person AND kind > known.kind)
    FROM known WHERE known.kind IS NOT NULL
) SELECT kind FROM known WHERE kind IS NOT NULL`

type Source = (window: Window) => EntryRow[]

export function createAuditRepository(db: Database) {
  const all = db.prepare<[Window], EntryRow>(AUDIT_LISTS.all)
  const ofKind = db.prepare<[Window & { kind: string }], EntryRow>(AUDIT_LISTS.ofKind)
  const ofPerson = db.prepare<[Window & { kind: string; person: string }], EntryRow>(AUDIT_LISTS.ofPerson)
  const ofSubject = db.prepare<[Window & { subject: string; person: string | null; kinds: string | null }], EntryRow>(
    AUDIT_LISTS.ofSubject,
  )
  const kindsOfPerson = db.prepare<{ person: string }, string>(KINDS_OF_PERSON).pluck()
  const newest = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM audit_entry').pluck()
  const people = db.prepare<[], AuditPage['people'][number]>('SELECT id, name FROM staff ORDER BY name, id')

  /** Lists that together have the entries that match the filter; an entry may be in two of them. */
  function sourcesOf({ person, kinds, subject }: EntryFilter): Source[] {
    const named = kinds && JSON.stringify(kinds)
    if (subject !== null) return [(window) => ofSubject.all({ ...window, subject, person, kinds: named })]
    // Entries by the person and entries about the person: a wrong PIN is entered while no one is signed in.
    if (person !== null)
      return [
        ...(kinds ?? kindsOfPerson.all({ person })).map(
          (kind): Source =>
            (window) =>
              ofPerson.all({ ...window, person, kind }),
        ),
        (window) => ofSubject.all({ ...window, subject: person, person: null, kinds: named }),
      ]
    if (kinds !== null)
      return kinds.map(
        (kind): Source =>
          (window) =>
            ofKind.all({ ...window, kind }),
      )
    return [(window) => all.all(window)]
  }

  return {
    /**
     * Entries that match the filter, newest first. Reads a limited number of rows at a time, and holds no read
     * transaction in between.
     */
    entries: (filter: EntryFilter, rowsAtOnce: number): Generator<EntryRow> =>
      merged(sourcesOf(filter).map((source) => rowsOf(source, filter, rowsAtOnce))),
    newest: (): number => newest.get() ?? 0,
    people: () => people.all(),
  }
}

function* rowsOf(source: Source, { from, before, upTo }: EntryFilter, limit: number): Generator<EntryRow> {
  let place = before
  for (;;) {
    const rows = source({ from, ...place, upTo, limit })
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < limit) return
    place = { at: last.at, number: last.number }
  }
}

const isNewer = (one: Place, other: Place): boolean =>
  one.at > other.at || (one.at === other.at && one.number > other.number)

function* merged(lists: readonly Generator<EntryRow>[]): Generator<EntryRow> {
  const heads = lists.flatMap((rest) => {
    const first = rest.next()
    return first.done ? [] : [{ row: first.value, rest }]
  })
  let last: EntryRow | null = null
  while (heads.length > 0) {
    const next = heads.reduce((best, head) => (isNewer(head.row, best.row) ? head : best))
    if (next.row.number !== last?.number) {
      last = next.row
      yield next.row
    }
    const following = next.rest.next()
    if (following.done) heads.splice(heads.indexOf(next), 1)
    else next.row = following.value
  }
}

export const auditRowsOf = perLane(({ db }) => createAuditRepository(db))
