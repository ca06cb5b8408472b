import { z } from 'zod'
import { freeText } from '../../core/text.ts'
import { Cents } from '../../core/money.ts'
import { SaleVersion, TenderAmount } from './version.ts'

/**
 * POST /api/sales/:id/card-payment: the card terminal is asked for this amount. Answers the sale at once; what becomes
 * of it comes by events.
 */
export const ChargeCard = z.object({ version: SaleVersion, amountCents: TenderAmount.refine((amount) => amount > 0) })

/**
 * asked: the request is on its way or the customer is at the terminal. unknown: the answer was lost, and the terminal
 * is asked what became of it. The others are final.
 */
export const CardState = z.enum(['asked', 'unknown', 'approved', 'declined', 'cancelled'])
export type CardState = z.infer<typeof CardState>

/**
 * Why nothing moved, or why nobody can tell. The words are `tender.terminalReason.<code>` in the catalogs, and
 * `queue.refundReason.<code>` of a refund.
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

/** A payment by card as the screen of its sale shows it. */
export const CardPayment = z.object({
  reference: z.string(),
  amountCents: Cents.describe('what the terminal was asked for'),
  approvedCents: Cents.nullable().describe('what the card was charged; less than asked where the bank gave a part'),
  state: CardState,
  reason: CardReason.nullable(),
})
export type CardPayment = z.infer<typeof CardPayment>

/** A line of the terminal's own receipt. `key`: what it is of, where the terminal names it. */
export const CardReceiptLine = z.object({
  key: z.string().nullable().default(null),
  text: z.string(),
  value: z.string().nullable(),
  bold: z.boolean(),
})
export type CardReceiptLine = z.infer<typeof CardReceiptLine>

/** What a receipt may say of the card that paid: never its number. */
export const ReceiptCard = z.object({
  scheme: z.string().nullable(),
  lastFour: z.string().nullable(),
  entryMode: z.enum(['chip', 'contactless', 'magnetic-stripe', 'keyed', 'on-file']).nullable(),
  authorisationCode: z.string().nullable(),
  lines: z.array(CardReceiptLine).describe('what the bank wants on the customer’s paper'),
})
export type ReceiptCard = z.infer<typeof ReceiptCard>

/** What a manager must look at: a payment that nobody can tell of, a refund that the card did not get. */
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

/** GET /api/card-transactions */
export const CardTransactions = z.object({ entries: z.array(CardTransaction) })

/**
 * POST /api/card-transactions/:reference/resolve, by a manager who looked at the terminal’s own report. moved: the card
 * was charged, or got its money back. `false` of a refund whose outcome is not known says that the card did not get it;
 * of one that was not given, that it was given in another form.
 */
export const ResolveCardTransaction = z.object({ moved: z.boolean(), note: freeText({ max: 200 }) })
export type ResolveCardTransaction = z.infer<typeof ResolveCardTransaction>
