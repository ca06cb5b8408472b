import { z } from 'zod'
import { freeText } from '../core/text.ts'
import { AUDIT_GROUPS } from './audit-kinds.ts'
import { StaffId } from '../core/ids.ts'

const EntryNumber = z.int().min(1)

/** Values of an audit entry by name. Amounts are in cents, under names that end in `Cents`. */
export const AuditFacts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
export type AuditFacts = z.infer<typeof AuditFacts>

export const AuditEntry = z.object({
  number: EntryNumber,
  at: z.string(),
  kind: z.string().describe('a kind that this program knows, or the name of another'),
  actor: z.string().nullable().describe('id of a person; null: the terminal itself'),
  subject: z.string().nullable().describe('id of the affected person, receipt or thing'),
  detail: AuditFacts,
})
export type AuditEntry = z.infer<typeof AuditEntry>

const When = z.union([z.iso.datetime(), z.iso.date()])

export const AuditFilter = z.object({
  from: When.optional().describe('at or after; for a day, its beginning'),
  to: When.optional().describe('before; for a day, its end'),
  person: StaffId.optional().describe('the person who did it'),
  group: z.enum(AUDIT_GROUPS).optional(),
  subject: freeText({ max: 80 }).optional().describe('a receipt, a person or another thing by its id'),
})
export type AuditFilter = z.infer<typeof AuditFilter>

export const AuditCursor = z.string().regex(/^\d{1,16}\.\d{1,16}$/)

export const AuditQuery = AuditFilter.extend({
  after: AuditCursor.optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(100)).default(50),
})

export const AuditPage = z.object({
  entries: z.array(AuditEntry),
  next: AuditCursor.nullable().describe('start of the next page; null at the end'),
  people: z.array(z.object({ id: StaffId, name: z.string() })).describe('all people who ever worked here'),
})
export type AuditPage = z.infer<typeof AuditPage>

/** POST /api/audit/exports prepares a file. The audit trail records the export before the file is delivered. */
export const AuditExportRequest = z.object({ format: z.enum(['csv', 'json']), filter: AuditFilter })
export const AuditExport = z.object({
  number: EntryNumber.describe('the entry of this export; later entries are not in it'),
  fileName: z.string(),
})
export type AuditExport = z.infer<typeof AuditExport>

/** Why the verification of the audit trail failed. The texts are `audit.cause.<code>` in the message catalogs. */
export const AuditBreakCause = z.enum([
  'changed',
  'end-gone',
  'mark-gone',
  'record-changed',
  'database-changed',
  'unreadable',
])
export type AuditBreakCause = z.infer<typeof AuditBreakCause>

export const AuditVerdict = z.object({
  entries: z.int().min(0).describe('number of entries that were read and match'),
  newestAt: z.string().nullable(),
  /**
   * The first audit entry that was changed or is missing, and the last entry before it, up to which the trail can be
   * trusted.
   */
  broken: z
    .object({
      cause: AuditBreakCause,
      entry: EntryNumber.nullable(),
      intact: z.object({ number: EntryNumber, at: z.string() }).nullable(),
    })
    .nullable(),
  zReports: z.int().min(0).describe('number of Z reports whose heads were compared'),
  seconds: z.number(),
})
export type AuditVerdict = z.infer<typeof AuditVerdict>

export const AuditVerification = z.object({
  state: z.enum(['never', 'running', 'done']),
  read: z.int().min(0),
  total: z.int().min(0),
  verdict: AuditVerdict.nullable().describe('result of the last verification since the start'),
  endedAt: z.string().nullable(),
})
export type AuditVerification = z.infer<typeof AuditVerification>
