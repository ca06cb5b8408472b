import { z } from 'zod'
import { Control } from './text.ts'
import { ApprovalRequest } from '../sales/approvals.ts'
import { Item } from '../catalog/catalog.ts'
import { HistoryShown, MemberSession } from '../loyalty/member.ts'
import { CentralState, DeviceHealth, EchoResult, QueueSummary, Maintenance } from '../operations/diagnostics.ts'
import { Sale } from '../sales/sales.ts'
import { Staff, StopReason } from '../staff/session.ts'
import { StoreState } from '../store/status.ts'
import { Voucher } from '../payments/vouchers.ts'
import { ProblemCode } from './errors.ts'
import { EntryMode, ReadId, SaleId } from './ids.ts'
import { Localized } from './locales.ts'
import { Cents } from './money.ts'
import { DocumentKind, PrintState } from './receipt.ts'
import { GoodsDoubt } from '../catalog/measure.ts'

/**
 * What the backend pushes over GET /api/events (server-sent events). Each event's SSE `id` is `<boot>-<sequence>`;
 * a client that reconnects sends Last-Event-ID and gets what it missed, or `resync` when that is no longer held.
 */
export const TerminalEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('resync') }),
  /** A card was read and is the sale's. The number stays in the backend. */
  z.object({ type: z.literal('card-read'), entryMode: EntryMode, last4: z.string() }),
  /** A card was read for the form that asked for it: it can be used once, by its readId. */
  z.object({ type: z.literal('card-claimed'), readId: ReadId, entryMode: EntryMode, last4: z.string() }),
  /** A staff badge was read while nobody is signed in: it signs in once, by its readId. */
  z.object({ type: z.literal('badge-presented'), readId: z.string() }),
  /** The same for the form that gives a person a badge. */
  z.object({ type: z.literal('badge-claimed'), readId: z.string() }),
  /** The QR code of an enrolment sheet was scanned while nobody is signed in: what it holds. */
  z.object({ type: z.literal('enrolment-scanned'), ticket: z.string() }),
  /** Whether this window is the one that was touched last. */
  z.object({ type: z.literal('window-acting'), acting: z.boolean() }),
  z.object({ type: z.literal('card-refused'), reason: z.enum(['not-a-program-card', 'unreadable']) }),
  /** An item whose price the catalog leaves open was scanned: the cashier enters it. */
  z.object({ type: z.literal('price-asked'), item: Item }),
  /** A scanned item is expired or recalled: the cashier decides whether it is rung all the same. */
  z.object({ type: z.literal('goods-asked'), item: Item, doubt: GoodsDoubt }),
  z.object({ type: z.literal('scan-unknown'), code: z.string() }),
  /** An item that was scanned while goods without a record are taken back: it is not rung. */
  z.object({ type: z.literal('item-for-return'), item: Item }),
  /** A scan that a rule of the sale, or a stopped terminal, did not take: the problem and its words. */
  z.object({ type: z.literal('scan-refused'), code: ProblemCode, messages: Localized }),
  /** A scanned item that is not rung unless somebody approves it, as under a large discount of the sale. */
  z.object({ type: z.literal('approval-asked'), request: ApprovalRequest }),
  /** Something was scanned that arrived as no code at all. Nothing of it is shown: it may be anything. */
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
  /** The units on the cashier's stepper, for the customer's screen; null when it was left. */
  z.object({ type: z.literal('choice-shown'), saleId: SaleId, units: z.int().nullable() }),
  /** The collector's sign-in with their own phone has gone on; null: there is none any more. */
  z.object({ type: z.literal('member-session'), session: MemberSession.nullable() }),
  /**
   * The cashier shows the member's history, or has closed it (null). No transaction is in it: a display asks for them
   * by the same query.
   */
  z.object({ type: z.literal('member-history-shown'), saleId: SaleId, shown: HistoryShown.nullable() }),
  /** What the sale's member has of offers, or what becomes of an opt-in, has gone on: ask for its offers again. */
  z.object({ type: z.literal('offer-states'), saleId: SaleId }),
  /** A sale on hold is in the store now, or another lane has resumed it: ask for the list again. */
  z.object({ type: z.literal('held-sales-changed') }),
  z.object({ type: z.literal('sale-closed'), saleId: SaleId, state: z.enum(['completed', 'cancelled']) }),
  /** A drawer was opened, counted or closed, cash was moved, or the day was closed: ask for it again. */
  z.object({ type: z.literal('shifts-changed') }),
  /** What is sold, a price, or the import that waits has changed: ask for it again. */
  z.object({ type: z.literal('catalog-changed') }),
  z.object({ type: z.literal('queue-changed'), summary: QueueSummary }),
  z.object({ type: z.literal('device-health'), device: DeviceHealth }),
  /**
   * Of the far ends of virtual devices something is another than before: ask for the training panel again. Training
   * mode only.
   */
  z.object({ type: z.literal('training-changed') }),
  z.object({ type: z.literal('echo-result'), result: EchoResult }),
  /** A step of the connection check began or ended: ask for it again. */
  z.object({ type: z.literal('connection-check-changed') }),
  /** A part of the check of the lane has ended: ask for it again. */
  z.object({ type: z.literal('lane-check-changed') }),
  /**
   * The program's services are gone for longer than `connection.noticeAfterMs`, or back after that; `sound`: it may be
   * heard.
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
   * What became of a print job; `paper` is what it is of, `saleId` the id of the sale, the return or the voucher,
   * `copy` 0 for the original, `totalCents` what the sale came to and null for other documents, `voucher` of its own
   * paper
   * alone, `notOnPaper` how many documents of the lane never reached paper.
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
  /** The code of a voucher was scanned: it may be paid with for a while. The code itself stays in the backend. */
  z.object({ type: z.literal('voucher-presented'), voucher: Voucher }),
  /** A gift card that nobody has bought yet was scanned: it can be sold. */
  z.object({ type: z.literal('gift-card-scanned'), last4: z.string() }),
  /** A barcode that stands for a key was scanned. */
  z.object({ type: z.literal('control-scanned'), control: Control }),
  /** The barcode of a receipt was scanned. */
  z.object({ type: z.literal('receipt-scanned'), saleId: SaleId }),
  /** Who is at the lane, for screens that only watch: also after a change of language; null when nobody is. */
  z.object({ type: z.literal('signed-in'), staff: Staff.nullable() }),
  /** Somebody was added, changed or removed: ask who may sign in again. */
  z.object({ type: z.literal('staff-changed') }),
  /** A setting was changed or has come into force: ask for what is shown of them again. */
  z.object({ type: z.literal('settings-changed') }),
  /** The lane stands otherwise with its store's server, or has more or less to tell it. */
  z.object({ type: z.literal('store-changed'), store: StoreState }),
  z.object({ type: z.literal('signed-out') }),
  z.object({ type: z.literal('stopped'), reason: StopReason }),
])
export type TerminalEvent = z.infer<typeof TerminalEvent>

/** What asks something of a person: told to the window that was touched last, and to no other. */
export const FOR_ACTING_WINDOW: ReadonlySet<TerminalEvent['type']> = new Set([
  'price-asked',
  'goods-asked',
  'badge-presented',
  'enrolment-scanned',
  'approval-asked',
  'control-scanned',
  'receipt-scanned',
  'voucher-presented',
  'gift-card-scanned',
])
