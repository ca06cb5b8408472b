import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../http/testing.ts'
import {
  sampleOperation,
  openJournalWithSale as journalHarness,
} from '../../../packages/lab/testing/sample-operations.ts'

describe('the hash chain of the journal', () => {
  async function chain(): Promise<string> {
    const here = await journalHarness()
    for (let sale = 0; sale < 3; sale += 1) {
      const { id } = here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'redemption')))
      here.transact((tx) => here.journal.move(tx, id, 'approved', { facts: { units: 4, confirmationNumber: 'C1' } }))
      here.transact((tx) => here.journal.move(tx, id, 'reversing', { sending: 'redeem' }))
    }
    expect(here.chain.firstBrokenEntry()).toBeNull()
    here.db.pragma('wal_checkpoint(TRUNCATE)')
    here.db.close()
    return here.folder
  }

  async function brokenAfter(folder: string, change: (db: Database.Database) => void): Promise<number | null> {
    const copy = temporaryFolder()
    copyFileSync(join(folder, 'terminal.db'), join(copy, 'terminal.db'))
    const raw = new Database(join(copy, 'terminal.db'))
    raw.exec('DROP TRIGGER journal_entry_is_append_only_update; DROP TRIGGER journal_entry_is_append_only_delete')
    change(raw)
    raw.close()
    const looked = await journalHarness({ folder: copy, followed: false })
    return looked.chain.firstBrokenEntry()
  }

  test.each([
    ['its time', 'UPDATE journal_entry SET at = at + 1 WHERE seq = 5'],
    ['the state that it came from', "UPDATE journal_entry SET from_state = 'retry' WHERE seq = 5"],
    ['the state that it went to', "UPDATE journal_entry SET to_state = 'declined' WHERE seq = 5"],
    [
      'one character of its facts',
      'UPDATE journal_entry SET detail = replace(detail, \'"units":4\', \'"units":5\') WHERE seq = 5',
    ],
    [
      'its operation',
      `UPDATE journal_entry
        SET operation_id = (SELECT id FROM operation WHERE id <> journal_entry.operation_id LIMIT 1) WHERE seq = 5`,
    ],
    ['its hash', 'UPDATE journal_entry SET hash = zeroblob(32) WHERE seq = 5'],
    ['its previous hash', 'UPDATE journal_entry SET previous_hash = zeroblob(32) WHERE seq = 5'],
    ['the whole entry, deleted', 'DELETE FROM journal_entry WHERE seq = 5'],
  ])('detects a changed or deleted entry: %s', async (_case, sql) => {
    expect(
      await brokenAfter(await chain(), (db) => {
        expect(db.prepare(sql).run().changes, 'the change was made').toBe(1)
      }),
    ).toBe(5)
  })

  interface Row {
    seq: number
    operation_id: string
    at: number
    from_state: string | null
    to_state: string
    detail: string
    previous_hash: Buffer
    hash: Buffer
  }
  const forged = ({ seq, operation_id, at, from_state, to_state, detail, previous_hash }: Row): Buffer =>
    createHash('sha256')
      .update(previous_hash)
      .update(JSON.stringify([seq, operation_id, at, from_state, to_state, detail]))
      .digest()
  const rowOf = (db: Database.Database, seq: number): Row => {
    const row = db.prepare<[number], Row>('SELECT * FROM journal_entry WHERE seq = ?').get(seq)
    if (!row) throw new Error(`there is no entry ${seq}`)
    return row
  }

  test('detects an entry forged with an unkeyed hash', async () => {
    expect(
      await brokenAfter(await chain(), (db) => {
        const row = { ...rowOf(db, 5), at: 1 }
        db.prepare('UPDATE journal_entry SET at = ?, hash = ? WHERE seq = 5').run(row.at, forged(row))
      }),
    ).toBe(5)
  })

  test('detects a chain that was rebuilt with unkeyed hashes from a changed entry on', async () => {
    expect(
      await brokenAfter(await chain(), (db) => {
        let previous = rowOf(db, 4).hash
        for (let seq = 5; seq <= 9; seq += 1) {
          const row = { ...rowOf(db, seq), at: seq, previous_hash: previous }
          previous = forged(row)
          db.prepare('UPDATE journal_entry SET at = ?, previous_hash = ?, hash = ? WHERE seq = ?').run(
            row.at,
            row.previous_hash,
            previous,
            seq,
          )
        }
      }),
    ).toBe(5)
  })

  test('detects a missing entry by the gap in the numbers', async () => {
    expect(
      await brokenAfter(await chain(), (db) => {
        const last = rowOf(db, 9)
        const row = { ...last, seq: 11, previous_hash: last.hash }
        db.prepare(
          `INSERT INTO journal_entry (seq, operation_id, at, from_state, to_state, detail, previous_hash, hash)
            VALUES (@seq, @operation_id, @at, @from_state, @to_state, @detail, @previous_hash, @hash)`,
        ).run({ ...row, hash: forged(row) })
      }),
    ).toBe(10)
  })

  test('detects one flipped byte in the file', async () => {
    const folder = await chain()
    const file = readFileSync(join(folder, 'terminal.db'))
    const copy = temporaryFolder()
    const at = file.lastIndexOf('"units":4')
    expect(at).toBeGreaterThan(0)
    file[at + '"units":'.length] = '5'.charCodeAt(0)
    writeFileSync(join(copy, 'terminal.db'), file)
    const looked = await journalHarness({ folder: copy })
    expect(looked.db.pragma('integrity_check', { simple: true }), 'the database itself notices nothing').toBe('ok')
    expect(looked.chain.firstBrokenEntry()).not.toBeNull()
  })

  test('detects an inserted entry', async () => {
    expect(
      await brokenAfter(await chain(), (db) => {
        db.exec(
          `INSERT INTO journal_entry (seq, operation_id, at, from_state, to_state, detail, previous_hash, hash,
            previous_of_operation) SELECT 10, operation_id, at, from_state, to_state, detail, hash, zeroblob(32), seq
            FROM journal_entry WHERE seq = 9`,
        )
      }),
    ).toBe(10)
  })
})
