import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { statementsOf } from '../../../packages/lab/testing/sql-statements.ts'
import { temporaryFolder } from '../http/testing.ts'
import { type Migration, SchemaTooNewError, migrate, readMigrations, readSchema } from './migrate.ts'
import { openDatabase, type Database } from './database.ts'
import { programVersion } from '../program/process.ts'

function open(file = join(temporaryFolder(), 'terminal.db')): Database {
  const db = openDatabase(file)
  onTestFinished(() => {
    db.close()
  })
  return db
}

const version = (db: Database): unknown => db.pragma('user_version', { simple: true })
const tables = (db: Database): unknown[] =>
  db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_mark'").pluck().all()
const step = (number: number, sql: string, readableFrom = 1): Migration => ({
  number,
  name: `step_${number}`,
  sql: number === 1 ? `${MARK_TABLE}; ${sql}` : sql,
  readableFrom,
})
const MARK_TABLE = /CREATE TABLE schema_mark [^;]*/.exec(readMigrations()[0]?.sql ?? '')?.[0] ?? ''

describe('opening a database', () => {
  test('sets WAL, synchronous FULL and foreign keys, so that a commit that returned is on disk', () => {
    const db = open()
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(db.pragma('synchronous', { simple: true })).toBe(2)
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(db.pragma('trusted_schema', { simple: true })).toBe(0)
  })

  test('keeps synchronous FULL after the first write, and for a file last opened with other pragmas', () => {
    const file = join(temporaryFolder(), 'terminal.db')
    const raw = new Sqlite(file)
    raw.pragma('journal_mode = DELETE')
    raw.pragma('synchronous = OFF')
    raw.exec('CREATE TABLE t (a)')
    raw.close()
    const db = open(file)
    db.exec('INSERT INTO t VALUES (1)')
    expect([db.pragma('journal_mode', { simple: true }), db.pragma('synchronous', { simple: true })]).toEqual([
      'wal',
      2,
    ])
  })

  test('rejects a database that does not apply a pragma, such as one in memory, which has no write-ahead log', () => {
    expect(() => openDatabase(':memory:')).toThrow('did not apply journal_mode: memory instead of wal')
  })

  test('rejects a file that is no database', () => {
    const file = join(temporaryFolder(), 'terminal.db')
    writeFileSync(file, 'this is a text and not a database at all. '.repeat(40))
    expect(() => openDatabase(file)).toThrow(/not a database/)
  })
})

test('the statements of released migration files are unchanged: corrections need a new migration', () => {
  const folder = join(import.meta.dirname, 'migrations')
  const sums = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const sql = readFileSync(join(folder, file), 'utf8')
      const [readableFrom = ''] = sql.split('\n', 1)
      return `${createHash('sha256')
        .update(`${readableFrom}\n${statementsOf(sql)}`)
        .digest('hex')}  ${file}\n`
    })
  expect(sums.join('')).toBe(readFileSync(join(folder, 'sha256sums.txt'), 'utf8'))
})

