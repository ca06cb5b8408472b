import { z } from 'zod'
import { Localized, Names } from '../locales.ts'
import { Cents } from '../money.ts'
import { Sku } from '../ids.ts'
import { Item } from './catalog.ts'

/** What a manager does with the catalog of a lane (`/manager/catalog`). Times are ISO 8601 in UTC. */
const At = z.iso.datetime()

export const CatalogEncoding = z.enum(['utf-8', 'utf-8-bom', 'windows-1252', 'utf-16le', 'utf-16be'])
export type CatalogEncoding = z.infer<typeof CatalogEncoding>
export const CatalogSeparator = z.enum(['comma', 'semicolon', 'tab'])
export type CatalogSeparator = z.infer<typeof CatalogSeparator>

/** A row that is refused: where, and what was expected there. `column` is null where it is the row as a whole. */
export const RefusedRow = z.object({
  line: z.int().min(1).nullable(),
  column: z.string().nullable(),
  messages: Localized,
})
export type RefusedRow = z.infer<typeof RefusedRow>

export const DifferenceKind = z.enum(['new', 'price', 'planned', 'other', 'gone'])
export type DifferenceKind = z.infer<typeof DifferenceKind>
/** What an import would change of one item. `before` is null of a new one, `after` of one that goes. */
export const CatalogDifference = z.object({
  number: z.int(),
  kind: DifferenceKind,
  before: Item.nullable(),
  after: Item.nullable(),
  planned: z.object({ fromAt: At, priceCents: Cents }).nullable().describe('of kind planned: the price to come'),
})
export type CatalogDifference = z.infer<typeof CatalogDifference>
/** GET /api/catalog/import/differences?kind=…&after=… In the order of the names. */
export const DifferenceQuery = z.object({ kind: DifferenceKind, after: z.coerce.number().int().min(0).default(0) })
export const DifferenceList = z.object({ differences: z.array(CatalogDifference), next: z.int().nullable() })
export type DifferenceList = z.infer<typeof DifferenceList>

export const ImportCounts = z.object({
  items: z.int(),
  new: z.int(),
  price: z.int(),
  planned: z.int(),
  other: z.int(),
  gone: z.int(),
})
export type ImportCounts = z.infer<typeof ImportCounts>

const given = { id: z.uuid(), fileName: z.string() }
/** The one import of the lane that is under way or waits for its manager; nothing of it is sold before `Apply`. */
export const CatalogImport = z.discriminatedUnion('phase', [
  z.object({
    ...given,
    phase: z.literal('working'),
    step: z.enum(['reading', 'comparing']),
    percent: z.int().min(0).max(100),
  }),
  z.object({
    ...given,
    phase: z.literal('refused'),
    encoding: CatalogEncoding.nullable(),
    rows: z.array(RefusedRow).describe('the first two hundred'),
    refused: z.int(),
  }),
  z.object({
    ...given,
    phase: z.literal('ready'),
    encoding: CatalogEncoding,
    separator: CatalogSeparator,
    counts: ImportCounts,
  }),
  z.object({ ...given, phase: z.literal('failed') }),
])
export type CatalogImport = z.infer<typeof CatalogImport>

/** Where a catalog came from: the profile's file, or a manager's import. */
const Origin = z.object({
  origin: z.enum(['profile', 'import']),
  fileName: z.string(),
  at: At,
  by: z.string().nullable(),
  items: z.int(),
  changes: z.int().describe('edits at the lane since'),
})
/** GET /api/catalog/state */
export const CatalogState = z.object({
  current: Origin,
  previous: Origin.nullable().describe('what undoing the last import brings back'),
  import: CatalogImport.nullable(),
  planned: z.int().describe('prices to come'),
})
export type CatalogState = z.infer<typeof CatalogState>

/** POST /api/catalog/import?name=…, the file as its body (application/octet-stream). */
export const ImportQuery = z.object({ name: z.string().trim().min(1).max(200) })
/** POST /api/catalog/import/apply and …/drop: the import that was looked at. */
export const ImportChoice = z.object({ id: z.uuid() })

/** A price that holds from a moment on. `price` beside it: what holds until then. */
export const PlannedPrice = z.object({
  sku: Sku,
  name: Names,
  priceCents: Cents.describe('now'),
  plannedCents: Cents,
  fromAt: At,
})
export type PlannedPrice = z.infer<typeof PlannedPrice>
/** GET /api/catalog/planned-prices?after=… `after` is the `next` of the page before. */
export const PlannedQuery = z.object({ after: z.string().max(80).optional() })
export const PlannedList = z.object({ prices: z.array(PlannedPrice), next: z.string().nullable() })
export type PlannedList = z.infer<typeof PlannedList>
/** POST /api/catalog/planned-prices. `from` is the store's wall clock: a time that is skipped falls after the change. */
export const PlanPrice = z.object({
  sku: Sku,
  priceCents: Cents.refine((cents) => cents >= 0 && cents <= 99_999_999),
  from: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/),
})
export type PlanPrice = z.infer<typeof PlanPrice>
/** POST /api/catalog/planned-prices/cancel */
export const CancelPlanned = z.object({ sku: Sku, fromAt: At })
