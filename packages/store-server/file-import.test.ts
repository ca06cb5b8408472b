import Database from 'better-sqlite3'
import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LocalizedError } from '../../contracts/core/refusal.ts'
import { STORE_PATHS } from '../../contracts/store/protocol.ts'
import { makeLaneKey } from '../delivery/enrolment/sealing.ts'
import type { Postgres } from './db/postgres.ts'
import { revokeDevices } from './enrolment/enrolment.sql.ts'
import { sha256 } from './enrolment/enrolment.ts'
import { makeCode } from './enrolment/issue.ts'
import { importFile } from './file-import.ts'
import { createLog } from './log.ts'
import { requestOnce, enrolDevice } from './testing/lanes.ts'
import { usePostgres } from './testing/postgres.ts'
import { startServerProcess } from './testing/server-process.ts'
import { signedLane } from './testing/signed-lane.ts'
import { readReports } from './updates.sql.ts'

const cluster = usePostgres({ fsync: false })
const HOUR = 3_600_000
const log = createLog('error')
const HALT = { version: '1.5.0', sequence: 10, running: 3, left: 2, at: '2026-11-26T04:00:00.000Z' }
const HELLO = JSON.stringify({ protocol: 1, version: '1', streams: [{ epoch: 1, name: 'a'.repeat(32) }] })
const TABLES = ['enrolment_code', 'enrolment_try', 'device', 'update_report', 'update_halt', 'update_halt_request']

const OLD_ENROLMENT = `
  CREATE TABLE schema_versions (feature TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
  CREATE TABLE enrolment_code (
    id TEXT PRIMARY KEY CHECK (length(id) = 5),
    store TEXT NOT NULL,
    lane TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    proof_hash BLOB NOT NULL CHECK (length(proof_hash) = 32),
    token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
    sealed BLOB,
    revoked_at INTEGER,
    exchanged_at INTEGER,
    lane_key TEXT,
    answer BLOB,
    confirmed_at INTEGER,
    CHECK (exchanged_at IS NULL OR (sealed IS NULL AND lane_key IS NOT NULL)),
    CHECK (confirmed_at IS NULL OR (exchanged_at IS NOT NULL AND answer IS NULL))
  ) STRICT;
  CREATE INDEX enrolment_code_of_lane ON enrolment_code (store, lane, made_at);
  CREATE TABLE enrolment_try (
    code_id TEXT PRIMARY KEY,
    wrong INTEGER NOT NULL,
    last INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE device (
    token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
    store TEXT NOT NULL,
    lane TEXT NOT NULL,
    lane_key TEXT NOT NULL,
    code_id TEXT NOT NULL,
    since INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX device_of_lane ON device (store, lane) WHERE revoked_at IS NULL;
  INSERT INTO schema_versions VALUES ('enrolment', 1);`
const OLD_UPDATES = `
  CREATE TABLE update_report (
    version TEXT NOT NULL,
    store TEXT NOT NULL,
    lane TEXT NOT NULL,
    from_version TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('running', 'went-back', 'failed')),
    why TEXT,
    at TEXT NOT NULL,
    received_at TEXT NOT NULL,
    PRIMARY KEY (version, store, lane)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE update_halt (
    version TEXT PRIMARY KEY,
    running INTEGER NOT NULL,
    lanes_left INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO schema_versions VALUES ('updates', 2);`

function dataFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-import-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Creates a former `store.db`: lane 01 is enrolled, the code of lane 02 is unused, and the last rows are only in the
 * WAL, as after a kill.
 */
async function putOldFile(folder: string) {
  const now = new Date()
  const lane = { store: '1001', lane: '02', clientSecret: 'secret of 02', pins: [], storeServer: null }
  const code = await makeCode(lane, new Set(), { now, expiresAt: new Date(now.getTime() + HOUR) })
  const enrolled = { token: randomBytes(32).toString('base64url'), key: makeLaneKey() }

  const made = path.join(dataFolder(), 'store.db')
  const db = new Database(made)
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 0')
  db.exec(OLD_ENROLMENT + OLD_UPDATES)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.prepare(
    `INSERT INTO enrolment_code (id, store, lane, made_at, expires_at, proof_hash, token_hash, sealed)
     VALUES (@id, @store, @lane, @madeAt, @expiresAt, @proofHash, @tokenHash, @sealed)`,
  ).run(code.stored)
  db.prepare(
    `INSERT INTO enrolment_code (id, store, lane, made_at, expires_at, proof_hash, token_hash, exchanged_at, lane_key,
       answer, confirmed_at) VALUES ('AAAAA', '1001', '01', 1, 2, @hash, @hash, 1, @key, NULL, 2)`,
  ).run({ hash: sha256(enrolled.token), key: enrolled.key.publicKey })
  db.prepare("INSERT INTO device VALUES (?, '1001', '01', ?, 'AAAAA', 1, NULL)").run(
    sha256(enrolled.token),
    enrolled.key.publicKey,
  )
  db.prepare('INSERT INTO enrolment_try VALUES (?, 1, ?)').run(code.stored.id, now.getTime())
  const why = 'ended \0 early'
  db.prepare(`INSERT INTO update_report VALUES ('1.5.0', '1001', '01', '1.4.0', 'failed', ?, ?, ?)`).run(
    why,
    HALT.at,
    HALT.at,
  )
  db.exec("INSERT INTO update_halt VALUES ('1.5.0', 3, 2)")
  for (const name of ['store.db', 'store.db-wal', 'store.db-shm'])
    copyFileSync(path.join(path.dirname(made), name), path.join(folder, name))
  db.close()
  writeFileSync(path.join(folder, 'halt-requested.json'), `${JSON.stringify(HALT)}\n`)
  return { code: code.issued, enrolled }
}

