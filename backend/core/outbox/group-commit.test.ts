import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder, testClock } from '../http/testing.ts'
import { openTestDatabase } from '../../../packages/lab/testing/loyalty-harness.ts'
import type { Database } from '../db/database.ts'
import { createTransact } from '../db/transact.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'

let db: Database
let together: GroupCommit
let commits: number
let endTick: () => void

beforeEach(async () => {
  db = await openTestDatabase(temporaryFolder())
  db.exec('CREATE TABLE stored_text (word TEXT PRIMARY KEY) STRICT')
  commits = 0
  const later: (() => void)[] = []
  endTick = () => {
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

const insert = (text: string) => (): string => {
  db.prepare('INSERT INTO stored_text VALUES (?)').run(text)
  return text
}
const stored = (): unknown[] => db.prepare('SELECT word FROM stored_text ORDER BY word').pluck().all()
const outcome = (promise: Promise<string>): Promise<string> =>
  promise.catch((error: unknown) => (error instanceof Error ? error.message : String(error)))

describe('pieces of work queued in one tick', () => {
  test('share one commit, and each resolves when it is on disk', async () => {
    const all = Promise.all(['a', 'b', 'c'].map((text) => together.soon(insert(text))))
    expect([stored(), commits]).toEqual([[], 0])
    endTick()
    expect([stored(), commits]).toEqual([['a', 'b', 'c'], 1])
    expect(await all).toEqual(['a', 'b', 'c'])
  })

  test('roll back alone when one of them throws, and the others commit', async () => {
    const all = Promise.all([
      outcome(together.soon(insert('a'))),
      outcome(
        together.soon(() => {
          insert('b')()
          throw new Error('not this one')
        }),
      ),
      outcome(together.soon(insert('a'))),
      outcome(together.soon(insert('c'))),
    ])
    endTick()
    expect(await all).toEqual(['a', 'not this one', expect.stringContaining('UNIQUE'), 'c'])
    expect([stored(), commits]).toEqual([['a', 'c'], 1])
  })

  test('are all rejected when the disk fails, and the terminal stops', async () => {
    const both = Promise.all([
      outcome(together.soon(insert('a'))),
      outcome(
        together.soon(() => {
          db.pragma('query_only = ON')
          return insert('b')()
        }),
      ),
    ])
    endTick()
    expect(await both).toEqual(['storage-failed', 'storage-failed'])
    db.pragma('query_only = OFF')
    const later = outcome(together.soon(insert('c')))
    endTick()
    expect(await later).toBe('storage-failed')
    expect(stored()).toEqual([])
  })
})

test('a group that is committed on request is not committed again at the end of the tick', async () => {
  const a = together.soon(insert('a'))
  together.now()
  expect(await a).toBe('a')
  endTick()
  expect([stored(), commits]).toEqual([['a'], 1])
})
