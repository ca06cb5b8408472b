import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Querying } from '../../../store-server/db/postgres.ts'
import { usePostgres } from '../../../store-server/testing/postgres.ts'
import { storeReport, noteHalt, requestHalt } from '../../../store-server/updates.sql.ts'
import { openKeyring } from '../keyring.ts'
import { readNotes } from './publish.ts'
import { NOTES_FILE, writeProgram } from './testing.ts'

const UPDATES = fileURLToPath(new URL('../updates.ts', import.meta.url))
const cluster = usePostgres({ fsync: false })
let top: string
let keys: string
let out: string
let notes: string

beforeEach(() => {
  top = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  keys = path.join(top, 'keys')
  out = path.join(top, 'out')
  notes = path.join(top, 'notes.yaml')
  writeFileSync(notes, NOTES_FILE)
  openKeyring(keys, path.join(top, 'checkout'), null).add('Head office')
  onTestFinished(() => {
    rmSync(top, { recursive: true, force: true })
  })
})

function updates(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, UPDATES, ...args, '--out', out, '--keys', keys],
    {
      encoding: 'utf8',
      env: { ...process.env, MILEPOST_KEY_PASSPHRASE: '' },
    },
  )
  return { code: status, output: stdout + stderr }
}

function publish(version: string, ...more: string[]) {
  const folder = writeProgram(path.join(top, version), version)
  return updates('publish', '--program', `linux-x64-browser=${folder}`, '--version', version, '--notes', notes, ...more)
}

test('an installer publishes a version, starts a wave, and sees that the wave must be halted', async ({ skip }) => {
  expect(publish('1.4.0', '--stable')).toMatchObject({
    code: 0,
    output: expect.stringContaining('every lane installs it'),
  })
  expect(publish('1.5.0')).toMatchObject({ code: 0, output: expect.stringContaining('wave 1.5.0 5') })
  expect(updates('wave', '1.5.0', '5 %')).toMatchObject({
    code: 0,
    output: expect.stringContaining('5 % of the lanes'),
  })
  const url = await cluster.database(skip)
  const postgres = await cluster.open(skip, url)
  await report(postgres)
  const status = updates('status', '--database', url, '--language', 'fr')
  expect(status).toMatchObject({ code: 1, output: expect.stringContaining('ARRÊTEZ : 3 caisses sur 4') })
  expect(status.output).toMatch(/1\.5\.0 {2}5 %.*\n/)
  expect(status.output).toMatch(/1\.4\.0 {2}stable/)
  expect(status.output).toContain('magasin 1001, caisse 03 : retour en arrière')
  expect(status.output).toContain('a  [31mred one')
  const sequence = Number(/\b\d{10}\b/.exec(status.output)?.[0])
  await noteHalt(postgres, '1.5.0', { running: 1, left: 3 })
  await requestHalt(postgres, { version: '1.5.0', running: 1, left: 3, sequence, at: '2026-11-26T04:00:00Z' })
  expect(updates('status', '--database', url)).toMatchObject({
    code: 1,
    output: expect.stringContaining('STOP: of 4 lanes'),
  })
  expect(updates('halt', '1.5.0').code).toBe(0)
  expect(updates('status', '--database', url)).toMatchObject({
    code: 0,
    output: expect.stringContaining('HALTED (was 5 %)'),
  })
  expect(updates('status', '--database', 'postgres://u:secret@127.0.0.1:1/store', '--language', 'fr')).toEqual({
    code: 2,
    output:
      'La base de données est injoignable à 127.0.0.1:1/store (ECONNREFUSED). Démarrez-y PostgreSQL, ou corrigez ' +
      'l’adresse.\n',
  })
})

test('after the key of a channel was revoked, the updates CLI command asks for an empty folder', () => {
  publish('1.4.0', '--stable')
  const keyring = openKeyring(keys, path.join(top, 'checkout'), null)
  const [first] = keyring.trust?.keys ?? []
  openKeyring(keys, path.join(top, 'checkout'), null).add('Another')
  openKeyring(keys, path.join(top, 'checkout'), null).revoke(first?.id ?? '', 'lost')
  expect(updates('renew')).toMatchObject({ code: 2, output: expect.stringContaining('empty folder') })
  expect(updates('status', '--language', 'fr').output).toContain('dossier vide')
})

async function report(db: Querying): Promise<void> {
  for (const lane of ['01', '02', '03', '04'])
    await storeReport(
      db,
      {
        store: '1001',
        lane,
        version: '1.5.0',
        from: '1.4.0',
        outcome: lane === '01' ? 'running' : 'went-back',
        why: lane === '02' ? 'a \u001B[31mred one' : null,
        at: '2026-11-26T04:00:00Z',
      },
      new Date(),
    )
}

test.each([
  [['wave', '1.5', '5'], 'en', 'is not a version'],
  [['wave', '1.5.0', '101'], 'fr', 'n’est pas une part'],
  [['status'], 'de', '--language must be'],
  [['status', '--nowhere'], 'fr', 'L’option --nowhere n’existe pas.'],
  [['publish', '--version', '1.5.0', '--notes', 'none.yaml', '--program', 'tablet=x'], 'fr-CA', 'PLATEFORME=DOSSIER'],
])('the updates CLI command reports the mistake in %j in the language %s', (args, language, message) => {
  expect(updates(...args, '--language', language)).toMatchObject({ code: 2, output: expect.stringContaining(message) })
})

test('release notes are rejected if a language of the stores is missing', () => {
  const codeOf = (text: string): unknown => {
    writeFileSync(notes, text)
    try {
      return readNotes(notes)
    } catch (error) {
      return error
    }
  }
  expect(codeOf('en-CA: Faster.\n')).toMatchObject({ code: 'notes-language', facts: { language: 'fr-CA' } })
  expect(codeOf('en-CA: Faster.\nfr-CA: [1, 2]\n')).toMatchObject({ code: 'notes-form' })
  expect(codeOf('en-CA: [')).toMatchObject({ code: 'notes-unreadable' })
  expect(codeOf('[]')).toMatchObject({ code: 'notes-form' })
  expect(codeOf(NOTES_FILE)).toMatchObject({ 'fr-CA': expect.stringContaining('pièces') })
})
