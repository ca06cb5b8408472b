import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../log.ts'
import { openDatabase } from '../database.ts'
import { revokeDevices, sweepCodes } from '../enrolment/enrolment.sql.ts'
import { storeReport, noteHalt, requestHalt } from '../updates.sql.ts'
import { requestUntilAnswered, issueFor } from '../testing/lanes.ts'
import { usePostgres } from '../testing/postgres.ts'
import { startServerProcess } from '../testing/server-process.ts'
import { openPostgres } from './postgres.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const log = createLog('silent')
const PASSWORD = 'a pass:word of its own'
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

async function makeRoles(): Promise<void> {
  const [before = '', after = ''] = readFileSync(new URL('./roles.sql', import.meta.url), 'utf8').split(
    /^\\connect .*$/m,
  )
  const passwords = ['owner', 'server'].map((who) => `ALTER ROLE milepost_${who} PASSWORD '${PASSWORD}'`)
  for (const [database, script] of [
    ['postgres', before],
    ['milepost', `${after};${passwords.join(';')}`],
  ] as const) {
    const db = openPostgres({ url: cluster.server().url(database), log })
    // Each statement is sent separately, because CREATE DATABASE cannot run in a transaction.
    for (const statement of script
      .replace(/--.*/g, '')
      .split(';')
      .filter((text) => text.trim() !== ''))
      await db.query(statement)
    await db.close()
  }
}

const addressOf = (user: string): string => {
  const url = new URL(cluster.server().tcpUrl('milepost'))
  return `postgres://${user}@${url.host}/milepost`
}

const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })

test('the database owner creates the tables, and a role that cannot change them serves the lanes', async ({ skip }) => {
  await cluster.database(skip)
  await makeRoles()
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-roles-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const PGPASSFILE = path.join(folder, 'pgpass')
  writeFileSync(PGPASSFILE, `127.0.0.1:*:milepost:milepost_server:${PASSWORD.replaceAll(':', '\\:')}\n`, {
    mode: 0o600,
  })
  const serve = ['--database', addressOf('milepost_server'), '--enrolment']
  await expect(startServerProcess(serve, { env: { PGPASSFILE } })).rejects.toThrow(
    'As milepost_owner: npm run milepost -- store migrate --database postgres://milepost_owner@',
  )
  const migrate = ['migrate', '--database', addressOf('milepost_owner')]
  const without = await run(migrate, { HOME: folder })
  expect(without).toMatchObject({ code: 1, output: expect.stringContaining('refuses this user or password') })
  const made = await run(migrate, { PGPASSWORD: PASSWORD })
  expect(made).toMatchObject({ code: 0, output: expect.stringContaining('are up to date with this program') })

  const look = (user: string) => run(['vouchers', '--database', addressOf(user)], { PGPASSWORD: PASSWORD })
  expect(await look('milepost_owner')).toMatchObject({ code: 0, output: expect.stringContaining('Nothing is open') })
  expect(await look('milepost_server')).toMatchObject({
    code: 1,
    output: expect.stringContaining('Only the owner of the tables'),
  })

  const server = await startServerProcess(serve, { env: { PGPASSFILE } })
  const asServer = addressOf('milepost_server').replace('@', `:${encodeURIComponent(PASSWORD)}@`)
  const postgres = await openDatabase(asServer, { log })
  onTestFinished(() => postgres.close())
  const [code] = await issueFor(postgres, 1)
  if (code === undefined) throw new Error('no code')
  expect(await requestUntilAnswered(server, code)).toMatchObject({ clientSecret: 'secret of 1' })
  await sweepCodes(postgres, Date.now(), Date.now(), Date.now())
  expect(await revokeDevices(postgres, { store: '1001', lane: null }, Date.now())).toBe(1)
  const report = { store: '1001', lane: '01', version: '1.5.0', from: '1.4.0', why: null, at: '2026-11-26T04:00:00Z' }
  expect(await storeReport(postgres, { ...report, outcome: 'running' }, new Date())).toBe(true)
  expect((await postgres.query('SELECT identity FROM database_here')).count, 'who looks after a backup').toBe(1)
  await noteHalt(postgres, '1.5.0', { running: 1, left: 0 })
  await requestHalt(postgres, { version: '1.5.0', sequence: 1, running: 1, left: 0, at: report.at })
  for (const change of [
    'CREATE TABLE more (id int)',
    'DROP TABLE device',
    'TRUNCATE device',
    'ALTER TABLE device ADD x int',
  ])
    await expect(postgres.query(change)).rejects.toMatchObject({ code: '42501' })
  const output = [without.output, made.output, await server.stop()].join('\n')
  for (const form of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(output).not.toContain(form)
})