describe('migrating a database', () => {
  test('brings an empty file to the newest schema, and does nothing the next time', async () => {
    const db = open()
    const all = readMigrations()
    await migrate(db, all, () => {
      throw new Error('there is nothing to back up')
    })
    expect(version(db)).toBe(all.length)
    const before = db.serialize()
    await migrate(db, all, () => {
      throw new Error('there is nothing to do')
    })
    expect(db.serialize().equals(before)).toBe(true)
  })

  test('reaches the same schema step by step or at once', async () => {
    const [slow, quick] = [open(), open()]
    const all = [
      step(1, 'CREATE TABLE one (a)'),
      step(2, 'ALTER TABLE one ADD COLUMN b'),
      step(3, 'CREATE INDEX i ON one (b)'),
    ]
    for (let upTo = 1; upTo <= all.length; upTo += 1) await migrate(slow, all.slice(0, upTo))
    await migrate(quick, all)
    const schema = (db: Database): unknown[] =>
      db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
    expect(schema(slow)).toEqual(schema(quick))
    expect([version(slow), version(quick)]).toEqual([3, 3])
  })

  test('makes a complete backup of an existing database first', async () => {
    const folder = temporaryFolder()
    const db = open(join(folder, 'terminal.db'))
    const first = step(1, "CREATE TABLE one (a); INSERT INTO one VALUES ('alex')")
    await migrate(db, [first])
    const asked: number[] = []
    await migrate(db, [first, step(2, 'CREATE TABLE two (a); DELETE FROM one')], (from) => {
      asked.push(from)
      return join(folder, 'backup.db')
    })
    expect(asked).toEqual([1])
    const backup = new Sqlite(join(folder, 'backup.db'), { readonly: true })
    onTestFinished(() => {
      backup.close()
    })
    expect(backup.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(backup.pragma('user_version', { simple: true })).toBe(1)
    expect(backup.prepare('SELECT a FROM one').pluck().all()).toEqual(['alex'])
    expect(tables(backup)).toEqual(['one'])
  })

  test('does not start when the backup cannot be written', async () => {
    const db = open()
    await migrate(db, [step(1, 'CREATE TABLE one (a)')])
    await expect(
      migrate(db, [step(1, ''), step(2, 'CREATE TABLE two (a)')], () =>
        join(temporaryFolder(), 'no', 'such', 'folder.db'),
      ),
    ).rejects.toThrow(/directory does not exist|unable to open/)
    expect([version(db), tables(db)]).toEqual([1, ['one']])
  })

  test('rolls back all steps when one fails, and keeps the tables from before', async () => {
    const db = open()
    const first = step(1, 'CREATE TABLE one (a)')
    const second = step(2, 'CREATE TABLE two (a)')
    await migrate(db, [first])
    const broken = step(3, 'CREATE TABLE three (a); INSERT INTO three VALUES (1); CREATE TABLE one (a)')
    await expect(migrate(db, [first, second, broken])).rejects.toThrow('already exists')
    expect([version(db), tables(db)]).toEqual([1, ['one']])
    expect(db.inTransaction).toBe(false)
    await migrate(db, [first, second, step(3, 'CREATE TABLE three (a)')])
    expect([version(db), tables(db)]).toEqual([3, ['one', 'two', 'three']])
  })

  test('runs `finish` on the newest schema, and rolls back all steps when `finish` fails', async () => {
    const db = open()
    const all = [step(1, 'CREATE TABLE one (a)'), step(2, 'CREATE TABLE two (a)')]
    const refused = migrate(db, all, undefined, () => {
      expect(version(db), 'it finds the newest schema').toBe(2)
      throw new Error('no key')
    })
    await expect(refused).rejects.toThrow('no key')
    expect([version(db), tables(db)]).toEqual([0, []])
  })

  test('rejects a database of a newer program and leaves it unchanged', async () => {
    const db = open()
    db.pragma('user_version = 99')
    await expect(migrate(db, readMigrations())).rejects.toThrow(SchemaTooNewError)
    await expect(migrate(db, readMigrations())).rejects.toThrow(/schema 99.*install the newer program/)
    expect([version(db), tables(db)]).toEqual([99, []])
  })

  test('records which programs may open the database and which one migrated it', async () => {
    const db = open()
    const all = [step(1, 'CREATE TABLE one (a)'), step(2, 'CREATE TABLE two (a)'), step(3, 'DROP TABLE one', 3)]
    for (const [upTo, readableFrom] of [
      [1, 1],
      [2, 1],
      [3, 3],
    ] as const) {
      await migrate(db, all.slice(0, upTo))
      expect(readSchema(db)).toEqual({ schema: upTo, mark: { schema: upTo, readableFrom, program: programVersion() } })
    }
  })

  test('leaves a newer database unchanged when this program may open it, and rejects it otherwise', async () => {
    const db = open()
    const all = [
      step(1, 'CREATE TABLE one (a)'),
      step(2, 'CREATE TABLE two (a)', 2),
      step(3, 'CREATE TABLE three (a)', 2),
    ]
    await migrate(db, all)
    const before = db.serialize()
    await migrate(db, all.slice(0, 2), () => {
      throw new Error('there is nothing to back up')
    })
    const message = `has schema 3 and this program knows 1; install the newer program, Milepost ${programVersion()}`
    await expect(migrate(db, all.slice(0, 1))).rejects.toThrow(message)
    expect(db.serialize().equals(before)).toBe(true)
  })
})

describe('reading the migration files', () => {
  test.each([
    ['a missing number', ['0001_one.sql', '0003_three.sql'], 'migration 2 is missing'],
    ['a repeated number', ['0001_one.sql', '0001_uno.sql'], 'migration 2 is missing'],
    ['a name of another form', ['0001_one.sql', '2-two.sql'], 'not 2-two.sql'],
  ])('rejects files with %s', (_case, names, message) => {
    const folder = join(temporaryFolder(), 'migrations')
    mkdirSync(folder)
    for (const name of names) writeFileSync(join(folder, name), '-- readable from: 1\nSELECT 1;')
    expect(() => readMigrations(folder)).toThrow(message)
  })

  const startingWith = (...first: string[]): string => {
    const folder = join(temporaryFolder(), 'migrations')
    mkdirSync(folder)
    first.forEach((line, index) => {
      writeFileSync(join(folder, `000${index + 1}_step.sql`), `${line}\nSELECT 1;`)
    })
    return folder
  }
  test.each([
    ['no statement', ['-- readable from: 1', '-- adds a column']],
    ['a schema on another line', ['-- adds a table\n-- readable from: 1']],
    ['a schema after its own', ['-- readable from: 1', '-- readable from: 3']],
    [
      'a schema before that of the previous file',
      ['-- readable from: 1', '-- readable from: 2', '-- readable from: 1'],
    ],
    ['schema 0', ['-- readable from: 0']],
  ])('rejects a file whose first line states no valid oldest schema: %s', (_case, lines) => {
    expect(() => readMigrations(startingWith(...lines))).toThrow('must begin with a line `-- readable from: N`')
  })

  test('reads from each file’s first line the oldest schema whose program can open the result', () => {
    const folder = startingWith('-- readable from: 1', '-- readable from: 1', '-- readable from: 3')
    expect(readMigrations(folder).map(({ readableFrom }) => readableFrom)).toEqual([1, 1, 3])
  })
})
