import { z } from 'zod'
import { CollectorNumber } from '../core/ids.ts'

/** Wire of the transaction-history service: specification 2 §4.2. */
export const HISTORY_PATHS = {
  health: '/transaction-history/health',
  cards: '/transaction-history/cards',
  sponsors: '/transaction-history/sponsors',
} as const

/** Fields of an activity record (specification 2 §2.3), by which a page can be sorted. */
export const SORT_FIELDS = [
  'transactionId',
  'memberId',
  'cardNumber',
  'activityType',
  'transactionDate',
  'postingDate',
  'transactionDescription',
  'transactionValue',
  'cashMiles',
  'dreamMiles',
  'cashRatio',
  'dreamRatio',
  'externalReferenceNumber',
  'externalReferenceType',
  'channel',
  'initiatorId',
  'sponsorCode',
  'sponsorDescriptionEnglish',
  'sponsorDescriptionFrench',
  'offerClass',
  'offerCode',
  'offerDescriptionEnglish',
  'offerDescriptionFrench',
  'locationCode',
  'locationDescription',
  'redemptionStatus',
  'balancePostTransaction',
] as const
export type SortField = (typeof SORT_FIELDS)[number]

const single = z.string({ error: 'exactly one value is expected' })
const whole = (low: number, high: number) =>
  single
    .regex(/^\d{1,9}$/, 'a whole number')
    .transform(Number)
    .pipe(z.int().min(low).max(high))
/** The zone of an ISO 8601 date-time, with minutes after a colon, without a colon, or left out. */
const ZONE = /(?<=T.*)(?:Z|([+-]\d\d):?(\d\d)?)$/i
/** "ISO 8601, with or without zone" (specification 2 §2.3); without one it is UTC. Returns epoch milliseconds. */
export function momentOf(text: string): number {
  const [zone = '', hours, minutes = '00'] = ZONE.exec(text) ?? []
  return Date.parse(`${text.slice(0, text.length - zone.length)}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`)
}
const moment = (description: string, example: string) =>
  single
    .meta({ description, examples: [example] })
    .pipe(z.iso.datetime({ offset: true, local: true }))
    .transform(momentOf)
const Sort = z
  .string()
  .regex(/^[A-Za-z]+,(asc|desc)$/, '<field>,<asc or desc> is expected')
  .transform((value) => {
    const [field, direction] = value.split(',')
    return { field, descending: direction === 'desc' }
  })
  .pipe(z.object({ field: z.enum(SORT_FIELDS), descending: z.boolean() }))

/** Maximum number of sort keys in one request (specification 2 §8). */
export const MAX_SORTS = 3

const TWO_YEARS = 2

const shared = {
  from: moment('Start, ISO 8601', '2026-01-01T00:00:00Z'),
  to: moment('End, at most two years later', '2026-12-31T00:00:00Z'),
  page: whole(0, 1_000_000).default(0).describe('Zero-based'),
  size: whole(1, 1_000).default(20).describe('Records a page'),
  sort: z
    .union([Sort.transform((one) => [one]), z.array(Sort)])
    .pipe(
      z
        .array(z.object({ field: z.enum(SORT_FIELDS), descending: z.boolean() }))
        .max(MAX_SORTS, 'at most three are allowed'),
    )
    .optional()
    .describe('`<field>,<asc or desc>`, at most three times'),
}

interface Range {
  readonly from: number
  readonly to: number
}

/**
 * Checks a time range in epoch milliseconds. Returns its error, or null: the end must not be before the start, and not
 * more than two years after it (specification 2 §8). Whole calendar years: 29 February ends on 1 March.
 */
export function rangeFlaw({ from, to }: Range): string | null {
  const latest = new Date(from)
  latest.setUTCFullYear(latest.getUTCFullYear() + TWO_YEARS)
  if (to < from) return 'is before from'
  return to > latest.getTime() ? 'is more than two years after from' : null
}

function checkRange(range: Range, context: z.core.$RefinementCtx): void {
  const message = rangeFlaw(range)
  if (message !== null) context.addIssue({ code: 'custom', path: ['to'], message, input: range.to })
}

export const CardsQuery = z.strictObject(shared).superRefine(checkRange)
export type CardsQuery = z.infer<typeof CardsQuery>

export const SponsorsQuery = z
  .strictObject({
    ...shared,
    sponsorList: single
      .meta({ description: 'Sponsor codes by commas', examples: ['NRTH,RIVR'] })
      .transform((value) => value.split(','))
      .pipe(z.array(z.string().min(1).max(64))),
    collectorNumber: single
      .pipe(CollectorNumber)
      .meta({ description: '11 digits, the first an 8', examples: ['80000000011'] }),
  })
  .superRefine(checkRange)
export type SponsorsQuery = z.infer<typeof SponsorsQuery>

export const HistoryHealthResponse = z.object({ status: z.string() })

const text = z.string().optional().catch(undefined)
const integer = z.int().optional().catch(undefined)
const ratio = z.number().min(0).max(1).optional().catch(undefined)

/**
 * An activity record as a client of the service reads it (specification 2 §2.3). Null and empty fields are left out
 * (§1), and so is an invalid field: one such field does not hide a transaction.
 */
export const Activity = z.object({
  transactionId: text,
  memberId: integer,
  cardNumber: text,
  /** `ISSUANCE`; the specification shows no others. */
  activityType: text,
  transactionDate: text,
  postingDate: text,
  transactionDescription: text,
  /** In miles; negative if the miles left the account. */
  transactionValue: integer,
  cashMiles: integer,
  dreamMiles: integer,
  cashRatio: ratio,
  dreamRatio: ratio,
  externalReferenceNumber: text,
  externalReferenceType: text,
  channel: text,
  initiatorId: text,
  sponsorCode: text,
  sponsorDescriptionEnglish: text,
  sponsorDescriptionFrench: text,
  offerClass: text,
  offerCode: text,
  offerDescriptionEnglish: text,
  offerDescriptionFrench: text,
  locationCode: text,
  locationDescription: text,
  redemptionStatus: text,
  balancePostTransaction: integer,
} satisfies Record<SortField, z.ZodType>)
export type Activity = z.infer<typeof Activity>

/** The page envelope (specification 2 §2.3); `_embedded` is left out of a page without records. */
export const HistoryPage = z.object({
  _embedded: z.object({ genericActivityDtoList: z.array(z.record(z.string(), z.unknown())) }).optional(),
  _links: z.record(z.string(), z.object({ href: z.string() })),
  page: z.object({ size: z.int(), totalElements: z.int(), totalPages: z.int(), number: z.int() }),
})
