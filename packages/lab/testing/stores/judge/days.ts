import type { Books } from './books.ts'
import type { Find } from './finding.ts'
import { GIFT_CARD_SKU } from '../../../../../contracts/catalog/goods.ts'
import { documentsOf } from './sales.ts'
import type { PrintedDocument, Sums } from './documents.ts'

type Z = Books['zs'][number]

const sumsOf = (all: readonly { readonly totalCents: number }[]): Sums => ({
  count: all.length,
  totalCents: all.reduce((sum, { totalCents }) => sum + totalCents, 0),
})
const isSame = (a: Sums, b: Sums): boolean => a.count === b.count && a.totalCents === b.totalCents
const format = ({ count, totalCents }: Sums): string => `${count} of ${totalCents} cents`

/** Returns a sale’s amount without its gift cards, which are a liability and in no total of sales. */
const goodsOf = ({ totalCents, lines }: Books['sales'][number]): { readonly totalCents: number } => ({
  totalCents: lines.reduce(
    (left, { sku, unitPriceCents, voided }) => (sku === GIFT_CARD_SKU && voided === 0 ? left - unitPriceCents : left),
    totalCents,
  ),
})

/**
 * Checks that each sale and return is in one Z report of its lane, and that each Z report has the sums of its sales and
 * returns, in the books and on paper.
 */
export function checkDays(books: Books, papers: readonly PrintedDocument[], find: Find): void {
  const zDocuments = documentsOf(papers, 'z')
  const lanes = new Set([...books.sales, ...books.returns, ...zDocuments].map(({ lane }) => lane))
  for (const lane of lanes) {
    const sales = books.sales.filter((sale) => sale.lane === lane)
    const returns = books.returns.filter((one) => one.lane === lane)
    const zs = books.zs.filter((z) => z.lane === lane).toSorted((a, b) => a.number - b.number)
    if (zs.some(({ number }, index) => number !== index + 1))
      find('z-numbers', `lane ${lane}: the Zs are ${zs.map(({ number }) => number).join(', ')}`)
    const zOf = new Map(zs.flatMap((z) => z.shifts.map(({ id }) => [id, z.number] as const)))
    for (const { id, shiftId } of [...sales, ...returns])
      if (!zOf.has(shiftId)) find('z-sums', `${id} of lane ${lane} is in shift ${shiftId}, which is in no Z`)
    for (const z of zs)
      checkZ(
        z,
        { sales, returns },
        zDocuments.filter((paper) => paper.lane === lane),
        find,
      )
    const last = zs.at(-1)
    if (last) checkGrandTotals(last, { sales, returns }, find)
    for (const { number } of zDocuments.filter((paper) => paper.lane === lane))
      if (!zs.some((z) => z.number === number)) find('z-printed', `lane ${lane}: Z ${number} is only on paper`)
  }
}

type Closed = Pick<Books, 'sales' | 'returns'>

function checkZ(
  z: Z,
  { sales, returns }: Closed,
  papers: readonly Extract<PrintedDocument, { kind: 'z' }>[],
  find: Find,
): void {
  const { lane, number, totals } = z
  const shifts = new Set(z.shifts.map(({ id }) => id))
  const inside = <One extends { readonly shiftId: number }>(all: readonly One[]): One[] =>
    all.filter(({ shiftId }) => shifts.has(shiftId))
  const sold = inside(sales.filter(({ state }) => state === 'completed'))
  const expected = { sales: sumsOf(sold.map(goodsOf)), returns: sumsOf(inside(returns)) }
  for (const what of ['sales', 'returns'] as const) {
    if (!isSame(expected[what], totals[what]))
      find(
        'z-sums',
        `lane ${lane}, Z ${number}, ${what}: ${format(totals[what])}, but the facts have ${format(expected[what])}`,
      )
  }
  const paid = inside(sales).flatMap(({ tenders }) => tenders)
  const back = inside(returns).flatMap(({ refunds }) => refunds)
  const inZ = new Map(totals.tenders.map(({ kind, netCents }) => [kind, netCents]))
  for (const kind of new Set([...inZ.keys(), ...[...paid, ...back].map((one) => one.kind)])) {
    const netCents = inZ.get(kind)
    const factCents = ofKind(paid, kind) - ofKind(back, kind)
    if (netCents === undefined)
      find('z-sums', `lane ${lane}, Z ${number}, ${kind}: missing, but the facts have ${factCents} cents`)
    // Store credit that a return issues is not a received payment, so it is not compared.
    else if (kind !== 'store-credit' && factCents !== netCents)
      find('z-sums', `lane ${lane}, Z ${number}, ${kind}: ${netCents} cents, but the facts have ${factCents}`)
  }
  const own = papers.filter((paper) => paper.number === number)
  if (own.length === 0) find('z-printed', `lane ${lane}: Z ${number} was not printed`)
  for (const paper of own)
    for (const what of ['sales', 'returns'] as const)
      if (!isSame(paper[what], totals[what]))
        find(
          'z-printed',
          `lane ${lane}, Z ${number}, ${what}: ${format(paper[what])} on paper, ${format(totals[what])} in it`,
        )
}

const ofKind = (all: readonly { readonly kind: string; readonly amountCents: number }[], kind: string): number =>
  all.reduce((sum, one) => (one.kind === kind ? sum + one.amountCents : sum), 0)

function checkGrandTotals({ lane, grandTotals }: Z, { sales, returns }: Closed, find: Find): void {
  const { count, totalCents } = sumsOf(sales.filter(({ state }) => state === 'completed').map(goodsOf))
  const back = sumsOf(returns)
  if (grandTotals.sales !== count || grandTotals.salesCents !== totalCents)
    find('z-sums', `lane ${lane}: ${count} sales of ${totalCents} cents, but its grand total has ${grandTotals.sales}`)
  if (grandTotals.returns !== back.count || grandTotals.returnsCents !== back.totalCents)
    find('z-sums', `lane ${lane}: ${back.count} returns, but its grand total has ${grandTotals.returns}`)
}
