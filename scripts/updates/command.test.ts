import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../store-server/db/open.ts'
import { createReportRepository } from '../../store-server/updates/repository.ts'
import { openKeyring } from '../keys/keyring.ts'
import { NOTES_FILE, writeProgram } from './testing.ts'

const UPDATES = fileURLToPath(new URL('../updates.ts', import.meta.url))
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
  const { status, stdout, stderr } = spawnSync(process.execPath, [UPDATES, ...args, '--out', out, '--keys', keys], {
    encoding: 'utf8',
    env: { ...process.env, MILEPOST_KEY_PASSPHRASE: '' },
  })
  return { code: status, said: stdout + stderr }
}

function publish(version: string, ...more: string[]) {
  const folder = writeProgram(path.join(top, version), version)
  return updates('publish', '--program', `linux-x64-browser=${folder}`, '--version', version, '--notes', notes, ...more)
}

test('an installer publishes, sends a wave, and sees where it must be halted', () => {
  expect(publish('1.4.0')).toMatchObject({ code: 2, said: expect.stringContaining('add --stable') })
  expect(publish('1.4.0', '--stable')).toMatchObject({ code: 0, said: expect.stringContaining('every lane takes it') })
  expect(publish('1.5.0')).toMatchObject({ code: 0, said: expect.stringContaining('wave 1.5.0 5') })
  expect(updates('wave', '1.5.0', '5 %')).toMatchObject({ code: 0, said: expect.stringContaining('5 % of the lanes') })
  expect(updates('status')).toMatchObject({
    code: 0,
    said: expect.stringMatching(/1\.5\.0 {2}5 %.*\n1\.4\.0 {2}stable/),
  })
  const data = path.join(top, 'data')
  expect(updates('status', '--data', data)).toMatchObject({
    code: 2,
    said: expect.stringContaining('There is no database'),
  })
  mkdirSync(data)
  const db = openDatabase(data)
  const reports = createReportRepository(db)
  for (const lane of ['01', '02', '03', '04'])
    reports.keep(
      {
        store: '1001',
        lane,
        version: '1.5.0',
        from: '1.4.0',
        outcome: lane === '01' ? 'running' : 'went-back',
        why: null,
        at: '2026-11-26T04:00:00Z',
      },
      new Date(),
    )
  db.close()
  const status = updates('status', '--data', data, '--language', 'fr')
  expect(status).toMatchObject({ code: 1, said: expect.stringContaining('ARRÊTEZ : 3 des 4 caisses') })
  expect(status.said).toContain('magasin 1001, caisse 03 : retour en arrière')
  expect(updates('halt', '1.5.0').code).toBe(0)
  expect(updates('status', '--data', data)).toMatchObject({
    code: 0,
    said: expect.stringContaining('HALTED (was 5 %)'),
  })
})

test.each([
  [['wave', '1.5', '5'], 'en', 'is no version'],
  [['wave', '1.5.0', '101'], 'fr', 'n’est pas une part'],
  [['wave', '1.5.0'], 'fr-CA', 'Il faut PERCENT'],
  [['halt', '1.5.0'], 'en-CA', 'Nothing is published'],
  [['send', '1.5.0'], 'fr', 'pas de commande send'],
  [['status'], 'de', '--language must be'],
  [['publish', '--version', '1.5.0', '--notes', 'none.yaml', '--program', 'tablet=x'], 'en', 'PLATFORM=FOLDER'],
  [['publish', '--version', '1.5.0', '--notes', 'none.yaml', '--program', 'win-x64=x'], 'fr', 'illisibles'],
])('mistaken: %j in %s', (args, language, words) => {
  expect(updates(...args, '--language', language)).toMatchObject({ code: 2, said: expect.stringContaining(words) })
})

test('notes without a language of the stores are refused', () => {
  writeFileSync(notes, 'en-CA: Faster.\n')
  expect(publish('1.4.0', '--stable')).toMatchObject({ code: 2, said: expect.stringContaining('no text in fr-CA') })
  writeFileSync(notes, 'en-CA: Faster.\nfr-CA: [1, 2]\n')
  expect(publish('1.4.0', '--stable')).toMatchObject({
    code: 2,
    said: expect.stringContaining('text under en-CA and fr-CA'),
  })
})
