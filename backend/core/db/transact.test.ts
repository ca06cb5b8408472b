import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../http/testing.ts'
import { openDatabase, type Database } from './database.ts'
import { createTransact, type Tx } from './transact.ts'

class Refused extends Error {}

function books(): { db: Database; stops: string[]; missed: unknown[]; file: string } & ReturnType<
  typeof createTransact
> {
  const file = join(temporaryFolder(), 'terminal.db')
  const db = openDatabase(file)
  onTestFinished(() => {
    db.close()
  })
  db.exec(
    'CREATE TABLE sale (id INTEGER PRIMARY KEY, note TEXT NOT NULL UNIQUE) STRICT; CREATE TABLE line (sale ' +
      'INTEGER NOT NULL REFERENCES sale (id)) STRICT',
  )
  const stops: string[] = []
  const missed: unknown[] = []
  const { transact, failStop, halt } = createTransact({
    db,
    onStop: (error) => {
      stops.push('code' in error ? String(error.code) : error.message)
    },
    refusal: () => new Refused('the terminal takes no money'),
    onMissed: (error) => {
      missed.push(error)
    },
  })
  return { db, stops, missed, file, transact, failStop, halt }
}

const count = (db: Database): unknown => db.prepare('SELECT count(*) FROM sale').pluck().get()

describe('a transaction', () => {
  test('returns the result of its work, and another connection reads the commit at once', () => {
    const { db, transact, file } = books()
    expect(transact(() => db.prepare("INSERT INTO sale (note) VALUES ('a')").run().changes)).toBe(1)
    const other = openDatabase(file)
    expect(count(other)).toBe(1)
    other.close()
  })

  test('inside another commits and rolls back with it', () => {
    const { db, transact, failStop } = books()
    expect(() =>
      transact(() => {
        transact(() => db.exec("INSERT INTO sale (note) VALUES ('inner')"))
        throw new Error('a rule of the sale')
      }),
    ).toThrow('a rule of the sale')
    expect(count(db)).toBe(0)
    expect(failStop.reason, 'a rule is no failure of the disk').toBeNull()
  })

  test('inside another can roll back alone, and its after-commit work then does not run', () => {
    const { db, transact } = books()
    const published: string[] = []
    transact(() => {
      db.exec("INSERT INTO sale (note) VALUES ('outer')")
      transact.afterCommit(() => published.push('outer'))
      expect(() =>
        transact(() => {
          db.exec("INSERT INTO sale (note) VALUES ('inner')")
          transact.afterCommit(() => published.push('inner'))
          throw new Error('refused')
        }),
      ).toThrow('refused')
      expect(published, 'nothing is published before the commit').toEqual([])
    })
    expect(published).toEqual(['outer'])
    expect(count(db)).toBe(1)
  })

  test('runs all after-commit work even when some of it throws, and none after a rollback', () => {
    const { transact, missed } = books()
    const published: string[] = []
    transact(() => {
      transact.afterCommit(() => {
        throw new Error('no listener')
      })
      transact.afterCommit(() => published.push('second'))
    })
    expect(missed).toMatchObject([{ message: 'no listener' }])
    expect(() =>
      transact(() => {
        transact.afterCommit(() => published.push('taken back'))
        throw new Error('refused')
      }),
    ).toThrow('refused')
    transact.afterCommit(() => published.push('outside'))
    expect(published).toEqual(['second', 'outside'])
  })

  test('writes through its `Tx`, which is invalid after the transaction has ended', () => {
    const { db, transact } = books()
    const insert = db.prepare('INSERT INTO sale (note) VALUES (?)')
    const outer = transact((tx) => {
      tx.run(insert, 'inside')
      return tx
    })
    expect(() => outer.run(insert, 'after')).toThrow('the transaction has ended')
    const taken: Tx[] = []
    expect(() =>
      transact((tx) => {
        taken.push(tx)
        throw new Error('refused')
      }),
    ).toThrow('refused')
    expect(() => taken[0]?.run(insert, 'after')).toThrow('the transaction has ended')
    expect(count(db)).toBe(1)
  })

  test('rejects work that returns a promise, and rolls it back', () => {
    const { db, transact } = books()
    expect(() =>
      transact(async () => {
        db.exec("INSERT INTO sale (note) VALUES ('later')")
      }),
    ).toThrow(/promise/)
    expect(count(db)).toBe(0)
  })
})

