import { z } from 'zod'
import { BuyerGroup, DiscountReason, Exemption, DiscountScope, DiscountAmount } from '../sales/sale-changes.ts'
import { LineCharge } from '../catalog/charges.ts'
import { LineMeasure } from '../catalog/measure.ts'
import { SaleId } from '../core/ids.ts'
import { Names } from '../core/locales.ts'
import { TaxCategory, TaxRule } from '../core/regions.ts'
import { ReturnDays } from '../payments/return-rules.ts'
import { LaneAmount, LaneTime } from './bounds.ts'
import { AwaitedLanes, HoldsVersion } from './protocol.ts'

/**
 * Held sales of all lanes of a store. The right to resume a held sale is in one place: at the lane that held it until
 * that lane has the store's confirmation, then in the store. Money is in cents, times are epoch milliseconds by the
 * lane's clock.
 */
export const HOLD_PATHS = {
  offer: '/lane/holds/offer',
  decide: '/lane/holds/settle',
  list: '/lane/holds/list',
  reserve: '/lane/holds/claim',
  reserved: '/lane/holds/claimed',
} as const

/** Maximum number of held sales in a list: the newest ones, oldest first. */
export const MAX_HOLDS = 200

const Cents = LaneAmount
const Time = LaneTime
const LaneId = z.string().min(1).max(20)
const protocol = z.int()

/** Measured quantity of a line, with the names of the line without it. */
const HeldMeasure = LineMeasure.extend({ name: Names })

/**
 * A sale as it was held, with the prices and discounts given then. The collector's number is sealed and sent with it.
 */
export const HeldContent = z.object({
  lines: z
    .array(
      z.object({
        sku: z.string(),
        name: Names,
        quantity: z.int().min(1).max(999),
        unitPriceCents: Cents,
        regularPriceCents: Cents.nullable(),
        taxCategory: TaxCategory,
        departmentId: z.string(),
        categoryId: z.string().nullable(),
        note: z.string().nullable(),
        minimumAge: z.int().nullable(),
        voided: z.union([z.literal(0), z.literal(1)]),
        taxRule: TaxRule.nullable().default(null).catch(null),
        exemption: Exemption.nullable().default(null),
        rungAt: Time.nullable().default(null),
        packPieces: z.int().min(2).max(999).nullable().default(null),
        charges: z.array(LineCharge).readonly().default([]),
        measure: HeldMeasure.nullable().default(null).catch(null),
        returnDays: ReturnDays.nullable().default(null),
      }),
    )
    .min(1)
    .max(2_000),
  discounts: z.array(
    z.object({
      reach: DiscountScope,
      off: DiscountAmount.nullable(),
      minimumCents: Cents,
      reason: DiscountReason.nullable(),
      coupon: z.object({ code: z.string(), name: Names }).nullable(),
    }),
  ),
  /**
   * Corrections of a line to its shelf price. Lines and discounts are numbered from 1 by their position in this sale.
   */
  corrections: z
    .array(
      z.object({
        lineNumber: z.int().min(1),
        scannedCents: Cents,
        shelfCents: Cents,
        discountNumber: z.int().min(1).nullable(),
      }),
    )
    .default([]),
  note: z.string().nullable(),
  exemption: Exemption.nullable(),
  buyers: BuyerGroup.nullable().default(null),
  ageChecked: z.int().nullable(),
  member: z.object({ last4: z.string(), entryMode: z.enum(['SWIPE', 'SCAN', 'KEYED']).nullable() }).nullable(),
})
export type HeldContent = z.infer<typeof HeldContent>

const facts = {
  sale: SaleId.describe('its id at the lane that held it'),
  heldAt: Time,
  name: z.string().max(24),
  cashier: z.string().max(100),
  itemCount: z.int().min(0),
  totalCents: Cents,
  memberLast4: z.string().nullable(),
}

/** Body of POST offer: stores a held sale in the store; the right to resume it stays at the lane. */
export const OfferHold = z.object({
  protocol,
  hold: z.uuid().describe('of this hold: a sale that was resumed may be held again'),
  ...facts,
  content: HeldContent,
  sealed: z.base64().max(2_048).nullable(),
})
export type OfferHold = z.infer<typeof OfferHold>
/**
 * `kept`: stored. `later`: the lane must repeat POST offer, because an earlier hold of this sale is still open on the
 * server.
 */
export const OfferAnswer = z.object({ kind: z.enum(['kept', 'later']) })

/**
 * Body of POST settle, on the wire the lane's final decision about a held sale. given: the right to resume it is now in
 * the store. kept: the sale was resumed at its own lane and the store deletes it. back: the reservation was not used.
 * copied: the goods were rung as a new sale.
 */
export const HoldDecision = z.object({
  protocol,
  what: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('given'), hold: z.uuid() }),
    z.object({ kind: z.literal('kept'), hold: z.uuid(), sale: SaleId }),
    z.object({ kind: z.literal('back'), claim: z.uuid() }),
    z.object({ kind: z.literal('copied'), sale: SaleId }),
  ]),
})
export type HoldDecision = z.infer<typeof HoldDecision>
export const HoldDecisionAnswer = z.object({ kind: z.literal('settled') })

export const ListHolds = z.object({ protocol, known: HoldsVersion.optional() })
export type ListHolds = z.infer<typeof ListHolds>
export const StoredHold = z.object({
  lane: LaneId,
  ...facts,
  goods: z.array(
    z.object({
      sku: z.string(),
      quantity: z.int(),
      unitPriceCents: Cents,
      packPieces: z.int().nullable().optional(),
      measure: LineMeasure.nullable().optional().catch(undefined),
    }),
  ),
  claimedBy: LaneId.nullable().describe('the lane that resumes it'),
  copiedAt: LaneId.nullable().describe('the lane that rang its goods again'),
})
export type StoredHold = z.infer<typeof StoredHold>
export const HoldList = z.object({
  holds: z.array(StoredHold),
  version: HoldsVersion.optional().describe('missing from a server of the previous release, which always sends all'),
  unchanged: z.boolean().optional().describe('the known version is current; `holds` is empty'),
  awaits: z
    .boolean()
    .optional()
    .describe('the database was restored and waits for lanes: no sale can be resumed from the store'),
  awaitedLanes: AwaitedLanes,
})
export type HoldList = z.infer<typeof HoldList>

/**
 * Body of POST claim, which reserves a held sale: decided once; a repeated request with the same id gets the same
 * reservation. Refused as `not-settled`, with their numbers, while a restored database waits for lanes: one of them may
 * have resumed the sale.
 */
export const ReserveHold = z.object({ protocol, claim: z.uuid(), sale: SaleId })
export type ReserveHold = z.infer<typeof ReserveHold>
export const ReserveHoldAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('yours'), lane: LaneId, content: HeldContent, sealed: z.string().nullable() }),
  z.object({ kind: z.literal('taken'), lane: LaneId }),
  /** The held sale is not in the store: its lane has not stored it there, or it was resumed elsewhere. */
  z.object({ kind: z.literal('gone') }),
])
export type ReserveHoldAnswer = z.infer<typeof ReserveHoldAnswer>

/**
 * Body of POST claimed, which returns reservations of this lane without a known outcome. A server of the previous
 * release lacks this path.
 */
export const ListReservedHolds = z.object({ protocol })
export const ReservedHolds = z.object({ claims: z.array(z.uuid()) })

/** Additional authenticated data of the sealed collector number in a held sale. */
export const aboutHold = (sale: string): string => `held-sale ${sale}`
