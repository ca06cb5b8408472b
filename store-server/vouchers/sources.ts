import { GIFT_CARD_SKU, MOST_GIFT_CARD_CENTS } from '../../contracts/gift-card.ts'
import { OperationFact, ReturnFact, SaleFact, type VoucherEntryFact } from '../../contracts/store/facts.ts'
import type { Querying } from '../db/postgres.ts'
import type { FactsOf } from '../lanes/projection.ts'
import { requireOwnId } from '../lanes/ownership.ts'

/**
 * Of a sale or a return the first that the lane told, of an operation the newest; none that was set aside. With the
 * amounts that were issued by it before.
 */
const SOURCES = `SELECT DISTINCT ON (source) source, fact.kind, fact.body, (
    SELECT coalesce(json_agg(amount_cents), '[]') FROM voucher_issue AS issue
    WHERE issue.store = $1 AND issue.lane = $2 AND issue.source = wanted.source) AS issued
  FROM jsonb_to_recordset($3::jsonb) AS wanted (source text, kind text, subject text)
  JOIN fact_all AS fact ON fact.kind = wanted.kind AND fact.subject = wanted.subject
    AND fact.kind IN ('sale', 'return', 'operation')
  JOIN stream ON stream.name = fact.stream AND stream.store = $1 AND stream.lane = $2
  WHERE NOT EXISTS (SELECT 1 FROM fact_aside AS aside WHERE aside.stream = fact.stream AND aside.seq = fact.seq)
    AND (fact.kind <> 'sale' OR fact.body ->> 'state' = 'completed')
  ORDER BY source, CASE WHEN fact.kind = 'operation' THEN -epoch ELSE epoch END,
    CASE WHEN fact.kind = 'operation' THEN -seq ELSE seq END`

type Issuing = Pick<VoucherEntryFact, 'amountCents' | 'returnId' | 'operationId' | 'saleId'>
interface Source {
  readonly kind: 'sale' | 'return' | 'operation'
  readonly body: unknown
  readonly issued: number[]
}
interface SourceRow extends Source, Record<string, unknown> {
  readonly source: string
}

/** What issued a voucher: the sale that sold it, the return that credited it, the redemption that was not reversed. */
export function sourceOf({ returnId, operationId, saleId }: Issuing): string {
  if (operationId !== null) return `operation ${operationId}`
  return returnId === null ? `sale ${saleId}` : `return ${returnId}`
}

function wantedOf(entry: Issuing): { source: string; kind: Source['kind']; subject: string | null } {
  const { returnId, operationId, saleId } = entry
  const source = sourceOf(entry)
  if (returnId !== null) return { source, kind: 'return', subject: returnId }
  return operationId === null
    ? { source, kind: 'sale', subject: saleId }
    : { source, kind: 'operation', subject: operationId }
}

/** Returns a check of entries in their order, each of which takes an amount off its source. It throws without one. */
export async function readSources(
  tx: Querying,
  entries: readonly Issuing[],
  { store, lane }: FactsOf,
): Promise<(entry: Issuing) => void> {
  const wanted = new Map(entries.map(wantedOf).map((one) => [one.source, one]))
  const { rows } =
    wanted.size === 0
      ? { rows: [] }
      : await tx.query<SourceRow>(SOURCES, [store, lane, JSON.stringify([...wanted.values()])])
  const sources = new Map<string, Source>(rows.map((row) => [row.source, row]))
  return (entry) => {
    const source = sources.get(sourceOf(entry))
    const { amountCents } = entry
    const left = source === undefined ? [] : amountsOf(source, entry, lane)
    for (const issued of source?.issued ?? []) left.splice(left.indexOf(issued), left.includes(issued) ? 1 : 0)
    if (source === undefined || !left.includes(amountCents))
      throw new Error(`lane ${lane} issued a voucher that no ${sourceOf(entry)} of it sold or credited`)
    source.issued.push(amountCents)
  }
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)

/** The amounts that a source issues altogether. */
function amountsOf({ kind, body }: Source, { operationId, saleId }: Issuing, lane: string): number[] {
  if (kind === 'sale') {
    const sale = SaleFact.parse(body)
    requireOwnId(lane, sale.id)
    const sold = sale.lines.flatMap(({ sku, quantity, voided, unitPriceCents }) =>
      sku === GIFT_CARD_SKU && quantity === 1 && voided === 0 && unitPriceCents <= MOST_GIFT_CARD_CENTS
        ? [unitPriceCents]
        : [],
    )
    // No discount reaches a gift card, so it is worth no more than what was paid.
    return sumOf(sale.tenders.map(({ amountCents }) => amountCents)) < sumOf(sold) ? [] : sold
  }
  if (kind === 'return') {
    const { id, refunds } = ReturnFact.parse(body)
    requireOwnId(lane, id)
    if (operationId !== null)
      return refunds.flatMap((refund) => (refund.operationId === operationId ? [refund.amountCents] : []))
    return [refunds.reduce((sum, refund) => sum + (refund.kind === 'store-credit' ? refund.amountCents : 0), 0)]
  }
  const operation = OperationFact.parse(body)
  const isOwed =
    operation.kind === 'redemption' && operation.state === 'reversal-expired' && operation.saleId === saleId
  return isOwed && operation.amountCents !== null ? [operation.amountCents] : []
}
