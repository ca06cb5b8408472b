import { z } from 'zod'
import { Names } from '../core/locales.ts'
import { Cents } from '../core/money.ts'
import { Dollars } from '../sales/sale-rules.ts'
import { MAX_RETURN_DAYS } from '../catalog/goods.ts'

/** Store rules for returns: settings of the profile, and the rules that one return breaks. */
const MAX_LOWEST_DAYS = 365

/** Days after the sale within which an item can be returned; 0 for a final sale. */
export const ReturnDays = z.int().min(0).max(MAX_RETURN_DAYS)

const Count = z.int().min(1).max(10_000)

export const ReturnSettings = z.strictObject({
  days: ReturnDays.min(1)
    .optional()
    .describe('Days after the sale within which goods can be returned. Left out: no limit'),
  departments: z
    .array(z.strictObject({ id: z.string().min(1).describe('As in the catalog'), days: ReturnDays }))
    .default([])
    .describe('Other days for departments; 0: final sale. An item’s own days have precedence'),
  lowestPriceDays: z
    .int()
    .min(0)
    .max(MAX_LOWEST_DAYS)
    .default(30)
    .describe('Without a receipt, an item has the lowest price of so many days. 0: today’s price'),
  cashierCount: Count.optional().describe('Most returns of one person at a lane on one day. Left out: no limit'),
  cashierDollars: Dollars.optional().describe('Most refunded by one person at a lane on one day. Left out: no limit'),
  laneCount: Count.optional().describe('Most returns at a lane on one day. Left out: no limit'),
  laneDollars: Dollars.optional().describe('Most refunded at a lane on one day. Left out: no limit'),
})
export type ReturnSettings = z.infer<typeof ReturnSettings>

/** Rules that a return can break: the texts `returnRules.<code>` on screens, and `return-rule-<code>` in reports. */
export const RETURN_RULES = [
  'window',
  'final-sale',
  'expired',
  'cashier-count',
  'cashier-amount',
  'lane-count',
  'lane-amount',
] as const
export type ReturnRule = (typeof RETURN_RULES)[number]

/** A rule that a return breaks. The return needs the permission `return-override`. */
export const BrokenRule = z.discriminatedUnion('rule', [
  z.object({ rule: z.literal('window'), name: Names, days: z.int(), lastDay: z.iso.date() }),
  z.object({ rule: z.literal('final-sale'), name: Names }),
  z.object({ rule: z.literal('expired'), name: Names, day: z.iso.date().describe('last day of the piece') }),
  z.object({ rule: z.enum(['cashier-count', 'lane-count']), most: z.int() }),
  z.object({ rule: z.enum(['cashier-amount', 'lane-amount']), mostCents: Cents }),
])
export type BrokenRule = z.infer<typeof BrokenRule>

/** Returned goods of a recalled lot: they are always refunded, and must not be sold again. */
export const RecalledGoods = z.object({ name: Names, lot: z.string() })
export type RecalledGoods = z.infer<typeof RecalledGoods>

/** The GS1 code of a returned piece: its lot (AI 10), and its best-before, sell-by or expiration date (AI 15 to 17). */
export const ScannedGoods = z.object({
  code: z.string().regex(/^[!-~]{1,80}$/),
  lot: z
    .string()
    .regex(/^[!-~]{1,20}$/)
    .optional(),
  expiry: z.iso.date().optional(),
})
export type ScannedGoods = z.infer<typeof ScannedGoods>
