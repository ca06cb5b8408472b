import { z } from 'zod'
import { VoucherKind } from '../payments/vouchers.ts'
import { Vector } from './protocol.ts'

/**
 * Requests of a lane to its store server about gift cards and store credit. The value of a voucher is in one place at
 * a time: at lanes, in the store, or in a transfer to a lane. Each transfer has its own id. A code is identified by
 * its hash under the key that the lanes share. Money in cents.
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

/** Locations of a voucher's value, without transfers to a lane. */
const Whereabouts = z.object({
  heldCents: z.int().min(0),
  /** Value at other lanes than the caller, from their facts. */
  at: z.array(z.object({ lane: z.string(), cents: z.int() })),
  /** A transfer to a lane is in progress. */
  isDrawn: z.boolean(),
  /**
   * The store's database was restored from a backup, and these lanes have not sent their facts since ('': an unknown
   * lane). No value is granted until they have.
   */
  awaits: z.array(z.string()).default([]),
})

/** POST find: the store's data about a code. */
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

/** POST draw: moves value from the store to this lane. Idempotent by id. */
export const DrawVoucher = z.object({
  protocol: z.int(),
  id: z.uuid(),
  hash: CodeHash,
  amountCents: AmountCents,
})
export type DrawVoucher = z.infer<typeof DrawVoucher>
export const DrawnVoucher = z.discriminatedUnion('kind', [
  Whereabouts.extend({ kind: z.literal('granted') }),
  /** Final: this id is never granted. */
  Whereabouts.extend({ kind: z.literal('refused') }),
])
export type DrawnVoucher = z.infer<typeof DrawnVoucher>

/** POST cancel: the lane will not use the draw, even if it was granted or never received. */
export const CancelDraw = DrawVoucher
export const CancelledDraw = z.object({
  /** `taken`: the lane reported before that it used the value; the draw is not cancelled. */
  kind: z.enum(['cancelled', 'taken']),
})

/** The value at this lane by the store's records, for a lane that was restored from a backup. */
export const AskLaneValue = z.object({ protocol: z.int() })
export const LaneValue = z.object({
  /** The position in this lane's streams to which this applies. */
  applied: Vector,
  vouchers: z.array(
    z.object({
      hash: CodeHash,
      voucherKind: VoucherKind,
      last4: z.string().length(4),
      issuedAt: z.int(),
      /** Value at the lane: never 0. */
      cents: z.int(),
      /** Its code, sealed with the key that the lanes share, and the additional authenticated data. */
      sealed: z.string(),
      about: z.string(),
    }),
  ),
})
export type LaneValue = z.infer<typeof LaneValue>

/** POST granted: granted draws of this lane without a known outcome. */
export const AskGranted = AskLaneValue
export const GrantedDraws = z.object({ ids: z.array(z.uuid()) })

/** POST activate: this lane is about to sell a card with its own number. */
export const ActivateCard = z.object({
  protocol: z.int(),
  hash: CodeHash,
  askedAt: z.int().min(0).optional().describe('epoch milliseconds by the lane’s clock: calls may overtake each other'),
})
export type ActivateCard = z.infer<typeof ActivateCard>
export const ActivatedCard = z.object({
  /** `yours`: reserved for this lane. `active`: it was sold. `elsewhere`: another lane is selling it. */
  kind: z.enum(['yours', 'active', 'elsewhere']),
})
export type ActivatedCard = z.infer<typeof ActivatedCard>

/** POST forgo: the card was not sold. */
export const ForgoCard = ActivateCard
export const ForgoneCard = z.object({})
