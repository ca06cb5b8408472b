import { z } from 'zod'
import { EmptiesCount } from '../catalog/charges.ts'
import { PaidCoupon } from '../catalog/manufacturer-coupons.ts'
import { EntryMode, SaleId, Sku } from '../core/ids.ts'
import { Locale, Names } from '../core/locales.ts'
import { Cents, Miles } from '../core/money.ts'
import { PrintState, ReceiptDocument } from '../core/receipt.ts'
import { TaxCode } from '../core/regions.ts'
import { CardPayment, ReceiptCard } from '../payments/tenders/card-terminal.ts'
import { TenderKind } from '../payments/tenders/registry.ts'
import { SaleVersion } from '../payments/tenders/version.ts'
import { LineMeasure } from '../catalog/measure.ts'
import { Weighing } from './weighing.ts'
import { Approval, BuyerGroup, Exemption, SaleDiscount, UndoKind } from './sale-changes.ts'

export const SaleLine = z.object({
  number: z.int().min(1),
  sku: Sku,
  name: Names,
  quantity: z.int(),
  unitPriceCents: Cents,
  regularPriceCents: Cents.nullable().describe('price of a piece in the catalog, if it was changed'),
  discountCents: Cents.describe('total of discounts and coupons on the line, including its share of those on the sale'),
  amountCents: Cents.describe('unit price times quantity less discountCents, before tax; 0 when the line is void'),
  taxCodes: z.array(TaxCode),
  voided: z.boolean(),
  note: z.string().nullable(),
  exemption: Exemption.optional().describe('of this line alone'),
  chargeOf: z.int().min(1).optional().describe('the line that this deposit or fee belongs to'),
  measure: LineMeasure.optional().describe('of a line sold by measure, whose quantity is 1'),
  finalSale: z.boolean().optional().describe('it was sold without the possibility of a return'),
})
export type SaleLine = z.infer<typeof SaleLine>

export const SaleTotals = z.object({
  subtotalCents: Cents,
  taxes: z.array(z.object({ code: TaxCode, amountCents: Cents })),
  totalCents: Cents.describe('after tax'),
  tenderedCents: Cents.describe('sum of the tenders applied so far'),
  dueCents: Cents,
  cashDueCents: Cents.describe('dueCents rounded to five cents'),
})
export type SaleTotals = z.infer<typeof SaleTotals>

/** Why a collector cannot redeem now. The texts are `member.reason.<code>` in the message catalogs. */
export const NoRedemptionReason = z.enum([
  'suppressed',
  'not-allowed',
  'account-inactive',
  'collector-invalid',
  'insufficient-miles',
  'daily-limit',
  'nothing-offered',
  'temporarily-unavailable',
  'keyed',
  'central-unreachable',
  'central-secret-refused',
  'central-outage',
  'central-refused',
  'basket-too-small',
  'gift-card',
])
export type NoRedemptionReason = z.infer<typeof NoRedemptionReason>

/** Why a collector can neither earn nor redeem. The texts are `member.reason.<code>` in the message catalogs. */
export const NoEarningReason = z.enum(['account-inactive', 'account-closed', 'account-deleted', 'collector-invalid'])
export type NoEarningReason = z.infer<typeof NoEarningReason>

/**
 * The collector of a sale as a screen may show them. It has only the amount available today: there is no field for a
 * cash or dream balance, and none may be added (specification 3 §4.5 rule 4).
 */
export const Member = z.object({
  last4: z.string(),
  entryMode: EntryMode,
  /**
   * State of the collector's INQUIRE. pending: in flight; known: answered; unknown: the loyalty service could not be
   * reached.
   */
  state: z.enum(['pending', 'known', 'unknown']),
  availableCashMiles: Miles.nullable(),
  availableCents: Cents.nullable(),
  offer: Names.nullable().describe('Description of a special redemption offer'),
  noRedemption: NoRedemptionReason.nullable(),
  message: z
    .string()
    .nullable()
    .describe('Text of the program with its refusal, in the language of the lane; null when it adds nothing'),
  noEarning: NoEarningReason.nullable().describe(
    'Status of the program that forbids a promise of miles; null when there is no such status',
  ),
})
export type Member = z.infer<typeof Member>

/** An offer from which miles of a basket come, according to the preview (specification 3 §2.3). */
export const EarningOffer = z.object({
  code: z.string(),
  description: Names.describe('texts of the program in the requested languages; empty when it sends no text'),
  miles: Miles,
  items: z.array(Names).describe('names of the items that earn them; empty: the basket as a whole'),
})
export type EarningOffer = z.infer<typeof EarningOffer>

