import { z } from 'zod'
import { ScannedGoods } from '../payments/return-rules.ts'
import { Control } from './text.ts'
import { MeasuredGoods } from '../payments/returns.ts'
import { ApprovalRequest } from '../sales/approvals.ts'
import { Item, PriceCheck } from '../catalog/catalog.ts'
import { PresentedCoupon } from '../catalog/manufacturer-coupons.ts'
import { HistoryShown, MemberSession } from '../loyalty/member.ts'
import { CentralState, DeviceHealth, EchoResult, QueueSummary, Maintenance } from '../operations/diagnostics.ts'
import { Sale } from '../sales/sales.ts'
import { ScaleView } from '../sales/weighing.ts'
import { Staff, StopReason } from '../staff/session.ts'
import { StoreState } from '../store/status.ts'
import { DeliveryState } from '../payments/receipt-delivery.ts'
import { Voucher } from '../payments/vouchers.ts'
import { ProblemCode } from './errors.ts'
import { EntryMode, ReadId, SaleId } from './ids.ts'
import { Localized } from './locales.ts'
import { Cents } from './money.ts'
import { DocumentKind, PrintState } from './receipt.ts'
import { GoodsDoubt } from '../catalog/measure.ts'

/**
 * Events that the backend pushes over GET /api/events (server-sent events). The SSE `id` is `<boot>-<sequence>`; a
 * client that reconnects sends Last-Event-ID and receives the events that it missed, or `resync` when they are no
 * longer buffered.
 */