describe('a constraint error of the database', () => {
  test.each([
    ['a duplicate of a unique value', "INSERT INTO sale (note) VALUES ('a')", 'UNIQUE'],
    ['a missing required value', 'INSERT INTO sale (note) VALUES (NULL)', 'NOT NULL'],
    ['a text in a column of numbers', "INSERT INTO line (sale) VALUES ('x')", 'cannot store TEXT'],
    ['a line of an unknown sale', 'INSERT INTO line (sale) VALUES (77)', 'FOREIGN KEY'],
    [
      'a line of an unknown sale, found at the commit',
      'PRAGMA defer_foreign_keys = ON; INSERT INTO line (sale) VALUES (77)',
      'FOREIGN KEY',
    ],
  ])('such as %s is thrown and rolls back, and later transactions still run', (_case, sql, message) => {
    const { db, transact, failStop, stops } = books()
    transact(() => db.exec("INSERT INTO sale (note) VALUES ('a')"))
    expect(() =>
      transact(() => {
        db.exec("INSERT INTO sale (note) VALUES ('with the mistake')")
        db.exec(sql)
      }),
    ).toThrow(message)
    expect([count(db), failStop.reason, stops, db.inTransaction]).toEqual([1, null, [], false])
    transact(() => db.exec("INSERT INTO sale (note) VALUES ('next')"))
    expect(count(db)).toBe(2)
  })
})

describe('a disk error', () => {
  const failures: [string, (db: Database, file: string) => void, string][] = [
    [
      'a full disk',
      (db) => {
        db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`)
      },
      'SQLITE_FULL',
    ],
    [
      'a disk that became read-only',
      (db) => {
        db.pragma('query_only = ON')
      },
      'SQLITE_READONLY',
    ],
    [
      'a file that another program holds',
      (db, file) => {
        db.pragma('busy_timeout = 0')
        const other = openDatabase(file)
        onTestFinished(() => {
          other.close()
        })
        other.exec('BEGIN IMMEDIATE')
      },
      'SQLITE_BUSY',
    ],
  ]
  const big = 'INSERT INTO sale (note) VALUES (hex(zeroblob(100000)))'

  test.each(failures)(
    'such as %s stops payments and is reported once, and every later write is rejected',
    (_case, fail, code) => {
      const { db, transact, failStop, stops, file } = books()
      transact(() => db.exec("INSERT INTO sale (note) VALUES ('before')"))
      fail(db, file)
      expect(() => transact(() => db.exec(big))).toThrow(Refused)
      expect(failStop.reason).toBe('storage-failed')
      expect(stops).toEqual([code])

      let began = false
      expect(() =>
        transact(() => {
          began = true
        }),
      ).toThrow(Refused)
      expect(began, 'the work does not start').toBe(false)
      expect(stops, 'reported once').toHaveLength(1)
      expect(count(db), 'earlier rows remain').toBe(1)
    },
  )

  test('keeps the terminal stopped even after the disk recovers', () => {
    const { db, transact, failStop } = books()
    db.pragma('query_only = ON')
    expect(() => transact(() => db.exec(big))).toThrow(Refused)
    db.pragma('query_only = OFF')
    expect(() => transact(() => db.exec(big))).toThrow(Refused)
    expect(failStop.reason).toBe('storage-failed')
  })

  test('inside an inner transaction also fails the outer one and stops the terminal', () => {
    const { db, transact, failStop } = books()
    db.pragma('query_only = ON')
    expect(() => transact(() => transact(() => db.exec(big)))).toThrow(Refused)
    expect(failStop.reason).toBe('storage-failed')
  })

  test('still rolls back and stops the terminal if the work catches it', () => {
    const { db, transact, failStop } = books()
    db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`)
    expect(() =>
      transact(() => {
        db.exec("INSERT INTO sale (note) VALUES ('small')")
        try {
          db.exec(big)
        } catch {}
      }),
    ).toThrow(Refused)
    expect([failStop.reason, count(db)]).toEqual(['storage-failed', 0])
  })

  test('lets no inner transaction commit after the work caught it', () => {
    const { db, transact, failStop } = books()
    db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`)
    expect(() =>
      transact(() => {
        try {
          db.exec(big)
        } catch {}
        transact(() => db.exec("INSERT INTO sale (note) VALUES ('half')"))
      }),
    ).toThrow(Refused)
    expect([failStop.reason, count(db)]).toEqual(['storage-failed', 0])
  })
})

test('a component that finds the database untrustworthy stops every later write and states the reason', () => {
  const { transact, failStop, halt, stops } = books()
  expect(transact(() => 'taken')).toBe('taken')
  halt(new Error('rows of the table tender were changed'))
  expect([failStop.reason, stops]).toEqual(['database-changed', ['rows of the table tender were changed']])
  expect(() => transact(() => 'taken')).toThrow('takes no money')
})
