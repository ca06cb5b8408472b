import { z } from 'zod'
import { LaneTime } from './bounds.ts'
import { OperationFact, SaleFact } from './facts.ts'
import { AwaitedLanes, Vector } from './protocol.ts'

/**
 * Receipts of every lane, at every lane. The right to give back a sale lies in one place: with its lane until the store
 * has confirmed the sale, from then on with the store. Whoever takes goods of it back claims them first.
 */
export const RECEIPT_PATHS = {
  find: '/lane/receipts/find',
  one: '/lane/receipts/one',
  claim: '/lane/receipts/claim',
  release: '/lane/receipts/release',
  claimed: '/lane/receipts/claimed',
  settled: '/lane/receipts/settled',
  unrecorded: '/lane/receipts/unrecorded',
} as const

const Protocol = z.int()
const Id = z.string().min(1).max(80)
export const MOST_FOUND = 20

/** POST find: completed sales of other lanes by the end of their number, newest first. */
export const FindReceipts = z.object({
  protocol: Protocol,
  q: z.string().regex(/^[A-Z0-9]{4,40}$/),
  limit: z.int().min(1).max(MOST_FOUND),
})
export type FindReceipts = z.infer<typeof FindReceipts>
export const FoundReceipt = z.object({
  id: Id,
  lane: z.string(),
  at: z.int(),
  totalCents: z.int(),
  last4: z.string().nullable(),
  cashier: z.string(),
  /** Each kind of payment once. */
  tenders: z.array(z.string()),
})
export type FoundReceipt = z.infer<typeof FoundReceipt>
export const FoundReceipts = z.object({ receipts: z.array(FoundReceipt) })

/** Pieces of a line of the sale. */
const Piece = z.object({ number: z.int().positive(), quantity: z.int().positive() })
/** What goes back, and which of the payments it stands for. */
const GoesBack = z.object({
  kind: z.string().max(40),
  paidBy: z.string().max(40),
  amountCents: z.int().positive(),
  roundingCents: z.int(),
})
/** What came back of a sale, by whichever lane, or is about to. */
export const CameBack = z.object({
  /** Of the claim; of a return that was never claimed, its own. */
  id: Id,
  lane: z.string(),
  /** Null while the claim is not known to be committed. */
  returnId: z.string().nullable(),
  at: z.int(),
  lines: z.array(Piece),
  refunds: z.array(GoesBack),
  totalCents: z.int(),
})
export type CameBack = z.infer<typeof CameBack>

/** POST one: a receipt whole, and what came back of it over all lanes. */
export const OneReceipt = z.object({ protocol: Protocol, id: Id })
export type OneReceipt = z.infer<typeof OneReceipt>
export const StoreReceipt = z.object({
  lane: z.string(),
  sale: SaleFact,
  sealed: z.string().nullable(),
  /** How the calls of the sale that move miles stand by now. */
  operations: z.array(OperationFact),
  returns: z.array(CameBack),
})
export type StoreReceipt = z.infer<typeof StoreReceipt>
/** While lanes are awaited goods of no sale come back. */
export const ReceiptAnswer = z.object({ receipt: StoreReceipt.nullable(), awaitedLanes: AwaitedLanes })
export type ReceiptAnswer = z.infer<typeof ReceiptAnswer>

/** POST claim: goods and refunds of a return that is about to be committed. The same id again changes nothing. */
export const ClaimRequest = z.object({
  protocol: Protocol,
  id: z.uuid(),
  saleId: Id,
  at: LaneTime,
  lines: z.array(Piece).min(1).max(500),
  refunds: z.array(GoesBack).max(20),
  totalCents: z.int().min(0),
  /** Ids of what came back at other lanes, as the return was worked out: another list refuses it. */
  seen: z.array(Id).max(1_000),
  /** Claims of this lane that it gives up with this one. */
  instead: z.array(z.uuid()).max(100),
})
export type ClaimRequest = z.infer<typeof ClaimRequest>
/**
 * `unknown`: the store has no such sale. `not-settled`: its lane may still have taken goods of it back without asking,
 * or lanes are awaited, which the answer then names.
 * `changed`: something came back meanwhile. `exceeds`: more than was sold, or paid. `released`: it was given up before.
 */
export const ClaimRefusal = z.enum(['unknown', 'not-settled', 'changed', 'exceeds', 'released'])
export type ClaimRefusal = z.infer<typeof ClaimRefusal>
export const ClaimAnswer = z.object({ refused: ClaimRefusal.nullable(), awaitedLanes: AwaitedLanes })
export type ClaimAnswer = z.infer<typeof ClaimAnswer>

/** POST release: the return was never committed and never will be; a claim of this id that comes later is refused. */
export const ReleaseRequest = z.object({ protocol: Protocol, id: z.uuid(), saleId: Id })
export type ReleaseRequest = z.infer<typeof ReleaseRequest>
/** False: its return has been told of, and it stays. */
export const ReleaseAnswer = z.object({ released: z.boolean() })

/** POST claimed: claims of this lane that the store has not heard the end of. A server of before does not know it. */
export const AskClaimed = z.object({ protocol: Protocol })
export const ClaimedReturns = z.object({ claims: z.array(z.object({ id: z.uuid(), saleId: Id })) })
export type ClaimedReturn = z.infer<typeof ClaimedReturns>['claims'][number]

/**
 * POST settled: up to these numbers the lane returns nothing without asking, and what it did before has been told. From
 * then on other lanes may claim.
 */
export const SettledRequest = z.object({ protocol: Protocol, streams: Vector })
export type SettledRequest = z.infer<typeof SettledRequest>
export const SettledAnswer = z.object({})

/** POST unrecorded: what a person took back without a record at other lanes since an instant, in cents. */
export const UnrecordedRequest = z.object({ protocol: Protocol, cashierId: Id, from: z.int() })
export type UnrecordedRequest = z.infer<typeof UnrecordedRequest>
export const UnrecordedAnswer = z.object({ totalCents: z.int().min(0) })
