import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { systemRng } from '../clock.ts'
import { testClock } from '../http/testing.ts'
import {
  COLLECTOR,
  sampleOperation,
  openJournalWithSale as journalHarness,
} from '../../../packages/lab/testing/sample-operations.ts'
import {
  ISSUANCE_TRANSITIONS,
  isOpen,
  REDEMPTION_TRANSITIONS,
  mayMove,
  type OperationKind,
  type OperationState,
} from './states.ts'
import { createChain } from './chain.ts'
import { createJournal, ForbiddenTransitionError } from './journal.ts'
import { placeOfCall } from './stored-calls.ts'

const MAX = 1_000

describe('the stored bytes of a call', () => {
  test('are restored exactly, also after a restart', async () => {
    const here = await journalHarness()
    const anything = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const { id } = here.transact((tx) =>
      here.journal.open(
        tx,
        sampleOperation(here, 'redemption', {
          call: { ...sampleOperation(here, 'redemption').call, request: anything },
        }),
      ),
    )
    expect(here.journal.call(id, 'redeem').request.equals(anything)).toBe(true)
    here.db.close()
    const again = await journalHarness({ folder: here.folder })
    expect(again.journal.call(id, 'redeem').request.equals(anything)).toBe(true)
    expect(again.journal.call(id, 'redeem')).toMatchObject({ purpose: 'redeem' })
    expect(again.journal.get(id)).toMatchObject({ sends: 1, firstSentAt: here.clock.now() })
  })

  test('cannot be opened with the key of another terminal', async () => {
    const here = await journalHarness()
    const { id } = here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
    here.db.close()
    const stranger = await journalHarness({ folder: here.folder, masterKey: Buffer.alloc(32, 8) })
    expect(() => stranger.journal.call(id, 'redeem')).toThrow(/unable to authenticate/)
  })

  test('are rejected by their hash when other bytes were sealed with the right key in their place', async () => {
    const here = await journalHarness()
    const { id } = here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
    here.db.exec('DROP TRIGGER operation_call_is_frozen')
    here.db
      .prepare('UPDATE operation_call SET request_sealed = ?')
      .run(here.seal.seal(Buffer.from('{"other":true}'), placeOfCall(id, { ...here.journal.call(id, 'redeem') })))
    expect(() => here.journal.call(id, 'redeem')).toThrow('changed')
  })

  test('are encrypted differently each time, and no two calls have the same idempotency key', async () => {
    const here = await journalHarness()
    const first = sampleOperation(here, 'redemption')
    here.transact((tx) => here.journal.open(tx, first))
    expect(() => here.transact((tx) => here.journal.open(tx, first))).toThrow('a call is stored once')
    expect(here.journal.oldestOpen(MAX), 'the second left nothing behind').toHaveLength(1)
    here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
    const sealed = here.db.prepare<[], { sealed: Buffer }>('SELECT request_sealed AS sealed FROM operation_call').all()
    expect(sealed[0]?.sealed.equals(sealed[1]?.sealed ?? Buffer.alloc(0))).toBe(false)
  })

  test('do not reveal the collector number in any file of the data folder', async () => {
    const here = await journalHarness()
    const { id } = here.transact((tx) =>
      here.journal.open(tx, sampleOperation(here, 'redemption', { facts: { confirmationNumber: 'VISIBLE-WITNESS' } })),
    )
    here.transact((tx) =>
      here.journal.move(tx, id, 'approved', { facts: { confirmationNumber: 'VISIBLE-WITNESS', detail: null } }),
    )
    const found = (needle: Buffer): string[] =>
      readdirSync(here.folder).filter((file) => readFileSync(join(here.folder, file)).includes(needle))
    const shapes = [
      Buffer.from(COLLECTOR),
      Buffer.from(COLLECTOR, 'utf16le'),
      Buffer.from(Buffer.from(COLLECTOR).toString('base64').replace(/=+$/, '')),
      createHash('sha256').update(COLLECTOR).digest(),
    ]
    expect(found(Buffer.from('VISIBLE-WITNESS')), 'the search itself finds what is there').toEqual(['terminal.db-wal'])
    for (const shape of shapes) expect(found(shape)).toEqual([])
    here.db.pragma('wal_checkpoint(TRUNCATE)')
    expect(found(Buffer.from('VISIBLE-WITNESS'))).toEqual(['terminal.db'])
    for (const shape of shapes) expect(found(shape)).toEqual([])
  })
})

