import { attachCollector, collectorOf } from '../collector.ts'
import { saleRowsOf, stateOf } from '../sale/sales.sql.ts'
import { isDeepStrictEqual } from 'node:util'
import type { ApprovalAction } from '../../../contracts/sales/sale-changes.ts'
import { aboutHold, HeldContent, type OfferHold } from '../../../contracts/store/holds.ts'
import { CollectorNumber, type SaleId } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { Tx } from '../../core/db/transact.ts'
import { type StoreTaxes, storeTaxesOf } from '../../catalog/tax.ts'
import type { StoreSeal } from '../../store/store-seal.ts'
import { isEmpties, isGoods } from '../../catalog/charges.ts'
import { withCharges } from '../sale/charges.ts'
import { measuredNames } from '../../catalog/measured.ts'
import { isGiftCard } from '../../catalog/gift-card.ts'
import { salesOf } from '../sales.ts'
import { exemptionOf, totalsOf, type SaleParts } from '../sale/sale-parts.ts'
import { type HeldRow, heldSaleRowsOf } from './held-sales.sql.ts'
import type { Ctx } from '../../core/context.ts'
import { storeLinkOf } from '../../store/store-link.ts'
import { couponTakingOf } from '../sale-changes/coupons.ts'

export function contentOf({ sale, lines, discounts }: Pick<SaleParts, 'sale' | 'lines' | 'discounts'>): HeldContent {
  // Parsing removes the columns that are not in the schema of `HeldContent`.
  return HeldContent.parse({
    // The previous release reads the measure of a line only in its name.
    lines: lines
      .filter(({ chargeOf }) => chargeOf === null)
      .map(({ name, measure, ...line }) =>
        measure === null
          ? { ...line, name }
          : { ...line, name: measuredNames(name, measure), measure: { ...measure, name } },
      ),
    discounts: discounts.filter(({ source }) => source !== 'promotion'),
    note: sale.note,
    exemption: exemptionOf(sale),
    buyers: sale.buyers,
    ageChecked: sale.ageChecked,
    member: sale.memberLast4 === null ? null : { last4: sale.memberLast4, entryMode: sale.memberEntryMode },
  })
}

/** Returns the price corrections of a held sale, which refer to a discount by its position in `contentOf`. */
function correctionsOf(ctx: Ctx, { sale, discounts }: SaleParts): HeldContent['corrections'] {
  const numbers = discounts.filter(({ source }) => source !== 'promotion').map(({ number }) => number)
  return saleRowsOf(ctx)
    .corrections.ofSale(sale.id)
    .map(({ discountNumber, ...correction }) => ({
      ...correction,
      discountNumber: discountNumber === null ? null : numbers.indexOf(discountNumber) + 1 || null,
    }))
}

export const heldFactsOf = (
  { cashier }: HeldRow,
  parts: SaleParts,
  { taxes, staffName }: { readonly taxes: StoreTaxes; readonly staffName: (id: string) => string },
) => ({
  cashier: cashier ?? staffName(parts.sale.servedBy),
  itemCount: parts.lines.reduce((count, line) => count + (line.voided === 1 || !isGoods(line) ? 0 : line.quantity), 0),
  totalCents: totalsOf(parts, taxes()).totalCents,
  memberLast4: parts.sale.memberLast4,
})

/** Encrypts the collector's number with the key that all lanes of the store share. */
export const sealCollector = (seal: StoreSeal, sale: string, number: CollectorNumber | null): OfferHold['sealed'] =>
  number === null ? null : seal.seal(number, aboutHold(sale))

type HeldLine = HeldContent['lines'][number]

/**
 * Prices a sale held by another lane twice: at this lane's prices (`today`) and at the held prices, both with the item
 * data of this lane's catalog. In `today`, the line of an unknown item, an open price, or a label with another price is
 * void. Gift cards are void in both.
 */