function putBack(folder: string): void {
  for (const name of readdirSync(folder))
    renameSync(path.join(folder, name), path.join(folder, name.replace('.imported', '')))
}

async function dump(postgres: Postgres): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const table of TABLES) all[table] = (await postgres.query(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)).rows
  return all
}

test('the server imports a former store.db once; enrolled lanes and unused codes keep working', async ({ skip }) => {
  const url = await cluster.database(skip)
  const server = await startServerProcess(['--database', url, '--enrolment'])
  const postgres = await cluster.open(skip, url)
  const { code, enrolled } = await putOldFile(server.data)

  await server.killAndStart()
  const imported = await dump(postgres)
  expect(readdirSync(server.data)).not.toContain('store.db')
  const call = signedLane({ ca: server.certificate.certificate, url: server.url }, enrolled)
  expect((await call(STORE_PATHS.hello, HELLO)).status).toBe(200)
  expect(await readReports(postgres)).toMatchObject({
    reports: [{ version: '1.5.0', store: '1001', lane: '01', outcome: 'failed', why: 'ended \u{fffd} early' }],
    halts: new Map([['1.5.0', { running: 3, left: 2 }]]),
    request: HALT,
  })

  await server.killAndStart()
  expect(await dump(postgres)).toEqual(imported)
  expect(await requestOnce(server, code)).toMatchObject({ kind: 'given', payload: { clientSecret: 'secret of 02' } })
  expect(await requestOnce(server, code)).toMatchObject({ kind: 'refused', why: 'used' })
})

test('an import of store.db that was interrupted before the rename is detected, and no row is lost', async ({
  skip,
}) => {
  const [folder, postgres] = [dataFolder(), await cluster.open(skip)]
  await putOldFile(folder)
  await importFile(folder, postgres, log)
  const imported = await dump(postgres)
  expect(imported['enrolment_code']).toHaveLength(2)
  putBack(folder)
  expect(existsSync(path.join(folder, 'store.db'))).toBe(true)

  await importFile(folder, postgres, log)
  expect(await dump(postgres)).toEqual(imported)
  expect(readdirSync(folder).toSorted().slice(0, 2)).toEqual(['halt-requested.json.imported', 'store.db.imported'])
  const former = new Database(path.join(folder, 'store.db.imported'), { readonly: true })
  expect(former.prepare('SELECT store, lane FROM device').all()).toEqual([{ store: '1001', lane: '01' }])
  former.close()
})

test('an import of store.db is refused without loss when the database has other rows', async ({ skip }) => {
  const [folder, postgres] = [dataFolder(), await cluster.open(skip)]
  await enrolDevice(postgres, '1001', '03')
  await putOldFile(folder)
  const [before, file] = [await dump(postgres), readFileSync(path.join(folder, 'store.db'))]
  const refused: unknown = await importFile(folder, postgres, log).catch((error: unknown) => error)
  expect(refused instanceof LocalizedError && refused.messages).toEqual({
    'en-CA': expect.stringMatching(/has other data than .*store\.db\. Nothing was imported\. Use an empty database/),
    'fr-CA': expect.stringMatching(/a d’autres données que .*store\.db\. Rien n’a été importé\./),
  })
  expect(await dump(postgres)).toEqual(before)
  expect(readFileSync(path.join(folder, 'store.db'))).toEqual(file)
  expect(readdirSync(folder)).toContain('halt-requested.json')
})

test('a restored store.db does not reactivate a revoked token', async ({ skip }) => {
  const [folder, postgres] = [dataFolder(), await cluster.open(skip)]
  await putOldFile(folder)
  await importFile(folder, postgres, log)
  await revokeDevices(postgres, { store: '1001', lane: null }, Date.now())
  const revoked = await dump(postgres)
  putBack(folder)
  await expect(importFile(folder, postgres, log)).rejects.toThrow('Nothing was imported')
  expect(await dump(postgres)).toEqual(revoked)
})

test('a store.db of a version without updates is imported', async ({ skip }) => {
  const [folder, postgres] = [dataFolder(), await cluster.open(skip)]
  const db = new Database(path.join(folder, 'store.db'))
  db.exec(`${OLD_ENROLMENT} INSERT INTO enrolment_try VALUES ('AAAAA', 2, 1);`)
  db.close()
  await importFile(folder, postgres, log)
  expect((await dump(postgres))['enrolment_try']).toEqual([{ code_id: 'AAAAA', wrong: 2, last: 1 }])
})
