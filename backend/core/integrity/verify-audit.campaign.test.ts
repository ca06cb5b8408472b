import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder, testClock } from '../http/testing.ts'
import { filesIn, openTrail, writePast } from '../../../packages/lab/testing/audit-trail.ts'
import { verifyAudit } from './verify-audit.ts'
import { verifyAuditInWorker } from './verify-audit-in-worker.ts'

const ENTRIES = 60
const OF_Z = 25
const silent = (): void => undefined

async function closedTrail(): Promise<string> {
  const folder = temporaryFolder()
  const trail = await openTrail(folder, testClock())
  trail.fill(OF_Z)
  trail.close(1)
  trail.fill(ENTRIES - OF_Z)
  trail.end()
  return folder
}

let copies = 0
/** Returns the verdict on a copy of the folder after this change; by default the copy also contains the mark. */
function verdictAfter(folder: string, change: (db: Database.Database) => void, withMark = true) {
  copies += 1
  const copy = join(folder, `copy-${copies}`)
  mkdirSync(copy)
  const files = filesIn(copy)
  copyFileSync(filesIn(folder).database, files.database)
  if (withMark) copyFileSync(filesIn(folder).mark, files.mark)
  writePast(files.database, change)
  const verdict = verifyAudit(files, silent)
  rmSync(copy, { recursive: true })
  return verdict
}

interface Row {
  id: number
  at: number
  kind: string
  actor_id: string | null
  subject: string | null
  detail: string
  hash: Buffer
}
const rowOf = (db: Database.Database, id: number): Row => {
  const row = db.prepare<[number], Row>('SELECT * FROM audit_entry WHERE id = ?').get(id)
  if (!row) throw new Error(`there is no entry ${id}`)
  return row
}
const put = (db: Database.Database, row: Row): void => {
  db.prepare(
    `INSERT OR REPLACE INTO audit_entry (id, at, kind, actor_id, subject, detail, hash)
      VALUES (@id, @at, @kind, @actor_id, @subject, @detail, @hash)`,
  ).run(row)
}
const forged = ({ id, at, kind, actor_id, subject, detail }: Row, previous: Buffer): Buffer =>
  createHash('sha256')
    .update(previous)
    .update(JSON.stringify([id, at, kind, actor_id, subject, detail]))
    .digest()

const TAMPERING: Readonly<Record<string, (db: Database.Database, at: number, other: number) => number>> = {
  'the time': (db, at) => (put(db, { ...rowOf(db, at), at: rowOf(db, at).at + 1 }), at),
  'the kind': (db, at) => (put(db, { ...rowOf(db, at), kind: 'day-closed-not' }), at),
  'the person': (db, at) => (
    put(db, { ...rowOf(db, at), actor_id: rowOf(db, at).actor_id === null ? 'alex' : null }),
    at
  ),
  'the subject': (db, at) => (put(db, { ...rowOf(db, at), subject: `X${at}` }), at),
  'a fact': (db, at) => (put(db, { ...rowOf(db, at), detail: rowOf(db, at).detail.replace('test', 'best') }), at),
  'the hash': (db, at) => (put(db, { ...rowOf(db, at), hash: Buffer.alloc(32, at) }), at),
  'the whole entry, with an unkeyed hash': (db, at) => {
    const changed = { ...rowOf(db, at), kind: 'sale-held-not' }
    const previous = at === 1 ? Buffer.alloc(32) : rowOf(db, at - 1).hash
    put(db, { ...changed, hash: forged(changed, previous) })
    return at
  },
  'a deletion': (db, at) => (db.prepare('DELETE FROM audit_entry WHERE id = ?').run(at), at),
  'a deletion, with all after it moved up': (db, at) => {
    db.prepare('DELETE FROM audit_entry WHERE id = ?').run(at)
    for (let id = at + 1; id <= ENTRIES; id += 1)
      db.prepare('UPDATE audit_entry SET id = ? WHERE id = ?').run(id - 1, id)
    return at
  },
  'a cut tail': (db, at) => (db.prepare('DELETE FROM audit_entry WHERE id >= ?').run(at), at),
  'a cut tail, and others in its place': (db, at) => {
    const row = rowOf(db, at)
    db.prepare('DELETE FROM audit_entry WHERE id >= ?').run(at)
    const made = { ...row, kind: 'sign-in-not', detail: '{}' }
    put(db, { ...made, hash: forged(made, at === 1 ? Buffer.alloc(32) : rowOf(db, at - 1).hash) })
    return at
  },
  'an insertion': (db, at) => {
    for (let id = ENTRIES; id >= at; id -= 1) db.prepare('UPDATE audit_entry SET id = ? WHERE id = ?').run(id + 1, id)
    put(db, { ...rowOf(db, at + 1), id: at, detail: '{"put":"in"}' })
    return at
  },
  'an entry at the end': (db) => {
    const last = rowOf(db, ENTRIES)
    const made = { ...last, id: ENTRIES + 1 }
    put(db, { ...made, hash: forged(made, last.hash) })
    return ENTRIES + 1
  },
  'two in each other’s place': (db, at, other) => {
    const [one, two] = [rowOf(db, at), rowOf(db, other)]
    put(db, { ...one, id: other })
    put(db, { ...two, id: at })
    return Math.min(at, other)
  },
}

