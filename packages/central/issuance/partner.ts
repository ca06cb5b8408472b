import { randomUUID } from 'node:crypto'
import type {
  GivenIssuance,
  IssuanceErrorCode,
  PartnerBasketRequest,
  PartnerEventRequest,
} from '../../../contracts/central/issuance.ts'
import type { Context } from '../context.ts'
import { type Answer, type Flaw, present } from '../http/answer.ts'
import type { Caller } from '../http/call.ts'
import type { Basket } from './earning.ts'
import { locationError, type Parties, partiesOf } from './issuance.ts'
import type { Entry, IssuanceKind, IssuanceRow } from './issuance.sql.ts'
import { badIssuance, issuanceError, refusedEntries, rejected } from './requests.ts'
import { conclude, isNotRejected } from './settlement.ts'

/** A partner-calculated transaction: the service only checks the miles (specification 3 §4.4). */
interface PartnerTransaction {
  readonly kind: IssuanceKind
  readonly idField: 'checkoutTransactionId' | 'clientTransactionId'
  readonly partnerId: string
  readonly sponsorCode: string
  readonly collectorNumber: string
  /** Location of the basket; null when the request has no field for it. */
  readonly locationCode: string | undefined | null
  readonly given: readonly GivenIssuance[]
  readonly original: { readonly field: string; readonly id: string; readonly row: IssuanceRow | undefined } | null
  readonly basket: Basket
  readonly echo: Record<string, unknown>
}

/** Returns the code why one entry is pending (specification 3 §7.1): its offer code, miles or location. */
function entryError(
  { issuances, program }: Context,
  sponsorCode: string,
  { issuanceOfferCode, milesAmount, locationCode }: GivenIssuance,
  now: number,
): IssuanceErrorCode | null {
  const terms = issuances.offerTerms(sponsorCode, issuanceOfferCode)
  if (!terms || terms.from > now) return '203'
  if (terms.to <= now) return '204'
  const miles = Math.abs(milesAmount)
  if (terms.unitMiles !== null && miles % terms.unitMiles !== 0) return '207'
  if (terms.maxMiles !== null && miles > terms.maxMiles) return '208'
  return locationCode === undefined ? null : locationError(program, sponsorCode, locationCode)
}

/** Returns why a reversal is invalid: it cannot exceed the transaction that it names (specification 3 §4.4). */
function originalFlaw({ issuances }: Context, { original, given }: PartnerTransaction): Flaw | undefined {
  if (original === null) return undefined
  const { field, row } = original
  if (!row) return { path: field, message: 'names no transaction of this collector and sponsor' }
  const left = (code: string): number =>
    [row, ...issuances.takenBackFrom(row.id)]
      .flatMap((one) => one.entries)
      .filter((entry) => entry.issuanceOfferCode === code && isNotRejected(entry))
      .reduce((sum, entry) => sum + entry.milesAmount, 0)
  const requested = new Map<string, number>()
  for (const { issuanceOfferCode, milesAmount } of given)
    requested.set(issuanceOfferCode, (requested.get(issuanceOfferCode) ?? 0) + Math.abs(milesAmount))
  const tooMuch = [...requested].find(([code, miles]) => miles > left(code))
  return tooMuch && { path: 'issuances', message: `more of ${tooMuch[0]} is reversed than is left of ${field}` }
}

function move(ctx: Context, sign: 1 | -1, transaction: PartnerTransaction, caller: Caller): Answer {
  const { kind, sponsorCode, collectorNumber, partnerId, given, basket, echo, original } = transaction
  // An event needs no location; the entries of a basket may have the location instead of the basket (specification 3
  // §4.4).
  const locationCode = transaction.locationCode ?? given.find((entry) => entry.locationCode !== undefined)?.locationCode
  const parties = partiesOf(ctx.program, { sponsorCode, collectorNumber, locationCode })
  if (typeof parties === 'string') return rejected(parties, { ...echo, issuances: refusedEntries(given, parties) })
  const sent = { ...echo, issuances: given }
  if (ctx.issuances.findByPartnerId(sponsorCode, kind, partnerId))
    return badIssuance([{ path: transaction.idField, message: 'was sent before; it must be unique' }], sent)
  if (sign === 1 && given.some((entry) => entry.milesAmount <= 0))
    return badIssuance([{ path: 'issuances', message: 'milesAmount must be positive' }], sent)
  const flaw = originalFlaw(ctx, transaction)
  if (flaw) return badIssuance([flaw], sent)

  const { all, errors } = waitsOf(ctx, transaction, parties, caller.now)
  const entries = given.map((entry, index): Entry =>
    present({
      ...entry,
      milesAmount: sign * Math.abs(entry.milesAmount),
      confirmationNumber: randomUUID(),
      processedDateTime: new Date(caller.now).toISOString(),
      status: errors[index] ? ('PENDING' as const) : ('CONFIRMED' as const),
      errors: errors[index] ? [issuanceError(errors[index])] : undefined,
    }),
  )
  return conclude(
    ctx,
    {
      kind,
      partnerId,
      sponsorCode,
      collector: parties.collector,
      original: original?.row ?? null,
      basket,
      entries,
      waits: all ?? errors.find((error) => error !== null) ?? null,
      echo,
    },
    caller,
  )
}

