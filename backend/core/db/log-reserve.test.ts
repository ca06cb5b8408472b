import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../http/testing.ts'
import { reserveLog } from './log-reserve.ts'
import { openDatabase, type Database } from './database.ts'

const LOG_BYTES = 32 + 4_000 * (24 + 4_096)

function open(file: string): Database {
  const db = openDatabase(file)
  onTestFinished(() => {
    db.close()
  })
  return db
}

const newFile = (): string => join(temporaryFolder(), 'terminal.db')
const logSize = (file: string): number => statSync(`${file}-wal`).size

function cut(file: string): string {
  const copy = newFile()
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix)
  return copy
}

const rowsOf = (db: Database): unknown[] => db.prepare('SELECT id FROM stored ORDER BY id').pluck().all()

describe('the reserve of the write-ahead log', () => {
  test('is allocated once, and later commits do not grow the file', () => {
    const file = newFile()
    const db = open(file)
    expect(reserveLog(db)).toBeGreaterThan(LOG_BYTES - 64 * 1024)
    expect(reserveLog(db)).toBe(0)
    db.exec('CREATE TABLE stored (id INTEGER PRIMARY KEY) STRICT')
    for (let row = 0; row < 100; row += 1) db.exec('INSERT INTO stored DEFAULT VALUES')
    expect(logSize(file)).toBe(LOG_BYTES)
  })

  test('keeps every commit of the log after a power cut, and SQLite reads no frame past the last commit', () => {
    const file = newFile()
    const db = open(file)
    db.exec('CREATE TABLE stored (id INTEGER PRIMARY KEY) STRICT; INSERT INTO stored VALUES (1), (2)')
    const second = open(cut(file))
    expect(reserveLog(second)).toBeGreaterThan(0)
    expect(rowsOf(second)).toEqual([1, 2])
    second.exec('INSERT INTO stored VALUES (3)')
    const third = open(cut(second.name))
    expect(rowsOf(third)).toEqual([1, 2, 3])
    expect(third.pragma('integrity_check', { simple: true })).toBe('ok')
  })

  test('is an empty log for SQLite while it has only zeros, and SQLite can write to it', () => {
    const file = newFile()
    const db = open(file)
    db.exec('CREATE TABLE stored (id INTEGER PRIMARY KEY) STRICT; INSERT INTO stored VALUES (1)')
    db.close()
    expect(existsSync(`${file}-wal`)).toBe(false)
    const again = open(file)
    expect(reserveLog(again)).toBe(LOG_BYTES)
    const third = open(cut(file))
    expect(rowsOf(third)).toEqual([1])
    third.exec('INSERT INTO stored VALUES (2)')
    expect(rowsOf(third)).toEqual([1, 2])
  })

  test('does not make SQLite read old frames from before a checkpoint that remain behind the newer commits', () => {
    const file = newFile()
    const db = open(file)
    reserveLog(db)
    db.exec('CREATE TABLE stored (id INTEGER PRIMARY KEY) STRICT')
    for (let row = 1; row <= 50; row += 1) db.exec(`INSERT INTO stored VALUES (${row})`)
    db.pragma('wal_checkpoint(RESTART)')
    db.exec('DELETE FROM stored WHERE id > 3')
    expect(rowsOf(open(cut(file)))).toEqual([1, 2, 3])
  })

  test('is not allocated on a small disk, so that sales can use the free space', ({ skip }) => {
    skip(process.getuid?.() !== 0 || process.platform !== 'linux', 'needs root on Linux, to mount a small disk')
    const folder = temporaryFolder()
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder])).toMatchObject({ status: 0 })
    onTestFinished(() => {
      spawnSync('umount', [folder])
    })
    const file = join(folder, 'terminal.db')
    const db = open(file)
    expect(reserveLog(db)).toBe(0)
    expect(statfsSync(folder).bavail * statfsSync(folder).bsize).toBeGreaterThan(11 * 1024 * 1024)
    db.exec('CREATE TABLE stored (id INTEGER PRIMARY KEY) STRICT; INSERT INTO stored VALUES (1)')
    expect(rowsOf(open(cut(file)))).toEqual([1])
    // A long log that a crash left is shortened when the disk is nearly full.
    db.exec('CREATE TABLE long (bytes BLOB) STRICT; INSERT INTO long VALUES (zeroblob(3000000)); DROP TABLE long')
    expect(logSize(file)).toBeGreaterThan(2_000_000)
    reserveLog(db)
    expect(logSize(file)).toBe(0)
    expect(rowsOf(db)).toEqual([1])
    // The log also stays short afterwards, because checkpoints then run earlier.
    const change = db.prepare('UPDATE stored SET id = id + 1')
    for (let commit = 0; commit < 4_000; commit += 1) change.run()
    expect(rowsOf(db)).toEqual([4_001])
    expect(logSize(file)).toBeLessThan(2 * 1024 * 1024)
    db.close()
  })

  test('is not created for a database without a log', () => {
    const inMemory = new Sqlite(':memory:')
    onTestFinished(() => {
      inMemory.close()
    })
    expect(reserveLog(inMemory)).toBe(0)
  })
})
