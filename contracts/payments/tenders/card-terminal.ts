import { z } from 'zod'
import { freeText } from '../../core/text.ts'
import { Cents } from '../../core/money.ts'
import { SaleVersion, TenderAmount } from './version.ts'

/**
 * POST /api/sales/:id/card-payment: sends this amount to the card terminal. Returns the sale at once; the outcome is
 * sent as events.
 */
export const ChargeCard = z.object({ version: SaleVersion, amountCents: TenderAmount.refine((amount) => amount > 0) })

/**
 * State of a card transaction. asked: the request is in flight or the customer is at the card terminal. unknown: the
 * answer was lost, and the lane requests the status. The other states are final.
 */
export const CardState = z.enum(['asked', 'unknown', 'approved', 'declined', 'cancelled'])
export type CardState = z.infer<typeof CardState>

/**
 * Why a card transaction moved no money, or why its outcome is unknown. The texts are `tender.terminalReason.<code>` in
 * the message catalogs, and `queue.refundReason.<code>` for refunds.
 */
export const CardReason = z.enum([
  'refused',
  'wrong-pin',
  'invalid-card',
  'not-allowed',
  'terminal-busy',
  'terminal-unavailable',
  'bank-unreachable',
  'not-accepted',
  'not-reached',
  'not-begun',
  'by-customer',
  'by-lane',
  'no-answer',
  'not-understood',
  'not-ours',
  'interrupted',
  'no-terminal',
  'not-refundable',
  'by-hand',
])
export type CardReason = z.infer<typeof CardReason>

export const CardPayment = z.object({
  reference: z.string(),
  amountCents: Cents.describe('the amount requested'),
  approvedCents: Cents.nullable().describe(
    'the amount charged; less than requested if the bank approved only a portion',
  ),
  state: CardState,
  reason: CardReason.nullable(),
})
export type CardPayment = z.infer<typeof CardPayment>

/** A line of the card terminal's own receipt. `key`: meaning of the line, if the card terminal names it. */
export const CardReceiptLine = z.object({
  key: z.string().nullable().default(null),
  text: z.string(),
  value: z.string().nullable(),
  bold: z.boolean(),
})
export type CardReceiptLine = z.infer<typeof CardReceiptLine>

/** Data of the card that paid, for a receipt; never the card number. */
export const ReceiptCard = z.object({
  scheme: z.string().nullable(),
  lastFour: z.string().nullable(),
  entryMode: z.enum(['chip', 'contactless', 'magnetic-stripe', 'keyed', 'on-file']).nullable(),
  authorisationCode: z.string().nullable(),
  lines: z.array(CardReceiptLine).describe('lines that the bank requires on the customer’s receipt'),
})
export type ReceiptCard = z.infer<typeof ReceiptCard>

/** A card transaction that needs a manager: a payment with an unknown outcome, or a refund that failed. */
export const CardTransaction = z.object({
  reference: z.string(),
  saleId: z.string(),
  returnId: z.string().nullable(),
  kind: z.enum(['payment', 'refund']),
  amountCents: Cents,
  state: CardState,
  reason: CardReason.nullable(),
  askedAt: z.string(),
})
export type CardTransaction = z.infer<typeof CardTransaction>

/** GET /api/card-transactions: card transactions that need a manager. */
export const CardTransactions = z.object({ entries: z.array(CardTransaction) })

/**
 * POST /api/card-transactions/:reference/resolve, by a manager who checked the card terminal’s own report. moved: the
 * card was charged, or was refunded. `false` for a refund with an unknown outcome: the card was not refunded; for a
 * failed refund: the amount was paid back in another form.
 */
export const ResolveCardTransaction = z.object({ moved: z.boolean(), note: freeText({ max: 200 }) })
export type ResolveCardTransaction = z.infer<typeof ResolveCardTransaction>