export function pricedToday(ctx: Ctx, content: HeldContent) {
  const sales = salesOf(ctx)
  const { grantOf } = couponTakingOf(ctx)
  const lines = content.lines.map((stored): { today: HeldLine; held: HeldLine } => {
    const { measure } = stored
    const line = measure ? { ...stored, name: measure.name } : stored
    if (isGiftCard(line)) return { today: { ...line, voided: 1 }, held: { ...line, voided: 1 } }
    // The store has already received these containers: keep their refund.
    if (isEmpties(line)) return { today: line, held: line }
    const known = sales.lineToday(line.sku, line.quantity, line.packPieces, measure && { ...line, measure })
    if (known === undefined) return { today: { ...line, voided: 1 }, held: line }
    const today: HeldLine = {
      ...line,
      ...known.line,
      // Promotions with hours apply by the time when the line was rung.
      rungAt: line.rungAt,
      measure: known.line.measure && { ...known.line.measure, name: known.line.name },
      regularPriceCents: null,
      exemption: null,
    }
    const { exemption } = line
    if (line.unitPriceCents === known.line.unitPriceCents) return { today, held: { ...today, exemption } }
    const isNamedSo = Object.values(line.name).join() === Object.values(known.line.name).join()
    const { name, unitPriceCents } = line
    return {
      today: known.isPriced && isNamedSo ? today : { ...today, voided: 1 },
      held: { ...today, name, unitPriceCents, measure, exemption, regularPriceCents: known.line.unitPriceCents },
    }
  })
  const discounts = content.discounts.map((held) => {
    const granted = held.coupon === null ? undefined : grantOf(held.coupon.code)
    if (granted !== undefined) return { today: [granted], held: granted }
    // A coupon that gives only miles deducts nothing: keep it at today’s prices too.
    return { today: held.off === null ? [held] : [], held }
  })
  return {
    today: {
      ...content,
      exemption: null,
      buyers: null,
      corrections: [],
      lines: lines.map(({ today }) => today),
      discounts: discounts.flatMap(({ today }) => today),
    },
    held: { ...content, lines: lines.map(({ held }) => held), discounts: discounts.map(({ held }) => held) },
  } satisfies Record<string, HeldContent>
}

export const differencesOf = ({ today, held }: ReturnType<typeof pricedToday>): readonly ApprovalAction[] => [
  ...(isDeepStrictEqual(today.lines, held.lines.map(withoutExemption)) ? [] : (['price'] as const)),
  ...(today.discounts.length === held.discounts.length ? [] : (['discount'] as const)),
  ...(held.exemption === null && held.lines.every(({ exemption }) => exemption === null)
    ? []
    : (['exemption'] as const)),
  ...(held.buyers === null ? [] : ([`${held.buyers}-price`] as const)),
]

const withoutExemption = (line: HeldLine): HeldLine => ({ ...line, exemption: null })

/** Returns a sale with its lines, discounts, exemption and buyers replaced by those of a held sale. */
export const partsWith = (parts: SaleParts, { lines, discounts, exemption, buyers }: HeldContent): SaleParts => ({
  ...parts,
  sale: { ...parts.sale, exemption: exemption && JSON.stringify(exemption), buyers },
  lines: withCharges(
    lines.map((line, at) => ({ ...line, number: at + 1, chargeOf: null })),
    true,
  ),
  discounts: discounts.map((discount, at) => ({
    ...discount,
    minimumCents: cents(discount.minimumCents),
    number: at + 1,
    source: discount.coupon === null ? 'cashier' : 'coupon',
    promotion: null,
  })),
})

/**
 * Creates a sale of this lane from a held sale. The lines keep their order, to which the discounts refer. `approvedBy`:
 * who approved the discounts, or null. Returns the id of the new sale.
 */
export function ringHeld(
  ctx: Ctx,
  tx: Tx,
  content: HeldContent,
  collector: string | null,
  approvedBy: string | null,
): SaleId {
  const sales = salesOf(ctx)
  const rows = saleRowsOf(ctx)
  const { id } = sales.openSale(tx)
  content.lines.forEach((line, at) => {
    rows.insertLine(tx, id, { ...line, rungAt: line.rungAt ?? ctx.clock.now() })
    rows.setLine(tx, id, at + 1, stateOf({ ...line, number: at + 1, chargeOf: null }))
  })
  for (const discount of content.discounts)
    rows.discounts.insert(tx, id, { ...discount, minimumCents: cents(discount.minimumCents), approvedBy })
  for (const correction of content.corrections) rows.corrections.put(tx, id, correction)
  if (content.note !== null) rows.setNote(tx, id, content.note)
  if (content.exemption !== null) rows.setExemption(tx, id, JSON.stringify(content.exemption))
  if (content.buyers !== null) rows.setBuyers(tx, id, content.buyers)
  if (content.ageChecked !== null) rows.setAgeChecked(tx, id, content.ageChecked)
  if (content.member !== null && collector !== null)
    attachCollector(ctx, tx, id, {
      last4: content.member.last4,
      entryMode: content.member.entryMode ?? 'PREREGISTERED',
      collectorNumber: CollectorNumber.parse(collector),
    })
  sales.touch(tx, id)
  return id
}

export function offerOf(ctx: Ctx, saleId: SaleId): Omit<OfferHold, 'hold' | 'protocol'> {
  const parts = salesOf(ctx).parts(saleId)
  const row = heldSaleRowsOf(ctx).row(saleId)
  const seal = storeLinkOf(ctx)?.seal() ?? null
  if (!row || seal === null) throw new Error('only a held sale at a lane with a store server can be offered')
  return {
    sale: row.id,
    heldAt: row.heldAt,
    name: row.heldAs,
    ...heldFactsOf(row, parts, { taxes: storeTaxesOf(ctx), staffName: ctx.staffName }),
    content: { ...contentOf(parts), corrections: correctionsOf(ctx, parts) },
    sealed: sealCollector(seal, row.id, collectorOf(ctx, parts.sale)),
  }
}
