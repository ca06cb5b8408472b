import { describe, expect, test } from 'vitest'
import { DocumentKind } from '../../../contracts/core/receipt.ts'
import { COMPLETED, openSchema, type Refusal, type Row, type Schema } from './schema.fixture.ts'

async function withSubjects(): Promise<Schema> {
  const schema = await openSchema()
  schema.insert('sale', COMPLETED)
  schema.insert('sale_return')
  schema.insert('voucher')
  return schema
}

const OF_RETURN = { sale_id: null, return_id: 'B1' } as const
const OF_VOUCHER = { sale_id: null, voucher_id: 'V1' } as const
const OF_NONE = { sale_id: null, subject: 'Z00000001' } as const
const paper = (values: Row) => (schema: Schema) => {
  schema.insert('print_job', values)
}

const REFUSED: readonly Refusal[] = [
  ['a receipt without a sale', paper({ sale_id: null }), 'CHECK'],
  ['a document of two subjects', paper({ return_id: 'B1' }), 'CHECK'],
  ['a gift receipt of a return', paper({ ...OF_RETURN, kind: 'gift' }), 'CHECK'],
  ['a return document of a sale', paper({ kind: 'return' }), 'CHECK'],
  ['a voucher document of a return', paper({ ...OF_RETURN, kind: 'voucher' }), 'CHECK'],
  ['a document without a kind', paper({ kind: '' }), 'CHECK'],
  ['a document that is no JSON', paper({ document: '{' }), 'CHECK'],
  ['an unknown state', paper({ state: 'lost' }), 'CHECK'],
]

describe('the document table', () => {
  test.each(REFUSED)('rejects a row that breaks its constraints: %s', async (_case, ask, answer) => {
    const schema = await withSubjects()
    expect(() => ask(schema)).toThrow(answer)
  })
})

test('the document table accepts every kind of document, so that a new kind needs no migration', async () => {
  const { insert, all } = await withSubjects()
  const subjects: Record<DocumentKind, Row> = {
    sale: {},
    'store-sale': OF_NONE,
    gift: {},
    'payment-back': {},
    return: OF_RETURN,
    voucher: OF_VOUCHER,
    'cash-movement': OF_NONE,
    shift: OF_NONE,
    'z-report': OF_NONE,
    closing: OF_NONE,
  }
  for (const kind of DocumentKind.options) insert('print_job', { id: kind, kind, ...subjects[kind] })
  insert('print_job', { id: 'N', kind: 'next', ...OF_NONE })
  expect(all('SELECT count(*) FROM print_job')).toEqual([[DocumentKind.options.length + 1]])
})

test('queries of the print queue and of the documents of one subject use an index', async () => {
  const { plan } = await openSchema()
  expect(plan("SELECT id FROM print_job WHERE state = 'queued' ORDER BY created_at")).toBe(
    'SCAN print_job USING INDEX print_job_open',
  )
  expect(
    plan("SELECT id FROM print_job WHERE sale_id = 'S' OR return_id = 'S' OR voucher_id = 'S' OR subject = 'S'"),
  ).not.toContain('SCAN print_job')
})
