import type {
  AuditEntry,
  AuditExport,
  AuditFacts,
  AuditFilter,
  AuditPage,
  AuditQuery,
  AuditVerdict,
  AuditVerification,
} from '../../contracts/staff/audit.ts'
import { kindsOf } from '../../contracts/staff/audit-kinds.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import { Temporal } from 'temporal-polyfill/implementation'
import type { z } from 'zod'
import { isoOf } from '../core/clock.ts'
import type { Tx } from '../core/db/transact.ts'
import { epochOf, localDateTimeAt } from '../core/zone.ts'
import { ProblemError } from '../core/problem.ts'
import type { AuditTrail } from '../core/audit.ts'
import { recordOf } from '../core/record.ts'
import { type EntryFilter, type EntryRow, type Place, auditRowsOf } from './audit.sql.ts'
import { type VerificationUnderWay, verifyAuditInWorker } from '../core/integrity/verify-audit-in-worker.ts'
import { createHash } from 'node:crypto'
import type { Database } from '../core/db/database.ts'
import { setImmediate } from 'node:timers/promises'
import { csvHead, csvLine } from '../../contracts/core/csv.ts'
import { programOf } from '../core/program/lane-program.ts'
import { type Ctx, perLane } from '../core/context.ts'
import { isStopping, onStop } from '../core/lifecycle.ts'
import { Readable } from 'node:stream'
import type { App } from '../core/http/app.ts'
import { auditContract } from '../../contracts/staff/staff.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn } from '../core/http/guards.ts'

interface RequestedExport {
  readonly format: ExportFormat
  readonly filter: AuditFilter
  readonly number: number
  readonly at: number
  readonly staffId: string
}

/** Number of rows that an export reads at once: a few milliseconds of work. */
const ROWS_AT_ONCE = 250
const MAX_PENDING_EXPORTS = 20
const END: Place = { at: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER }
const PATH_CHARACTERS = /[^A-Za-z0-9-]/g

export type Audit = ReturnType<typeof auditOf>

export const auditOf = perLane((ctx: Ctx) => {
  const { transact, audit, clock, profile, lane, staffName } = ctx
  const repository = auditRowsOf(ctx)
  const pendingExports = new Map<number, RequestedExport>()

  function fileNameOf({ format, at, number }: RequestedExport): string {
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

    requestExport(format: ExportFormat, filter: AuditFilter, staffId: string): AuditExport {
      return transact((tx) => {
        const number = audit.record(tx, {
          kind: 'audit-export',
          actorId: staffId,
          detail: { format, ...filter },
        })
        const pending = { format, filter, number, at: clock.now(), staffId }
        transact.afterCommit(() => {
          pendingExports.set(number, pending)
          for (const old of [...pendingExports.keys()].slice(0, -MAX_PENDING_EXPORTS)) pendingExports.delete(old)
        })
        return { number, fileName: fileNameOf(pending) }
      })
    },

    /** Streams the export that this person requested, once and piece by piece. Throws ProblemError `not-found`. */
    fetch(number: number, staffId: string): { format: ExportFormat; fileName: string; pieces: AsyncGenerator<string> } {
      const pending = pendingExports.get(number)
      if (pending?.staffId !== staffId) throw new ProblemError('not-found')
      pendingExports.delete(number)
      const { format, filter, at } = pending
      const facts = { store: profile.store.id, lane: lane.id, exportedAt: isoOf(at), filter }
      const rows = repository.entries({ ...filterOf(filter, profile.timeZone), upTo: number }, ROWS_AT_ONCE)
      return {
        format,
        fileName: fileNameOf(pending),
        pieces: exportPieces(format, facts, mapped(rows), staffName),
      }
    },
  }
})

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

/** Converts a moment to epoch ms; for a day, the midnight at its start in store time, plus `days` days. */
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

/** Verifies the whole audit trail on request, one run at a time, and keeps the last result. */
export const verificationOf = perLane((ctx: Ctx) => {
  const { clock } = ctx
  const files = {
    database: programOf(ctx).folder.database,
    mark: programOf(ctx).folder.journalMark,
    masterKey: programOf(ctx).folder.masterKey,
  }
  const total = auditRowsOf(ctx).newest
  const record = recordOf(ctx)
  let underWay: VerificationUnderWay | null = null
  let last: AuditVerification = { state: 'never', read: 0, total: 0, verdict: null, endedAt: null }

  function ended(staffId: string, verdict: AuditVerdict): void {
    underWay = null
    if (isStopping(ctx)) return
    const { entries, broken } = verdict
    last = { state: 'done', read: entries, total: last.total, verdict, endedAt: isoOf(clock.now()) }
    record({
      kind: 'audit-verified',
      actorId: staffId,
      detail: { entries, ...(broken ? { cause: broken.cause, entry: broken.entry } : {}) },
    })
  }

  onStop(ctx, () => underWay?.stop())
  return {
    state: (): AuditVerification => last,
    /** Starts a verification unless one is running. */
    start(staffId: string): AuditVerification {
      if (underWay || isStopping(ctx)) return last
      last = { ...last, state: 'running', read: 0, total: total() }
      underWay = verifyAuditInWorker(files, (read) => {
        last = { ...last, read }
      })
      void underWay.verdict.then((verdict) => {
        ended(staffId, verdict)
      })
      return last
    },
  }
})