describe('an unchanged audit trail', () => {
  test('is reported as complete, with its number of entries and Z reports and its newest time', async () => {
    const folder = await closedTrail()
    const verdict = verifyAudit(filesIn(folder), silent)
    expect(verdict).toMatchObject({ entries: ENTRIES, zReports: 1, broken: null })
    expect(verdict.newestAt).not.toBeNull()
  })

  test('is read on a worker thread with reports of progress, while the program writes to it', async () => {
    const folder = temporaryFolder()
    const trail = await openTrail(folder, testClock())
    trail.transact(() => {
      trail.fill(12_000)
    })
    const progress: number[] = []
    const { verdict } = verifyAuditInWorker(filesIn(folder), (read) => progress.push(read))
    trail.fill(20)
    const { entries, broken } = await verdict
    expect(broken).toBeNull()
    expect(entries).toBeGreaterThanOrEqual(12_000)
    expect(progress).toEqual([10_000])
    trail.end()
  })

  test('is reported as complete when it is empty', async () => {
    const folder = temporaryFolder()
    ;(await openTrail(folder, testClock())).end()
    expect(verifyAudit(filesIn(folder), silent)).toMatchObject({ entries: 0, broken: null, newestAt: null })
  })
})

describe('tampering with the audit trail by another program', () => {
  test('is detected at the first changed entry in each of 1,000 random edits, deletions and insertions', async () => {
    const folder = await closedTrail()
    const found = new Map<string, number>()
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(TAMPERING)),
        fc.integer({ min: 1, max: ENTRIES }),
        fc.integer({ min: 1, max: ENTRIES - 1 }),
        (kind, at, step) => {
          const other = ((at - 1 + step) % ENTRIES) + 1
          let first = 0
          const { broken } = verdictAfter(folder, (db) => {
            first = TAMPERING[kind]?.(db, at, other) ?? 0
          })
          expect(broken, `${kind} of entry ${at}`).not.toBeNull()
          expect(broken?.entry, `${kind} of entry ${at}`).toBe(first)
          expect(broken?.intact?.number ?? 0).toBe(first - 1)
          found.set(kind, (found.get(kind) ?? 0) + 1)
        },
      ),
      { numRuns: 1_000 },
    )
    expect([...found.keys()].toSorted()).toEqual(Object.keys(TAMPERING).toSorted())
  }, 240_000)

  test('is detected without the mark when newest entries were removed: by the sealed count or a Z report', async () => {
    const folder = await closedTrail()
    const cut = (from: number) =>
      verdictAfter(
        folder,
        (db) => {
          db.prepare('DELETE FROM audit_entry WHERE id >= ?').run(from)
        },
        false,
      ).broken
    expect(cut(ENTRIES)).toMatchObject({ cause: 'end-gone', entry: ENTRIES, intact: { number: ENTRIES - 1 } })
    expect(cut(OF_Z)).toMatchObject({ cause: 'end-gone', entry: OF_Z })
    expect(verdictAfter(folder, silent, false).broken).toMatchObject({ cause: 'mark-gone' })
  })

  test('is detected when the sealed record was changed, and when the database file is missing', async () => {
    const folder = await closedTrail()
    expect(
      verdictAfter(folder, (db) => {
        db.exec('UPDATE tamper_evidence SET state = zeroblob(64)')
      }).broken,
    ).toMatchObject({ cause: 'record-changed' })
    expect(verifyAudit({ ...filesIn(folder), database: join(folder, 'nothing.db') }, silent).broken).toMatchObject({
      cause: 'unreadable',
    })
  })
})

test('the first audit entry after a rollback continues the chain at the last committed entry', async () => {
  const folder = temporaryFolder()
  const { audit, transact, fill, end } = await openTrail(folder, testClock())
  fill(3)
  expect(() =>
    transact((tx) => {
      audit.record(tx, { kind: 'sign-in', actorId: 'alex' })
      throw new Error('taken back')
    }),
  ).toThrow('taken back')
  transact((tx) => {
    audit.record(tx, { kind: 'sale-held', actorId: 'alex', subject: 'S1' })
    expect(() =>
      transact((inner) => {
        audit.record(inner, { kind: 'sign-out', actorId: 'alex' })
        throw new Error('taken back inside')
      }),
    ).toThrow('inside')
    audit.record(tx, { kind: 'sale-resumed', actorId: 'alex', subject: 'S1' })
  })
  end()
  expect(verifyAudit(filesIn(folder), silent)).toMatchObject({ entries: 5, broken: null })
})
