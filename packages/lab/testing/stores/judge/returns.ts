import type { Books } from './books.ts'
import type { Find } from './finding.ts'
import type { PrintedDocument } from './documents.ts'
import { compareDocuments } from './sales.ts'

type Sale = Books['sales'][number]
type Return = Books['returns'][number]

const VOUCHERS: ReadonlySet<string> = new Set(['store-credit', 'gift-card'])
/** Treats all kinds of vouchers as one payment type; each other payment type is its own (`PaidBy`). */
const paidByOf = (kind: string): string => (VOUCHERS.has(kind) ? 'voucher' : kind)

export function checkReturns({ sales, returns }: Books, papers: readonly PrintedDocument[], find: Find): void {
  compareDocuments('return', new Map(returns.map((one) => [one.id, one])), papers, find)
  const byId = new Map(sales.map((sale) => [sale.id, sale]))
  for (const { id, totalCents, refunds } of returns) {
    const back = refunds.reduce((sum, { amountCents }) => sum + amountCents, 0)
    if (back !== totalCents) find('return', `return ${id} of ${totalCents} cents refunded ${back}`)
  }
  for (const [saleId, all] of Map.groupBy(returns, (one) => one.saleId)) {
    if (saleId === null) continue
    const sale = byId.get(saleId)
    if (sale?.state === 'completed') ofSale(sale, all, find)
    else find('return', `goods of ${saleId} were returned, but the store has no such sale`)
  }
}

/**
 * Checks over all lanes that no more pieces are returned than sold, and that no more is refunded than paid, per payment
 * type.
 */
function ofSale(sale: Sale, returns: readonly Return[], find: Find): void {
  const pieces = new Map<number, number>()
  for (const { saleLineNumber, quantity } of returns.flatMap(({ lines }) => lines))
    if (saleLineNumber !== null) pieces.set(saleLineNumber, (pieces.get(saleLineNumber) ?? 0) + quantity)
  for (const [number, back] of pieces) {
    const sold = sale.lines.find((line) => line.number === number && line.voided === 0)?.quantity ?? 0
    if (back > sold) find('return-pieces', `sale ${sale.id}, line ${number}: ${sold} sold, but ${back} returned`)
  }
  const back = returns.reduce((sum, { totalCents }) => sum + totalCents, 0)
  if (back > sale.totalCents) find('return-money', `sale ${sale.id}: ${sale.totalCents} paid, ${back} gone back`)
  const paid = sumBy(sale.tenders.map(({ kind, amountCents }) => [paidByOf(kind), amountCents]))
  const refunded = sumBy(
    returns.flatMap(({ refunds }) => refunds.map(({ kind, paidBy, amountCents }) => [paidBy ?? kind, amountCents])),
  )
  for (const [paidBy, cents] of refunded)
    if (cents > (paid.get(paidBy) ?? 0))
      find(
        'return-money',
        `sale ${sale.id}: ${paid.get(paidBy) ?? 0} cents paid by ${paidBy}, but ${cents} refunded for it`,
      )
}

function sumBy(amounts: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [key, cents] of amounts) sums.set(key, (sums.get(key) ?? 0) + cents)
  return sums
}
