import { z } from 'zod'
import { expected } from './expected.ts'
import { eachLocale } from './locales.ts'

/** What a store lets its cashiers change on a sale: settings of the profile. */

export const Day = z.iso.date({ error: expected('day') })
export const Dollars = z
  .number()
  .min(0.01)
  .max(100_000)
  .refine((dollars) => Number.isInteger(Number((dollars * 100).toFixed(6))), expected('dollars'))
const Percent = z
  .number()
  .min(0.01)
  .max(100)
  .refine((percent) => Number.isInteger(Number((percent * 100).toFixed(6))), expected('percentage'))

/** What a cashier needs a supervisor's or a manager's PIN for. */
export const ApprovalSettings = z.strictObject({
  discountAbovePercent: z
    .number()
    .min(0)
    .max(100)
    .default(10)
    .describe(
      'Of the regular price of any one item: what may be taken off it by hand without a supervisor. 100: everything',
    ),
  priceChange: z.boolean().default(true),
  taxExemption: z.boolean().default(true),
  lineVoid: z.boolean().default(false),
})
export type ApprovalSettings = z.infer<typeof ApprovalSettings>

/** A coupon that the store takes: once a sale, by scan or by key. Neither sku nor department: on the whole sale. */
export const Coupon = z.strictObject({
  code: z
    .string()
    .regex(/^[!-~]{3,64}$/, expected('couponCode'))
    .describe('What its barcode says, and what is typed; capitals make no difference'),
  name: eachLocale(z.string().min(1).max(60)),
  percent: Percent.optional().describe(
    'Neither percent nor dollars: a coupon of miles alone, of which the program is told',
  ),
  dollars: Dollars.optional(),
  sku: z.string().min(1).max(40).optional(),
  department: z.string().min(1).optional(),
  minimumDollars: Dollars.optional().describe('What it reaches must come to this before tax'),
  from: Day.optional().describe('First day, store time'),
  until: Day.optional().describe('Last day, store time'),
})
export type Coupon = z.infer<typeof Coupon>