export const TerminalEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('resync') }),
  z.object({ type: z.literal('card-read'), entryMode: EntryMode, last4: z.string() }),
  z.object({ type: z.literal('card-claimed'), readId: ReadId, entryMode: EntryMode, last4: z.string() }),
  /** A staff badge was read while no one is signed in. It signs in once, by its readId. */
  z.object({ type: z.literal('badge-presented'), readId: z.string() }),
  z.object({ type: z.literal('badge-claimed'), readId: z.string() }),
  /** The QR code of an enrolment sheet was scanned while no one is signed in; `ticket` is its content. */
  z.object({ type: z.literal('enrolment-scanned'), ticket: z.string() }),
  /**
   * Whether this window is the acting window: the one that received the latest input, and gets scans, swipes and
   * approvals.
   */
  z.object({ type: z.literal('window-acting'), acting: z.boolean() }),
  z.object({ type: z.literal('card-refused'), reason: z.enum(['not-a-program-card', 'unreadable']) }),
  /** An item with an open price was scanned: the cashier enters the price. */
  z.object({ type: z.literal('price-asked'), item: Item }),
  /** An item that is sold by measure was scanned without a measure: the cashier weighs or measures it. */
  z.object({ type: z.literal('weight-asked'), item: Item }),
  /** The reading of the lane's scale changed. */
  z.object({ type: z.literal('scale-reading'), scale: ScaleView }),
  /** A scanned item is expired or recalled: the cashier decides whether to ring it. */
  z.object({ type: z.literal('goods-asked'), item: Item, doubt: GoodsDoubt }),
  z.object({ type: z.literal('scan-unknown'), code: z.string() }),
  /** A code was scanned during a price check: nothing is rung. `check` is null for an unknown code. */
  z.object({ type: z.literal('price-checked'), code: z.string(), check: PriceCheck.nullable() }),
  /** Quantity of the next item that is rung; null: none was entered, or it was used or expired. */
  z.object({ type: z.literal('next-quantity'), quantity: z.int().nullable() }),
  /** An item was scanned on the screen of a return: it is not rung. Price or measure are those of its label. */
  z.object({
    type: z.literal('item-for-return'),
    item: Item,
    quantity: z.int().optional(),
    priceCents: Cents.optional(),
    measured: MeasuredGoods.optional(),
    scanned: ScannedGoods.optional(),
  }),
  /** A scan, a swipe or an item of a resumed sale was rejected; the event has the problem and its messages. */
  z.object({ type: z.literal('scan-refused'), code: ProblemCode, messages: Localized }),
  /** A scanned item needs approval before it is rung, for example under a large discount of the sale. */
  z.object({ type: z.literal('approval-asked'), request: ApprovalRequest }),
  /** A scan could not be decoded. The event carries none of its content. */
  z.object({ type: z.literal('scan-unreadable') }),
  z.object({
    type: z.literal('sale-changed'),
    sale: Sale,
    cause: z.enum([
      'scan',
      'command',
      'hold',
      'member',
      'preview',
      'redemption',
      'tender',
      'issuance',
      'settings',
      'recovery',
    ]),
  }),
  /** Units selected on the cashier's stepper, for the customer display; null when the stepper was left. */
  z.object({ type: z.literal('choice-shown'), saleId: SaleId, units: z.int().nullable() }),
  /** The state of the collector's sign-in with their own phone changed; null when there is no sign-in. */
  z.object({ type: z.literal('member-session'), session: MemberSession.nullable() }),
  /**
   * The cashier opened the member's history, or closed it (null). Carries no transactions: the display loads them with
   * the same query.
   */
  z.object({ type: z.literal('member-history-shown'), saleId: SaleId, shown: HistoryShown.nullable() }),
  /** The member's offers or the state of a change to them changed: reload the offers. */
  z.object({ type: z.literal('offer-states'), saleId: SaleId }),
  /** The held sales of the store changed, or whether they can be resumed: reload the list of held sales. */
  z.object({ type: z.literal('held-sales-changed') }),
  z.object({ type: z.literal('sale-closed'), saleId: SaleId, state: z.enum(['completed', 'cancelled']) }),
  /** A drawer was opened, counted or closed, cash was moved, or the day was closed: reload the day's data. */
  z.object({ type: z.literal('shifts-changed') }),
  z.object({ type: z.literal('catalog-changed') }),
  z.object({ type: z.literal('queue-changed'), summary: QueueSummary }),
  z.object({ type: z.literal('device-health'), device: DeviceHealth }),
  /** A virtual device changed: reload the training panel. Training mode only. */
  z.object({ type: z.literal('training-changed') }),
  z.object({ type: z.literal('echo-result'), result: EchoResult }),
  z.object({ type: z.literal('connection-check-changed') }),
  z.object({ type: z.literal('lane-check-changed') }),
  /**
   * The central services have been unreachable for longer than `connection.noticeAfterMs`, or are reachable again;
   * `sound`: the lane may play a sound.
   */
  z.object({
    type: z.literal('central-turned'),
    now: z.enum(['gone', 'back']),
    state: CentralState,
    since: z.string(),
    sound: z.boolean(),
  }),
  z.object({ type: z.literal('maintenance'), maintenance: Maintenance }),
  /**
   * The state of a print job changed. `paper`: kind of document; `saleId`: id of the sale, return or voucher; `copy`:
   * 0 for the original; `totalCents`: total of a sale, null for other documents; `voucher`: only on a voucher's own
   * paper; `notOnPaper`: number of documents of the lane that have not been printed.
   */
  z.object({
    type: z.literal('print-job'),
    paper: DocumentKind,
    saleId: SaleId,
    state: PrintState,
    copy: z.int(),
    totalCents: Cents.nullable(),
    voucher: Voucher.pick({ kind: true, last4: true, balanceCents: true }).nullable(),
    notOnPaper: z.int(),
  }),
  /** An e-mail with a receipt was sent, or cannot be sent. */
  z.object({ type: z.literal('receipt-delivery'), saleId: SaleId, state: DeliveryState }),
  /** A voucher was scanned and can pay for a limited time. Its code stays in the backend. */
  z.object({ type: z.literal('voucher-presented'), voucher: Voucher }),
  /** A manufacturer's coupon was scanned, and can pay a portion of the open sale. */
  z.object({ type: z.literal('manufacturer-coupon-presented'), coupon: PresentedCoupon }),
  z.object({ type: z.literal('gift-card-scanned'), last4: z.string() }),
  z.object({ type: z.literal('control-scanned'), control: Control }),
  z.object({ type: z.literal('receipt-scanned'), saleId: SaleId }),
  z.object({ type: z.literal('signed-in'), staff: Staff.nullable() }),
  z.object({ type: z.literal('staff-changed') }),
  z.object({ type: z.literal('settings-changed') }),
  /** The lane's connection to its store server, or the number of facts to send, changed. */
  z.object({ type: z.literal('store-changed'), store: StoreState }),
  z.object({ type: z.literal('signed-out') }),
  z.object({ type: z.literal('stopped'), reason: StopReason }),
])
export type TerminalEvent = z.infer<typeof TerminalEvent>

/**
 * Events that ask the cashier for something. They are sent only to the window that received the latest input, so that
 * they appear once.
 */
export const FOR_ACTING_WINDOW: ReadonlySet<TerminalEvent['type']> = new Set([
  'price-asked',
  'weight-asked',
  'goods-asked',
  'badge-presented',
  'enrolment-scanned',
  'approval-asked',
  'control-scanned',
  'receipt-scanned',
  'voucher-presented',
  'manufacturer-coupon-presented',
  'gift-card-scanned',
])
