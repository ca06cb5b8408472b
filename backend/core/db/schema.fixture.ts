import { openTestDatabase } from '../http/testing.ts'
import type { Database } from './database.ts'

type Value = string | number | Buffer | null
export type Row = Readonly<Record<string, Value>>

const NAMES = '{"en-CA":"Pear","fr-CA":"Poire"}'
const ROWS = {
  setting: { id: 1, name: 'taxes', value: 'null', from_at: 5, at: 1, staff_id: 'sam' },
  staff: { id: 'kim', name: 'Kim', role: 'cashier', locale: 'en-CA' },
  command: { key: 'K1', at: 0, fingerprint: Buffer.alloc(32) },
  catalog_edition: {
    id: 'e',
    origin: 'profile',
    file_name: 'catalog.csv',
    items: 1,
    made_at: 0,
    source_hash: Buffer.alloc(32),
  },
  audit_entry: { id: 1, at: 0, kind: 'sign-in', hash: Buffer.alloc(32) },
  shift: { id: 1, lane: '01', opened_at: 0, opened_by: 'alex', float_cents: 0 },
  shift_count: { shift_id: 1, number: 1, at: 2, staff_id: 'alex', count: '{}', tolerated_cents: 0 },
  cash_movement: { id: 1, shift_id: 1, kind: 'drop', amount_cents: -500, at: 1, staff_id: 'alex', reason: 'safe' },
  z_report: { number: 1, lane: '01', at: 3, staff_id: 'sam', last_audit: 0, last_entry: 0, report: '{}' },
  sale: { id: 'S1', sequence: 1, version: 1, state: 'open', lane: '01', cashier_id: 'alex', opened_at: 0 },
  sale_line: {
    sale_id: 'S1',
    number: 1,
    sku: 'K',
    names: NAMES,
    quantity: 3,
    unit_price_cents: 500,
    tax_category: 'standard',
    department_id: 'd',
  },
  sale_discount: { sale_id: 'S1', number: 1, reaches: 'line', target: '1', off_cents: 100, reason: 'damaged' },
  tender: { sale_id: 'S1', number: 1, kind: 'cash', amount_cents: 500, tendered_cents: 500, at: 1, shift_id: 1 },
  sale_return: {
    id: 'B1',
    sequence: 11,
    sale_id: 'S1',
    lane: '01',
    cashier_id: 'alex',
    at: 9,
    subtotal_cents: 500,
    taxes: '[]',
    total_cents: 500,
    shift_id: 1,
  },
  return_line: {
    return_id: 'B1',
    number: 1,
    sale_line_number: 1,
    sku: 'K',
    names: NAMES,
    quantity: 1,
    unit_price_cents: 500,
    tax_category: 'standard',
    department_id: 'd',
  },
  refund: { return_id: 'B1', number: 1, kind: 'cash', paid_by: 'cash', amount_cents: 500 },
  voucher: {
    id: 'V1',
    kind: 'gift-card',
    code_hash: Buffer.from([1]),
    code_sealed: Buffer.from([2]),
    last4: 'QRST',
    issued_at: 9,
  },
  voucher_entry: { voucher_id: 'V1', at: 9, kind: 'issued', amount_cents: 500 },
  voucher_draw: {
    id: '5f0c9f0e-3b1d-4c55-9a77-000000000001',
    voucher_id: 'V2',
    sale_id: 'S1',
    amount_cents: 300,
    asked_at: 9,
    state: 'asked',
  },
  voucher_transfer: {
    id: '5f0c9f0e-3b1d-4c55-9a77-000000000001',
    voucher_id: 'V2',
    direction: 'drawn',
    amount_cents: 300,
    at: 9,
    reason: 'payment',
  },
  voucher_use: { id: 1, voucher_id: 'V2', at: 9, kind: 'redeemed', amount_cents: 100, sale_id: 'S1' },
  operation: {
    id: 'R1',
    kind: 'redemption',
    type: 'redeem',
    sale_id: 'S1',
    collector_hash: Buffer.from([10]),
    state: 'intent',
    open: 1,
    created_at: 1,
    changed_at: 2,
    newest_entry: 1,
    digest: Buffer.alloc(32),
  },
  operation_call: {
    operation_id: 'R1',
    purpose: 'redeem',
    path: '/p',
    idempotency_key: 'K1',
    trace_id: 't',
    date_time: 'd',
    request_sealed: Buffer.from([1]),
    request_sha256: Buffer.alloc(32),
  },
  journal_entry: {
    seq: 1,
    operation_id: 'R1',
    at: 0,
    to_state: 'intent',
    detail: '{}',
    previous_hash: Buffer.alloc(32),
    hash: Buffer.alloc(32),
  },
  print_job: {
    id: 'P1',
    kind: 'sale',
    sale_id: 'S1',
    copy: 0,
    document: '{}',
    open_drawer: 0,
    state: 'queued',
    created_at: 1,
  },
} as const satisfies Record<string, Row>

export const COMPLETED = { state: 'completed', closed_at: 1, taxes: '[]', totals: '{}', shift_id: 1 } as const
export const ISSUANCE = { kind: 'issuance', type: 'issue', state: 'queued' } as const

export interface Schema {
  readonly db: Database
  insert(table: keyof typeof ROWS, values?: Row): void
  replace(table: keyof typeof ROWS, values?: Row): void
  all(sql: string): unknown[]
  plan(sql: string): string
}

export async function openSchema(): Promise<Schema> {
  const db = await openTestDatabase()
  const put = (verb: string, table: keyof typeof ROWS, values: Row = {}): void => {
    const row: Row = { ...ROWS[table], ...values }
    const columns = Object.keys(row)
    db.prepare(
      `${verb} INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
    ).run(row)
  }
  const schema: Schema = {
    db,
    insert: (table, values) => put('INSERT', table, values),
    replace: (table, values) => put('INSERT OR REPLACE', table, values),
    all: (sql) => db.prepare(sql).raw().all(),
    plan: (sql) =>
      db
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join('; '),
  }
  schema.insert('staff', { id: 'alex', name: 'Alex' })
  schema.insert('staff', { id: 'sam', name: 'Sam', role: 'manager' })
  schema.insert('shift')
  return schema
}

export type Refusal = readonly [what: string, ask: (schema: Schema) => void, answer: string]
