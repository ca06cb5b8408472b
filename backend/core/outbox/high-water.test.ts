import { createOutbox, type Outbox } from './outbox.ts'
import { openSync, readFileSync, statSync, writeFileSync, writeSync, closeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemRng, systemClock } from '../clock.ts'
import { temporaryFolder, testClock, testLog } from '../http/testing.ts'
import { MASTER_KEY, openTestDatabase, openSale, refusal } from '../../../packages/lab/testing/loyalty-harness.ts'
import { openHighWaterMark, type HighWaterMark } from './high-water.ts'
import { createSeal } from '../integrity/seal.ts'

const HASH = 'ab'.repeat(32)
const audit = { seq: 3, hash: 'ef'.repeat(32) }

function markIn(folder: string): { mark: HighWaterMark; file: string } {
  const file = join(folder, 'journal.mark')
  const mark = openHighWaterMark(file, systemClock, createSeal(MASTER_KEY))
  onTestFinished(() => {
    mark.close()
  })
  return { mark, file }
}

describe('the mark outside the database', () => {
  test('is the newest one that was written, even after a restart', () => {
    const folder = temporaryFolder()
    const { mark, file } = markIn(folder)
    expect(mark.read()).toBeNull()
    for (let seq = 1; seq <= 5; seq += 1) mark.note({ seq, hash: HASH, counter: 2 * seq, audit })
    expect(mark.read()).toEqual({ seq: 5, hash: HASH, counter: 10, audit })
    expect(markIn(folder).mark.read(), 'even when the program ended without closing it').toEqual({
      seq: 5,
      hash: HASH,
      counter: 10,
      audit,
    })
    expect(statSync(file).mode & 0o077, 'readable only for its owner').toBe(0)
  })

  test.each([
    [0, 8],
    [1, 8],
    [40, 8],
    [100, 8],
    [136, 8],
    [199, 8],
    [200, 9],
    [255, 9],
  ])('is the newest complete one after a write was cut off at %i bytes', (length, newest) => {
    const folder = temporaryFolder()
    const { mark, file } = markIn(folder)
    mark.note({ seq: 7, hash: HASH, counter: 0, audit })
    mark.note({ seq: 8, hash: HASH, counter: 0, audit })
    mark.close()
    // The ninth write goes to the slot of the seventh mark; only its first bytes are written.
    const next = join(temporaryFolder(), 'next')
    writeFileSync(next, readFileSync(file))
    const other = openHighWaterMark(next, systemClock, createSeal(MASTER_KEY))
    other.note({ seq: 9, hash: 'cd'.repeat(32), counter: 0, audit })
    other.close()
    const fd = openSync(file, 'r+')
    writeSync(fd, readFileSync(next).subarray(0, length), 0, length, 0)
    closeSync(fd)
    expect(markIn(folder).mark.read()?.seq).toBe(newest)
  })

  test('counts as missing when its file has other contents', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'journal.mark'), 'x'.repeat(700))
    expect(markIn(folder).mark.read()).toBeNull()
  })
})

async function journalIn(
  folder: string,
): Promise<Pick<Outbox, 'transact' | 'journal' | 'chain'> & { add: () => void; wipe: (from: number) => void }> {
  const db = await openTestDatabase(folder, { followed: false })
  const { mark } = markIn(folder)
  const seal = createSeal(MASTER_KEY)
  const { transact, journal, chain } = createOutbox({
    db,
    seal,
    mark,
    clock: testClock(),
    rng: systemRng,
    log: testLog().log,
    onStop: () => undefined,
    refusal,
  })
  return {
    transact,
    journal,
    chain,
    add: () => {
      transact((tx) =>
        journal.open(tx, {
          kind: 'redemption',
          type: 'redeem',
          saleId: openSale(db, systemRng.uuid()),
          collectorHash: seal.keyedHash('80000000011'),
          state: 'intent',
          sending: true,
          facts: {},
          call: {
            purpose: 'redeem',
            path: '/r',
            idempotencyKey: systemRng.uuid(),
            traceId: 't',
            dateTime: 'd',
            request: Buffer.from('{}'),
          },
        }),
      )
    },
    wipe: (from) => {
      db.exec('DROP TRIGGER journal_entry_is_append_only_delete')
      db.prepare('DELETE FROM journal_entry WHERE seq >= ?').run(from)
    },
  }
}

describe('a journal whose newest entries were removed', () => {
  test('is detected by the mark, although the remaining chain is valid', async () => {
    const folder = temporaryFolder()
    const { chain, add, wipe } = await journalIn(folder)
    for (let entry = 0; entry < 3; entry += 1) add()
    expect(chain.entriesMissing()).toBeNull()
    wipe(3)
    expect(chain.firstBrokenEntry()).toBeNull()
    expect(chain.entriesMissing()).toEqual({ expected: 3, found: 2 })
  })

  test('is detected even when new entries have the same numbers', async () => {
    const folder = temporaryFolder()
    const first = await journalIn(folder)
    for (let entry = 0; entry < 2; entry += 1) first.add()
    const noted = readFileSync(join(folder, 'journal.mark'))
    first.wipe(2)
    first.add()
    writeFileSync(join(folder, 'journal.mark'), noted)
    expect((await journalIn(folder)).chain.entriesMissing()).toEqual({ expected: 2, found: 1 })
  })
})

test('a rolled back transaction does not move the mark, so no entry is reported as missing', async () => {
  const { transact, journal, chain, add } = await journalIn(temporaryFolder())
  add()
  expect(() => transact((tx) => journal.move(tx, 'nothing', 'retry'))).toThrow('no operation')
  add()
  expect(chain.entriesMissing()).toBeNull()
})
