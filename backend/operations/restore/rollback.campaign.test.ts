import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { StartRefusedError } from '../../core/program/data-folder.ts'
import { readMigrations } from '../../core/db/migrate.ts'
import { takeBackup } from '../backups/backup.ts'
import { createAuditTrail } from '../../core/audit.ts'
import { systemClock } from '../../core/clock.ts'
import { rollBack } from './rollback.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { examineCopy } from '../../core/outbox/integrity-check.ts'
import { programVersion } from '../../core/program/process.ts'
import {
  withLane,
  createLane,
  nextRelease,
  sellOn,
  TODAY,
  updateTo,
} from '../../../packages/lab/testing/next-release.ts'
import { backupContext } from '../../../packages/lab/testing/lane-context.ts'

const BREAKING = nextRelease('ALTER TABLE sale ADD COLUMN channel TEXT', TODAY + 1)
const READABLE = nextRelease()

async function newLane(): Promise<string> {
  const data = join(temporaryFolder(), 'data')
  await createLane(data)
  return data
}

const schemaOf = (data: string): Promise<unknown> =>
  withLane(data, readMigrations(), ({ db }) => db.pragma('user_version', { simple: true }))
const entriesOf = (data: string): Promise<unknown> =>
  withLane(data, readMigrations(), ({ db }) => db.prepare('SELECT count(*) FROM journal_entry').pluck().get())
const copyIn = (data: string): string =>
  join(data, 'backups', readdirSync(join(data, 'backups')).find((name) => name.startsWith('before-schema')) ?? '')
const refusalOf = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof StartRefusedError) return error.message
    throw error
  }
  throw new Error('it was not refused')
}

async function updated(migrations = BREAKING): Promise<string> {
  const data = await newLane()
  await sellOn(data)
  await updateTo(data, migrations)
  return data
}

describe('a program rollback when no newer program changed the database', () => {
  test('leaves the database unchanged, and creates no data folder where none exists', async () => {
    const data = await newLane()
    const before = readFileSync(join(data, 'terminal.db'))
    expect(rollBack(data, null)).toEqual({ kind: 'not-newer' })
    expect(readFileSync(join(data, 'terminal.db')).equals(before)).toBe(true)
    expect(readdirSync(join(data, 'backups'))).toEqual([])
    expect(rollBack(join(data, 'none'), null)).toEqual({ kind: 'not-newer' })
    expect(existsSync(join(data, 'none'))).toBe(false)
  })
})

describe('a program rollback after an update without further use', () => {
  test.each([
    ['may not read', BREAKING],
    ['may read', READABLE],
  ])(
    'replaces a database with a schema that this program %s by the copy from before the update',
    async (_case, migrations) => {
      const data = await updated(migrations)
      const back = rollBack(data, null)
      expect(back).toMatchObject({ kind: 'restored', fromSchema: TODAY + 1 })
      expect(await schemaOf(data)).toBe(TODAY)
      expect(await entriesOf(data)).toBe(1)
      expect(rollBack(data, null), 'and once is enough').toEqual({ kind: 'not-newer' })
      await sellOn(data)
      const result = await withLane(data, readMigrations(), ({ db, seal }) =>
        createAuditTrail({ db, clock: systemClock, seal }).latest(5),
      )
      expect(result.map(({ kind, subject, detail }) => ({ kind, subject, detail }))).toEqual([
        {
          kind: 'program-went-back',
          subject: back.kind === 'restored' ? back.copy : '',
          detail: { from: programVersion(), to: programVersion() },
        },
      ])
    },
  )

  test('keeps the newer database in a folder; if it is put back, a start refuses it as too old', async () => {
    const data = await updated()
    const back = rollBack(data, null)
    const replaced = join(data, 'backups', back.kind === 'restored' ? back.replaced : '')
    expect(readdirSync(replaced).toSorted()).toEqual(expect.arrayContaining(['journal.mark', 'terminal.db']))
    const key = Buffer.from(readFileSync(join(data, 'seal.key'), 'utf8'), 'base64')
    expect(examineCopy(join(replaced, 'terminal.db'), key)).toMatchObject({
      problem: null,
      schema: TODAY + 1,
      entries: 1,
    })
    for (const left of ['terminal.db', 'terminal.db-wal', 'terminal.db-shm']) rmSync(join(data, left), { force: true })
    copyFileSync(join(replaced, 'terminal.db'), join(data, 'terminal.db'))
    await expect(updateTo(data, BREAKING)).rejects.toThrow('it is older than its mark')
  })

  test('ignores what the newer program recorded only by its own start and end', async () => {
    const data = await updated()
    await withLane(data, BREAKING, async ({ db, seal, transact }) => {
      const key = Buffer.from(readFileSync(join(data, 'seal.key'), 'utf8'), 'base64')
      const folder = join(data, 'backups')
      const made = await takeBackup(backupContext(db, { backups: folder, masterKey: key }), 'closing')
      expect(made.outcome).toBe('kept')
      transact((tx) => {
        const audit = createAuditTrail({ db, clock: systemClock, seal })
        audit.record(tx, { kind: 'backup-made', actorId: null, subject: made.file ?? '' })
        audit.record(tx, { kind: 'sign-out', actorId: 'sam', detail: { why: 'restart' } })
      })
    })
    expect(rollBack(data, null)).toMatchObject({ kind: 'restored' })
  })

  test.each([
    ['transferred a voucher to the store', "INSERT INTO store_told (kind, subject) VALUES ('voucher-transfer', 'x')"],
    [
      'shared a held sale with the store',
      "INSERT INTO store_hold (id, sale_id, state) SELECT 'h', id, 'given' FROM sale LIMIT 1",
    ],
  ])('keeps the database when the lane %s by itself, because a restored lane would do it twice', async (_case, sql) => {
    const data = await updated(READABLE)
    await withLane(data, READABLE, ({ db, transact }) => {
      transact((tx) => tx.run(db.prepare(sql)))
    })
    expect(rollBack(data, null)).toMatchObject({ kind: 'opens', why: expect.stringContaining('has been used since') })
  })

  test('restores the copy with the newest entries, not the one with the latest name', async () => {
    const data = await updated()
    rollBack(data, null)
    renameSync(copyIn(data), join(data, 'backups', `before-schema-${TODAY + 1}-${Date.now() + 86_400_000}.db`))
    await sellOn(data)
    await updateTo(data, BREAKING)
    expect(rollBack(data, null)).toMatchObject({ kind: 'restored' })
    expect(await entriesOf(data)).toBe(2)
  })

  test('is followed by an update that migrates the restored copy again', async () => {
    const data = await updated()
    rollBack(data, null)
    await sellOn(data)
    await updateTo(data, BREAKING)
    expect(await sellOn(data, BREAKING)).toBe(3)
  })
})

