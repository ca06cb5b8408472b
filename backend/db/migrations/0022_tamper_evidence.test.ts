import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Statement } from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemChance, systemClock } from '../../clock.ts'
import { claimDataFolder } from '../../data-folder.ts'
import { temporaryFolder } from '../../http/testing.ts'
import { openTerminalDatabase } from '../../integrity/open-terminal.ts'
import { placeOf } from '../../journal/seal.ts'
import { changedPastTheProgram } from '../../journal/sound.ts'
import { createJournal } from '../../journal/store.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'
import { createTransact } from '../transact.ts'

const KEY = Buffer.alloc(32, 3)

/** As values were sealed before: bound to no row. */
function sealedUnbound(text: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv(
    'aes-256-gcm',
    Buffer.from(hkdfSync('sha256', KEY, 'milepost', 'seal collector data', 32)),
    nonce,
  )
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

/** The folder of the program before: one sale with a collector, a redemption whose two entries are chained without a key, a gift card; and `issues` more calls. */
async function folderBefore({ entries = 2, issues = 0 }: { entries?: number; issues?: number } = {}): Promise<string> {
  const folder = temporaryFolder()
  const db = openDatabase(join(folder, 'terminal.db'))
  await migrate(
    db,
    readMigrations().slice(
      0,
      readMigrations().findIndex(({ name }) => name === 'tamper_evidence'),
    ),
  )
  const request = Buffer.from('{"collectorNumber":"81234567890"}')
  db.exec(`INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA')`)
  db.prepare(
    "INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, member_last4, member_sealed) VALUES ('S1', 1, 1, 'open', '01', 'alex', 1, '7890', ?)",
  ).run(sealedUnbound('81234567890'))
  db.prepare(
    "INSERT INTO voucher (id, kind, code_hash, code_sealed, last4, issued_at) VALUES ('V1', 'gift-card', ?, ?, 'ABCD', 1)",
  ).run(Buffer.alloc(32), sealedUnbound('CODE'))
  db.prepare(
    "INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, created_at, changed_at, newest_entry, open) VALUES ('O1', 'redemption', 'redeem', 'S1', ?, 'retry', 1, 2, ?, 1)",
  ).run(Buffer.alloc(32), entries)
  db.prepare(
    "INSERT INTO operation_call (operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed, request_sha256) VALUES ('O1', 'redeem', '/r', 'K', 'T', 'D', ?, ?)",
  ).run(sealedUnbound(request.toString()), createHash('sha256').update(request).digest())
  const operation = db.prepare(
    "INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, created_at, changed_at, newest_entry, open) VALUES (?, 'issuance', 'issue', 'S1', ?, 'confirmed', 1, 2, 1, 0)",
  )
  const call = db.prepare(
    "INSERT INTO operation_call (operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed, request_sha256) VALUES (?, 'issue', '/i', ?, 'T', 'D', ?, ?)",
  )
  db.transaction(() => {
    for (let issue = 1; issue <= issues; issue += 1) {
      operation.run(`I${issue}`, Buffer.alloc(32))
      call.run(
        `I${issue}`,
        `K${issue}`,
        sealedUnbound(request.toString()),
        createHash('sha256').update(request).digest(),
      )
    }
  })()
  const tip = chainOf(db, entries)
  db.close()
  const mark = `${entries} ${tip.toString('hex')}`
  writeFileSync(
    join(folder, 'journal.mark'),
    `${mark} ${createHash('sha256').update(mark).digest('hex').slice(0, 16)}\n`.padEnd(256, ' '),
  )
  writeFileSync(
    join(folder, 'terminal.json'),
    JSON.stringify({
      createdAt: '2026-11-01T00:00:00Z',
      keyCheck: createHmac('sha256', KEY).update('milepost sealing key').digest('hex'),
    }),
  )
  return folder
}

function chainOf(db: Database, entries: number): Buffer {
  let previous = Buffer.alloc(32)
  for (let seq = 1; seq <= entries; seq += 1) {
    const values = [seq, 'O1', seq, seq === 1 ? null : 'intent', seq === 1 ? 'intent' : 'retry', '{}']
    const hash = createHash('sha256').update(previous).update(JSON.stringify(values)).digest()
    db.prepare(
      'INSERT INTO journal_entry (seq, operation_id, at, from_state, to_state, detail, previous_hash, hash, previous_of_operation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(...values, previous, hash, seq === 1 ? null : seq - 1)
    previous = hash
  }
  return previous
}

async function start(folder: string) {
  const claimed = claimDataFolder(folder, KEY, null)
  onTestFinished(claimed.release)
  try {
    const database = await openTerminalDatabase(claimed, systemClock)
    onTestFinished(() => {
      if (database.db.open) database.close()
    })
    return {
      ...database,
      close() {
        database.close()
        claimed.release()
      },
    }
  } catch (error) {
    claimed.release()
    throw error
  }
}

const transactOn = (db: Database) =>
  createTransact({ db, onStop: () => undefined, refusal: (reason) => new Error(reason) }).transact

test('a folder of the program before opens: its values are bound to their rows, and its chain goes on under the key with the old end inside', async () => {
  const folder = await folderBefore()
  const first = await start(folder)
  const { db, seal } = first
  expect(
    seal
      .open(
        db.prepare<[], Buffer>('SELECT member_sealed FROM sale').pluck().get() ?? Buffer.alloc(0),
        placeOf('sale', 'member_sealed', 'S1'),
      )
      .toString(),
  ).toBe('81234567890')
  expect(
    seal
      .open(
        db.prepare<[], Buffer>('SELECT code_sealed FROM voucher').pluck().get() ?? Buffer.alloc(0),
        placeOf('voucher', 'code_sealed', 'V1'),
      )
      .toString(),
  ).toBe('CODE')
  expect(
    db
      .prepare(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('voucher', 'operation_call')",
      )
      .pluck()
      .get(),
  ).toBe(6)
  const oldEnd = db.prepare<[], Buffer>('SELECT hash FROM journal_entry WHERE seq = 2').pluck().get()

  const journal = createJournal({
    db,
    transact: transactOn(db),
    seal,
    clock: systemClock,
    chance: systemChance,
    mark: first.mark,
    evidence: first.evidence,
  })
  expect(journal.call('O1', 'redeem').request.toString()).toBe('{"collectorNumber":"81234567890"}')
  journal.move('O1', 'escalated')
  journal.committed()
  const keyed = db
    .prepare<[], { previous: Buffer; hash: Buffer }>(
      'SELECT previous_hash AS previous, hash FROM journal_entry WHERE seq = 3',
    )
    .get()
  expect(keyed?.previous).toEqual(oldEnd)
  expect(journal.firstBrokenEntry()).toBeNull()
  expect(readFileSync(join(folder, 'journal.mark'), 'latin1')).toContain(`3 ${keyed?.hash.toString('hex')}`)
  first.close()
  const again = await start(folder)
  expect(
    createJournal({
      ...again,
      transact: transactOn(again.db),
      clock: systemClock,
      chance: systemChance,
    }).entriesMissing(),
  ).toBeNull()
})

test('a year of calls is bound a page at a time: no more than that is in memory, and none is left out', async () => {
  const folder = await folderBefore({ issues: 2_500 })
  const probe = openDatabase(join(temporaryFolder(), 'probe.db'))
  const all = vi.spyOn(Object.getPrototypeOf(probe.prepare('SELECT 1')) as Statement, 'all')
  onTestFinished(() => {
    all.mockRestore()
  })
  probe.close()
  const { db, seal, close } = await start(folder)
  expect(Math.max(...all.mock.results.map(({ value }) => (value as unknown[]).length))).toBe(1_000)
  expect(changedPastTheProgram(db, seal), 'every call and every operation').toBeNull()
  expect(db.prepare('SELECT count(*) FROM operation WHERE digest IS NULL').pluck().get()).toBe(0)
  close()
})

test('what the program before would have refused is refused, and a folder without its mark or its sentinel too', async () => {
  const changed = await folderBefore()
  const db = openDatabase(join(changed, 'terminal.db'))
  db.exec(
    "DROP TRIGGER journal_entry_is_append_only_update; UPDATE journal_entry SET to_state = 'approved' WHERE seq = 2",
  )
  db.close()
  await expect(start(changed)).rejects.toThrow('2 were recorded, 1 can be trusted')
  const long = await folderBefore({ entries: 9 })
  writeFileSync(join(long, 'journal.mark'), '')
  await expect(start(long)).rejects.toThrow('journal.mark) is missing')
})
