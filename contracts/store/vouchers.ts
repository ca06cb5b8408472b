import { z } from 'zod'
import { VoucherKind } from '../payments/vouchers.ts'
import { Vector } from './protocol.ts'

/**
 * Requests of a lane to its store server about gift cards and store credit. The value of a voucher is in one place at a
 * time: at lanes, in the store, or in a transfer to a lane. Each transfer has its own id. A code is identified by its
 * hash under the key that the lanes share. Money is in cents.
 */
export const VOUCHER_PATHS = {
  find: '/lane/vouchers/find',
  draw: '/lane/vouchers/draw',
  cancel: '/lane/vouchers/cancel',
  laneValue: '/lane/vouchers/standing',
  granted: '/lane/vouchers/granted',
  activate: '/lane/vouchers/activate',
  forgo: '/lane/vouchers/forgo',
} as const

const CodeHash = z.string().regex(/^[0-9a-f]{64}$/)
const AmountCents = z.int().positive().max(100_000_000)

/**
 * How a voucher's value is divided: `heldCents` in the store, and `at` lanes. Value in a transfer to a lane is in
 * neither.
 */
const Whereabouts = z.object({
  heldCents: z.int().min(0),
  at: z.array(z.object({ lane: z.string(), cents: z.int() })),
  isDrawn: z.boolean(),
  /**
   * Lanes that must first send their facts again to a restored server ('': an unknown lane). Until then no value is
   * granted.
   */
  awaits: z.array(z.string()).default([]),
})

/** Body of POST find, which returns the store's data about a voucher code. */
export const FindVoucher = z.object({ protocol: z.int(), hash: CodeHash })
export type FindVoucher = z.infer<typeof FindVoucher>
export const FoundVoucher = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('unknown') }),
  Whereabouts.extend({
    kind: z.literal('known'),
    voucherKind: VoucherKind,
    last4: z.string().length(4),
    issuedAt: z.int(),
  }),
])
export type FoundVoucher = z.infer<typeof FoundVoucher>
export type KnownVoucher = Extract<FoundVoucher, { kind: 'known' }>

/** Body of POST draw: moves voucher value from the store to this lane. Idempotent by id. */
export const DrawVoucher = z.object({
  protocol: z.int(),
  id: z.uuid(),
  hash: CodeHash,
  amountCents: AmountCents,
})
export type DrawVoucher = z.infer<typeof DrawVoucher>
export const DrawnVoucher = z.discriminatedUnion('kind', [
  Whereabouts.extend({ kind: z.literal('granted') }),
  /** Final refusal: the draw with this id is never granted. */
  Whereabouts.extend({ kind: z.literal('refused') }),
])
export type DrawnVoucher = z.infer<typeof DrawnVoucher>

/** Body of POST cancel: the lane will not use the draw, whether it was granted or never reached the server. */
export const CancelDraw = DrawVoucher
export const CancelledDraw = z.object({
  /** `taken`: the lane has already sent the fact that it used the value, so the draw is not cancelled. */
  kind: z.enum(['cancelled', 'taken']),
})

/**
 * Body of the request by which a lane that was restored from a backup gets the value of vouchers that the store server
 * records for it.
 */
export const LaneValueRequest = z.object({ protocol: z.int() })
export const LaneValue = z.object({
  applied: Vector,
  vouchers: z.array(
    z.object({
      hash: CodeHash,
      voucherKind: VoucherKind,
      last4: z.string().length(4),
      issuedAt: z.int(),
      /** Value of the voucher at the lane; never 0. */
      cents: z.int(),
      sealed: z.string(),
      about: z.string(),
    }),
  ),
})
export type LaneValue = z.infer<typeof LaneValue>

/** Body of POST granted, which returns granted draws of this lane without a known outcome. */
export const GrantedRequest = LaneValueRequest
export const GrantedDraws = z.object({ ids: z.array(z.uuid()) })

/** Body of POST activate: this lane is about to sell a gift card with its own number. */
export const ActivateCard = z.object({
  protocol: z.int(),
  hash: CodeHash,
  askedAt: z.int().min(0).optional().describe('epoch milliseconds by the lane’s clock: calls may overtake each other'),
})
export type ActivateCard = z.infer<typeof ActivateCard>
export const ActivatedCard = z.object({
  kind: z.enum(['yours', 'active', 'elsewhere']),
})
export type ActivatedCard = z.infer<typeof ActivatedCard>

export const ForgoCard = ActivateCard
export const ForgoneCard = z.object({})