describe('a program rollback after an update with further use', () => {
  test('opens a database that this program may read, and restores nothing', async () => {
    const data = await updated(READABLE)
    await sellOn(data, READABLE)
    expect(rollBack(data, null)).toMatchObject({ kind: 'opens', schema: TODAY + 1 })
    expect(await sellOn(data)).toBe(3)
    expect(await sellOn(data, READABLE), 'and the newer one after it').toBe(4)
  })

  test('refuses a newer database that it may not read, names the needed program, and changes nothing', async () => {
    const data = await updated()
    await sellOn(data, BREAKING)
    const before = readFileSync(join(data, 'terminal.db'))
    const message = refusalOf(() => rollBack(data, null))
    expect(message).toContain(`has schema ${TODAY + 1} and this program knows ${TODAY}`)
    expect(message).toContain(`install the newer program, Milepost ${programVersion()} or a later one`)
    expect(message).toContain('the lane has been used since')
    expect(readFileSync(join(data, 'terminal.db')).equals(before)).toBe(true)
    expect(readdirSync(data).filter((name) => name.includes('restoring'))).toEqual([])
    await expect(schemaOf(data)).rejects.toThrow(`Milepost ${programVersion()} or a later one`)
  })

  const WORKED: readonly (readonly [string, string])[] = [
    [
      'a paper was printed',
      `INSERT INTO print_job (id, kind, copy, document, open_drawer, state, created_at)
        VALUES ('x', 'test', 0, '{}', 0, 'confirmed', 1)`,
    ],
    ['a person has another name', "UPDATE staff SET name = 'Samuel'"],
    ['the open sale has another line', 'UPDATE sale SET version = version + 1'],
    ['a setting was changed', "INSERT INTO setting (name, from_at, at, staff_id) VALUES ('x', 1, 1, 'sam')"],
  ]
  test.each(WORKED)('keeps the database after this change: %s', async (_case, sql) => {
    const data = await updated(READABLE)
    await withLane(data, READABLE, ({ db }) => {
      db.exec(sql)
    })
    expect(rollBack(data, null)).toMatchObject({ kind: 'opens' })
  })

  test.each([
    ['signed in', { kind: 'sign-in', actorId: 'sam' }],
    ['signed out', { kind: 'sign-out', actorId: 'sam', detail: { why: 'asked' } }],
    ['made a backup', { kind: 'backup-made', actorId: 'sam' }],
  ] as const)('keeps the database after a person has %s', async (_case, entry) => {
    const data = await updated(READABLE)
    await withLane(data, READABLE, ({ db, seal, transact }) => {
      transact((tx) => {
        createAuditTrail({ db, clock: systemClock, seal }).record(tx, entry)
      })
    })
    expect(rollBack(data, null)).toMatchObject({ kind: 'opens' })
  })

  test('leaves a database whose newest entries were removed, and the next start refuses it by its mark', async () => {
    const data = await updated(READABLE)
    const asBefore = join(data, '..', 'as-before')
    cpSync(data, asBefore, { recursive: true })
    await sellOn(data, READABLE)
    copyFileSync(join(asBefore, 'terminal.db'), join(data, 'terminal.db'))
    rmSync(join(data, 'terminal.db-wal'), { force: true })
    expect(rollBack(data, null)).toMatchObject({ kind: 'opens' })
    await expect(schemaOf(data)).rejects.toThrow('older than its mark')
  })
})

describe('a program rollback without a trustworthy copy', () => {
  test.each([
    ['missing', (file: string) => rmSync(file), 'backups contains no copy'],
    ['of another text', (file: string) => writeFileSync(file, 'hello '.repeat(900)), 'backups contains no copy'],
    ['changed', tamper, 'is not sound: rows were added to the table pin_door'],
  ])('does not restore a copy that is %s', async (_case, change, message) => {
    const data = await updated()
    change(copyIn(data))
    expect(refusalOf(() => rollBack(data, null))).toContain(message)
    expect(await withLane(data, BREAKING, ({ db }) => db.pragma('user_version', { simple: true }))).toBe(TODAY + 1)
  })
})

function tamper(file: string): void {
  const db = new Sqlite(file)
  db.exec("INSERT INTO pin_door (door, staff_id) VALUES ('sign-in', 'sam')")
  db.close()
}
