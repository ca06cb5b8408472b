import type { AgeAnswer } from '../../../contracts/sales/approvals.ts'
import type { ApplyOfferCoupon, ChangeOfferStates } from '../../../contracts/loyalty/basket-offers.ts'
import type { CaptureInput } from '../../../contracts/sales/input.ts'
import type { EarlierSalesQuery } from '../../../contracts/day/search.ts'
import type { HistoryShown, PrintHistory } from '../../../contracts/loyalty/member.ts'
import type { ResumeSale } from '../../../contracts/sales/held-sales.ts'
import type {
  Approval,
  ChangePrice,
  CorrectPrice,
  GiveDiscount,
  RemoveDiscount,
  SetBuyers,
  SetExemption,
  SetNote,
  UndoChange,
} from '../../../contracts/sales/sale-changes.ts'
import type {
  CommitReturn,
  QuoteReturn,
  QuoteUnrecorded,
  ReturnWithoutRecord,
} from '../../../contracts/payments/returns.ts'
import type {
  ChangeLine,
  PrintAnswer,
  ReprintPaper,
  RingItem,
  TakeEmpties,
  VoidLine,
} from '../../../contracts/sales/sales.ts'
import type { ResolveCardTransaction } from '../../../contracts/payments/tenders/card-terminal.ts'
import type { AddTender } from '../../../contracts/payments/tenders/registry.ts'
import type { CashCount, DrawerCount, MoveCash } from '../../../contracts/day/shifts.ts'
import type { WindowPage } from '../../../contracts/staff/session.ts'
import type { EmailReceipt } from '../../../contracts/payments/receipt-delivery.ts'
import type { CashOut, SellGiftCard } from '../../../contracts/payments/vouchers.ts'
import type { z } from 'zod'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { DocumentKind } from '../../../contracts/core/receipt.ts'
import { command, get, openSession, search, send } from './client.ts'
import { route } from './routes.ts'
import { streamName } from './event-stream.ts'

/** A payment as sent, with amounts in integer cents: the window uses the contracts' types and none of their code. */
export type TenderRequest = z.input<typeof AddTender>
/** The contract's types before parsing, whose amounts are plain numbers. */
export type CashInput = z.input<typeof CashCount>
export type CountInput = z.input<typeof DrawerCount>
export type MovementInput = z.input<typeof MoveCash>
/** Filter of earlier sales; omit `q` and `after` when empty. */
export type EarlierSalesFilter = {
  readonly filter?: z.infer<typeof EarlierSalesQuery>['filter']
  readonly q?: string
  readonly after?: string
  readonly limit?: number
}

/** Time limit of a call that waits for the program's services: two attempts plus overhead. */
const CENTRAL_TIMEOUT_MS = 60_000
/**
 * Kinds of documents that this lane prints again on request: not the slip of a payment given back, and not the copy of
 * another lane's sale.
 */
export type ReprintedDocument = Exclude<DocumentKind, 'payment-back' | 'store-sale'>
/** The number in an id such as `SHIFT00000012`, `Z00000012` or `CASH00000012`. */
const numberOf = (id: string): number => Number(id.replace(/^[A-Z]+/, ''))
type ReprintRequest = z.input<typeof ReprintPaper>
const REPRINTS = {
  sale: (id, json) => command(route['POST /sales/:id/reprint'], { params: { id }, json }),
  gift: (id) => command(route['POST /sales/:id/gift-receipt'], { params: { id } }),
  return: (id, json) => command(route['POST /returns/:id/reprint'], { params: { id }, json }),
  voucher: (id, json) => command(route['POST /vouchers/:id/reprint'], { params: { id }, json }),
  shift: (id) => command(route['POST /shifts/:id/reprint'], { params: { id: numberOf(id) } }),
  'z-report': (number) => command(route['POST /z-reports/:number/reprint'], { params: { number: numberOf(number) } }),
  closing: (period) => command(route['POST /closings/:period/print'], { params: { period } }),
  'cash-movement': (id, json) =>
    command(route['POST /cash-movements/:id/reprint'], { params: { id: numberOf(id) }, json }),
} as const satisfies Record<
  ReprintedDocument,
  (id: string, json: ReprintRequest) => Promise<z.infer<typeof PrintAnswer>>
