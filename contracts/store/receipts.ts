import { z } from 'zod'
import { LaneTime } from './bounds.ts'
import { OperationFact, SaleFact } from './facts.ts'
import { AwaitedLanes, Vector } from './protocol.ts'

/**
 * Receipts of all lanes, for returns at any lane. The right to return goods of a sale is in one place: at the sale's
 * lane until the store has confirmed the sale, then in the store. A lane reserves goods before it takes them back.
 */
export const RECEIPT_PATHS = {
  find: '/lane/receipts/find',
  one: '/lane/receipts/one',
  reserve: '/lane/receipts/claim',
  release: '/lane/receipts/release',
  reserved: '/lane/receipts/claimed',
  complete: '/lane/receipts/settled',
  unrecorded: '/lane/receipts/unrecorded',
} as const

const Protocol = z.int()
const Id = z.string().min(1).max(80)
export const MAX_FOUND = 20

/** Body of POST find: requests completed sales of other lanes by the end of their number, newest first. */
export const FindReceipts = z.object({
  protocol: Protocol,
  q: z.string().regex(/^[A-Z0-9]{4,40}$/),
  limit: z.int().min(1).max(MAX_FOUND),
})
export type FindReceipts = z.infer<typeof FindReceipts>
export const FoundReceipt = z.object({
  id: Id,
  lane: z.string(),
  at: z.int(),
  totalCents: z.int(),
  last4: z.string().nullable(),
  cashier: z.string(),
  tenders: z.array(z.string()),
})
export type FoundReceipt = z.infer<typeof FoundReceipt>
export const FoundReceipts = z.object({ receipts: z.array(FoundReceipt) })

const Piece = z.object({ number: z.int().positive(), quantity: z.int().positive() })
const GoesBack = z.object({
  kind: z.string().max(40),
  paidBy: z.string().max(40),
  amountCents: z.int().positive(),
  roundingCents: z.int(),
})
/** Goods of a sale that were returned at any lane, or are reserved for a return. */
export const Returned = z.object({
  id: Id,
  lane: z.string(),
  /** Id of the return; null while the server does not know that the reserved return was made. */
  returnId: z.string().nullable(),
  at: z.int(),
  lines: z.array(Piece),
  refunds: z.array(GoesBack),
  totalCents: z.int(),
})
export type Returned = z.infer<typeof Returned>

/** Body of POST one: requests a whole receipt and its returns at all lanes. */
export const OneReceipt = z.object({ protocol: Protocol, id: Id })
export type OneReceipt = z.infer<typeof OneReceipt>
export const StoreReceipt = z.object({
  lane: z.string(),
  sale: SaleFact,
  sealed: z.string().nullable(),
  operations: z.array(OperationFact),
  returns: z.array(Returned),
})
export type StoreReceipt = z.infer<typeof StoreReceipt>
/** Answer of POST one. While a restored server waits for lanes (`awaitedLanes`), no goods can be returned. */
export const ReceiptAnswer = z.object({ receipt: StoreReceipt.nullable(), awaitedLanes: AwaitedLanes })
export type ReceiptAnswer = z.infer<typeof ReceiptAnswer>

/** Body of POST claim: reserves goods and refunds of a return that the lane is about to commit. Idempotent by id. */
export const ReserveReturn = z.object({
  protocol: Protocol,
  id: z.uuid(),
  saleId: Id,
  at: LaneTime,
  lines: z.array(Piece).min(1).max(500),
  refunds: z.array(GoesBack).max(20),
  totalCents: z.int().min(0),
  /**
   * Ids of the other lanes' returns of this sale that the lane took into account; the request is refused if the server
   * has others.
   */
  seen: z.array(Id).max(1_000),
  instead: z.array(z.uuid()).max(100),
})
export type ReserveReturn = z.infer<typeof ReserveReturn>
/**
 * Why a reservation is refused. `unknown`: the store has no such sale. `not-settled`: the sale's lane may still have
 * returned goods on its own, or a restored server waits for lanes, which the answer names. `changed`: another return
 * was made since. `exceeds`: more than was sold or paid. `released`: the reservation was given up before.
 */
export const ReservationRefusal = z.enum(['unknown', 'not-settled', 'changed', 'exceeds', 'released'])
export type ReservationRefusal = z.infer<typeof ReservationRefusal>
export const ReserveReturnAnswer = z.object({ refused: ReservationRefusal.nullable(), awaitedLanes: AwaitedLanes })
export type ReserveReturnAnswer = z.infer<typeof ReserveReturnAnswer>

/**
 * Body of POST release: the return was not committed and never will be; a later reservation with this id is refused.
 */
export const ReleaseRequest = z.object({ protocol: Protocol, id: z.uuid(), saleId: Id })
export type ReleaseRequest = z.infer<typeof ReleaseRequest>
/** False when the server has already stored the return of the reservation, so that the reservation remains. */
export const ReleaseAnswer = z.object({ released: z.boolean() })

/**
 * Body of POST claimed, which returns reservations of this lane without a known outcome. A server of the previous
 * release lacks this path.
 */
export const ListReservedReturns = z.object({ protocol: Protocol })
export const ReservedReturns = z.object({ claims: z.array(z.object({ id: z.uuid(), saleId: Id })) })
export type ReservedReturn = z.infer<typeof ReservedReturns>['claims'][number]

/**
 * Body of POST settled: up to these numbers the lane has sent all returns that it made without a reservation, and it
 * makes no more. From then on other lanes may reserve goods of its sales.
 */
export const CompleteStreams = z.object({ protocol: Protocol, streams: Vector })
export type CompleteStreams = z.infer<typeof CompleteStreams>
export const CompleteStreamsAnswer = z.object({})

/**
 * Body of POST unrecorded, which returns the total in cents that a cashier refunded at other lanes since an instant for
 * returns without a record of the sale.
 */
export const UnrecordedRequest = z.object({ protocol: Protocol, cashierId: Id, from: z.int() })
export type UnrecordedRequest = z.infer<typeof UnrecordedRequest>
export const UnrecordedAnswer = z.object({ totalCents: z.int().min(0) })
