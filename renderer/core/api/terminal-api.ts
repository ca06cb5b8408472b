import type { StoreState } from '../../../contracts/store/status.ts'
import type { AgeAnswer } from '../../../contracts/sales/approvals.ts'
import type {
  ApplyOfferCoupon,
  BasketOffers,
  ChangeOfferStates,
  OfferStatesChanged,
} from '../../../contracts/loyalty/basket-offers.ts'
import type { ItemList, QuickKeys } from '../../../contracts/catalog/catalog.ts'
import type { ClaimInput, ShowChoice } from '../../../contracts/sales/input.ts'
import type { DeviceList, Maintenance, QueueSummary } from '../../../contracts/operations/diagnostics.ts'
import type { EarlierSales, EarlierSalesQuery, ReceiptsSummary } from '../../../contracts/day/search.ts'
import type {
  HistoryPrinted,
  HistoryShown,
  MemberHistory,
  MemberSessionNow,
  PrintHistory,
  ShowHistory,
  SignInSlipAnswer,
} from '../../../contracts/loyalty/member.ts'
import type { CopiedSale, HeldSales, ResumeSale } from '../../../contracts/sales/held-sales.ts'
import type { OfferList } from '../../../contracts/loyalty/offers.ts'
import type { Queue } from '../../../contracts/loyalty/queue.ts'
import type {
  Approval,
  ChangePrice,
  GiveDiscount,
  RemoveDiscount,
  SetExemption,
  SetNote,
  UndoChange,
} from '../../../contracts/sales/sale-changes.ts'
import type {
  CommitReturn,
  QuoteReturn,
  QuoteUnrecorded,
  ReturnQuote,
  ReturnWithoutRecord,
  ReturnableSale,
  SaleReturn,
  UnrecordedQuote,
} from '../../../contracts/payments/returns.ts'
import type {
  ChangeLine,
  CurrentSale,
  ReceiptView,
  ReprintPaper,
  Sale,
  VoidLine,
} from '../../../contracts/sales/sales.ts'
import type { CardTransactions, ResolveCardTransaction } from '../../../contracts/payments/tenders/card-terminal.ts'
import type { AddTender } from '../../../contracts/payments/tenders/registry.ts'
import type { CashCount, CurrentShift, DrawerCount, MoveCash } from '../../../contracts/day/shifts.ts'
import type { SoundSettings } from '../../../contracts/operations/devices.ts'
import type { LaunchToken, Staff, StaffList, Terminal, WindowPage } from '../../../contracts/staff/session.ts'
import type { SellGiftCard, Voucher, VoucherDocuments } from '../../../contracts/payments/vouchers.ts'
import type { z } from 'zod'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { DocumentKind } from '../../../contracts/core/receipt.ts'
import { command, commandPut, get, openSession, post, put, search } from './client.ts'
import { streamName } from './event-stream.ts'

type SaleAnswer = { sale: Sale }
/**
 * Amounts in integer cents, before the contract has branded them: this side needs the contracts' types and none of
 * their code.
 */
export type TenderRequest = z.input<typeof AddTender>
/** As a window makes them, before the contract has branded the amounts. */
export type GivenCash = z.input<typeof CashCount>
export type GivenCount = z.input<typeof DrawerCount>
export type GivenMovement = z.input<typeof MoveCash>
/** What to look for among earlier sales; `q` and `after` only where there is something to say. */
export type EarlierSalesAsked = {
  readonly filter?: z.infer<typeof EarlierSalesQuery>['filter']
  readonly q?: string
  readonly after?: string
  readonly limit?: number
}
type StaffAnswer = z.infer<typeof Staff>
type PrintState = z.infer<typeof ReceiptView>['print']

/** The longest that a call may take which waits for the program's services: two attempts and the time around them. */
const CENTRAL_TIMEOUT_MS = 60_000
/** The paper of a payment that was given back is of its moment: never printed again. */
export type ReprintedDocument = Exclude<DocumentKind, 'payment-back' | 'store-sale'>
/** `SHIFT00000012`, `Z00000012`, `CASH00000012`: the number behind the letters. */
const numberOf = (id: string): number => Number(id.replace(/^[A-Z]+/, ''))
/** Where a paper is asked for again. */
const REPRINTS = {
  sale: (id) => `sales/${id}/reprint`,
  gift: (id) => `sales/${id}/gift-receipt`,
  return: (id) => `returns/${id}/reprint`,
  voucher: (id) => `vouchers/${id}/reprint`,
  shift: (id) => `shifts/${numberOf(id)}/reprint`,
  'z-report': (id) => `z-reports/${numberOf(id)}/reprint`,
  closing: (id) => `closings/${id}/print`,
  'cash-movement': (id) => `cash-movements/${numberOf(id)}/reprint`,
} as const satisfies Record<ReprintedDocument, (id: string) => string>