describe('the states of an operation', () => {
  test('are changed only by allowed transitions: any other throws and writes nothing', async () => {
    const here = await journalHarness()
    const { id } = here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
    const entries = () => here.db.prepare('SELECT count(*) FROM journal_entry').pluck().get()
    expect(() =>
      here.transact((tx) => here.journal.move(tx, id, 'reversed', { facts: { units: 99 }, sending: 'redeem' })),
    ).toThrow(ForbiddenTransitionError)
    expect(() => here.transact((tx) => here.journal.move(tx, id, 'confirmed'))).toThrow(ForbiddenTransitionError)
    expect(here.journal.get(id)).toMatchObject({ state: 'intent', units: null, sends: 1 })
    expect(entries()).toBe(1)
    expect(() => here.transact((tx) => here.journal.move(tx, 'no such operation', 'retry'))).toThrow('no operation')
  })

  test('change exactly when the transition is allowed, and each change that sends counts one send', async () => {
    const here = await journalHarness()
    const all = {
      redemption: Object.keys(REDEMPTION_TRANSITIONS),
      issuance: Object.keys(ISSUANCE_TRANSITIONS),
    } as unknown as Record<OperationKind, OperationState[]>
    fc.assert(
      fc.property(
        fc
          .constantFrom<OperationKind>('redemption', 'issuance')
          .chain((kind) =>
            fc.record({ kind: fc.constant(kind), moves: fc.array(fc.constantFrom(...all[kind]), { maxLength: 12 }) }),
          ),
        ({ kind, moves }) => {
          const { id } = here.transact((tx) => here.journal.open(tx, sampleOperation(here, kind)))
          let state: OperationState = kind === 'redemption' ? 'intent' : 'queued'
          let sends = kind === 'redemption' ? 1 : 0
          for (const to of moves) {
            const purpose = kind === 'redemption' ? 'redeem' : 'issue'
            const allowed = mayMove(kind, state, to)
            expect(
              attempt(() => here.transact((tx) => here.journal.move(tx, id, to, { sending: purpose })).state),
            ).toEqual(allowed ? to : ForbiddenTransitionError)
            if (allowed) {
              state = to
              sends += 1
            }
            expect(here.journal.get(id)).toMatchObject({ state, sends })
          }
        },
      ),
      { numRuns: 60 },
    )
    expect(here.chain.firstBrokenEntry()).toBeNull()
  })

  test('are the states that the database accepts', async () => {
    const here = await journalHarness()
    for (const [kind, transitions] of [
      ['redemption', REDEMPTION_TRANSITIONS],
      ['issuance', ISSUANCE_TRANSITIONS],
    ] as const) {
      for (const [state, next] of Object.entries(transitions)) {
        const { id } = here.transact((tx) => here.journal.open(tx, sampleOperation(here, kind)))
        // An approved redemption counts as done, although a reversal or the end of its window still changes it.
        const open = next.length > 0 && state !== 'approved'
        expect([state, isOpen(state as OperationState)]).toEqual([state, open])
        const setState = here.db.prepare('UPDATE operation SET state = ?, open = ? WHERE id = ?')
        expect(() => {
          setState.run(state, open ? 0 : 1, id)
        }).toThrow('CHECK constraint failed: open = (state')
        setState.run(state, open ? 1 : 0, id)
        expect([state, here.journal.oldestOpen(MAX).some((operation) => operation.id === id)]).toEqual([state, open])
      }
    }
    const { id } = here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
    expect(() => here.db.prepare("UPDATE operation SET state = 'confirmed', open = 0 WHERE id = ?").run(id)).toThrow(
      /CHECK/,
    )
  })
})

