import type { SaleReturn } from '../../../contracts/api/returns.ts'
import { StaffId } from '../../../contracts/ids.ts'
import { cents } from '../../../contracts/money.ts'
import { isoOf } from '../../clock.ts'
import { saleLineOf, type BasketLine } from '../../domain/basket.ts'
import { ProblemError } from '../../http/problem.ts'
import { basketLine, taxesOfSale } from '../sales/view.ts'
import type { VoucherReader } from '../vouchers/service.ts'
import type { ReturnsOptions } from './options.ts'
import type { ReturnPlans } from './plans.ts'
import type { ReturnLineRow, ReturnRow } from './repository.ts'

export interface ReturnViewsOptions extends Pick<ReturnsOptions, 'repository' | 'vouchers' | 'taxes'> {
  readonly plans: Pick<ReturnPlans, 'partsOf'>
}

export type ReturnViews = ReturnType<typeof createReturnViews>

/** A committed return as it is read. */
export function createReturnViews({ repository, vouchers, taxes, plans }: ReturnViewsOptions) {
  return {
    /** Throws ProblemError `not-found`. */
    rowOf(id: string): ReturnRow {
      const row = repository.byId(id)
      if (!row) throw new ProblemError('not-found')
      return row
    },

    /** `reader`: left out, who made it. */
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
}

/** Who made a return reads it as its own; what they may approve makes no difference there. */
const servedBy = ({ cashierId }: Pick<ReturnRow, 'cashierId'>): VoucherReader => ({
  id: StaffId.parse(cashierId),
  role: 'cashier',
})

const returnedLine = (line: ReturnLineRow): BasketLine =>
  basketLine({ ...line, regularPriceCents: null, note: null, minimumAge: null, voided: 0 }, line.discountCents)
