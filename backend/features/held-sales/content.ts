import { aboutHold, HeldContent, type OfferHold } from '../../../contracts/store/holds.ts'
import { CollectorNumber, type SaleId } from '../../../contracts/ids.ts'
import { cents } from '../../../contracts/money.ts'
import type { Tx } from '../../db/transact.ts'
import type { StoreTaxes } from '../../domain/tax.ts'
import type { StoreSeal } from '../../store/store-seal.ts'
import type { Members } from '../member/service.ts'
import { stateOf, type SalesRepository } from '../sales/repository.ts'
import type { Sales } from '../sales/service.ts'
import { exemptionOf, totalsOf, type SaleParts } from '../sales/view.ts'
import type { HeldRow } from './repository.ts'

/** What of a held sale goes to the store: nothing of it was paid, and nothing was called for. */
export function contentOf({ sale, lines, discounts }: Pick<SaleParts, 'sale' | 'lines' | 'discounts'>): HeldContent {
  // Of the rows, what the schema names.
  return HeldContent.parse({
    lines,
    discounts,
    note: sale.note,
    exemption: exemptionOf(sale),
    ageChecked: sale.ageChecked,
    member: sale.memberLast4 === null ? null : { last4: sale.memberLast4, entryMode: sale.memberEntryMode },
  })
}

/** What every list shows of a held sale; total in cents. */
export const heldFactsOf = (
  { cashier }: HeldRow,
  parts: SaleParts,
  { taxes, staffName }: { readonly taxes: StoreTaxes; readonly staffName: (id: string) => string },
) => ({
  cashier: cashier ?? staffName(parts.sale.servedBy),
  itemCount: parts.lines.reduce((count, { voided, quantity }) => count + (voided === 1 ? 0 : quantity), 0),
  totalCents: totalsOf(parts, taxes()).totalCents,
  memberLast4: parts.sale.memberLast4,
})

/** The collector's number, for the other lanes of the store alone. */
export const sealCollector = (seal: StoreSeal, sale: string, number: CollectorNumber | null): OfferHold['sealed'] =>
  number === null ? null : seal.seal(number, aboutHold(sale))

export interface RingHeldOptions {
  readonly sales: Pick<Sales, 'openSale' | 'touch'>
  readonly rows: SalesRepository
  readonly members: Pick<Members, 'attach'>
}

/**
 * Makes a sale of this lane of one that another held: lines in their order, so that a discount on a line finds it, with
 * prices and discounts as they were given. Answers its id.
 */
export function ringHeld(
  tx: Tx,
  { sales, rows, members }: RingHeldOptions,
  content: HeldContent,
  collector: string | null,
): SaleId {
  const { id } = sales.openSale(tx)
  content.lines.forEach((line, at) => {
    rows.insertLine(tx, id, line)
    rows.setLine(tx, id, at + 1, stateOf({ ...line, number: at + 1 }))
  })
  for (const discount of content.discounts)
    rows.discounts.insert(tx, id, { ...discount, minimumCents: cents(discount.minimumCents), approvedBy: null })
  if (content.note !== null) rows.setNote(tx, id, content.note)
  if (content.exemption !== null) rows.setExemption(tx, id, JSON.stringify(content.exemption))
  if (content.ageChecked !== null) rows.setAgeChecked(tx, id, content.ageChecked)
  if (content.member !== null && collector !== null)
    members.attach(tx, id, {
      last4: content.member.last4,
      entryMode: content.member.entryMode ?? 'PREREGISTERED',
      collectorNumber: CollectorNumber.parse(collector),
    })
  sales.touch(tx, id)
  return id
}
