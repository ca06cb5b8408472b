import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { eventually, temporaryFolder, testClock, testLog } from '../../core/http/testing.ts'
import { examineCopy } from '../../core/outbox/integrity-check.ts'
import { openJournalHarness, MASTER_KEY, openSale } from '../../../packages/lab/testing/loyalty-harness.ts'
import { lastBackup, pruneBackups, takeBackup } from './backup.ts'
import { listBackups } from '../../core/program/backup-list.ts'
import { maintenanceOf } from './maintenance.ts'
import { laneTimeOf, type LaneTime } from '../../core/lane-time.ts'
import { systemRng } from '../../core/clock.ts'
import { type LaneProgram, programOf } from '../../core/program/lane-program.ts'
import { type Sales, salesOf } from '../../sales/sales.ts'
import { laneContext, backupContext } from '../../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../../packages/lab/testing/load/store.ts'

const START = '2026-11-20T15:00:00Z'
const DAY = 24 * 3_600_000

async function books() {
  const clock = testClock(START)
  const result = await openJournalHarness({ clock })
  const folder = join(temporaryFolder(), 'backups')
  mkdirSync(folder)
  result.transact(() =>
    result.transact((tx) =>
      result.journal.open(tx, {
        kind: 'redemption',
        type: 'redeem',
        saleId: openSale(result.db, 'N1010100000042K7QZ'),
        collectorHash: result.seal.keyedHash('80000000011'),
        state: 'intent',
        sending: false,
        facts: {},
        call: {
          purpose: 'redeem',
          path: '/x',
          idempotencyKey: 'k',
          traceId: 't',
          dateTime: START,
          request: Buffer.from('{}'),
        },
      }),
    ),
  )
  const take = (retentionDays = 14, backups = folder) =>
    takeBackup(backupContext(result.db, { backups, masterKey: MASTER_KEY }, { clock, retentionDays }), 'daily')
  return { ...result, clock, folder, take }
}

test('a backup is one file that passes verification, with the whole journal, named by the store’s time', async () => {
  const { take, folder } = await books()
  expect(await take()).toMatchObject({ outcome: 'kept', file: 'daily-20261120-100000.db', detail: null })
  expect(readdirSync(folder).toSorted()).toEqual(['daily-20261120-100000.db', 'last-backup.json', 'proofs.json'])
  expect(examineCopy(join(folder, 'daily-20261120-100000.db'), MASTER_KEY)).toMatchObject({
    problem: null,
    entries: 1,
    newestEntryAt: Date.parse(START),
  })
  expect(lastBackup(folder)).toMatchObject({ outcome: 'kept' })
})

test.skipIf(process.platform === 'win32')('backup files are readable by their owner only', async () => {
  const { take, folder } = await books()
  await take()
  const open = readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
  expect(open).toEqual([])
})

test('daily backups are deleted after the profile’s number of days, other files in the folder remain', async () => {
  const { take, folder, clock } = await books()
  for (const name of ['before-schema-3-1.db', 'daily-notes.txt', 'daily-20200101-000000.db.txt'])
    writeFileSync(join(folder, name), '')
  for (let day = 0; day < 5; day += 1) {
    await take(2)
    clock.advance(DAY)
  }
  expect(readdirSync(folder).toSorted()).toEqual([
    'before-schema-3-1.db',
    'daily-20200101-000000.db.txt',
    'daily-20261122-100000.db',
    'daily-20261123-100000.db',
    'daily-20261124-100000.db',
    'daily-notes.txt',
    'last-backup.json',
    'proofs.json',
  ])
})

test('a clock set ahead makes the lane delete backups only down to the number that the profile keeps', async () => {
  const { take, folder, clock } = await books()
  for (let day = 0; day < 3; day += 1) {
    await take(2)
    clock.advance(DAY)
  }
  clock.advance(100 * DAY)
  await take(2)
  expect(readdirSync(folder).filter((name) => name.endsWith('.db'))).toEqual([
    'daily-20261122-100000.db',
    'daily-20270303-100000.db',
  ])
})