/**
 * Returns the code with which the whole transaction stays pending (`all`), and the code of each entry (`errors`); null
 * where nothing makes it pending.
 */
function waitsOf(
  ctx: Context,
  { locationCode, given, original, sponsorCode }: PartnerTransaction,
  { collector, waits }: Parties,
  now: number,
): { readonly all: IssuanceErrorCode | null; readonly errors: readonly (IssuanceErrorCode | null)[] } {
  const unplaced = locationCode === null && waits === '202'
  const all = unplaced ? (collector.issuanceDelayed ? '000' : null) : waits
  // Miles that are not credited yet cannot be reversed, so the reversal waits for the pending entries.
  const behind = new Set(
    original?.row?.entries.filter((entry) => entry.status === 'PENDING').map((entry) => entry.issuanceOfferCode),
  )
  const errors = given.map(
    (entry) =>
      entryError(ctx, sponsorCode, entry, now) ??
      all ??
      (behind.has(entry.issuanceOfferCode) ? ('000' as const) : null),
  )
  return { all, errors }
}

/** Finds the POST of a REVERSE, which accepts only the transactionId of the POST's answer (specification 3 §4.4). */
function postOf({ issuances }: Context, request: PartnerBasketRequest): PartnerTransaction['original'] {
  const { originalTransactionId: id, sponsorCode, collectorNumber } = request
  if (id === undefined) return null
  const found = issuances.findByTransactionId(id)
  const row =
    found?.kind === 'POST' && found.sponsorCode === sponsorCode && found.collectorNumber === collectorNumber
      ? found
      : undefined
  return { field: 'originalTransactionId', id, row }
}

function originalOf(
  { issuances }: Context,
  request: { sponsorCode: string; collectorNumber: string },
  field: string,
  id: string | undefined,
  kinds: readonly IssuanceKind[],
): PartnerTransaction['original'] {
  if (id === undefined) return null
  const candidates = [
    issuances.findByTransactionId(id),
    ...kinds.map((kind) => issuances.findByPartnerId(request.sponsorCode, kind, id)),
  ]
  const row = candidates.find(
    (found) =>
      found &&
      kinds.includes(found.kind) &&
      found.sponsorCode === request.sponsorCode &&
      found.collectorNumber === request.collectorNumber,
  )
  return { field, id, row }
}

function ofBasket(ctx: Context, kind: IssuanceKind, request: PartnerBasketRequest): PartnerTransaction {
  const { issuances: given, ...echo } = request
  const { sponsorCode, collectorNumber, locationCode, basketPreTaxAmount } = request
  const original = kind === 'POST' ? null : postOf(ctx, request)
  return {
    kind,
    idField: 'checkoutTransactionId',
    partnerId: request.checkoutTransactionId,
    sponsorCode,
    collectorNumber,
    locationCode,
    given,
    original,
    basket: { basketPreTaxAmount },
    echo,
  }
}

function ofEvent(ctx: Context, kind: IssuanceKind, request: PartnerEventRequest): PartnerTransaction {
  const { issuances: given, ...echo } = request
  const { sponsorCode, collectorNumber } = request
  const original =
    kind === 'POST/EVENT'
      ? null
      : originalOf(ctx, request, 'originalClientTransactionId', request.originalClientTransactionId, [
          'POST/EVENT',
          'POST',
        ])
  return {
    kind,
    idField: 'clientTransactionId',
    partnerId: request.clientTransactionId,
    sponsorCode,
    collectorNumber,
    locationCode: null,
    given,
    original,
    basket: { basketPreTaxAmount: 0 },
    echo,
  }
}

export const post = (ctx: Context, request: PartnerBasketRequest, caller: Caller): Answer =>
  move(ctx, 1, ofBasket(ctx, 'POST', request), caller)
export const postEvent = (ctx: Context, request: PartnerEventRequest, caller: Caller): Answer =>
  move(ctx, 1, ofEvent(ctx, 'POST/EVENT', request), caller)
export const reverse = (ctx: Context, request: PartnerBasketRequest, caller: Caller): Answer =>
  move(ctx, -1, ofBasket(ctx, 'PARTNER-REVERSE', request), caller)
export const reverseEvent = (ctx: Context, request: PartnerEventRequest, caller: Caller): Answer =>
  move(ctx, -1, ofEvent(ctx, 'REVERSE/EVENT', request), caller)
