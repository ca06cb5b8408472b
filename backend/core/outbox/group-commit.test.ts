import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder, testClock } from '../http/testing.ts'
import { openTestDatabase } from '../../../packages/lab/testing/loyalty-harness.ts'
import type { Database } from '../db/database.ts'
import { createTransact } from '../db/transact.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'

let db: Database
let together: GroupCommit
let commits: number
/** Runs what was put off to the end of the turn. */
let turn: () => void

beforeEach(async () => {
  db = await openTestDatabase(temporaryFolder())
  db.exec('CREATE TABLE kept (word TEXT PRIMARY KEY) STRICT')
  commits = 0
  const later: (() => void)[] = []
  turn = () => {
    for (const work of later.splice(0)) work()
  }
  const { transact } = createTransact({
    db,
    onStop: () => undefined,
    refusal: () => new Error('storage-failed'),
    onMissed(error) {
      throw error
    },
    watch: {
      committing: () => {
        commits += 1
      },
    },
  })
  together = createGroupCommit({
    transact,
    clock: {
      ...testClock(),
      after: (_ms, work) => {
        later.push(work)
        return () => undefined
      },
    },
  })
})

const keep = (word: string) => (): string => {
  db.prepare('INSERT INTO kept VALUES (?)').run(word)
  return word
}
const kept = (): unknown[] => db.prepare('SELECT word FROM kept ORDER BY word').pluck().all()
const outcome = (promise: Promise<string>): Promise<string> =>
  promise.catch((error: unknown) => (error instanceof Error ? error.message : String(error)))

describe('works that come in one turn', () => {
  test('share one commit, and each hears of it when it is on disk', async () => {
    const all = Promise.all(['a', 'b', 'c'].map((word) => together.soon(keep(word))))
    expect([kept(), commits]).toEqual([[], 0])
    turn()
    expect([kept(), commits]).toEqual([['a', 'b', 'c'], 1])
    expect(await all).toEqual(['a', 'b', 'c'])
  })

  test('what one of them throws takes back that one alone', async () => {
    const all = Promise.all([
      outcome(together.soon(keep('a'))),
      outcome(
        together.soon(() => {
          keep('b')()
          throw new Error('not this one')
        }),
      ),
      outcome(together.soon(keep('a'))),
      outcome(together.soon(keep('c'))),
    ])
    turn()
    expect(await all).toEqual(['a', 'not this one', expect.stringContaining('UNIQUE'), 'c'])
    expect([kept(), commits]).toEqual([['a', 'c'], 1])
  })

  test('a disk that fails stops the terminal: all of them hear it, and later ones are refused', async () => {
    const both = Promise.all([
      outcome(together.soon(keep('a'))),
      outcome(
        together.soon(() => {
          db.pragma('query_only = ON')
          return keep('b')()
        }),
      ),
    ])
    turn()
    expect(await both).toEqual(['storage-failed', 'storage-failed'])
    db.pragma('query_only = OFF')
    const later = outcome(together.soon(keep('c')))
    turn()
    expect(await later).toBe('storage-failed')
    expect(kept()).toEqual([])
  })
})

test('what waits is committed at once when it is asked for, and not again at the end of the turn', async () => {
  const a = together.soon(keep('a'))
  together.now()
  expect(await a).toBe('a')
  turn()
  expect([kept(), commits]).toEqual([['a'], 1])
})