>

/** The local API, one function per route (contracts/core/lane-routes.ts). Each throws ApiProblem. */
export const api = {
  openSession,
  launchToken: (page: WindowPage) => send(route['POST /session/launch-token'], { json: { page } }),
  askLink: (page: WindowPage) => send(route['POST /session/link'], { json: { page } }),
  terminal: () => get(route['GET /terminal']),
  staff: () => get(route['GET /staff']),
  signIn: (staffId: string, pin: string, newPin?: string) =>
    send(route['POST /sign-in'], { json: { staffId, pin, newPin, stream: streamName } }),
  signInByBadge: (readId: string) => send(route['POST /sign-in/badge'], { json: { readId, stream: streamName } }),
  signOut: () => send(route['POST /sign-out']),
  active: () => send(route['POST /session/active']),
  setLocale: (locale: Locale) => send(route['PUT /staff/me/locale'], { json: { locale } }),

  findItems: (q: string, limit: number, signal?: AbortSignal) =>
    search(route['POST /catalog/items/search'], { json: { q, limit }, signal }),

  quickKeys: () => get(route['GET /catalog/quick-keys']),

  currentSale: () => get(route['GET /sales/current']),
  sale: (id: string) => get(route['GET /sales/:id'], { params: { id } }),
  ring: (chosen: z.input<typeof RingItem>) => command(route['POST /sales/current/lines'], { json: chosen }),
  emptiesClasses: () => get(route['GET /empties']),
  takeEmpties: (taken: z.input<typeof TakeEmpties>) => command(route['POST /sales/current/empties'], { json: taken }),
  scale: () => get(route['GET /scale']),
  setNextQuantity: (quantity: number | null) => send(route['POST /input/quantity'], { json: { quantity } }),
  offersOfItem: (sku: string) => get(route['GET /offers/of-item'], { search: { sku } }),
  checkPrice: (code: string) => search(route['POST /catalog/price-check'], { json: { code } }),
  ringScanned: (approval?: z.input<typeof Approval>) =>
    command(route['POST /sales/current/lines/scanned'], { json: { approval } }),
  changeLine: (id: string, number: number, change: z.input<typeof ChangeLine>) =>
    command(route['PUT /sales/:id/lines/:number'], { params: { id, number }, json: change }),
  voidLine: (id: string, number: number, change: z.input<typeof VoidLine>) =>
    command(route['POST /sales/:id/lines/:number/void'], { params: { id, number }, json: change }),
  giveDiscount: (id: string, given: z.input<typeof GiveDiscount>) =>
    command(route['POST /sales/:id/discounts'], { params: { id }, json: given }),
  removeDiscount: (id: string, number: number, change: z.input<typeof RemoveDiscount>) =>
    command(route['POST /sales/:id/discounts/:number/remove'], { params: { id, number }, json: change }),
  changePrice: (id: string, number: number, change: z.input<typeof ChangePrice>) =>
    command(route['PUT /sales/:id/lines/:number/price'], { params: { id, number }, json: change }),
  correctPrice: (id: string, number: number, change: z.input<typeof CorrectPrice>) =>
    command(route['POST /sales/:id/lines/:number/shelf-price'], { params: { id, number }, json: change }),
  takeCoupon: (code: string) => command(route['POST /sales/current/coupons'], { json: { code } }),
  setBuyers: (id: string, change: z.input<typeof SetBuyers>) =>
    command(route['PUT /sales/:id/buyers'], { params: { id }, json: change }),
  setExemption: (id: string, change: z.input<typeof SetExemption>) =>
    command(route['PUT /sales/:id/exemption'], { params: { id }, json: change }),
  setNote: (id: string, change: z.input<typeof SetNote>) =>
    command(route['PUT /sales/:id/note'], { params: { id }, json: change }),
  undo: (id: string, change: z.input<typeof UndoChange>) =>
    command(route['POST /sales/:id/undo'], { params: { id }, json: change }),
  keyCollector: (number: string) => send(route['POST /devices/keyed-collector'], { json: { number } }),
  askMemberAgain: (id: string, version: number) =>
    command(route['POST /sales/:id/member/inquire'], { params: { id }, json: { version } }),
  removeMember: (id: string, version: number) =>
    command(route['POST /sales/:id/member/remove'], { params: { id }, json: { version } }),
  redeem: (id: string, version: number, units: number) =>
    command(route['POST /sales/:id/redemption'], {
      params: { id },
      json: { version, units },
      timeoutMs: CENTRAL_TIMEOUT_MS,
    }),
  memberSession: () => get(route['GET /member-session']),
  beginMemberSession: (id: string) => command(route['POST /sales/:id/member-session'], { params: { id } }),
  cancelMemberSession: (id: string) => command(route['POST /sales/:id/member-session/cancel'], { params: { id } }),
  printMemberCode: (id: string) =>
    send(route['POST /sales/:id/member-session/print'], { params: { id }, timeoutMs: CENTRAL_TIMEOUT_MS }),
  basketOffers: (id: string, locale: Locale) =>
    get(route['GET /sales/:id/offers'], { params: { id }, search: { locale } }),
  applyOfferCoupon: (id: string, given: ApplyOfferCoupon) =>
    command(route['POST /sales/:id/offer-coupons'], { params: { id }, json: given }),
  changeOfferStates: (id: string, given: ChangeOfferStates) =>
    command(route['POST /sales/:id/offer-states'], { params: { id }, json: given }),
  memberHistory: (id: string, { sort, ...asked }: HistoryShown, locale: Locale, signal: AbortSignal) =>
    get(route['GET /sales/:id/member-history'], {
      params: { id },
      search: { ...asked, sort: sort.join(','), locale },
      timeoutMs: CENTRAL_TIMEOUT_MS,
      signal,
    }),
  showHistory: (id: string, shown: HistoryShown | null) =>
    send(route['PUT /sales/:id/member-history/shown'], { params: { id }, json: { shown } }),
  printHistory: (id: string, asked: PrintHistory) =>
    send(route['POST /sales/:id/member-history/print'], { params: { id }, json: asked, timeoutMs: CENTRAL_TIMEOUT_MS }),
  showChoice: (id: string, units: number | null) =>
    send(route['PUT /sales/:id/choice-shown'], { params: { id }, json: { units } }),
  tender: (id: string, tender: TenderRequest) =>
    command(route['POST /sales/:id/tenders'], { params: { id }, json: tender }),
  chargeCard: (id: string, version: number, amountCents: number) =>
    command(route['POST /sales/:id/card-payment'], { params: { id }, json: { version, amountCents } }),
  stopCharge: (id: string) => command(route['POST /sales/:id/card-payment/cancel'], { params: { id } }),
  cardTransactions: () => get(route['GET /card-transactions']),
  resolveCardTransaction: (reference: string, found: z.input<typeof ResolveCardTransaction>) =>
    send(route['POST /card-transactions/:reference/resolve'], { params: { reference }, json: found }),
  takeTenderBack: (id: string, number: number, version: number) =>
    command(route['POST /sales/:id/tenders/:number/take-back'], { params: { id, number }, json: { version } }),
  answerAgeCheck: (id: string, minimumAge: number, answer: AgeAnswer) =>
    command(route['POST /sales/:id/age-check'], { params: { id }, json: { minimumAge, answer } }),
  payOut: (id: string, version: number) =>
    command(route['POST /sales/:id/payout'], { params: { id }, json: { version } }),
  completeSale: (id: string, version: number) =>
    command(route['POST /sales/:id/complete'], { params: { id }, json: { version } }),
  holdSale: (id: string, version: number, name: string, approval?: z.input<typeof Approval>) =>
    command(route['POST /sales/:id/hold'], {
      params: { id },
      json: name === '' ? { version, approval } : { version, name, approval },
    }),
  heldSales: () => get(route['GET /sales/held']),
  resumeSale: (id: string, asked: z.input<typeof ResumeSale>) =>
    command(route['POST /sales/:id/resume'], { params: { id }, json: asked }),
  copyHeldSale: (id: string) => command(route['POST /sales/:id/copy'], { params: { id } }),
  cancelSale: (id: string, version: number, approval?: z.input<typeof Approval>) =>
    command(route['POST /sales/:id/cancel'], {
      params: { id },
      json: { version, approval },
      timeoutMs: CENTRAL_TIMEOUT_MS,
    }),
  receipt: (id: string) => get(route['GET /sales/:id/receipt'], { params: { id } }),
  emailReceipt: (id: string, json: z.input<typeof EmailReceipt>) =>
    command(route['POST /sales/:id/email'], { params: { id }, json }),
  vouchersOfSale: (id: string) => get(route['GET /sales/:id/vouchers'], { params: { id } }),
  earlierSales: (asked: EarlierSalesFilter, signal?: AbortSignal) =>
    get(route['GET /sales/earlier'], { search: asked, signal }),
  receiptsSummary: () => get(route['GET /receipts']),
  reprint: (paper: ReprintedDocument, id: string, json: ReprintRequest = {}) => REPRINTS[paper](id, json),

  returnable: (saleId: string) => get(route['GET /sales/:id/returnable'], { params: { id: saleId } }),
  quoteReturn: (asked: z.input<typeof QuoteReturn>) => send(route['POST /returns/quote'], { json: asked }),
  presentVoucher: (code: string) => send(route['POST /vouchers/present'], { json: { code } }),
  presentCoupon: (code: string) => send(route['POST /manufacturer-coupons/present'], { json: { code } }),
  cashOut: (id: string, asked: z.input<typeof CashOut>) =>
    command(route['POST /vouchers/:id/cash-out'], { params: { id }, json: asked }),
  sellGiftCard: (given: z.input<typeof SellGiftCard>) =>
    command(route['POST /sales/current/gift-cards'], { json: given }),
  quoteUnrecorded: (asked: z.input<typeof QuoteUnrecorded>) =>
    send(route['POST /returns/without-record/quote'], { json: asked }),
  returnUnrecorded: (given: z.input<typeof ReturnWithoutRecord>) =>
    command(route['POST /returns/without-record'], { json: given }),
  /** Reports touches of this window: questions about a swipe or scan then appear here. */
  act: () => send(route['POST /input/acting'], { json: { stream: streamName } }),
  captureInput: (what: CaptureInput['what'], claimed: boolean) =>
    send(route['POST /input/claims'], { json: { what, claimed, stream: streamName } }),
  commitReturn: (given: z.input<typeof CommitReturn>) => command(route['POST /returns'], { json: given }),

  offers: (locale: Locale) => get(route['GET /offers'], { search: { locale }, timeoutMs: CENTRAL_TIMEOUT_MS }),
  store: () => get(route['GET /store']),
  maintenance: () => get(route['GET /diagnostics/maintenance']),
  sounds: () => get(route['GET /sounds']),
  setSounds: (volume: number) => send(route['PUT /sounds'], { json: { volume } }),
  devices: () => get(route['GET /devices']),
  typedLine: (text: string) => send(route['POST /devices/keys'], { json: { text } }),
  queue: (asked: { sale?: string; max?: number }) => get(route['GET /queue'], { search: asked }),
  queueSummary: () => get(route['GET /queue/summary']),

  currentShift: () => get(route['GET /shifts/current']),
}
