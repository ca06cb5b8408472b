import { expect, test } from 'vitest'
import { openTestDatabase } from '../../http/testing.ts'

test('the key of a return stands with its command: no column of its own is left', async () => {
  const db = await openTestDatabase()
  expect(db.prepare("SELECT name FROM pragma_table_info('sale_return')").pluck().all()).not.toContain('idempotency_key')
})
