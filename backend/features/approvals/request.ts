import { createHash } from 'node:crypto'
import type { ApprovalRequest } from '../../../contracts/api/approvals.ts'
import type { ApprovalAction } from '../../../contracts/api/sale-changes.ts'
import { SaleId } from '../../../contracts/ids.ts'
import { cents } from '../../../contracts/money.ts'
import { lineAmount } from '../../domain/basket.ts'
import type { StoreTax } from '../../domain/tax.ts'
import { pricedLines, totalsOf, type SaleParts } from '../sales/view.ts'

type Without<Request, Keys extends PropertyKey> = Request extends unknown ? Omit<Request, Keys> : never
/** What a command would do, as it is shown and approved. */
export type ApprovalFacts = Without<ApprovalRequest, 'action' | 'covers'>

/**
 * The request that stands for these facts. Its digest is of everything that is shown and of nothing else: an approval
 * names what was read. It is not of the action, since one command may need a supervisor for more than one reason.
 * `thing`: the id of what it is about, where that is shown to nobody.
 */
export function approvalRequest(action: ApprovalAction, facts: ApprovalFacts, thing = ''): ApprovalRequest {
  const covers = createHash('sha256')
    .update(JSON.stringify([facts, thing]))
    .digest('base64url')
  return { ...facts, action, covers }
}

/**
 * What a change does to a sale: the lines whose pieces or worth are others than before, and the total where the change
 * is of the sale as a whole.
 */
export function changeOfSale(before: SaleParts, after: SaleParts, taxes: readonly StoreTax[]): ApprovalFacts {
  const was = new Map(
    pricedLines(before).map((line) => [
      line.number,
      { quantity: line.voided ? 0 : line.quantity, cents: lineAmount(line) },
    ]),
  )
  const items = pricedLines(after).flatMap((line) => {
    const then = was.get(line.number) ?? { quantity: 0, cents: cents(0) }
    const quantity = line.voided ? 0 : line.quantity
    const amount = lineAmount(line)
    if (quantity === then.quantity && amount === then.cents) return []
    const regularCents = cents(quantity * Math.max(line.regularPriceCents ?? 0, line.unitPriceCents))
    return [
      {
        number: line.number,
        name: line.name,
        quantityBefore: then.quantity,
        quantityAfter: quantity,
        regularCents,
        beforeCents: then.cents,
        afterCents: amount,
      },
    ]
  })
  const total = { beforeCents: totalsOf(before, taxes).totalCents, afterCents: totalsOf(after, taxes).totalCents }
  return {
    of: 'sale',
    saleId: SaleId.parse(after.sale.id),
    items,
    total: items.length === 1 && !taxFree(before, after) ? null : total,
  }
}

const taxFree = (before: SaleParts, after: SaleParts): boolean =>
  before.sale.exemption !== null || after.sale.exemption !== null