describe('the lists of operations', () => {
  test('are in the order of creation, also after the clock was set', async () => {
    const clock = testClock()
    const here = await journalHarness({ clock })
    const born = [0, -5_000_000, 1_000_000, -10].map((jump) => {
      clock.advance(jump)
      return here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption'))).id
    })
    expect(here.journal.openRedemptions().map(({ id }) => id)).toEqual(born)
    expect(here.journal.newestOfSale('SALE00000001', 'redemption')?.id).toBe(born.at(-1))
  })

  test('count operations that wait, that are in flight and that need a person', async () => {
    const here = await journalHarness()
    expect(here.journal.counts()).toEqual({ waiting: 0, sending: 0, attention: 0 })
    const [queued, sent, dead, confirmed] = Array.from(
      { length: 4 },
      () => here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'issuance'))).id,
    )
    if (!queued || !sent || !dead || !confirmed) throw new Error('four were opened')
    for (const id of [sent, dead, confirmed])
      here.transact((tx) => here.journal.move(tx, id, 'sent', { sending: 'issue' }))
    here.transact((tx) =>
      here.journal.move(tx, dead, 'dead', { facts: { responseCode: '224', detail: 'Collector Account Closed' } }),
    )
    here.transact((tx) => here.journal.move(tx, confirmed, 'confirmed'))
    here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
    expect(here.journal.counts()).toEqual({ waiting: 1, sending: 2, attention: 1 })
    expect(here.journal.attention(10).map(({ id, detail }) => [id, detail])).toEqual([
      [dead, 'Collector Account Closed'],
    ])
  })

  test('show how often the newest call of an operation was sent', async () => {
    const here = await journalHarness()
    const { id } = here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
    here.transact((tx) => here.journal.move(tx, id, 'retry', { sending: 'redeem' }))
    here.transact((tx) => here.journal.move(tx, id, 'approved'))
    const reversing = here.transact((tx) =>
      here.journal.move(tx, id, 'reversing', {
        newCall: { ...sampleOperation(here, 'redemption').call, purpose: 'reverse' },
      }),
    )
    expect(reversing.sends).toBe(0)
    expect(here.transact((tx) => here.journal.move(tx, id, 'reversing', { sending: 'reverse' })).sends).toBe(1)
    expect(reversing.firstSentAt).toBeNull()
  })

  test('use their indexes however long the journal is', async () => {
    const here = await journalHarness()
    const prepared = vi.spyOn(here.db, 'prepare')
    createChain(here)
    createJournal({ ...here, rng: systemRng })
    const statements = prepared.mock.calls.map(([sql]) => sql)
    prepared.mockRestore()
    const planOf = (has: RegExp): string => {
      const sql = statements.filter((statement) => statement.startsWith('SELECT') && has.test(statement))
      expect(sql, String(has)).toHaveLength(1)
      return here.db
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql[0]}`)
        .all(...(sql[0]?.match(/\?/g) ?? []).map(() => 1))
        .map(({ detail }) => detail)
        .join('; ')
    }
    expect(planOf(/AND kind = 'redemption' ORDER BY \+rowid/)).toMatch(/^SCAN operation USING INDEX operation_open;/)
    expect(planOf(/reversal-unanswered' ORDER BY/)).toMatch(/^SCAN operation USING INDEX operation_open;/)
    expect(planOf(/ORDER BY created_at LIMIT/)).toMatch(/^SCAN operation USING INDEX operation_open;/)
    expect(planOf(/collector_hash = \+\? AND open/)).toMatch(
      /^SEARCH operation USING INDEX operation_open \(collector_hash=\?\)(?!.*TEMP B-TREE)/,
    )
    expect(planOf(/GROUP BY collector_hash/)).toMatch(/^SCAN operation USING INDEX operation_open/)
    expect(planOf(/'reversal-escalated'\).*ORDER BY changed_at DESC LIMIT/)).toMatch(
      /^SCAN operation USING INDEX operation_attention;(?!.*TEMP B-TREE)/,
    )
    expect(planOf(/state = 'accepted' .*ORDER BY changed_at DESC LIMIT/)).toMatch(
      /^SCAN operation USING INDEX operation_accepted;(?!.*TEMP B-TREE)/,
    )
    expect(planOf(/ORDER BY changed_at LIMIT/), 'what one order sends again').toMatch(
      /^SCAN operation USING INDEX operation_attention;(?!.*TEMP B-TREE)/,
    )
    expect(planOf(/^SELECT count\(\*\) FROM operation WHERE state = 'accepted'/)).toMatch(
      /^SCAN operation USING INDEX operation_accepted;/,
    )
    for (const kind of ['redemption', 'issuance'])
      expect(planOf(new RegExp(`sale_id = \\+\\? AND kind = '${kind}'`))).toMatch(
        /^SEARCH operation USING INDEX operation_by_sale \(sale_id=\? AND kind=\?\)(?!.*TEMP B-TREE)/,
      )
    // Without the plus, SQLite would recompile the statement at each use (core/db/database.ts).
    for (const sql of statements.filter((statement) => statement.includes('ORDER BY')))
      expect(sql).not.toMatch(/ = \?.*ORDER BY/s)
    const counts = planOf(/AS waiting/)
    expect(counts.match(/USING (COVERING )?INDEX operation_open/g)).toHaveLength(3)
    expect(counts).toMatch(/operation_attention/)
    expect(planOf(/ORDER BY seq DESC LIMIT 1/)).not.toMatch(/TEMP B-TREE/)
    for (const plan of [
      planOf(/FROM operation WHERE id = \?/),
      planOf(/FROM operation_call WHERE operation_id = \? AND purpose = \?/),
    ])
      expect(plan).toMatch(/^SEARCH/)
  })
})

function attempt(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof Error ? error.constructor : error
  }
}

test('an operation rolls back with the surrounding transaction', async () => {
  const here = await journalHarness()
  expect(() =>
    here.transact(() => {
      here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
      throw new Error('the sale did not close')
    }),
  ).toThrow('the sale did not close')
  expect(here.journal.oldestOpen(MAX)).toEqual([])
  expect(here.failStop.reason).toBeNull()
})

test('two journals in one program continue the same chain', async () => {
  const here = await journalHarness()
  const other = createJournal({ ...here, rng: systemRng })
  here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
  here.transact((tx) => other.open(tx, sampleOperation(here, 'redemption')))
  here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
  expect(here.chain.firstBrokenEntry()).toBeNull()
})