test('a backup dated in the future is not listed as the newest, and displaces no other backup', async () => {
  const { take, folder, clock } = await books()
  const past = Array.from({ length: 10 }, (_, hour) => `hand-20261119-${String(hour).padStart(2, '0')}0000.db`)
  const ahead = [...past.map((name) => name.replace('2026', '2031')), 'daily-20310305-100000.db']
  for (const name of [...past, ...ahead]) writeFileSync(join(folder, name), '')
  const later = new Date(Date.now() + 100 * DAY)
  for (const name of ahead) utimesSync(join(folder, name), later, later)
  const name = (await take(2)).file ?? ''
  utimesSync(join(folder, name), new Date(), new Date())
  expect(listBackups(folder)[0]?.name).toBe(name)
  expect(listBackups(folder).at(-1)?.name).toMatch(/2031/)

  const manual = 'hand-20261120-100000.db'
  writeFileSync(join(folder, manual), '')
  pruneBackups(folder, manual, { before: '20261101-000000', minimumCount: 2 })
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([manual, name, ...past.slice(1)]))
  expect(readdirSync(folder)).not.toContain(past[0])
  clock.advance(DAY)
  await take(1)
  clock.advance(DAY)
  await take(1)
  expect(readdirSync(folder).filter((one) => one.startsWith('daily-2026'))).toEqual([
    'daily-20261121-100000.db',
    'daily-20261122-100000.db',
  ])
})

function changeJournal(db: Database.Database, sql: string): void {
  const triggers = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'journal_entry'",
    )
    .all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  expect(db.prepare(sql).run().changes).toBe(1)
  for (const trigger of triggers) db.exec(trigger.sql)
}

test('a copy of the database whose journal was changed is discarded', async () => {
  const { take, folder, db } = await books()
  changeJournal(db, "UPDATE journal_entry SET to_state = 'approved'")
  expect(await take()).toMatchObject({
    outcome: 'not-sound',
    file: null,
    detail: 'the chain of the journal is broken at entry 1',
  })
  expect(readdirSync(folder)).toEqual(['last-backup.json'])
})

test('a copy of the database whose journal entries are linked to other operations is discarded', async () => {
  const { take, db } = await books()
  changeJournal(db, 'UPDATE journal_entry SET previous_of_operation = 1')
  expect(await take()).toMatchObject({
    outcome: 'not-sound',
    detail: 'entries of the journal are linked to entries of other operations',
  })
})

test('a missing backup folder is reported as the result, without an error', async () => {
  const { folder, take } = await books()
  expect(await take(1, join(folder, 'gone'))).toMatchObject({ outcome: 'failed', file: null })
})

test('a file that is no database, a damaged database and one of another key get different verdicts', async () => {
  const { take, folder } = await books()
  await take()
  const file = join(folder, 'daily-20261120-100000.db')
  expect(examineCopy(file, Buffer.alloc(32, 9)).problem).toContain('another sealing key')
  const text = join(folder, 'notes.db')
  writeFileSync(text, 'not a database, but long enough to look at '.repeat(50))
  expect(examineCopy(text, MASTER_KEY).problem).toContain('cannot be read as a database')
  const empty = new Database(join(folder, 'other.db'))
  empty.exec('CREATE TABLE anything (a)')
  empty.close()
  expect(examineCopy(join(folder, 'other.db'), MASTER_KEY).problem).toBe('this is not the database of a terminal')
  const bytes = readFileSync(file)
  bytes.fill(0xff, bytes.length - 9_000)
  writeFileSync(file, bytes)
  expect(examineCopy(file, MASTER_KEY).problem).not.toBeNull()
  expect(existsSync(`${file}-wal`)).toBe(false)
})

