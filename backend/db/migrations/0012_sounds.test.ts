import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase } from '../open.ts'

test('a database of the schema before it has no lane that was set, and a volume stays within its scale', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const before = readMigrations().findIndex(({ name }) => name === 'sounds')
  await migrate(db, readMigrations().slice(0, before))
  await migrate(db, readMigrations().slice(0, before + 1))
  expect(db.prepare('SELECT lane, volume FROM lane_sound').all()).toEqual([])
  for (const volume of [-1, 11])
    expect(() => db.prepare("INSERT INTO lane_sound (lane, volume) VALUES ('01', ?)").run(volume)).toThrow(/CHECK/)
})
