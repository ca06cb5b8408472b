import { setImmediate } from 'node:timers/promises'
import type { AuditEntry } from '../../../contracts/api/audit.ts'
import { csvHead, csvLine } from '../../../contracts/csv.ts'

export type ExportFormat = 'csv' | 'json'
export interface ExportFacts {
  readonly store: string
  readonly lane: string
  readonly exportedAt: string
  readonly filter: object
}

const HEADER = ['number', 'time', 'kind', 'person', 'name', 'subject', 'details']
/** So many entries make one piece; between two of them the lane goes on. */
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

/** As JSON: no value can look like another fact, nor, without a semicolon of its own, like another cell. */
const detailsOf = (detail: AuditEntry['detail']): string => JSON.stringify(detail).replaceAll(';', '\\u003b')

/** The file, piece by piece: no more of it is held than one. */
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
