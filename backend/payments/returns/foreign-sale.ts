import { z } from 'zod'
import { LineCharge } from '../../../contracts/catalog/charges.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import { Names } from '../../../contracts/core/locales.ts'
import { PartnerRule } from '../../../contracts/core/profile.ts'
import { Exemption } from '../../../contracts/sales/sale-changes.ts'
import { GivenIssuance } from '../../../contracts/central/issuance.ts'
import { TaxCategory, TaxRule } from '../../../contracts/core/regions.ts'
import type { OperationFact, SaleFact } from '../../../contracts/store/facts.ts'
import type { StoreReceipt } from '../../../contracts/store/receipts.ts'
import { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { VoucherId } from '../../../contracts/payments/vouchers.ts'
import { reversalOpen } from '../../core/central/reversal-window.ts'
import { AnswerEntries } from '../../core/outbox/operation-lists.ts'
import { NO_FACTS, type Operation } from '../../core/outbox/operation.ts'
import { withCharges } from '../../sales/sale/charges.ts'
import { discountRowOf, Reaches } from '../../sales/sale/sale-rows.sql.ts'
import { type LineRow, type SaleRow, type TenderRow, storedMeasure } from '../../sales/sale/sales.sql.ts'
import type { SaleParts } from '../../sales/sale/sale-parts.ts'
import type { SaleSecret } from '../../store/store-seal.ts'

interface ForeignFacts {
  readonly secret: SaleSecret
  readonly returned: number
  readonly now: number
  readonly timeZone: string
}

const EntryMode = z.enum(['SWIPE', 'SCAN', 'KEYED'])
const NEVER = { sends: 0, firstSentAt: null, newestEntry: 0, afterOperationId: null, correctsId: null } as const
const RedemptionStates = z.enum(['approved', 'reversing', 'reversed', 'reversal-expired', 'reversal-escalated'])
const IssuanceStates = z.enum(['queued', 'sent', 'confirmed', 'accepted', 'rejected', 'dead', 'escalated'])

/** Converts a sale of another lane to this lane's types. Throws for data that this release cannot read. */
export function foreignSale(
  { lane, sale, operations }: StoreReceipt,
  { secret, returned, now, timeZone }: ForeignFacts,
): SaleParts {
  const redemption = redemptionOf(sale, operations)
  const issuance = issuanceOf(sale, operations)
  const issued = operations.find(({ id }) => id === issuance?.id)
  return {
    sale: saleRowOf(lane, sale, returned),
    inquiry: null,
    lines: withCharges(sale.lines.map(lineRowOf), false),
    discounts: sale.discounts
      .filter(({ removed }) => removed === 0)
      .map(({ names, reaches, ...discount }) =>
        discountRowOf({ ...discount, reaches: Reaches.parse(reaches), names: names && JSON.stringify(names) }),
      ),
    lastChange: null,
    tenders: effectiveTenders(sale),
    redemption,
    cards: [],
    redemptionPaid: redemption !== undefined,
    giftCardsBuyGiftCards: false,
    reversalOpen: redemption?.state === 'approved' && reversalOpen(now, redemption.transDateTime ?? '', timeZone),
    issuance,
    previewMiles: null,
    previewRefusal: null,
    ageCheck: null,
    previewOffers: [],
    elsewhere: {
      lane,
      cashierName: sale.cashier.name,
      secret,
      issuance: sale.issuance && {
        state: issued?.state ?? null,
        type: sale.issuance.type,
        transactionId: issued?.transactionId ?? null,
        given: z.array(GivenIssuance).parse(sale.issuance.given),
        rules: z.array(PartnerRule).parse(sale.issuance.rules),
        answered: AnswerEntries.nullable().parse(issued?.entries ?? null),
      },
      offers: sale.offers,
    },
  }
}

const saleRowOf = (lane: string, sale: SaleFact, returned: number): SaleRow => ({
  id: SaleId.parse(sale.id),
  // The version increases with every return, like that of this lane's own sales, so that an outdated screen is
  // detected.
  version: sale.version + returned,
  state: 'completed',
  lane,
  servedBy: sale.cashier.id,
  openedAt: sale.openedAt,
  closedAt: sale.closedAt,
  memberLast4: sale.memberLast4,
  memberEntryMode: EntryMode.nullable().parse(sale.memberEntryMode),
  memberSealed: null,
  memberHash: null,
  memberState: sale.memberLast4 === null ? null : 'known',
  inquiry: null,
  taxes: JSON.stringify(sale.taxes),
  exemption: sale.exemption === null ? null : JSON.stringify(sale.exemption),
  note: sale.note,
  ageChecked: sale.ageChecked,
  buyers: null,
  promotionRules: null,
})

function lineRowOf({
  names,
  taxCategory,
  voided,
  exemption,
  charges,
  chargeOf,
  measure,
  ...line
}: SaleFact['lines'][number]): LineRow {
  const [category, rule = null] = taxCategory.split('/')
  return {
    ...line,
    name: Names.parse(names),
    taxCategory: TaxCategory.parse(category),
    taxRule: TaxRule.nullable().parse(rule),
    voided: voided === 0 ? 0 : 1,
    rungAt: null,
    packPieces: line.packPieces ?? null,
    measure: null,
    ...storedMeasure(measure),
    exemption: Exemption.nullable().parse(exemption ?? null),
    charges: z.array(LineCharge).parse(charges ?? []),
    chargeOf: chargeOf ?? null,
    returnDays: line.returnDays ?? null,
  }
}

/** Returns the payments that were not given back while the sale was open. */
export function effectiveTenders({ tenders }: Pick<SaleFact, 'tenders'>): TenderRow[] {
  const takenBack = new Set(tenders.map(({ takesBack }) => takesBack))
  return tenders
    .filter(({ number, takesBack }) => takesBack === null && !takenBack.has(number))
    .map(({ at: _at, paidCoupon = null, ...tender }) => ({
      ...tender,
      coupon: paidCoupon,
      kind: paidCoupon ? ('manufacturer-coupon' as const) : TenderKind.parse(tender.kind),
      voucherId: tender.voucherId === null ? null : VoucherId.parse(tender.voucherId),
      // Zero, because the shift of the payment is one of another lane.
      shiftId: 0,
    }))
}

function redemptionOf(sale: SaleFact, operations: readonly OperationFact[]): Operation | undefined {
  const redemption = sale.redemption
  if (redemption === null) return undefined
  const newest = operations.find(({ id }) => id === redemption.id)
  return {
    ...NEVER,
    ...NO_FACTS,
    ...redemption,
    kind: 'redemption',
    type: 'redeem',
    saleId: sale.id,
    collector: '',
    state: RedemptionStates.parse(newest?.state ?? redemption.state),
    createdAt: sale.closedAt,
    changedAt: newest?.changedAt ?? sale.closedAt,
    approvedOnAttempt: 1,
  }
}

function issuanceOf(sale: SaleFact, operations: readonly OperationFact[]): Operation | undefined {
  const issuance = sale.issuance
  if (issuance === null) return undefined
  const newest = operations.find(({ id }) => id === issuance.id)
  return {
    ...NEVER,
    ...NO_FACTS,
    id: issuance.id,
    kind: 'issuance',
    type: issuance.type === 'post' ? 'post' : 'issue',
    saleId: sale.id,
    collector: '',
    state: IssuanceStates.parse(newest?.state ?? 'queued'),
    createdAt: sale.closedAt,
    changedAt: newest?.changedAt ?? sale.closedAt,
    miles: newest?.miles ?? null,
    pendingMiles: newest?.pendingMiles ?? null,
    rejectedMiles: newest?.rejectedMiles ?? null,
    transactionId: newest?.transactionId ?? null,
    responseCode: newest?.responseCode ?? null,
  }
}
