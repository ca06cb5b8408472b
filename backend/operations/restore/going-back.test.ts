import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { StartRefusedError } from '../../core/program/data-folder.ts'
import { readMigrations } from '../../core/db/migrate.ts'
import { takeBackup } from '../backups/backup.ts'
import { createAuditTrail } from '../../core/audit.ts'
import { systemClock } from '../../core/clock.ts'
import { goBack } from './going-back.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { examineCopy } from '../../core/outbox/integrity-check.ts'
import { programVersion } from '../../core/program/process.ts'
import { atWork, makeLane, nextRelease, sellOn, TODAY, updateTo } from '../../../packages/lab/testing/next-release.ts'
import { backupContext } from '../../../packages/lab/testing/lane-context.ts'

const BREAKING = nextRelease('ALTER TABLE sale ADD COLUMN channel TEXT', TODAY + 1)
const READABLE = nextRelease()

async function newLane(): Promise<string> {
  const data = join(temporaryFolder(), 'data')
  await makeLane(data)
  return data
}

const schemaOf = (data: string): Promise<unknown> =>
  atWork(data, readMigrations(), ({ db }) => db.pragma('user_version', { simple: true }))
const entriesOf = (data: string): Promise<unknown> =>
  atWork(data, readMigrations(), ({ db }) => db.prepare('SELECT count(*) FROM journal_entry').pluck().get())
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

/** A lane with a sale, after an update that nobody has worked with. */
async function updated(migrations = BREAKING): Promise<string> {
  const data = await newLane()
  await sellOn(data)
  await updateTo(data, migrations)
  return data
}

describe('a database that no newer program has changed', () => {
  test('stays as it is, and so does an empty folder', async () => {
    const data = await newLane()
    const before = readFileSync(join(data, 'terminal.db'))
    expect(goBack(data, null)).toEqual({ kind: 'not-newer' })
    expect(readFileSync(join(data, 'terminal.db')).equals(before)).toBe(true)
    expect(readdirSync(join(data, 'backups'))).toEqual([])
    expect(goBack(join(data, 'none'), null)).toEqual({ kind: 'not-newer' })
    expect(existsSync(join(data, 'none'))).toBe(false)
  })
})