/** The local API, one function per route (contracts/api). Each throws ApiProblem. */
export const api = {
  openSession,
  launchToken: (page: WindowPage) => post<LaunchToken>('session/launch-token', { json: { page } }),
  askLink: (page: WindowPage) => post<undefined>('session/link', { json: { page } }),
  terminal: () => get<z.infer<typeof Terminal>>('terminal'),
  staff: () => get<z.infer<typeof StaffList>>('staff'),
  signIn: (staffId: string, pin: string, newPin?: string) =>
    post<{ staff: StaffAnswer }>('sign-in', { json: { staffId, pin, newPin, stream: streamName } }),
  signInByBadge: (readId: string) =>
    post<{ staff: StaffAnswer }>('sign-in/badge', { json: { readId, stream: streamName } }),
  signOut: () => post<undefined>('sign-out'),
  active: () => post<undefined>('session/active'),
  setLocale: (locale: Locale) => put<undefined>('staff/me/locale', { json: { locale } }),

  findItems: (q: string, limit: number, signal?: AbortSignal) =>
    search<ItemList>('catalog/items/search', { q, limit }, signal),

  quickKeys: () => get<QuickKeys>('catalog/quick-keys'),

  currentSale: () => get<CurrentSale>('sales/current'),
  sale: (id: string) => get<SaleAnswer>(`sales/${id}`),
  ring: (sku: string, quantity = 1, priceCents?: number, approval?: z.input<typeof Approval>) =>
    command<SaleAnswer>('sales/current/lines', { json: { sku, quantity, priceCents, approval } }),
  ringScanned: (approval?: z.input<typeof Approval>) =>
    command<SaleAnswer>('sales/current/lines/scanned', { json: { approval } }),
  changeLine: (id: string, number: number, change: z.input<typeof ChangeLine>) =>
    commandPut<SaleAnswer>(`sales/${id}/lines/${number}`, { json: change }),
  voidLine: (id: string, number: number, change: z.input<typeof VoidLine>) =>
    command<SaleAnswer>(`sales/${id}/lines/${number}/void`, { json: change }),
  giveDiscount: (id: string, given: z.input<typeof GiveDiscount>) =>
    command<SaleAnswer>(`sales/${id}/discounts`, { json: given }),
  removeDiscount: (id: string, number: number, change: z.input<typeof RemoveDiscount>) =>
    command<SaleAnswer>(`sales/${id}/discounts/${number}/remove`, { json: change }),
  changePrice: (id: string, number: number, change: z.input<typeof ChangePrice>) =>
    commandPut<SaleAnswer>(`sales/${id}/lines/${number}/price`, { json: change }),
  takeCoupon: (code: string) => command<SaleAnswer>('sales/current/coupons', { json: { code } }),
  setExemption: (id: string, change: z.input<typeof SetExemption>) =>
    commandPut<SaleAnswer>(`sales/${id}/exemption`, { json: change }),
  setNote: (id: string, change: z.input<typeof SetNote>) =>
    commandPut<SaleAnswer>(`sales/${id}/note`, { json: change }),
  undo: (id: string, change: z.input<typeof UndoChange>) => command<SaleAnswer>(`sales/${id}/undo`, { json: change }),
  keyCollector: (number: string) => post<undefined>('devices/keyed-collector', { json: { number } }),
  askMemberAgain: (id: string, version: number) =>
    command<SaleAnswer>(`sales/${id}/member/inquire`, { json: { version } }),
  removeMember: (id: string, version: number) =>
    command<SaleAnswer>(`sales/${id}/member/remove`, { json: { version } }),
  redeem: (id: string, version: number, units: number) =>
    command<SaleAnswer>(`sales/${id}/redemption`, { json: { version, units }, timeoutMs: CENTRAL_TIMEOUT_MS }),
  memberSession: () => get<MemberSessionNow>('member-session'),
  beginMemberSession: (id: string) => command<MemberSessionNow>(`sales/${id}/member-session`, { json: {} }),
  cancelMemberSession: (id: string) => command<MemberSessionNow>(`sales/${id}/member-session/cancel`, { json: {} }),
  printMemberCode: (id: string) =>
    post<SignInSlipAnswer>(`sales/${id}/member-session/print`, { json: {}, timeoutMs: CENTRAL_TIMEOUT_MS }),
  basketOffers: (id: string, locale: Locale) => get<BasketOffers>(`sales/${id}/offers`, { search: { locale } }),
  applyOfferCoupon: (id: string, given: ApplyOfferCoupon) =>
    command<SaleAnswer>(`sales/${id}/offer-coupons`, { json: given }),
  changeOfferStates: (id: string, given: ChangeOfferStates) =>
    command<OfferStatesChanged>(`sales/${id}/offer-states`, { json: given }),
  memberHistory: (id: string, { sort, ...asked }: HistoryShown, locale: Locale, signal: AbortSignal) =>
    get<MemberHistory>(`sales/${id}/member-history`, {
      search: { ...asked, sort: sort.join(','), locale },
      timeoutMs: CENTRAL_TIMEOUT_MS,
      signal,
    }),
  showHistory: (id: string, shown: HistoryShown | null) =>
    put<ShowHistory>(`sales/${id}/member-history/shown`, { json: { shown } }),
  printHistory: (id: string, asked: PrintHistory) =>
    post<HistoryPrinted>(`sales/${id}/member-history/print`, { json: asked, timeoutMs: CENTRAL_TIMEOUT_MS }),
  showChoice: (id: string, units: number | null) => put<ShowChoice>(`sales/${id}/choice-shown`, { json: { units } }),
  tender: (id: string, tender: TenderRequest) => command<SaleAnswer>(`sales/${id}/tenders`, { json: tender }),
  chargeCard: (id: string, version: number, amountCents: number) =>
    command<SaleAnswer>(`sales/${id}/card-payment`, { json: { version, amountCents } }),
  stopCharge: (id: string) => command<SaleAnswer>(`sales/${id}/card-payment/cancel`, { json: {} }),
  cardTransactions: () => get<CardTransactions>('card-transactions'),
  resolveCardTransaction: (reference: string, found: z.input<typeof ResolveCardTransaction>) =>
    post<CardTransactions>(`card-transactions/${reference}/resolve`, { json: found }),
  takeTenderBack: (id: string, number: number, version: number) =>
    command<SaleAnswer>(`sales/${id}/tenders/${number}/take-back`, { json: { version } }),
  answerAgeCheck: (id: string, minimumAge: number, answer: AgeAnswer) =>
    command<SaleAnswer>(`sales/${id}/age-check`, { json: { minimumAge, answer } }),
  completeSale: (id: string, version: number) => command<SaleAnswer>(`sales/${id}/complete`, { json: { version } }),
  holdSale: (id: string, version: number, name: string, approval?: z.input<typeof Approval>) =>
    command<SaleAnswer>(`sales/${id}/hold`, {
      json: name === '' ? { version, approval } : { version, name, approval },
    }),
  heldSales: () => get<HeldSales>('sales/held'),
  resumeSale: (id: string, asked: z.input<typeof ResumeSale>) =>
    command<SaleAnswer>(`sales/${id}/resume`, { json: asked }),
  copyHeldSale: (id: string) => command<z.infer<typeof CopiedSale>>(`sales/${id}/copy`),
  cancelSale: (id: string, version: number, approval?: z.input<typeof Approval>) =>
    command<SaleAnswer>(`sales/${id}/cancel`, { json: { version, approval }, timeoutMs: CENTRAL_TIMEOUT_MS }),
  receipt: (id: string) => get<z.infer<typeof ReceiptView>>(`sales/${id}/receipt`),
  vouchersOfSale: (id: string) => get<VoucherDocuments>(`sales/${id}/vouchers`),
  earlierSales: (asked: EarlierSalesAsked, signal?: AbortSignal) =>
    get<EarlierSales>('sales/earlier', { search: asked, signal }),
  receiptsSummary: () => get<ReceiptsSummary>('receipts'),
  reprint: (paper: ReprintedDocument, id: string, json?: z.input<typeof ReprintPaper>) =>
    command<{ print: PrintState }>(REPRINTS[paper](id), json ? { json } : undefined),

  returnable: (saleId: string) => get<ReturnableSale>(`sales/${saleId}/returnable`),
  quoteReturn: (asked: z.input<typeof QuoteReturn>) => post<ReturnQuote>('returns/quote', { json: asked }),
  presentVoucher: (code: string) => post<{ voucher: Voucher }>('vouchers/present', { json: { code } }),
  sellGiftCard: (given: z.input<typeof SellGiftCard>) =>
    command<SaleAnswer>('sales/current/gift-cards', { json: given }),
  quoteUnrecorded: (asked: z.input<typeof QuoteUnrecorded>) =>
    post<UnrecordedQuote>('returns/without-record/quote', { json: asked }),
  returnUnrecorded: (given: z.input<typeof ReturnWithoutRecord>) =>
    command<{ return: SaleReturn }>('returns/without-record', { json: given }),
  /** This window was touched: what a gesture asks of a person is asked here. */
  act: () => post<undefined>('input/acting', { json: { stream: streamName } }),
  claimInput: (what: ClaimInput['what'], claimed: boolean) =>
    post<undefined>('input/claims', { json: { what, claimed, stream: streamName } }),
  commitReturn: (given: z.input<typeof CommitReturn>) => command<{ return: SaleReturn }>('returns', { json: given }),

  offers: (locale: Locale) => get<OfferList>('offers', { search: { locale }, timeoutMs: CENTRAL_TIMEOUT_MS }),
  store: () => get<StoreState>('store'),
  maintenance: () => get<Maintenance>('diagnostics/maintenance'),
  sounds: () => get<SoundSettings>('sounds'),
  setSounds: (volume: number) => put<SoundSettings>('sounds', { json: { volume } }),
  devices: () => get<DeviceList>('devices'),
  typedLine: (text: string) => post<undefined>('devices/keys', { json: { text } }),
  queue: (asked: { sale?: string; most?: number }) => get<Queue>('queue', { search: asked }),
  queueSummary: () => get<QueueSummary>('queue/summary'),

  currentShift: () => get<CurrentShift>('shifts/current'),
}