export const RedemptionLimit = z.enum(['basket', 'balance', 'daily-limit', 'offer', 'due', 'gift-card'])
export type RedemptionLimit = z.infer<typeof RedemptionLimit>

/** Units of miles that the collector may redeem on this sale now; null if none. */
export const RedemptionChoice = z.object({
  unitCents: Cents,
  unitMiles: Miles,
  maxUnits: z.int().min(1),
  defaultUnits: z.int().min(1),
  limitedBy: RedemptionLimit,
  limits: z
    .array(z.object({ by: RedemptionLimit, amountCents: Cents }))
    .describe(
      'Most whole units by each limit, the least first. For a collector with private balances, ' +
        'without limits that would reveal them',
    ),
})
export type RedemptionChoice = z.infer<typeof RedemptionChoice>

export const Redemption = z.object({
  id: z.uuid(),
  state: z.enum([
    'intent',
    'retry',
    'approved',
    'declined',
    'escalated',
    'reversing',
    'reversed',
    'reversal-expired',
    'reversal-escalated',
  ]),
  units: z.int(),
  amountCents: Cents,
  miles: Miles,
  confirmationNumber: z.string().nullable(),
  /** The central services' response code, e.g. "0051"; null when there was no answer. */
  responseCode: z.string().nullable(),
  /** Message for the cashier: `redemption.outcome.<code>` in the message catalogs. */
  outcome: z.enum([
    'sending',
    'retrying',
    'approved',
    'insufficient-miles',
    'daily-limit',
    'basket-too-small',
    'account-inactive',
    'collector-invalid',
    'card-not-present',
    'temporarily-unavailable',
    'outage',
    'unreachable',
    'secret-refused',
    'not-applied',
    'refused',
    'reversing',
    'reversal-unanswered',
    'reversed',
    'reversal-expired',
    'reversal-owed',
    'reversal-escalated',
  ]),
  /** The program's text for a refusal, in the language of the lane; null if it only repeats the lane's own. */
  message: z.string().nullable(),
  wasApplied: z
    .boolean()
    .describe('It was a payment of this sale: if it no longer is, its miles were given back by a cashier'),
  goesBackAs: z
    .enum(['miles', 'store-credit'])
    .nullable()
    .describe(
      'Refund to the collector if it is given back now: after 03:00 of the next day, store credit ' +
        '(specification 3 §4.5 rule 7). null: it is not a payment of the sale',
    ),
})
export type Redemption = z.infer<typeof Redemption>

export const Tender = z.object({
  number: z.int().min(1).describe('number among the payments of its sale'),
  kind: TenderKind,
  amountCents: Cents.describe('amount of the sale that it pays'),
  roundingCents: Cents.describe('cash rounding: what the sale gains (+) or forgoes (−)'),
  tenderedCents: Cents.describe('cash received; else equal to amountCents'),
  changeCents: Cents,
  reference: z
    .string()
    .nullable()
    .describe('card terminal reference, the redemption confirmation number, or the last four of a voucher'),
  leftCents: Cents.optional().describe('remaining value of the voucher that paid; missing for other tenders'),
  card: ReceiptCard.optional().describe('of a payment that a card terminal took'),
  coupon: PaidCoupon.pick({ name: true, faceCents: true }).optional().describe('the manufacturer’s coupon that paid'),
})
export type Tender = z.infer<typeof Tender>

export const SaleIssuance = z.object({
  state: z.enum(['queued', 'sent', 'confirmed', 'accepted', 'rejected', 'dead', 'escalated']),
  miles: Miles.nullable().describe(
    'expected while the call is in flight; confirmed once it is answered. null: not known',
  ),
  pending: Miles.nullable().describe('accepted and pending at the program: not earned yet. null: not known'),
  rejected: Miles.nullable().describe('refused by the program: never earned. null: not known'),
  refusal: NoEarningReason.nullable().describe(
    'Why no miles are expected: the status of the account before ISSUE was answered, or in its answer',
  ),
})

