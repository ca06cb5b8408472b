import {
  ISSUANCE_PATHS,
  type BasketItem,
  type CalculateRequest,
  type GivenIssuance,
  type IssueRequest,
  type PartnerBasketRequest,
  type PartnerEventRequest,
  type RecordRequest,
  type ReturnRequest,
} from '../../../contracts/central/issuance.ts'
import type { SaleLine, SaleTotals } from '../../../contracts/sales/sales.ts'
import { TENDER_WIRE_NAMES, type TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { cents, dollarsNumber, type Cents } from '../../../contracts/core/money.ts'
import { encode, keyHeader, type StoredBytes } from './cash.ts'
import { zonedIso } from '../../core/zone.ts'
import { HELD_BACK } from '../../core/central/load.ts'
import type { Answer, CentralCall } from '../../core/central/transport.ts'
import { nameIn } from '../../../contracts/core/names.ts'
import { bound, type Ctx, perLane } from '../../core/context.ts'
import { centralOf } from '../../core/central/services.ts'

/** Facts of a sale or a return for the issuance service (specification 3 §2.1, §2.2). A return has positive amounts. */
export interface IssuanceBasket {
  /** `checkoutTransactionId` of the sale or the return of these goods. */
  readonly saleId: string
  readonly atMs: number
  readonly totals: Pick<SaleTotals, 'subtotalCents' | 'taxes' | 'totalCents'>
  readonly lines: readonly (Pick<
    SaleLine,
    'number' | 'sku' | 'name' | 'quantity' | 'unitPriceCents' | 'amountCents' | 'voided'
  > & { departmentId: string; categoryId: string | null })[]
  readonly tenders: readonly TenderKind[]
  /** Codes of the applied coupons; none for a return, because it is unknown which coupons still count. */
  readonly coupons?: readonly string[]
  readonly locale: Locale
}
export interface CollectorBasket extends IssuanceBasket {
  readonly collectorNumber: CollectorNumber
}

/** Miles that a manager gives or takes back without a checkout (specification 3 §4.4), always as positive numbers. */
export interface IssuanceEvent {
  readonly clientTransactionId: string
  readonly collectorNumber: CollectorNumber
  readonly atMs: number
  readonly issuances: readonly GivenIssuance[]
  /** Reason of the correction, sent as a note (specification 3 §2.1). */
  readonly reason?: string
  /**
   * The clientTransactionId of the POST/EVENT, or the checkoutTransactionId of the POST, whose miles are taken back.
   */
  readonly originalClientTransactionId?: string | undefined
}

type StoredCallName = 'issue' | 'return' | 'record' | 'post' | 'post-event' | 'post-reverse' | 'reverse-event'

/** Timeout in ms of CALCULATE for the quote of a return, while the customer waits. */
const COUNTER_WAITS_MS = 2_000

/**
 * Builds the common fields of a request. `loyaltyCash`: the tender name of miles, which only RECORD accepts
 * (specification 3 §4.3).
 */
function fieldsOf(ctx: Ctx, basket: IssuanceBasket, loyaltyCash: string | null) {
  const tender = [...new Set(basket.tenders)].flatMap(
    (kind) => TENDER_WIRE_NAMES[kind] ?? (kind === 'miles' ? loyaltyCash : null) ?? [],
  )
  return {
    ...taxAmounts(basket.totals),
    basketPostTaxAmount: dollarsNumber(basket.totals.totalCents),
    basketPreTaxAmount: dollarsNumber(basket.totals.subtotalCents),
    checkoutDateTime: zonedIso(basket.atMs, ctx.profile.timeZone),
    checkoutTransactionId: basket.saleId,
    deviceId: ctx.lane.deviceId,
    ...(basket.coupons && basket.coupons.length > 0 ? { coupon: [...basket.coupons] } : {}),
    items: basket.lines
      .filter((line) => !line.voided)
      .flatMap((line) => evenPieces(line).map((pieces) => ({ line, ...pieces })))
      .map(({ line, quantity, eachCents }, index): BasketItem => ({
        id: line.sku,
        name: nameIn(line.name, basket.locale),
        number: index + 1,
        quantity,
        baseAmount: dollarsNumber(eachCents),
        finalAmount: dollarsNumber(cents(eachCents * quantity)),
        departmentId: line.departmentId,
        ...(line.categoryId ? { categoryId: line.categoryId } : {}),
      })),
    locationCode: ctx.profile.program.locationCode,
    sponsorCode: ctx.profile.program.sponsorCode,
    ...(tender.length > 0 ? { tender } : {}),
  }
}

const sourceOf = (ctx: Ctx) => ({ provider: ctx.profile.program.provider, program: ctx.profile.program.program })

/** Adds the location to every entry: "should be sent for partners with retail locations" (specification 3 §2.3). */
const placed = (ctx: Ctx, issuances: readonly GivenIssuance[]): GivenIssuance[] =>
  issuances.map((entry) => ({ locationCode: ctx.profile.program.locationCode, ...entry }))

/** Returns the path of a stored call. Three paths are settings, because specification 3 lacks them. */
const pathOf = (ctx: Ctx, call: StoredCallName): string =>
  ({
    issue: ISSUANCE_PATHS.issue,
    return: ISSUANCE_PATHS.return,
    record: ISSUANCE_PATHS.record,
    'reverse-event': ISSUANCE_PATHS.reverseEvent,
    post: ctx.profile.issuance.paths.post,
    'post-event': ctx.profile.issuance.paths.postEvent,
    'post-reverse': ctx.profile.issuance.paths.reverse,
  })[call]

function issueRequest(ctx: Ctx, basket: CollectorBasket): IssueRequest {
  return { ...fieldsOf(ctx, basket, null), collectorNumber: basket.collectorNumber }
}

/**
 * `language` is the language of the descriptions in the answer. Specification 3 §4.2 defines no parameter for it, so
 * the request uses HTTP's Accept-Language header, which a service may ignore.
 */
function calculateNow(ctx: Ctx, basket: CollectorBasket, language: Locale): Promise<Answer> {
  const request: CalculateRequest = { ...issueRequest(ctx, basket), transactionType: 'PURCHASE' }
  return centralOf(ctx).transport.send(
    issuanceCall(
      ISSUANCE_PATHS.calculate,
      encode(request),
      { 'accept-language': language },
      ctx.profile.limits.issuanceTimeoutMs,
    ),
  )
}

/** `originalTransactionId` is the ISSUE's transactionId or checkoutTransactionId (specification 3 §2.1). */
const returnRequest = (ctx: Ctx, basket: CollectorBasket, originalTransactionId: string): ReturnRequest => ({
  ...issueRequest(ctx, basket),
  originalTransactionId,
})

/** Builds a RECORD, with or without a collector (specification 3 §4.3). */
const recordRequest = (
  ctx: Ctx,
  basket: IssuanceBasket,
  {
    collectorNumber,
    ...kind
  }: {
    transactionType: 'PURCHASE' | 'RETURN'
    collectorNumber: CollectorNumber | null
    originalTransactionId?: string
  },
): RecordRequest => ({
  ...fieldsOf(ctx, basket, ctx.profile.issuance.loyaltyCashTender ?? null),
  ...(collectorNumber === null ? {} : { collectorNumber }),
  ...kind,
  ...sourceOf(ctx),
})

/** Builds a POST of miles that the lane calculated (specification 3 §4.4). */
const postRequest = (ctx: Ctx, basket: CollectorBasket, issuances: readonly GivenIssuance[]): PartnerBasketRequest => ({
  ...issueRequest(ctx, basket),
  issuances: placed(ctx, issuances),
  ...sourceOf(ctx),
})

/**
 * Builds a REVERSE of a POST's miles, as positive amounts. It names the POST's transactionId (specification 3 §4.4),
 * which is null for a draft that waits for it.
 */
const postReverseRequest = (
  ctx: Ctx,
  basket: CollectorBasket,
  issuances: readonly GivenIssuance[],
  originalTransactionId: string | null,
): PartnerBasketRequest => ({
  ...issueRequest(ctx, basket),
  issuances: placed(ctx, issuances),
  ...(originalTransactionId === null ? {} : { originalTransactionId }),
  ...sourceOf(ctx),
})

const eventRequest = (
  ctx: Ctx,
  { atMs, issuances, reason, originalClientTransactionId, ...event }: IssuanceEvent,
): PartnerEventRequest => ({
  ...event,
  ...(reason === undefined ? {} : { context: { reason } }),
  ...(originalClientTransactionId === undefined ? {} : { originalClientTransactionId }),
  issuances: placed(ctx, issuances),
  deviceId: ctx.lane.deviceId,
  sponsorCode: ctx.profile.program.sponsorCode,
  transactionDateTime: zonedIso(atMs, ctx.profile.timeZone),
})

/** Like `calculateNow`, but returns without a request while the service is busy, because a preview is optional. */
async function calculate(ctx: Ctx, basket: CollectorBasket, language: Locale): Promise<Answer> {
  return centralOf(ctx).load.admits('issuance', 'preview') ? calculateNow(ctx, basket, language) : HELD_BACK
}

/**
 * Requests the miles that a RETURN of these goods would take back (specification 3 §4.2). The timeout is short because
 * a customer waits.
 */
function calculateReturn(ctx: Ctx, basket: CollectorBasket, originalTransactionId: string): Promise<Answer> {
  const request: CalculateRequest = { ...issueRequest(ctx, basket), originalTransactionId, transactionType: 'RETURN' }
  return centralOf(ctx).transport.send(
    issuanceCall(
      ISSUANCE_PATHS.calculate,
      encode(request),
      {},
      Math.min(ctx.profile.limits.issuanceTimeoutMs, COUNTER_WAITS_MS),
    ),
  )
}

/** Sends a stored call such as ISSUE or RETURN: the stored bytes and key, unchanged (specification 3 §4.1–§4.4). */
async function sendStored(ctx: Ctx, call: StoredBytes): Promise<Answer> {
  const answer = await centralOf(ctx).transport.send({
    ...issuanceCall(call.path, call.request, keyHeader(call), ctx.profile.limits.issuanceTimeoutMs),
    trace: call.trace,
  })
  centralOf(ctx).central.onResponse('issuance', answer)
  return answer
}

export const issuanceClientOf = perLane((ctx: Ctx) => ({
  ...bound(ctx, {
    pathOf,
    issueRequest,
    returnRequest,
    recordRequest,
    postRequest,
    postReverseRequest,
    eventRequest,
    calculate,
    calculateNow,
    calculateReturn,
    sendStored,
  }),
  parallelError: ctx.profile.issuance.parallelError,
}))

/**
 * Splits a line for the request: `finalAmount` is `baseAmount` times quantity (specification 3 §2.2), so a line whose
 * paid amount is not divisible by its pieces becomes two items, a cent apart, with the same total.
 */
function evenPieces({
  quantity,
  amountCents,
}: Pick<SaleLine, 'quantity' | 'amountCents'>): { quantity: number; eachCents: Cents }[] {
  const least = Math.floor(amountCents / quantity)
  const dearer = amountCents - least * quantity
  return [
    { quantity: quantity - dearer, eachCents: cents(least) },
    { quantity: dearer, eachCents: cents(least + 1) },
  ].filter((pieces) => pieces.quantity > 0)
}

function taxAmounts(
  totals: Pick<SaleTotals, 'taxes'>,
): Pick<IssueRequest, 'basketGSTAmount' | 'basketHSTAmount' | 'basketPSTAmount' | 'basketQSTAmount'> {
  // The request has one field for HST and its federal part.
  const field = {
    GST: 'basketGSTAmount',
    HST: 'basketHSTAmount',
    'HST-FEDERAL': 'basketHSTAmount',
    PST: 'basketPSTAmount',
    QST: 'basketQSTAmount',
  } as const
  const sums = new Map<(typeof field)[keyof typeof field], number>()
  for (const { code, amountCents } of totals.taxes) sums.set(field[code], (sums.get(field[code]) ?? 0) + amountCents)
  return Object.fromEntries([...sums].map(([name, sum]) => [name, dollarsNumber(cents(sum))]))
}

const issuanceCall = (
  path: string,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  timeoutMs: number,
): CentralCall => ({
  service: 'issuance',
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body,
  timeoutMs,
  authenticate: true,
})
