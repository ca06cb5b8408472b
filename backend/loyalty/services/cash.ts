import {
  CASH_PATHS,
  CashResponse,
  type InquireRequest,
  type RedeemRequest,
  type ReverseRequest,
} from '../../../contracts/central/cash.ts'
import type { CollectorNumber, EntryMode } from '../../../contracts/core/ids.ts'
import { dollarsString, type Cents } from '../../../contracts/core/money.ts'
import { traceIdOfUuid, uuidOfTraceId, type TraceId } from '../../../contracts/core/trace.ts'
import { traceNow } from '../../core/trace.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { meaningOfInquire } from './answers.ts'
import { zonedIso } from '../../core/zone.ts'
import { jsonOf } from '../../core/central/wire.ts'
import { sendWithRetry, type RetryPlan } from '../../core/central/retry.ts'
import type { Answer, CentralCall } from '../../core/central/transport.ts'
import { bound, type Ctx, perLane } from '../../core/context.ts'
import { centralOf } from '../../core/central/services.ts'

/** A collector card and how it was read, for requests of the cash redemption service (specification 3 §2.4, §4.5). */
export interface CashCard {
  readonly collectorNumber: CollectorNumber
  readonly entryMode: EntryMode
}

const inquireRequest = (ctx: Ctx, card: CashCard, postTax: Cents, atMs: number, locale: Locale): InquireRequest => ({
  acquirerId: ctx.profile.program.acquirerId,
  cardEntryMode: card.entryMode,
  collectorNumber: card.collectorNumber,
  dateTime: zonedIso(atMs, ctx.profile.timeZone),
  deviceId: ctx.lane.deviceId,
  instantMessage: locale,
  postTaxBasketAmount: dollarsString(postTax),
  sponsorCode: ctx.profile.program.sponsorCode,
  storeId: ctx.profile.store.id,
  traceId: ctx.rng.uuid(),
  vendorId: ctx.profile.program.vendorId,
})

/**
 * Returns the path of a call that has an idempotency key. The path of REVERSE is a setting, because it is not specified
 * (specification 3 §4.5).
 */
const pathOf = (ctx: Ctx, purpose: 'redeem' | 'reverse'): string =>
  purpose === 'redeem' ? CASH_PATHS.redeem : ctx.profile.cash.paths.reverse

/** The request's traceId is that of the local API command, which makes only one redemption. */
function redeemRequest(
  ctx: Ctx,
  card: CashCard,
  postTax: Cents,
  asked: Cents,
  atMs: number,
  locale: Locale,
): RedeemRequest {
  const trace = traceNow()
  return {
    ...inquireRequest(ctx, card, postTax, atMs, locale),
    ...(trace === null ? {} : { traceId: uuidOfTraceId(trace) }),
    dollarRedeemRequest: dollarsString(asked),
  }
}

/**
 * Builds a REVERSE, which repeats the redemption under its own traceId. Its fields are an assumption, because
 * specification 3 §4.5 does not define them.
 */
const reverseRequest = (
  ctx: Ctx,
  redeemed: RedeemRequest,
  confirmationNumber: string,
  atMs: number,
): ReverseRequest => ({
  ...redeemed,
  dateTime: zonedIso(atMs, ctx.profile.timeZone),
  traceId: ctx.rng.uuid(),
  txnConfirmationNumber: confirmationNumber,
})

/** Sends INQUIRE, and at most once more, identically. */
async function inquire(ctx: Ctx, request: InquireRequest): Promise<Answer> {
  const call = cashCall(CASH_PATHS.inquire, encode(request), {}, ctx.profile.limits.cashTimeoutMs)
  const trace = traceIdOfUuid(request.traceId)
  const answer = await sendWithRetry(
    (again) => centralOf(ctx).transport.send({ ...call, ...again, ...(trace === null ? {} : { trace }) }),
    ({ bytes }) => meaningOfInquire(CashResponse.safeParse(jsonOf(bytes)).data, request).kind === 'unknown',
  )
  centralOf(ctx).central.onResponse('cash', answer)
  return answer
}

/** Sends REDEEM or REVERSE: the stored bytes and key, unchanged (specification 3 §4.1, §4.5 rule 6). */
async function sendStored(ctx: Ctx, call: StoredBytes, again: RetryPlan = {}): Promise<Answer> {
  const answer = await centralOf(ctx).transport.send({
    ...again,
    ...cashCall(call.path, call.request, keyHeader(call), ctx.profile.limits.cashTimeoutMs),
    trace: call.trace,
  })
  centralOf(ctx).central.onResponse('cash', answer)
  return answer
}

export const cashClientOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    inquireRequest,
    pathOf,
    redeemRequest,
    reverseRequest,
    inquire,
    sendStored,
  }),
)

export interface StoredBytes {
  readonly path: string
  readonly request: Uint8Array<ArrayBuffer>
  readonly idempotencyKey: string | null
  readonly trace: TraceId
}

export const keyHeader = ({ idempotencyKey }: StoredBytes): Record<string, string> =>
  idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }

export const encode = (request: object): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(request))

const cashCall = (
  path: string,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  timeoutMs: number,
): CentralCall => ({
  service: 'cash',
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body,
  timeoutMs,
  authenticate: true,
})