export const Sale = z.object({
  id: SaleId,
  /**
   * Version of the sale, which increases with every change; a command with an older version is refused with
   * `sale-stale`.
   */
  version: z.int(),
  /**
   * Orders the views of a sale that a screen receives: the one with the greater revision is newer, also at the same
   * version (such as after a confirmed issuance).
   */
  revision: z.int(),
  /** State of the sale; `held` is on hold for another customer until it is resumed. */
  state: z.enum(['open', 'held', 'completed', 'cancelled']),
  openedAt: z.string(),
  completedAt: z.string().nullable(),
  lines: z.array(SaleLine),
  discounts: z.array(SaleDiscount).describe('active discounts, in the order in which they were given'),
  exemption: Exemption.nullable(),
  buyers: BuyerGroup.nullable().describe('buyers whose promotions apply; null: only those for everyone and members'),
  note: z.string().nullable(),
  undo: UndoKind.nullable().describe('the change that POST /api/sales/:id/undo would undo now'),
  totals: SaleTotals,
  member: Member.nullable(),
  milesPreview: Miles.nullable().describe('Miles of this basket by CALCULATE; null when not known'),
  earningOffers: z
    .array(EarningOffer)
    .describe('Components of milesPreview, the most miles first; empty while it is not known'),
  redemptionChoice: RedemptionChoice.nullable(),
  redemption: Redemption.nullable(),
  cardPayment: CardPayment.nullable().describe('the newest request to the card terminal for this sale'),
  tenders: z.array(Tender),
  issuance: SaleIssuance.nullable(),
  ageCheck: z
    .object({
      minimumAge: z.int(),
      bornBy: z.string().describe('latest date of birth (YYYY-MM-DD) of a person who is old enough today'),
      items: z.array(Names),
      clearlyOver: z.boolean().describe('whether the store lets a cashier answer without a date of birth'),
    })
    .nullable()
    .describe('question to answer before the sale is paid; null: nothing'),
})
export type Sale = z.infer<typeof Sale>

/** GET /api/sales/current: the open sale, or null. */
export const CurrentSale = z.object({
  sale: Sale.nullable(),
  nextQuantity: z.int().nullable().optional().describe('entered for the next item'),
})
export type CurrentSale = z.infer<typeof CurrentSale>

/** POST /api/sales/current/lines: rings an item; opens a sale if necessary. */
export const RingItem = z.object({
  sku: Sku,
  quantity: z.int().min(1).max(999).default(1),
  priceCents: Cents.optional().describe('of one piece, for an item with an open price'),
  pack: z
    .string()
    .regex(/^[!-~]{1,80}$/)
    .optional()
    .describe('barcode of a pack of the item; quantity counts packs'),
  weighing: Weighing.optional().describe('of an item that is sold by measure, with quantity 1'),
  approval: Approval.optional(),
})
/** POST /api/sales/current/empties: takes back empty containers, each class on a line with a negative amount. */
export const TakeEmpties = z.object({ empties: z.array(EmptiesCount).min(1).max(30), approval: Approval.optional() })
/** POST /api/sales/current/lines/scanned: rings the scanned item that waits for an approval. */
export const RingScanned = z.object({ approval: Approval.optional() })
/** PUT /api/sales/:id/lines/:number: changes the quantity of a line. */
export const ChangeLine = z.object({
  version: SaleVersion,
  approval: Approval.optional(),
  quantity: z.int().min(1).max(999),
})
/** POST /api/sales/:id/lines/:number/void: voids a line. */
export const VoidLine = z.object({ version: SaleVersion, approval: Approval.optional() })
/** POST /api/sales/:id/cancel: cancels an open sale. */
export const CancelSale = z.object({ version: SaleVersion, approval: Approval.optional() })
/** POST /api/sales/:id/reprint, and the reprint routes of other documents: print a document again. */
export const ReprintPaper = z
  .object({
    approval: Approval.optional(),
    locale: Locale.optional().describe('language requested by the customer; left out: as the first print'),
  })
  .nullish()
export const SaleAnswer = z.object({ sale: Sale })
export const SaleCommand = z.object({ version: SaleVersion })
/**
 * POST /api/sales/:id/redemption: redeems units of miles, and returns the sale when the outcome is known. Progress is
 * sent as events.
 */
export const Redeem = z.object({ version: SaleVersion, units: z.int().min(1).max(75) })
/** POST /api/sales/:id/tenders/:number/take-back: gives one payment back; the sale stays open. */
export const TakeTenderBack = SaleCommand

/** GET /api/sales/:id/receipt: the receipt without blocks that are for paper only. */
export const ReceiptView = z.object({
  document: ReceiptDocument,
  print: PrintState.nullable(),
  hasPaperOnly: z.boolean(),
  link: z.string().nullable().optional().describe('address at which the customer can open this receipt; null: none'),
})
export type ReceiptView = z.infer<typeof ReceiptView>
export const PrintAnswer = z.object({ print: ReceiptView.shape.print })
