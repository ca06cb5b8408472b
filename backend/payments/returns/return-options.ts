import type { Names } from '../../../contracts/core/locales.ts'
import { isoOf } from '../../core/clock.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { storeReturnsOf } from './store-returns.ts'
import { type VoucherReader, vouchersOf } from '../vouchers/vouchers.ts'
import { type ReturnLineRow, type ReturnRow, returnRowsOf } from '../rows/returns.sql.ts'
import type { ReturnReason, SaleReturn } from '../../../contracts/payments/returns.ts'
import { type SaleId, StaffId } from '../../../contracts/core/ids.ts'
import { type Cents, cents } from '../../../contracts/core/money.ts'
import { type BasketLine, lineAmount, saleLineOf } from '../../sales/sale/basket.ts'
import { ProblemError } from '../../core/problem.ts'
import { basketLine, taxesOfSale } from '../../sales/sale/sale-parts.ts'
import { type RefundForm, type Plan, returnPlansOf } from './return-plans.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import { receiptTexts } from '../../core/paper/layout.ts'
import type { ApprovalFacts } from '../../sales/approvals/request.ts'
import type { ApprovalAction } from '../../../contracts/sales/sale-changes.ts'
import type { BrokenRule } from '../../../contracts/payments/return-rules.ts'
import type { RulesOfReturn } from './store-rules.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export const returnViewsOf = perLane((ctx: Ctx) => {
  const repository = returnRowsOf(ctx)
  const vouchers = vouchersOf(ctx)
  const taxes = storeTaxesOf(ctx)
  const plans = returnPlansOf(ctx)
  return {
    rowOf(id: string): ReturnRow {
      const row = repository.byId(id)
      if (!row) throw new ProblemError('not-found')
      return row
    },

    /**
     * Converts a return for screens. `reader`: the person who sees its vouchers, by default the person who made the
     * return.
     */
    viewOf(row: ReturnRow, reader: VoucherReader = servedBy(row)): SaleReturn {
      const rates = row.saleId === null ? taxes() : taxesOfSale(plans.partsOf(row.saleId).sale, taxes())
      return {
        id: row.id,
        saleId: row.saleId,
        at: isoOf(row.at),
        reason: row.reason,
        totals: row.totals,
        lines: repository.lines(row.id).map((line) => saleLineOf(returnedLine(line), rates)),
        refunds: repository.refunds(row.id).map(({ kind, paidBy, amountCents, roundingCents, reference }) => ({
          kind,
          paidBy,
          amountCents: cents(amountCents),
          roundingCents: cents(roundingCents),
          reference,
        })),
        vouchers: vouchers.ofReturn(row.id, reader),
      }
    },
  }
})

const servedBy = ({ cashierId }: Pick<ReturnRow, 'cashierId'>): VoucherReader => ({
  id: StaffId.parse(cashierId),
  role: 'cashier',
})

const returnedLine = (line: ReturnLineRow): BasketLine =>
  basketLine(
    {
      ...line,
      regularPriceCents: null,
      note: null,
      minimumAge: null,
      rungAt: null,
      packPieces: null,
      exemption: null,
      charges: [],
      chargeOf: null,
      returnDays: null,
      voided: 0,
    },
    line.discountCents,
  )

export interface NeededApproval {
  readonly actions: readonly ApprovalAction[]
  readonly facts: ApprovalFacts
}

export const returnApprovalOf = perLane((ctx: Ctx) => {
  const { profile } = ctx
  const repository = returnRowsOf(ctx)
  const store = storeReturnsOf(ctx)
  const { returnFromDollars } = profile.approvals
  /** Amount in cents from which a return requires approval; null if every return does. */
  const limitCents = returnFromDollars === undefined ? null : cents(Math.round(returnFromDollars * 100))
  const isLarge = (sumCents: number): boolean => sumCents >= (limitCents ?? 0)

  /** Sums all earlier returns of a sale, so that splitting a return cannot avoid the approval limit. */
  const returnedBefore = (saleId: SaleId): Cents =>
    cents(
      repository.ofSale(saleId).reduce((sum, { totals }) => sum + totals.totalCents, 0) +
        store.elsewhere(saleId).reduce((sum, { totalCents }) => sum + totalCents, 0),
    )

  return {
    isLarge,
    limitCents,
    /** Returns the approval that a return needs: for its value, for rules that it breaks, or both; else null. */
    neededFor(
      saleId: SaleId,
      { lines, totals, refunds }: Pick<Plan, 'lines' | 'totals' | 'refunds'>,
      reason: ReturnReason | null,
      { brokenRules }: Pick<RulesOfReturn, 'brokenRules'>,
    ): NeededApproval | null {
      const earlierCents = returnedBefore(saleId)
      const large = isLarge(earlierCents + totals.totalCents)
      if (!large && brokenRules.length === 0) return null
      return {
        actions: [
          ...(brokenRules.length > 0 ? (['return-override'] as const) : []),
          ...(large ? (['return'] as const) : []),
        ],
        facts: goodsOf(saleId, lines, totals.totalCents, refunds, earlierCents, {
          reason: reason && perLocale((locale) => receiptTexts(locale).t(`return-reason-${reason}`)),
          limitCents: large ? limitCents : null,
          brokenRules,
        }),
      }
    },
  }
})

export const goodsOf = (
  saleId: SaleId | null,
  lines: readonly BasketLine[],
  totalCents: Cents,
  refunds: readonly Pick<RefundForm, 'kind' | 'amountCents'>[],
  earlierCents: Cents,
  why: {
    readonly reason: Names | null
    readonly limitCents: Cents | null
    readonly brokenRules: readonly BrokenRule[]
  },
): ApprovalFacts => ({
  of: 'goods',
  saleId,
  totalCents,
  items: lines.map((line) => ({ name: line.name, quantity: line.quantity, amountCents: lineAmount(line) })),
  refunds: refunds.map(({ kind, amountCents }) => ({ kind, amountCents })),
  earlierCents,
  reason: why.reason,
  limitCents: why.limitCents,
  brokenRules: [...why.brokenRules],
})
