import { z } from 'zod'
import { VoucherKind } from '../payments/vouchers.ts'
import { Vector } from './protocol.ts'

/**
 * What a lane asks its store's server of gift cards and store credit. The value of a voucher lies in one place at a
 * time: at lanes, in the store, or on its way to a lane. It moves by transfers with an id of their own. A code is known
 * by its hash under the key that the lanes share. Money in cents.
 */
export const VOUCHER_PATHS = {
  find: '/lane/vouchers/find',
  draw: '/lane/vouchers/draw',
  cancel: '/lane/vouchers/cancel',
  standing: '/lane/vouchers/standing',
  granted: '/lane/vouchers/granted',
  activate: '/lane/vouchers/activate',
  forgo: '/lane/vouchers/forgo',
} as const

const CodeHash = z.string().regex(/^[0-9a-f]{64}$/)
const AmountCents = z.int().positive().max(100_000_000)

/** Where a voucher's value is, beside what is on its way to a lane. */
const Whereabouts = z.object({
  heldCents: z.int().min(0),
  /** What lies at lanes, as far as they have told: other lanes than the one that asks. */
  at: z.array(z.object({ lane: z.string(), cents: z.int() })),
  /** A lane is taking some of it at this moment. */
  isDrawn: z.boolean(),
  /**
   * The store's database was put back from a backup, and these lanes have not told yet what they took since ('': one
   * that it does not know): nothing is granted until they have.
   */
  awaits: z.array(z.string()).default([]),
})

/** POST find: what the store knows of a code. */
export const FindVoucher = z.object({ protocol: z.int(), hash: CodeHash })
export type FindVoucher = z.infer<typeof FindVoucher>
export const FoundVoucher = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('unknown') }),
  Whereabouts.extend({
    kind: z.literal('known'),
    voucherKind: VoucherKind,
    last4: z.string().length(4),
    /** Epoch ms by the clock of the lane that issued it. */
    issuedAt: z.int(),
  }),
])
export type FoundVoucher = z.infer<typeof FoundVoucher>
export type KnownVoucher = Extract<FoundVoucher, { kind: 'known' }>

/** POST draw: from the store to this lane. The same id again is answered as it was. */
export const DrawVoucher = z.object({
  protocol: z.int(),
  id: z.uuid(),
  hash: CodeHash,
  amountCents: AmountCents,
})
export type DrawVoucher = z.infer<typeof DrawVoucher>
export const DrawnVoucher = z.discriminatedUnion('kind', [
  Whereabouts.extend({ kind: z.literal('granted') }),
  /** For good: this id is never granted. */
  Whereabouts.extend({ kind: z.literal('refused') }),
])
export type DrawnVoucher = z.infer<typeof DrawnVoucher>

/** POST cancel: the lane will not take it, whether it was granted, refused or never came. */
export const CancelDraw = DrawVoucher
export const CancelledDraw = z.object({
  /** `taken`: the lane has told that it took it, and it is not cancelled. */
  kind: z.enum(['cancelled', 'taken']),
})

/** POST standing: what the store knows to lie at this lane, for a lane that went back to a backup. */
export const AskStanding = z.object({ protocol: z.int() })
export const Standing = z.object({
  /** Up to where in this lane's streams this is true. */
  applied: Vector,
  vouchers: z.array(
    z.object({
      hash: CodeHash,
      voucherKind: VoucherKind,
      last4: z.string().length(4),
      issuedAt: z.int(),
      /** What lies at the lane: never 0. */
      cents: z.int(),
      /** Its code, sealed with the key that the lanes share, and what it was sealed about. */
      sealed: z.string(),
      about: z.string(),
    }),
  ),
})
export type Standing = z.infer<typeof Standing>

/** POST granted: draws of this lane that the store granted and has heard no more of. */
export const AskGranted = AskStanding
export const GrantedDraws = z.object({ ids: z.array(z.uuid()) })

/** POST activate: this lane is about to sell a card that has a number of its own. */
export const ActivateCard = z.object({
  protocol: z.int(),
  hash: CodeHash,
  askedAt: z.int().min(0).optional().describe('epoch milliseconds by the lane’s clock: calls may overtake each other'),
})
export type ActivateCard = z.infer<typeof ActivateCard>
export const ActivatedCard = z.object({
  /** `yours`: no other lane sells it. `active`: it was sold. `elsewhere`: another lane is selling it. */
  kind: z.enum(['yours', 'active', 'elsewhere']),
})
export type ActivatedCard = z.infer<typeof ActivatedCard>

/** POST forgo: it was not sold after all. */
export const ForgoCard = ActivateCard
export const ForgoneCard = z.object({})