async function maintained() {
  const { folder, db, clock, outbox, seal } = await books()
  const cashier = { isQuiet: false }
  let look: () => void = () => undefined
  let news = 0
  let received: () => void = () => undefined
  const held = {
    ...clock,
    now: clock.now,
    after: (_ms: number, work: () => void) => {
      look = work
      return () => undefined
    },
  }
  const open = () => {
    const ctx = laneContext({
      ...trainingStore(),
      db,
      outbox,
      seal,
      clock: held,
      rng: systemRng,
      log: testLog().log,
      publish: () => {
        news += 1
        received()
      },
    })
    programOf.provide(ctx, {
      dataFolder: folder,
      folder: { backups: folder, masterKey: MASTER_KEY },
    } as unknown as LaneProgram)
    const health = { state: 'right', aheadSeconds: null } as const
    laneTimeOf.provide(ctx, { health, onChange: () => undefined } as unknown as LaneTime)
    salesOf.provide(ctx, { currentId: () => (cashier.isQuiet ? null : 'SALE') } as Sales)
    return maintenanceOf(ctx)
  }
  const taken = (): Promise<void> =>
    new Promise((resolve) => {
      received = resolve
    })
  const files = (): string[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.db'))
      .toSorted()

  return {
    db,
    clock,
    cashier,
    open,
    files,
    look: (): void => {
      look()
    },
    taken,
    news: (): number => news,
  }
}

test('a backup is made daily while no sale is open, and at a program stop if data was written since', async () => {
  const { db, clock, cashier, open, files, look, taken, news } = await maintained()
  const maintenance = open()
  expect(maintenance.maintenance()).toMatchObject({ backup: null })
  maintenance.start()
  look()
  expect(news()).toBe(0)
  cashier.isQuiet = true
  const first = taken()
  look()
  await first
  expect(maintenance.maintenance().backup).toMatchObject({ outcome: 'kept' })
  clock.advance(3 * 3_600_000)
  look()
  expect(news()).toBe(1)

  // Stopping the program makes no backup if nothing was written since the last one, nor does a restart.
  await maintenance.close(true)
  expect(files()).toEqual(['daily-20261120-100000.db'])
  const again = open()
  again.start()
  look()
  expect(news()).toBe(1)
  clock.advance(DAY)
  const second = taken()
  look()
  await second
  clock.advance(3_600_000)
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('kim', 'Kim', 'cashier', 'en-CA')").run()
  await again.close(true)
  expect(files()).toEqual(['closing-20261121-140000.db', 'daily-20261120-100000.db', 'daily-20261121-130000.db'])
})

test('one backup is made after a Z report, as soon as no sale is open', async () => {
  const { db, clock, cashier, open, files, look, taken, news } = await maintained()
  const closeDay = (number: number, at: number): void => {
    db.prepare(
      `INSERT INTO z_report (number, lane, at, staff_id, last_audit, last_entry, report)
        VALUES (?, '01', ?, 'alex', 0, 0, '{}')`,
    ).run(number, at)
  }
  const maintenance = open()
  maintenance.start()
  cashier.isQuiet = true
  const daily = taken()
  look()
  await daily
  await eventually(() => {
    expect(maintenance.isBackingUp()).toBe(false)
  })

  clock.advance(3_600_000)
  closeDay(1, clock.now())
  cashier.isQuiet = false
  look()
  expect(news(), 'a sale is open').toBe(1)
  cashier.isQuiet = true
  clock.advance(60_000)
  const closing = taken()
  look()
  await closing
  await eventually(() => {
    expect(maintenance.isBackingUp()).toBe(false)
  })
  expect(files()).toEqual(['closing-20261120-110100.db', 'daily-20261120-100000.db'])
  clock.advance(60_000)
  look()
  expect(news()).toBe(2)

  // A Z report that a wrong clock dated in the future does not cause a backup every minute.
  closeDay(2, clock.now() + 3_600_000)
  look()
  expect(news()).toBe(2)
})
