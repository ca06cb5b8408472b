import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import type { Collector } from '../program.ts'
import type { HistoryRange, IssuedFacts, Movement } from './history.sql.ts'

/** A history record in wire format (specification 2 §2.3); null and empty fields are left out when sent. */
export interface Activity {
  readonly transactionId: string
  readonly memberId: number
  readonly cardNumber: string
  readonly activityType: 'ISSUANCE' | 'RETURN' | 'ISSUANCE_REVERSAL' | 'REDEMPTION' | 'REDEMPTION_REVERSAL'
  readonly transactionDate: string
  /** When the miles moved; for issuances that were pending, later than the transaction date. */
  readonly postingDate: string
  readonly transactionDescription: string | null
  readonly transactionValue: number
  readonly cashMiles: number
  readonly dreamMiles: number
  readonly cashRatio: number
  readonly dreamRatio: number
  readonly externalReferenceNumber: string | null
  readonly externalReferenceType: string | null
  readonly channel: string
  readonly initiatorId: string
  readonly sponsorCode: string
  readonly sponsorDescriptionEnglish: string | null
  readonly sponsorDescriptionFrench: string | null
  readonly offerClass: string | null
  readonly offerCode: string | null
  readonly offerDescriptionEnglish: string | null
  readonly offerDescriptionFrench: string | null
  readonly locationCode: string | null
  readonly locationDescription: string | null
  readonly redemptionStatus: string | null
  readonly balancePostTransaction: number
}

const ACTIVITY_TYPES = {
  ISSUE: 'ISSUANCE',
  POST: 'ISSUANCE',
  'POST/EVENT': 'ISSUANCE',
  RETURN: 'RETURN',
  'PARTNER-REVERSE': 'ISSUANCE_REVERSAL',
  'REVERSE/EVENT': 'ISSUANCE_REVERSAL',
  REDEEM: 'REDEMPTION',
  REVERSE: 'REDEMPTION_REVERSAL',
  CANCEL: 'REDEMPTION_REVERSAL',
} as const satisfies Partial<Record<Movement['kind'], Activity['activityType']>>

export function activitiesOf(ctx: Context, collector: Collector, range: HistoryRange): Activity[] {
  const { history, program } = ctx
  return history.movementsOf(collector.number, range).flatMap((movement) => {
    if (movement.kind === 'OPENING') return []
    const issued = history.issuedBy(movement.id)
    const sponsor = program.findSponsor(movement.sponsorCode)
    const base = {
      memberId: collector.memberId,
      cardNumber: collector.number,
      activityType: ACTIVITY_TYPES[movement.kind],
      transactionDate: new Date(movement.transactedAt).toISOString(),
      postingDate: new Date(movement.postedAt).toISOString(),
      channel: 'ETS',
      initiatorId: movement.sponsorCode,
      sponsorCode: movement.sponsorCode,
      sponsorDescriptionEnglish: sponsor?.nameEn ?? null,
      sponsorDescriptionFrench: sponsor?.nameFr ?? null,
    }
    return issued ? issuedActivities(ctx, base, movement, issued) : [redeemedActivity(ctx, base, movement)]
  })
}

type Base = Pick<
  Activity,
  | 'memberId'
  | 'cardNumber'
  | 'activityType'
  | 'transactionDate'
  | 'postingDate'
  | 'channel'
  | 'initiatorId'
  | 'sponsorCode'
  | 'sponsorDescriptionEnglish'
  | 'sponsorDescriptionFrench'
>

/**
 * Splits the cash and dream miles of an operation over its entries, so that the history records add up to the
 * operation.
 */
function issuedActivities(
  { history, program }: Context,
  base: Base,
  movement: Movement,
  issued: IssuedFacts,
): Activity[] {
  const total = movement.cash + movement.dream
  const moved = issued.entries.filter((entry) => entry.status !== 'REJECTED' && entry.milesAmount !== 0)
  let before = 0
  return moved.map((entry) => {
    const after = before + entry.milesAmount
    const cashMiles = shareOf(movement.cash, after, total) - shareOf(movement.cash, before, total)
    before = after
    const offer = history.describeOffer(base.sponsorCode, entry.issuanceOfferCode)
    const location =
      entry.locationCode === undefined ? undefined : program.findLocation(base.sponsorCode, entry.locationCode)
    return {
      ...base,
      ...ratiosOf(cashMiles, entry.milesAmount - cashMiles),
      transactionId: entry.confirmationNumber,
      transactionDescription: offer?.en ?? entry.offerDescription ?? entry.issuanceOfferCode,
      externalReferenceNumber: issued.checkoutTransactionId,
      externalReferenceType: 'CHECKOUT_TRANSACTION',
      offerClass: offer?.isBase ? 'BASE' : 'BONUS',
      offerCode: entry.issuanceOfferCode,
      offerDescriptionEnglish: offer?.en ?? null,
      offerDescriptionFrench: offer?.fr ?? null,
      locationCode: entry.locationCode ?? null,
      locationDescription: location?.description ?? null,
      redemptionStatus: null,
      balancePostTransaction: movement.balance - total + after,
    }
  })
}

const shareOf = (cash: number, part: number, total: number): number =>
  total === 0 ? 0 : Math.trunc((cash * part) / total)

function redeemedActivity({ history }: Context, base: Base, movement: Movement): Activity {
  const redeemed = history.redeemedBy(movement.undoes ?? movement.id)
  return {
    ...base,
    ...ratiosOf(movement.cash, movement.dream),
    transactionId: uuidOf(movement.id),
    transactionDescription: redeemed?.descEn ?? null,
    externalReferenceNumber: redeemed?.confirmationNumber ?? movement.reference,
    externalReferenceType: 'CONFIRMATION_NUMBER',
    offerClass: null,
    offerCode: redeemed?.offerId ?? null,
    offerDescriptionEnglish: redeemed?.descEn ?? null,
    offerDescriptionFrench: redeemed?.descFr ?? null,
    locationCode: null,
    locationDescription: null,
    redemptionStatus: redeemed?.state.toUpperCase() ?? null,
    balancePostTransaction: movement.balance,
  }
}

function ratiosOf(
  cashMiles: number,
  dreamMiles: number,
): Pick<Activity, 'transactionValue' | 'cashMiles' | 'dreamMiles' | 'cashRatio' | 'dreamRatio'> {
  const transactionValue = cashMiles + dreamMiles
  const cashRatio = transactionValue === 0 ? 0 : Math.round((cashMiles / transactionValue) * 10_000) / 10_000
  return {
    transactionValue,
    cashMiles,
    dreamMiles,
    cashRatio,
    dreamRatio: Math.round((1 - cashRatio) * 10_000) / 10_000,
  }
}

/** Derives a stable UUID from the ledger id, because redemptions have no UUID. */
function uuidOf(operationId: number): string {
  const hex = createHash('sha256').update(`operation ${operationId}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