describe('after an update with which nobody has worked', () => {
  test.each([
    ['may not read', BREAKING],
    ['may read', READABLE],
  ])('what this program %s gives way to the copy from before', async (_what, migrations) => {
    const data = await updated(migrations)
    const back = goBack(data, null)
    expect(back).toMatchObject({ kind: 'restored', fromSchema: TODAY + 1 })
    expect(await schemaOf(data)).toBe(TODAY)
    expect(await entriesOf(data)).toBe(1)
    expect(goBack(data, null), 'and once is enough').toEqual({ kind: 'not-newer' })
    await sellOn(data)
    const told = await atWork(data, readMigrations(), ({ db, seal }) =>
      createAuditTrail({ db, clock: systemClock, seal }).latest(5),
    )
    expect(told.map(({ kind, subject, detail }) => ({ kind, subject, detail }))).toEqual([
      {
        kind: 'program-went-back',
        subject: back.kind === 'restored' ? back.copy : '',
        detail: { from: programVersion(), to: programVersion() },
      },
    ])
  })

  test('the newer database is kept aside, whole, and found out where somebody puts it back', async () => {
    const data = await updated()
    const back = goBack(data, null)
    const aside = join(data, 'backups', back.kind === 'restored' ? back.aside : '')
    expect(readdirSync(aside).toSorted()).toEqual(expect.arrayContaining(['journal.mark', 'terminal.db']))
    const key = Buffer.from(readFileSync(join(data, 'seal.key'), 'utf8'), 'base64')
    expect(examineCopy(join(aside, 'terminal.db'), key)).toMatchObject({ problem: null, schema: TODAY + 1, entries: 1 })
    for (const left of ['terminal.db', 'terminal.db-wal', 'terminal.db-shm']) rmSync(join(data, left), { force: true })
    copyFileSync(join(aside, 'terminal.db'), join(data, 'terminal.db'))
    await expect(updateTo(data, BREAKING)).rejects.toThrow('it is older than the mark beside it says')
  })

  test('what the newer program notes of its own start and end does not hold it up', async () => {
    const data = await updated()
    await atWork(data, BREAKING, async ({ db, seal, transact }) => {
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
    expect(goBack(data, null)).toMatchObject({ kind: 'restored' })
  })

  test.each([
    ['was handed over', "INSERT INTO store_told (kind, subject) VALUES ('voucher-transfer', 'x')"],
    ['was put into its care', "INSERT INTO store_hold (id, sale_id, state) SELECT 'h', id, 'given' FROM sale LIMIT 1"],
  ])('what %s of the store by itself holds it up: the lane would have it twice', async (_what, sql) => {
    const data = await updated(READABLE)
    await atWork(data, READABLE, ({ db, transact }) => {
      transact((tx) => tx.run(db.prepare(sql)))
    })
    expect(goBack(data, null)).toMatchObject({ kind: 'opens', why: expect.stringContaining('has worked since') })
  })

  test('it is the copy that holds everything, and not the one of the latest name', async () => {
    const data = await updated()
    goBack(data, null)
    renameSync(copyIn(data), join(data, 'backups', `before-schema-${TODAY + 1}-${Date.now() + 86_400_000}.db`))
    await sellOn(data)
    await updateTo(data, BREAKING)
    expect(goBack(data, null)).toMatchObject({ kind: 'restored' })
    expect(await entriesOf(data)).toBe(2)
  })

  test('an update after it goes forward again', async () => {
    const data = await updated()
    goBack(data, null)
    await sellOn(data)
    await updateTo(data, BREAKING)
    expect(await sellOn(data, BREAKING)).toBe(3)
  })
})

describe('after an update with which the lane has worked', () => {
  test('this program opens what it may read: nothing is put back', async () => {
    const data = await updated(READABLE)
    await sellOn(data, READABLE)
    expect(goBack(data, null)).toMatchObject({ kind: 'opens', schema: TODAY + 1 })
    expect(await sellOn(data)).toBe(3)
    expect(await sellOn(data, READABLE), 'and the newer one after it').toBe(4)
  })

  test('what it may not read is refused with the program that is needed, and nothing is changed', async () => {
    const data = await updated()
    await sellOn(data, BREAKING)
    const before = readFileSync(join(data, 'terminal.db'))
    const words = refusalOf(() => goBack(data, null))
    expect(words).toContain(`has schema ${TODAY + 1} and this program knows ${TODAY}`)
    expect(words).toContain(`install the newer program, Milepost ${programVersion()} or a later one`)
    expect(words).toContain('the lane has worked since')
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
  test.each(WORKED)('%s: that counts', async (_what, sql) => {
    const data = await updated(READABLE)
    await atWork(data, READABLE, ({ db }) => {
      db.exec(sql)
    })
    expect(goBack(data, null)).toMatchObject({ kind: 'opens' })
  })

  test.each([
    ['signed in', { kind: 'sign-in', actorId: 'sam' }],
    ['signed out', { kind: 'sign-out', actorId: 'sam', detail: { why: 'asked' } }],
    ['made a backup', { kind: 'backup-made', actorId: 'sam' }],
  ] as const)('somebody has %s: that counts', async (_what, entry) => {
    const data = await updated(READABLE)
    await atWork(data, READABLE, ({ db, seal, transact }) => {
      transact((tx) => {
        createAuditTrail({ db, clock: systemClock, seal }).record(tx, entry)
      })
    })
    expect(goBack(data, null)).toMatchObject({ kind: 'opens' })
  })

  test('entries that somebody took out of the database are known to the mark', async () => {
    const data = await updated(READABLE)
    const asBefore = join(data, '..', 'as-before')
    cpSync(data, asBefore, { recursive: true })
    await sellOn(data, READABLE)
    copyFileSync(join(asBefore, 'terminal.db'), join(data, 'terminal.db'))
    rmSync(join(data, 'terminal.db-wal'), { force: true })
    expect(goBack(data, null)).toMatchObject({ kind: 'opens' })
    await expect(schemaOf(data)).rejects.toThrow('older than the mark')
  })
})

describe('without a copy that can be trusted', () => {
  test.each([
    ['gone', (file: string) => rmSync(file), 'there is none in backups'],
    ['of another text', (file: string) => writeFileSync(file, 'hello '.repeat(900)), 'there is none in backups'],
    ['changed', tamper, 'is not sound: rows were added to the table pin_door'],
  ])('one that is %s is not put back', async (_what, change, words) => {
    const data = await updated()
    change(copyIn(data))
    expect(refusalOf(() => goBack(data, null))).toContain(words)
    expect(await atWork(data, BREAKING, ({ db }) => db.pragma('user_version', { simple: true }))).toBe(TODAY + 1)
  })
})

function tamper(file: string): void {
  const db = new Sqlite(file)
  db.exec("INSERT INTO pin_door (door, staff_id) VALUES ('sign-in', 'sam')")
  db.close()
}
