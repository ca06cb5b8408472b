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

/** Why a member's sign-in has ended without one, or before the sale. */
export const SessionEnd = z.enum(['expired', 'denied', 'someone-else', 'unreachable', 'refused', 'token-expired'])
export type SessionEnd = z.infer<typeof SessionEnd>

/**
 * The sign-in of the collector of a sale, with their own phone (RFC 8628). No token and no number is in it: the code
 * is the phone's to type, and worth nothing without it.
 */
export const MemberSession = z.discriminatedUnion('state', [
  z.object({ state: z.literal('asking'), saleId: SaleId }),
  z.object({
    state: z.literal('waiting'),
    saleId: SaleId,
    userCode: z.string().describe('to type on the page'),
    page: z.string().describe('address of the page'),
    pageWithCode: z.string().describe('address that holds the code already, for the QR code'),
    expiresAt: z.string(),
  }),
  z.object({ state: z.literal('signed-in'), saleId: SaleId, at: z.string() }),
  z.object({ state: z.literal('ended'), saleId: SaleId, why: SessionEnd }),
])
export type MemberSession = z.infer<typeof MemberSession>

/** GET /api/member-session. `offered`: whether members can sign in at this lane at all. */
export const MemberSessionNow = z.object({ offered: z.boolean(), session: MemberSession.nullable() })
export type MemberSessionNow = z.infer<typeof MemberSessionNow>

/** POST /api/sales/:id/member-session/print: what became of the slip, and what is the matter with the printer. */
export const SignInSlipAnswer = z.object({
  state: z.enum(['confirmed', 'sent', 'unknown', 'failed']),
  trouble: TroubleKind.nullable().describe('null: it says nothing'),
})
export type SignInSlipAnswer = z.infer<typeof SignInSlipAnswer>

/** What an order is of: two orders of one field would contradict each other. */
const FIELDS = {
  newest: 'date',
  oldest: 'date',
  'most-miles': 'miles',
  'fewest-miles': 'miles',
  sponsor: 'sponsor',
} as const satisfies Record<HistoryOrder, string>

/** The service takes three sorts at most (specification 2 §8), and these are as many fields. */
const Sort = z
  .array(z.enum(HISTORY_ORDERS))
  .min(1)
  .refine((orders) => new Set(orders.map((order) => FIELDS[order])).size === orders.length, 'one order of each field')

const range = z.enum(HISTORY_RANGES)
const sponsors = z.enum(HISTORY_SPONSORS)
const page = z.int().min(0).max(100_000).describe('from 0')

/** What the cashier has open, for the customer's display. */
export const HistoryShown = z.object({ range, sponsors, sort: Sort, page })
export type HistoryShown = z.infer<typeof HistoryShown>

/** GET /api/sales/:id/member-history: of the member who has signed in on the sale. */
export const MemberHistoryQuery = z.object({
  range: range.default('30-days'),
  sponsors: sponsors.default('all'),
  sort: z
    .string()
    .regex(/^\S*$/)
    .transform((text) => text.split(','))
    .pipe(Sort)
    .default(['newest'])
    .describe('comma separated, the one that counts most first'),
  page: z.coerce.number().pipe(page).default(0),
  locale: Locale.optional().describe("left out: the signed-in person's language"),
})
export type MemberHistoryQuery = z.infer<typeof MemberHistoryQuery>

/**
 * A transaction as a screen may see it: no card number, and no balance (specification 3 §4.5 rule 4). What the service
 * leaves out is null.
 */
export const MemberTransaction = z.object({
  at: z.string().nullable().describe('ISO 8601'),
  description: z.string().nullable().describe('in the language asked for, where the service has it'),
  offer: z.string().nullable().describe('where it says more than the description'),
  activity: z.enum(ACTIVITY_TYPES).nullable().describe('null: of a type that this program does not know'),
  sponsor: z.object({ name: z.string(), colour: z.enum(SPONSOR_COLOURS) }).nullable(),
  miles: z.int().nullable().describe('less than none where they left the account'),
  cashPart: z.int().nullable(),
  dreamPart: z.int().nullable(),
})
export type MemberTransaction = z.infer<typeof MemberTransaction>

export const HistoryFailure = z.object({
  cause: z.enum(HISTORY_CAUSES),
  code: z.string().nullable().describe('a status, or a system’s name of the cause'),
  correlationId: z.string().nullable().describe('what to quote to the program’s support'),
})
export type HistoryFailure = z.infer<typeof HistoryFailure>

const Failed = z.object({ kind: z.literal('failed'), failure: HistoryFailure })

/** A page of the history, or why there is none. It is kept nowhere, and gone with the sale or the sign-in. */
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

/** PUT /api/sales/:id/member-history/shown: null when the cashier has closed it. Told by an event, and not kept. */
export const ShowHistory = z.object({ shown: HistoryShown.nullable() })

/** POST /api/sales/:id/member-history/print: the newest transactions of the range, asked for anew. */
export const PrintHistory = z.strictObject({ range, sponsors })
export type PrintHistory = z.infer<typeof PrintHistory>

/** What became of it; `empty`: there was nothing to print. No print job is kept of it. */
export const HistoryPrinted = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('printed'), state: TestPageAnswer.shape.state }),
  z.object({ kind: z.literal('empty') }),
  Failed,
])
export type HistoryPrinted = z.infer<typeof HistoryPrinted>
