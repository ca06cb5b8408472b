import { z } from 'zod'
import { DiscountReason, Exemption, Reach, TakenOff } from '../sales/sale-changes.ts'
import { SaleId } from '../core/ids.ts'
import { Names } from '../core/locales.ts'
import { TaxCategory } from '../core/regions.ts'
import { LaneAmount, LaneTime } from './bounds.ts'
import { AwaitedLanes, HoldsVersion } from './protocol.ts'

/**
 * Sales on hold over the lanes of a store. The right to resume one is in one place: at the lane that held it until that
 * lane has heard that the store has it, from then on in the store. Money is cents, times are epoch milliseconds by the
 * lane's clock.
 */
export const HOLD_PATHS = {
  offer: '/lane/holds/offer',
  settle: '/lane/holds/settle',
  list: '/lane/holds/list',
  claim: '/lane/holds/claim',
  claimed: '/lane/holds/claimed',
} as const

/** So many that wait are listed: the newest, the oldest of them first. */
export const MOST_HOLDS = 200

const Cents = LaneAmount
const Time = LaneTime
const Lane = z.string().min(1).max(20)
const protocol = z.int()

/** A sale as it was held: prices and discounts as they were given. The collector's number is sealed beside it. */
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
      }),
    )
    .min(1)
    .max(2_000),
  discounts: z.array(
    z.object({
      reach: Reach,
      off: TakenOff.nullable(),
      minimumCents: Cents,
      reason: DiscountReason.nullable(),
      coupon: z.object({ code: z.string(), name: Names }).nullable(),
    }),
  ),
  note: z.string().nullable(),
  exemption: Exemption.nullable(),
  ageChecked: z.int().nullable(),
  member: z.object({ last4: z.string(), entryMode: z.enum(['SWIPE', 'SCAN', 'KEYED']).nullable() }).nullable(),
})
export type HeldContent = z.infer<typeof HeldContent>

/** What the list of a lane shows of one. */
const facts = {
  sale: SaleId.describe('its id at the lane that held it'),
  heldAt: Time,
  name: z.string().max(24),
  cashier: z.string().max(100),
  itemCount: z.int().min(0),
  totalCents: Cents,
  memberLast4: z.string().nullable(),
}

/** POST offer: the store is to have it; the right stays at the lane. */
export const OfferHold = z.object({
  protocol,
  hold: z.uuid().describe('of this hold: a sale that was resumed may be held again'),
  ...facts,
  content: HeldContent,
  sealed: z.base64().max(2_048).nullable(),
})
export type OfferHold = z.infer<typeof OfferHold>
/** later: an earlier hold of this sale is not ended there yet. */
export const OfferAnswer = z.object({ kind: z.enum(['kept', 'later']) })

/**
 * POST settle: what the lane has decided, for good. given: the right is in the store now. kept: it was resumed where it
 * was held, and the store forgets it. back: a claim that nothing came of. copied: its goods were rung anew.
 */
export const SettleHolds = z.object({
  protocol,
  what: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('given'), hold: z.uuid() }),
    z.object({ kind: z.literal('kept'), hold: z.uuid(), sale: SaleId }),
    z.object({ kind: z.literal('back'), claim: z.uuid() }),
    z.object({ kind: z.literal('copied'), sale: SaleId }),
  ]),
})
export type SettleHolds = z.infer<typeof SettleHolds>
export const Settled = z.object({ kind: z.literal('settled') })

/** POST list: all that wait. A lane that has them says of which version, and hears no contents while that stands. */
export const ListHolds = z.object({ protocol, known: HoldsVersion.optional() })
export type ListHolds = z.infer<typeof ListHolds>
export const StoredHold = z.object({
  lane: Lane,
  ...facts,
  /** Of what was not void, to ring it anew. */
  goods: z.array(z.object({ sku: z.string(), quantity: z.int(), unitPriceCents: Cents })),
  claimedBy: Lane.nullable().describe('the lane that resumes it'),
  copiedAt: Lane.nullable().describe('the lane that rang its goods anew'),
})
export type StoredHold = z.infer<typeof StoredHold>
export const HoldList = z.object({
  holds: z.array(StoredHold),
  version: HoldsVersion.optional().describe('a server of the release before says none, and always sends all'),
  unchanged: z.boolean().optional().describe('they are those of the version that is known; `holds` is empty then'),
  awaits: z.boolean().optional().describe('the database was put back and waits for lanes: none is given out'),
  awaitedLanes: AwaitedLanes,
})
export type HoldList = z.infer<typeof HoldList>

/**
 * POST claim: decided once; asked for again under its id it is the same claim. Refused as `not-settled`, with their
 * numbers, while a database that was put back waits for lanes: one of them may have resumed it.
 */
export const ClaimHold = z.object({ protocol, claim: z.uuid(), sale: SaleId })
export type ClaimHold = z.infer<typeof ClaimHold>
export const ClaimAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('yours'), lane: Lane, content: HeldContent, sealed: z.string().nullable() }),
  /** Another lane has it. */
  z.object({ kind: z.literal('taken'), lane: Lane }),
  /** Not in the store: not given to it yet, or gone. */
  z.object({ kind: z.literal('gone') }),
])
export type ClaimAnswer = z.infer<typeof ClaimAnswer>

/** POST claimed: claims of this lane that the store has not heard the end of. A server of before does not know it. */
export const AskClaimed = z.object({ protocol })
export const ClaimedHolds = z.object({ claims: z.array(z.uuid()) })

/** What is authenticated with a sealed collector number. */
export const aboutHold = (sale: string): string => `held-sale ${sale}`
