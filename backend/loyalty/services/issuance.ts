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

/**
 * What the issuance service needs to know of a sale or a return (specification 3 §2.1, §2.2). Of a return: what came
 * back, in positive amounts.
 */
export interface IssuanceBasket {
  /** `checkoutTransactionId`: of the sale, or of the return itself. */
  readonly saleId: string
  readonly atMs: number
  readonly totals: Pick<SaleTotals, 'subtotalCents' | 'taxes' | 'totalCents'>
  readonly lines: readonly (Pick<
    SaleLine,
    'number' | 'sku' | 'name' | 'quantity' | 'unitPriceCents' | 'amountCents' | 'voided'
  > & { departmentId: string; categoryId: string | null })[]
  readonly tenders: readonly TenderKind[]
  /** Codes of the coupons that took something off; of a return none, since nobody knows what is left of them. */
  readonly coupons?: readonly string[]
  readonly locale: Locale
}
export interface CollectorBasket extends IssuanceBasket {
  readonly collectorNumber: CollectorNumber
}

/** Miles for a reason that is no checkout, e.g. a correction by hand (§4.4). Miles are named as positive numbers. */
export interface IssuanceEvent {
  readonly clientTransactionId: string
  readonly collectorNumber: CollectorNumber
  readonly atMs: number
  readonly issuances: readonly GivenIssuance[]
  /** Goes along as a note (§2.1). */
  readonly reason?: string
  /** What is taken back: the clientTransactionId of a POST/EVENT, or the checkoutTransactionId of a POST. */
  readonly originalClientTransactionId?: string | undefined
}

/** Names of the calls that the journal keeps, as its operation types. */
type StoredCallName = 'issue' | 'return' | 'record' | 'post' | 'post-event' | 'post-reverse' | 'reverse-event'

/** How long a cashier who quotes a return waits for the program. */
const COUNTER_WAITS_MS = 2_000

/** `loyaltyCash`: the name of miles among the tenders, which RECORD alone knows (specification 3 §4.3). */
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

/** Every entry says where it happened: "should be sent for partners with retail locations" (§2.3). */
const placed = (ctx: Ctx, issuances: readonly GivenIssuance[]): GivenIssuance[] =>
  issuances.map((entry) => ({ locationCode: ctx.profile.program.locationCode, ...entry }))

/** Where a stored call goes; three of the paths are settings, since the specification does not show them. */
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
 * `language`: of the descriptions in the answer. §4.2 shows no way to ask for one; this is HTTP's own, and a
 * service that does not know it answers as it would without.
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

/** `originalTransactionId`: the ISSUE's transactionId, or its checkoutTransactionId (§2.1). */
const returnRequest = (ctx: Ctx, basket: CollectorBasket, originalTransactionId: string): ReturnRequest => ({
  ...issueRequest(ctx, basket),
  originalTransactionId,
})

/** RECORD, of a collector or of nobody (§4.3). */
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

/** POST of what the lane calculated (§4.4). */
const postRequest = (ctx: Ctx, basket: CollectorBasket, issuances: readonly GivenIssuance[]): PartnerBasketRequest => ({
  ...issueRequest(ctx, basket),
  issuances: placed(ctx, issuances),
  ...sourceOf(ctx),
})

/**
 * REVERSE of what a POST gave; miles as positive amounts. It names the POST's transactionId (§4.4); null leaves it
 * out of a draft, which no answer has said it to.
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

/** POST/EVENT, and REVERSE/EVENT with what it takes back. */
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

/** As `calculateNow`, but held back from a service that is busy: a preview that is missing costs nobody anything. */
async function calculate(ctx: Ctx, basket: CollectorBasket, language: Locale): Promise<Answer> {
  return centralOf(ctx).load.admits('issuance', 'preview') ? calculateNow(ctx, basket, language) : HELD_BACK
}

/**
 * What a RETURN of these goods would take (§4.2): somebody waits at the counter, so it is asked for no longer than
 * they do.
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

/** ISSUE, RETURN and the rest: the stored bytes and their key, as they are (§4.1–§4.4). */
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
  /** How the service says that another transaction of the collector is being processed (§4.2 rule 5). */
  parallelError: ctx.profile.issuance.parallelError,
}))

/**
 * A line as the wire wants it, at what was paid: `finalAmount` is `baseAmount` times quantity (§2.2), so a line whose
 * discount does not divide by its pieces goes as two items, a cent apart; together they are the line to the cent.
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
  // The federal part of HST is HST: the wire has one field for both.
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
