import { ISSUANCE_PATHS, type BasketItem, type CalculateRequest, type IssueRequest, type ReverseEventRequest } from '../../contracts/central/issuance.ts'
import type { SaleLine, SaleTotals, TenderKind } from '../../contracts/api/sales.ts'
import type { CollectorNumber } from '../../contracts/ids.ts'
import type { Locale } from '../../contracts/locales.ts'
import { cents, dollarsNumber } from '../../contracts/money.ts'
import type { Lane, Profile } from '../../contracts/profile.ts'
import { encode, keyHeader, type StoredBytes } from './cash.ts'
import { zonedIso } from '../domain/zone.ts'
import type { Answer, CentralCall, Transport } from './transport.ts'

/** What the issuance service needs to know of a sale (specification 3 §2.1, §2.2). */
export interface IssuanceBasket {
  readonly saleId: string
  readonly collectorNumber: CollectorNumber
  readonly atMs: number
  readonly totals: SaleTotals
  readonly lines: readonly (Pick<SaleLine, 'number' | 'sku' | 'name' | 'quantity' | 'unitPriceCents' | 'amountCents' | 'voided'> & { departmentId: string; categoryId: string | null })[]
  readonly tenders: readonly TenderKind[]
  readonly locale: Locale
}

/** Miles that a manager takes back (specification 3 §4.4). */
export interface ManualCorrection {
  readonly clientTransactionId: string
  readonly collectorNumber: CollectorNumber
  readonly atMs: number
  readonly reason: string
  readonly issuances: ReverseEventRequest['issuances']
  /** The partner's own id of the POST or POST/EVENT that it corrects. */
  readonly original?: string | undefined
}

/** Tender names of the wire: `CASH` and `CREDIT` are shown in §2.1; the loyalty-cash value only for RECORD (§4.3), so it is left out here. */
const WIRE_TENDER = { cash: 'CASH', card: 'CREDIT', miles: null } as const satisfies Record<TenderKind, string | null>

export type IssuanceClient = ReturnType<typeof createIssuanceClient>

export function createIssuanceClient(options: { profile: Profile; lane: Lane; transport: Transport }) {
  const { profile, lane, transport } = options

  function issueRequest(basket: IssuanceBasket): IssueRequest {
    const tender = [...new Set(basket.tenders)].flatMap((kind) => WIRE_TENDER[kind] ?? [])
    return {
      ...taxAmounts(basket.totals),
      basketPostTaxAmount: dollarsNumber(basket.totals.totalCents),
      basketPreTaxAmount: dollarsNumber(basket.totals.subtotalCents),
      checkoutDateTime: zonedIso(basket.atMs, profile.timeZone),
      checkoutTransactionId: basket.saleId,
      collectorNumber: basket.collectorNumber,
      deviceId: lane.deviceId,
      items: basket.lines.filter((line) => !line.voided).map((line, index): BasketItem => ({
        id: line.sku,
        name: line.name[basket.locale],
        number: index + 1,
        quantity: line.quantity,
        baseAmount: dollarsNumber(line.unitPriceCents),
        finalAmount: dollarsNumber(line.amountCents),
        departmentId: line.departmentId,
        ...(line.categoryId ? { categoryId: line.categoryId } : {}),
      })),
      locationCode: profile.program.locationCode,
      sponsorCode: profile.program.sponsorCode,
      ...(tender.length > 0 ? { tender } : {}),
    }
  }

  return {
    issueRequest,
    /** REVERSE/EVENT for a manual correction; the reason goes along as a note (§2.1, §4.4). Miles are named as positive numbers. */
    reverseEventRequest: (event: ManualCorrection): ReverseEventRequest => ({
      clientTransactionId: event.clientTransactionId,
      collectorNumber: event.collectorNumber,
      context: { reason: event.reason },
      deviceId: lane.deviceId,
      issuances: [...event.issuances],
      ...(event.original === undefined ? {} : { originalClientTransactionId: event.original }),
      sponsorCode: profile.program.sponsorCode,
      transactionDateTime: zonedIso(event.atMs, profile.timeZone),
    }),
    calculate(basket: IssuanceBasket): Promise<Answer> {
      const request: CalculateRequest = { ...issueRequest(basket), transactionType: 'PURCHASE' }
      return transport.send(issuanceCall(ISSUANCE_PATHS.calculate, encode(request), {}, profile.limits.issuanceTimeoutMs))
    },
    /** ISSUE, RETURN and the rest: the stored bytes and their key, as they are (§4.1–§4.4). */
    sendStored: (call: StoredBytes): Promise<Answer> => transport.send(issuanceCall(call.path, call.request, keyHeader(call), profile.limits.issuanceTimeoutMs)),
  }
}

function taxAmounts(totals: SaleTotals): Pick<IssueRequest, 'basketGSTAmount' | 'basketHSTAmount' | 'basketPSTAmount' | 'basketQSTAmount'> {
  // The federal part of HST is HST: the wire has one field for both.
  const field = { GST: 'basketGSTAmount', HST: 'basketHSTAmount', 'HST-FEDERAL': 'basketHSTAmount', PST: 'basketPSTAmount', QST: 'basketQSTAmount' } as const
  const sums = new Map<(typeof field)[keyof typeof field], number>()
  for (const { code, amountCents } of totals.taxes) sums.set(field[code], (sums.get(field[code]) ?? 0) + amountCents)
  return Object.fromEntries([...sums].map(([name, sum]) => [name, dollarsNumber(cents(sum))]))
}

const issuanceCall = (path: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string>, timeoutMs: number): CentralCall => ({
  service: 'issuance', method: 'POST', path, headers: { 'content-type': 'application/json', ...headers }, body, timeoutMs, authenticate: true,
})
