import { z } from 'zod'
import {
  ReturnFact,
  SaleFact,
  VoucherEntryFact,
  ZReportFact,
  OperationFact,
} from '../../../../../contracts/store/facts.ts'

export type Query = (sql: string, params?: readonly unknown[]) => Promise<Record<string, unknown>[]>

const StoredFact = z.object({ lane: z.string(), seq: z.int(), kind: z.string(), subject: z.string() })
const Stream = z.object({ name: z.string(), lane: z.string(), applied: z.int(), seqs: z.array(z.int()) })
const Quarantined = z.object({ lane: z.string(), seq: z.int(), reason: z.string() })
/** Totals of a sale’s fact; null for a cancelled sale. */
const SaleTotals = z.object({ totalCents: z.int() }).nullable()
const Counted = z.object({ count: z.int(), totalCents: z.int() })
const ZTotals = z.object({
  number: z.int(),
  shifts: z.array(z.object({ id: z.int() })),
  totals: z.object({
    sales: Counted,
    returns: Counted,
    tenders: z.array(z.object({ kind: z.string(), netCents: z.int() })),
  }),
  grandTotals: z.object({ sales: z.int(), salesCents: z.int(), returns: z.int(), returnsCents: z.int() }),
})
/**
 * Voucher movements: payments at other lanes (`voucher-use`), and entries of the lane that issued the voucher
 * (`voucher-entry`).
 */
const VoucherMove = VoucherEntryFact.pick({
  codeHash: true,
  last4: true,
  at: true,
  kind: true,
  amountCents: true,
  saleId: true,
})

type OfLane<Fact> = Fact & { readonly lane: string }
/** The records of the lanes in the store’s database. Money is in cents. */
export interface Books {
  readonly streams: readonly z.infer<typeof Stream>[]
  readonly quarantined: readonly z.infer<typeof Quarantined>[]
  /** Rows of all views whose names end in `_wrong`. Each such view lists violations of one rule. */
  readonly violations: readonly string[]
  readonly facts: readonly z.infer<typeof StoredFact>[]
  readonly sales: readonly (OfLane<SaleFact> & { readonly totalCents: number })[]
  readonly returns: readonly OfLane<ReturnFact>[]
  readonly vouchers: readonly OfLane<z.infer<typeof VoucherMove>>[]
  readonly zs: readonly OfLane<z.infer<typeof ZTotals>>[]
  /** The newest fact of each operation, by operation. */
  readonly operations: ReadonlyMap<string, OperationFact>
}

const KINDS_OF_VOUCHERS = ['voucher-entry', 'voucher-use']
const STREAMS = `SELECT name, lane, applied, coalesce((SELECT array_agg(seq ORDER BY seq) FROM fact
  WHERE fact.stream = stream.name), '{}') AS seqs FROM stream WHERE store = $1 ORDER BY lane, epoch`
const QUARANTINED = `SELECT lane, seq, reason FROM fact_aside JOIN stream ON name = stream WHERE store = $1`
const FACTS = `SELECT lane, seq, kind, subject FROM fact JOIN stream ON name = stream WHERE store = $1
  ORDER BY lane, epoch, seq`
const BODIES = `SELECT lane, body FROM fact JOIN stream ON name = stream
  WHERE store = $1 AND kind = ANY ($2) AND NOT body ? 'unreadable' ORDER BY lane, epoch, seq`

export async function readBooks(query: Query, store: string): Promise<Books> {
  const read = async <Row>(sql: string, schema: z.ZodType<Row>, ...params: unknown[]): Promise<Row[]> =>
    (await query(sql, [store, ...params])).map((row) => schema.parse(row))
  const bodies = async <Body extends object>(schema: z.ZodType<Body>, ...kinds: string[]) =>
    (await read(BODIES, z.object({ lane: z.string(), body: schema }), kinds)).map(({ lane, body }) => ({
      ...body,
      lane,
    }))
  const sales = await bodies(SaleFact, 'sale')
  const operations = await bodies(OperationFact, 'operation')
  return {
    streams: await read(STREAMS, Stream),
    quarantined: await read(QUARANTINED, Quarantined),
    violations: await readViolations(query),
    facts: await read(FACTS, StoredFact),
    sales: sales.map((sale) => ({ ...sale, totalCents: SaleTotals.parse(sale.totals)?.totalCents ?? 0 })),
    returns: await bodies(ReturnFact, 'return'),
    vouchers: await bodies(VoucherMove, ...KINDS_OF_VOUCHERS),
    zs: (await bodies(ZReportFact, 'z-report')).map(({ lane, report }) => ({ ...ZTotals.parse(report), lane })),
    operations: new Map(operations.map((operation) => [operation.id, operation])),
  }
}

async function readViolations(query: Query): Promise<string[]> {
  const views = await query(
    `SELECT viewname FROM pg_views WHERE schemaname = current_schema() AND viewname LIKE '%\\_wrong' ORDER BY 1`,
  )
  const wrong: string[] = []
  for (const { viewname } of views) {
    const name = String(viewname)
    for (const row of await query(`SELECT * FROM "${name}"`)) wrong.push(`${name}: ${JSON.stringify(row)}`)
  }
  return wrong
}
