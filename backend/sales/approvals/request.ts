import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ApprovalRequest } from '../../../contracts/sales/approvals.ts'
import { Exemption, type ApprovalAction } from '../../../contracts/sales/sale-changes.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { cents } from '../../../contracts/core/money.ts'
import { measuredNames } from '../../catalog/measured.ts'
import { lineAmount } from '../sale/basket.ts'
import type { StoreTax } from '../../catalog/tax.ts'
import { pricedLines, totalsOf, type SaleParts } from '../sale/sale-parts.ts'
import type { AuditDetail } from '../../core/audit.ts'
import { nameIn } from '../../../contracts/core/names.ts'

type OmitFromEach<Request, Keys extends PropertyKey> = Request extends unknown ? Omit<Request, Keys> : never
export type ApprovalFacts = OmitFromEach<ApprovalRequest, 'action' | 'covers' | 'approvers'>

export type ChangeOfSale = Extract<ApprovalFacts, { of: 'sale' }>

/**
 * Builds an approval request. Its hash (`covers`) is made of the data shown to the approver and `thing`, the id of the
 * command's subject if the request does not show it. The hash leaves out the action, because one command may need
 * approval for several reasons.
 */
export function approvalRequest(
  action: ApprovalAction,
  approvers: ApprovalRequest['approvers'],
  facts: ApprovalFacts,
  thing = '',
): ApprovalRequest {
  const covers = createHash('sha256')
    .update(JSON.stringify([facts, thing]))
    .digest('base64url')
  return { ...facts, action, covers, approvers }
}

/**
 * Returns what a change does to a sale: lines with another quantity or value, and the total unless one line changes in
 * a sale without tax exemption.
 */
export function changeOfSale(
  before: SaleParts,
  after: SaleParts,
  taxes: readonly StoreTax[],
  why: Pick<ChangeOfSale, 'reason' | 'limitPercent'> = { reason: null, limitPercent: null },
): ChangeOfSale {
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
        name: line.measure ? measuredNames(line.name, line.measure) : line.name,
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
    buyers: after.sale.buyers === before.sale.buyers ? null : after.sale.buyers,
    items,
    total: items.length === 1 && !taxFree(before, after) ? null : total,
    ...why,
    exemption: newExemption(before, after),
  }
}

/** Returns the exemption of the sale or of a line that a change sets. */
function newExemption(before: SaleParts, after: SaleParts): Exemption | null {
  const { exemption } = after.sale
  if (exemption !== null && exemption !== before.sale.exemption) return Exemption.parse(JSON.parse(exemption))
  const was = new Map(before.lines.map((line) => [line.number, line.exemption]))
  const line = after.lines.find(
    (one) => one.voided === 0 && !isDeepStrictEqual(one.exemption, was.get(one.number) ?? null),
  )
  return line?.exemption ?? null
}

export const subjectOf = (facts: ApprovalFacts): string | undefined =>
  facts.of === 'sale' || facts.of === 'goods' ? (facts.saleId ?? undefined) : undefined

const LONGEST_ITEMS = 200

export function covered(facts: ApprovalFacts, locale: Locale): AuditDetail {
  switch (facts.of) {
    case 'sale': {
      const sum = (of: 'beforeCents' | 'afterCents'): number => facts.items.reduce((all, item) => all + item[of], 0)
      return {
        items: listed(facts.items.map((item) => `${item.quantityAfter} × ${nameIn(item.name, locale)}`)),
        beforeCents: facts.total?.beforeCents ?? sum('beforeCents'),
        afterCents: facts.total?.afterCents ?? sum('afterCents'),
      }
    }
    case 'goods':
      return {
        items: listed(facts.items.map((item) => `${item.quantity} × ${nameIn(item.name, locale)}`)),
        totalCents: facts.totalCents,
      }
    case 'cash':
      return { movement: facts.kind, amountCents: facts.amountCents, reason: facts.reason }
    case 'drawer':
      return { floatCents: facts.amountCents }
    case 'drawer-close': {
      const { countedCents, differenceCents, leftCents, reason } = facts
      return { countedCents, leftCents, reason, ...(differenceCents === null ? {} : { differenceCents }) }
    }
    case 'paper':
      return { paper: facts.kind }
    case 'coupon':
      return { coupon: facts.code, amountCents: facts.amountCents }
    case 'voucher':
      return { voucher: facts.kind, last4: facts.last4, balanceCents: facts.balanceCents }
  }
}

function listed(items: readonly string[]): string {
  const text = items.join(', ')
  return text.length > LONGEST_ITEMS ? `${text.slice(0, LONGEST_ITEMS - 1)}…` : text
}

const taxFree = (before: SaleParts, after: SaleParts): boolean =>
  [before, after].some(
    ({ sale, lines }) => sale.exemption !== null || lines.some(({ exemption }) => exemption !== null),
  )
