import { z } from 'zod'
import { SaleId } from '../core/ids.ts'
import { TroubleKind } from '../operations/diagnostics.ts'
import {
  ACTIVITY_TYPES,
  HISTORY_CAUSES,
  HISTORY_ORDERS,
  HISTORY_RANGES,
  HISTORY_SPONSORS,
  type HistoryOrder,
  SPONSOR_COLOURS,
} from './kinds.ts'
import { Locale } from '../core/locales.ts'
import { TestPageAnswer } from '../operations/devices.ts'

/** Why a member's sign-in failed, or ended before the sale. */
export const SessionEnd = z.enum(['expired', 'denied', 'someone-else', 'unreachable', 'refused', 'token-expired'])
export type SessionEnd = z.infer<typeof SessionEnd>

/**
 * The sign-in of the collector of a sale, with their own phone (RFC 8628). It contains no token and no collector
 * number: the code is typed on the phone and is useless without it.
 */
export const MemberSession = z.discriminatedUnion('state', [
  z.object({ state: z.literal('asking'), saleId: SaleId }),
  z.object({
    state: z.literal('waiting'),
    saleId: SaleId,
    userCode: z.string().describe('code to type on the page'),
    page: z.string().describe('address of the page'),
    pageWithCode: z.string().describe('address with the code, for the QR code'),
    expiresAt: z.string(),
  }),
  z.object({ state: z.literal('signed-in'), saleId: SaleId, at: z.string() }),
  z.object({ state: z.literal('ended'), saleId: SaleId, why: SessionEnd }),
])
export type MemberSession = z.infer<typeof MemberSession>

/** GET /api/member-session. `offered`: whether members can sign in at this lane. */
export const MemberSessionNow = z.object({ offered: z.boolean(), session: MemberSession.nullable() })
export type MemberSessionNow = z.infer<typeof MemberSessionNow>

/** POST /api/sales/:id/member-session/print returns whether the sign-in slip was printed, and the printer's problem. */
export const SignInSlipAnswer = z.object({
  state: z.enum(['confirmed', 'sent', 'unknown', 'failed']),
  trouble: TroubleKind.nullable().describe('null: the printer reports no problem'),
})
export type SignInSlipAnswer = z.infer<typeof SignInSlipAnswer>

/** The field by which each sort order sorts. Two sort orders of the same field would contradict each other. */
const FIELDS = {
  newest: 'date',
  oldest: 'date',
  'most-miles': 'miles',
  'fewest-miles': 'miles',
  sponsor: 'sponsor',
} as const satisfies Record<HistoryOrder, string>

/**
 * Sort orders of transactions. The service accepts at most three (specification 2 §8), one for each of these fields.
 */
const Sort = z
  .array(z.enum(HISTORY_ORDERS))
  .min(1)
  .refine((orders) => new Set(orders.map((order) => FIELDS[order])).size === orders.length, 'one order of each field')

const range = z.enum(HISTORY_RANGES)
const sponsors = z.enum(HISTORY_SPONSORS)
const page = z.int().min(0).max(100_000).describe('from 0')

/** The member's history that the cashier has open, for the customer display. */
export const HistoryShown = z.object({ range, sponsors, sort: Sort, page })
export type HistoryShown = z.infer<typeof HistoryShown>

/** GET /api/sales/:id/member-history returns the history of the member who is signed in on the sale. */
export const MemberHistoryQuery = z.object({
  range: range.default('30-days'),
  sponsors: sponsors.default('all'),
  sort: z
    .string()
    .regex(/^\S*$/)
    .transform((text) => text.split(','))
    .pipe(Sort)
    .default(['newest'])
    .describe('comma separated, the most significant first'),
  page: z.coerce.number().pipe(page).default(0),
  locale: Locale.optional().describe("left out: the signed-in person's language"),
})
export type MemberHistoryQuery = z.infer<typeof MemberHistoryQuery>

/**
 * A transaction as a screen may show it: without card number and balance (specification 3 §4.5 rule 4). Missing fields
 * are null.
 */
export const MemberTransaction = z.object({
  at: z.string().nullable().describe('ISO 8601'),
  description: z.string().nullable().describe('in the requested language, if the service has it'),
  offer: z.string().nullable().describe('if it adds to the description'),
  activity: z.enum(ACTIVITY_TYPES).nullable().describe('null: a type that this program does not know'),
  sponsor: z.object({ name: z.string(), colour: z.enum(SPONSOR_COLOURS) }).nullable(),
  miles: z.int().nullable().describe('negative when miles left the account'),
  cashPart: z.int().nullable(),
  dreamPart: z.int().nullable(),
})
export type MemberTransaction = z.infer<typeof MemberTransaction>

export const HistoryFailure = z.object({
  cause: z.enum(HISTORY_CAUSES),
  code: z.string().nullable().describe('an HTTP status or the system’s error code'),
  correlationId: z.string().nullable().describe('trace for the program’s support'),
})
export type HistoryFailure = z.infer<typeof HistoryFailure>

const Failed = z.object({ kind: z.literal('failed'), failure: HistoryFailure })

/**
 * A page of the member's history, or why it cannot be shown. It is not stored, and is discarded with the sale or the
 * sign-in.
 */
export const MemberHistory = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('page'),
    transactions: z.array(MemberTransaction),
    page: z.int().min(0).describe('from 0'),
    pages: z.int().min(0),
    total: z.int().min(0),
  }),
  Failed,
])
export type MemberHistory = z.infer<typeof MemberHistory>
export type MemberHistoryPage = Extract<MemberHistory, { kind: 'page' }>

/**
 * PUT /api/sales/:id/member-history/shown has the history that the cashier opened; null when the cashier has closed it.
 * It is sent as an event, and not stored.
 */
export const ShowHistory = z.object({ shown: HistoryShown.nullable() })

/** POST /api/sales/:id/member-history/print loads and prints the newest transactions of the range. */
export const PrintHistory = z.strictObject({ range, sponsors })
export type PrintHistory = z.infer<typeof PrintHistory>

/** Outcome of printing the member's history; `empty`: there are no transactions. No print job is stored. */
export const HistoryPrinted = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('printed'), state: TestPageAnswer.shape.state }),
  z.object({ kind: z.literal('empty') }),
  Failed,
])
export type HistoryPrinted = z.infer<typeof HistoryPrinted>
