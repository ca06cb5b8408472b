import type {
  AuditEntry,
  AuditExport,
  AuditFacts,
  AuditFilter,
  AuditPage,
  AuditQuery,
} from '../../../contracts/api/audit.ts'
import { kindsOf } from '../../../contracts/audit-kinds.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import { Temporal } from 'temporal-polyfill/implementation'
import type { z } from 'zod'
import { isoOf, type Clock } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import { epochOf, localDateTimeAt } from '../../domain/zone.ts'
import { ProblemError } from '../../http/problem.ts'
import type { AuditTrail } from '../staff/audit.ts'
import { exportPieces, type ExportFormat } from './export-file.ts'
import type { AuditRepository, EntryFilter, EntryRow, Place } from './repository.ts'

export interface AuditOptions {
  readonly repository: AuditRepository
  readonly transact: Transact
  readonly audit: Pick<AuditTrail, 'record'>
  readonly clock: Clock
  readonly profile: Pick<Profile, 'store' | 'timeZone'>
  readonly lane: Pick<Lane, 'id'>
  readonly staffName: (id: string) => string
}

interface OrderedExport {
  readonly format: ExportFormat
  readonly filter: AuditFilter
  readonly number: number
  readonly at: number
  readonly staffId: string
}

/** Rows of a list that an export reads at once: a few milliseconds. */
const ROWS_AT_ONCE = 250
/** Exports that were ordered and not fetched yet. */
const MOST_ORDERED = 20
const END: Place = { at: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER }
const PATH_CHARACTERS = /[^A-Za-z0-9-]/g

export type Audit = ReturnType<typeof createAudit>

/** The audit trail as a manager reads it and takes it away. */
export function createAudit(options: AuditOptions) {
  const { repository, transact, audit, clock, profile, lane } = options
  const ordered = new Map<number, OrderedExport>()

  function fileNameOf({ format, at, number }: OrderedExport): string {
    const day = localDateTimeAt(at, profile.timeZone).toPlainDate().toString()
    const store = profile.store.id.replaceAll(PATH_CHARACTERS, '-')
    return `audit_${store}_lane-${lane.id}_${day}_${number}.${format}`
  }

  return {
    page({ after, limit, ...filter }: z.infer<typeof AuditQuery>): AuditPage {
      const before = after === undefined ? undefined : placeOf(after)
      const entries: AuditEntry[] = []
      let more = false
      for (const row of repository.entries(filterOf(filter, profile.timeZone, before), limit + 1)) {
        more = entries.length === limit
        if (more) break
        entries.push(entryOf(row))
      }
      const last = entries.at(-1)
      return {
        entries,
        next: more && last ? `${Date.parse(last.at)}.${last.number}` : null,
        people: repository.people(),
      }
    },

    /** Writes down that this is taken away; `fetch` then streams it, once. */
    order(format: ExportFormat, filter: AuditFilter, staffId: string): AuditExport {
      return transact((tx) => {
        const number = audit.record(tx, {
          kind: 'audit-export',
          actorId: staffId,
          detail: { format, ...filter },
        })
        const order = { format, filter, number, at: clock.now(), staffId }
        transact.afterCommit(() => {
          ordered.set(number, order)
          for (const old of [...ordered.keys()].slice(0, -MOST_ORDERED)) ordered.delete(old)
        })
        return { number, fileName: fileNameOf(order) }
      })
    },

    /** The file that this person ordered, piece by piece. Throws ProblemError `not-found`. */
    fetch(number: number, staffId: string): { format: ExportFormat; fileName: string; pieces: AsyncGenerator<string> } {
      const order = ordered.get(number)
      if (order?.staffId !== staffId) throw new ProblemError('not-found')
      ordered.delete(number)
      const { format, filter, at } = order
      const facts = { store: profile.store.id, lane: lane.id, exportedAt: isoOf(at), filter }
      const rows = repository.entries({ ...filterOf(filter, profile.timeZone), upTo: number }, ROWS_AT_ONCE)
      return {
        format,
        fileName: fileNameOf(order),
        pieces: exportPieces(format, facts, mapped(rows), options.staffName),
      }
    },
  }
}

function filterOf({ from, to, person, group, subject }: AuditFilter, timeZone: string, before?: Place): EntryFilter {
  const end = to === undefined ? END : { at: instantOf(to, timeZone, 1), number: 0 }
  return {
    from: from === undefined ? 0 : instantOf(from, timeZone, 0),
    before: before ?? end,
    upTo: Number.MAX_SAFE_INTEGER,
    person: person ?? null,
    kinds: group === undefined ? null : kindsOf(group),
    subject: subject ?? null,
  }
}

/** A moment as it is; of a day of the store's calendar its midnight, or that after so many days. */
function instantOf(text: string, timeZone: string, days: number): number {
  if (text.includes('T')) return Date.parse(text)
  return epochOf(Temporal.PlainDate.from(text).add({ days }).toPlainDateTime(), timeZone)
}

function placeOf(cursor: string): Place {
  const [at, number] = cursor.split('.').map(Number)
  return { at: at ?? 0, number: number ?? 0 }
}

function* mapped(rows: Iterable<EntryRow>): Generator<AuditEntry> {
  for (const row of rows) yield entryOf(row)
}

const entryOf = ({ number, at, kind, actor, subject, detail }: EntryRow): AuditEntry => ({
  number,
  at: isoOf(at),
  kind,
  actor,
  subject,
  detail: JSON.parse(detail) as AuditFacts,
})
