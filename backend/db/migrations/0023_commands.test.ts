import { expect, test } from 'vitest'
import { openTestDatabase } from '../../http/testing.ts'

test('a key stands once, and the old ones are found without reading all', async () => {
  const db = await openTestDatabase()
  const insert = db.prepare('INSERT INTO command (key, at, fingerprint) VALUES (?, 1, zeroblob(32))')
  insert.run('K')
  expect(() => insert.run('K')).toThrow(/UNIQUE/)
  expect(JSON.stringify(db.prepare('EXPLAIN QUERY PLAN DELETE FROM command WHERE at < 5').all())).toContain(
    'command_at',
  )
})
