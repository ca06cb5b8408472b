import { z } from 'zod'
import {
  ACTIVITY_TYPES,
  HISTORY_CAUSES,
  HISTORY_ORDERS,
  HISTORY_RANGES,
  HISTORY_SPONSORS,
  type HistoryOrder,
} from '../history-kinds.ts'
import { Locale } from '../locales.ts'
import { SPONSOR_COLOURS } from '../sponsor-colours.ts'
import { TestPageAnswer } from './devices.ts'

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
export type ShowHistory = z.infer<typeof ShowHistory>

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
