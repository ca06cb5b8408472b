import { z } from 'zod'
import { eachLocale, Names } from '../core/locales.ts'
import { Cents } from '../core/money.ts'
import { freeText } from '../core/text.ts'
import { CHARGE_ID, MAX_CHARGE_CHANGES, MAX_CONTAINERS } from './item-charges.ts'

/** Highest number of empty containers on one line of a sale. */
export const MAX_EMPTIES = 999

export const ChargeId = z.string().trim().regex(CHARGE_ID, 'lower-case letters, digits and dashes, at most 40')

/** Highest amount of a deposit or fee, for one container. */
export const MAX_CHARGE_CENTS = 10_000

const Amount = Cents.refine((value) => value >= 0 && value <= MAX_CHARGE_CENTS, 'at most $100.00')

/**
 * An amount that is charged with an item, for each of its containers. deposit: paid back for the empty container, and
 * untaxed. fee: an environmental fee that is not paid back, taxed as its item. Sources: Excise Tax Act s. 226; CRA
 * GST/HST Technical Information Bulletin B-089, Returnable Containers; CRA, Returnable containers and goods.
 */
export const ChargeKind = z.enum(['deposit', 'fee'])
export type ChargeKind = z.infer<typeof ChargeKind>

export const Charge = z.strictObject({
  id: ChargeId,
  kind: ChargeKind,
  names: eachLocale(freeText({ max: 40 })),
  cents: Amount.describe('for one container'),
  refundCents: Amount.optional().describe(
    'of a deposit: paid for an empty container; left out: the deposit. 0: this store takes none',
  ),
  changes: z
    .array(z.strictObject({ from: z.iso.date(), cents: Amount, refundCents: Amount.optional() }))
    .max(MAX_CHARGE_CHANGES)
    .refine((changes) => changes.every(({ from }, at) => from > (changes[at - 1]?.from ?? '')), 'oldest first')
    .default([])
    .describe('planned amounts, oldest first; each applies from the start of its day at the store'),
})
export type Charge = z.infer<typeof Charge>

/** Returns the amount of a deposit or fee on a day (YYYY-MM-DD), and the amount that is then paid back. */
export function chargeOn(charge: Charge, day: string): { readonly cents: Cents; readonly refundCents: Cents } {
  const now = charge.changes.findLast(({ from }) => from <= day) ?? charge
  return { cents: now.cents, refundCents: charge.kind === 'fee' ? (0 as Cents) : (now.refundCents ?? now.cents) }
}

/** A deposit or fee of an item, and the number of containers in one piece of it. */
export const ItemCharge = z.object({ id: ChargeId, containers: z.int().min(1).max(MAX_CONTAINERS) })
export type ItemCharge = z.infer<typeof ItemCharge>

/** A deposit or fee of one unit of a line, as it was when the line was rung. */
export const LineCharge = z.object({
  id: z.string(),
  kind: ChargeKind,
  name: Names,
  cents: Cents,
  earns: z.boolean().describe('whether it counts for miles'),
})
export type LineCharge = z.infer<typeof LineCharge>

/** GET /api/catalog/charges */
export const ChargeList = z.object({
  charges: z.array(
    z.object({
      charge: Charge,
      from: z.enum(['region', 'lane', 'profile']).describe('region: built in for the region of the store'),
      cents: Cents.describe('today'),
      refundCents: Cents.describe('paid for an empty container today'),
    }),
  ),
})
export type ChargeList = z.infer<typeof ChargeList>

/** POST /api/catalog/charges: adds a deposit or fee, or replaces the one with its id. */
export const SaveCharge = z.object({
  how: z.enum(['add', 'change']),
  charge: Charge,
  seen: Charge.optional().describe('The charge as the form showed it'),
})
export type SaveCharge = z.infer<typeof SaveCharge>

/** POST /api/catalog/charges/remove */
export const RemoveCharge = z.object({ id: ChargeId })

export const EmptiesCount = z.object({ id: ChargeId, count: z.int().min(1).max(MAX_EMPTIES) })
/** GET /api/sales/empties: classes of empty containers that this store takes. */
export const EmptiesClasses = z.object({
  classes: z.array(z.object({ id: ChargeId, name: Names, refundCents: Cents })),
  most: z.int().describe('highest number in one sale'),
})
export type EmptiesClasses = z.infer<typeof EmptiesClasses>