const DIGEST_CHARACTERS = 12
/** Selects the last entry by id and not by time: the clock may have been ahead when an earlier entry was written. */
const LAST = `SELECT detail ->> '$.digests' FROM audit_entry INDEXED BY audit_entry_kind WHERE kind = 'profile-changed'
  ORDER BY id DESC LIMIT 1`

/**
 * Records in the audit trail that a start found a changed profile, with the names of the sections that differ. Stores
 * only digests of the sections, because readers of the trail may not be allowed to see the values.
 */
export function recordProfile(tx: Tx, db: Database, audit: Pick<AuditTrail, 'record'>, profile: Profile): void {
  const now = Object.entries(profile).map(([section, value]) => `${section}=${digestOf(value)}`)
  const digests = now.join(' ')
  const before = db.prepare<[], string>(LAST).pluck().get()
  if (before === digests) return
  const was = new Set(before?.split(' '))
  const names = (entries: readonly string[]): string[] => entries.map((entry) => entry.slice(0, entry.indexOf('=')))
  const changed = names(now.filter((entry) => !was.has(entry)))
  const gone = names([...was]).filter((section) => !names(now).includes(section))
  audit.record(tx, {
    kind: 'profile-changed',
    actorId: null,
    detail: { changed: before === undefined ? null : [...changed, ...gone].join(', '), digests },
  })
}

const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, DIGEST_CHARACTERS)

export type ExportFormat = 'csv' | 'json'
export interface ExportFacts {
  readonly store: string
  readonly lane: string
  readonly exportedAt: string
  readonly filter: object
}

const HEADER = ['number', 'time', 'kind', 'person', 'name', 'subject', 'details']
/** Number of entries per piece of an export. The lane can do other work between two pieces. */
const ENTRIES_A_PIECE = 250

const FORMS = {
  csv: {
    head: () => csvHead(HEADER),
    entry: ({ number, at, kind, actor, subject, detail }: AuditEntry, name: string) =>
      csvLine([number, at, kind, actor ?? '', name, subject ?? '', detailsOf(detail)]),
    end: '',
  },
  json: {
    head: (facts: ExportFacts) => `${JSON.stringify(facts).slice(0, -1)},"entries":[`,
    entry: (entry: AuditEntry, name: string, first: boolean) =>
      `${first ? '' : ','}\n${JSON.stringify({ ...entry, name })}`,
    end: '\n]}\n',
  },
} as const

/** Formats details as JSON with escaped semicolons, so that no value can pass for another detail or cell. */
const detailsOf = (detail: AuditEntry['detail']): string => JSON.stringify(detail).replaceAll(';', '\\u003b')

export async function* exportPieces(
  format: ExportFormat,
  facts: ExportFacts,
  entries: Iterable<AuditEntry>,
  nameOf: (staffId: string) => string,
): AsyncGenerator<string> {
  const form = FORMS[format]
  let piece = form.head(facts)
  let written = 0
  for (const entry of entries) {
    piece += form.entry(entry, entry.actor === null ? '' : nameOf(entry.actor), written === 0)
    written += 1
    if (written % ENTRIES_A_PIECE > 0) continue
    yield piece
    piece = ''
    await setImmediate()
  }
  yield piece + form.end
}

const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const

export function auditRoutes(ctx: Ctx, app: App): void {
  const audit = auditOf(ctx)
  const verification = verificationOf(ctx)
  serve(app, auditContract['GET /audit'], (request) => audit.page(request.query))
  serve(app, auditContract['POST /audit/exports'], (request) =>
    audit.requestExport(request.body.format, request.body.filter, signedIn(request).id),
  )
  serve(app, auditContract['GET /audit/exports/:number'], (request, reply) => {
    const { format, fileName, pieces } = audit.fetch(request.params.number, signedIn(request).id)
    return reply
      .type(TYPES[format])
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(Readable.from(pieces))
  })
  serve(app, auditContract['GET /audit/verification'], () => verification.state())
  serve(app, auditContract['POST /audit/verification'], async (request) => verification.start(signedIn(request).id))
}
