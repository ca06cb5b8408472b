import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ownCertificate } from './certificate/files.ts'
import { makeSelfSigned } from './certificate/self-signed.ts'
import { freePort } from './db/start-postgres.ts'
import { readSealKey } from './lanes/key-files.ts'
import { createLog } from './log.ts'
import { USAGE } from './options.ts'
import { openDatabase } from './database.ts'
import { usePostgres } from './testing/postgres.ts'

const MAIN = path.join(import.meta.dirname, 'main.ts')
const cluster = usePostgres({ fsync: false })
const BY_OWNER = ['--by', 'Sam Okafor', '--why', 'perdue au feu']
const UNREACHABLE = 'postgres://somebody:secret@127.0.0.1:1/store'
let data: string
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'milepost-store-'))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const store = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
const french = (...args: readonly string[]): Promise<Ended> => store(...args, '--language', 'fr')

describe('a store CLI command in French', () => {
  test('reports an unknown option in French, and an unknown language in English', async () => {
    expect(await french('migrate', '--nowhere')).toEqual({
      code: 2,
      stdout: '',
      stderr: `L’option --nowhere n’existe pas.\n\n${USAGE}`,
    })
    expect(await store('migrate', '--language', 'tlh')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--language must be en-CA or fr-CA, not tlh\.\n/),
    })
  })

  test('reports an unavailable database without its password', async () => {
    expect(await french('migrate', '--database', UNREACHABLE)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'La base de données est injoignable à 127.0.0.1:1/store (ECONNREFUSED). Démarrez-y PostgreSQL, ou corrigez ' +
        'l’adresse.\n',
    })
  })

  test('reports its folder, a missing or new certificate, and a port in use', async ({ skip }) => {
    const database = await cluster.database(skip)
    const file = path.join(data, 'server.crt')
    expect(await french('--data', data, '--database', UNREACHABLE)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `Il manque ${file}. Nommez votre certificat avec --certificate et --key, ou créez-en un : ` +
        'npm run milepost -- store certificate --data DOSSIER --name HÔTE\n',
    })
    writeFileSync(path.join(data, 'a-file'), '')
    expect(await french('certificate', '--data', path.join(data, 'a-file'), '--name', 'localhost')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Le dossier de données .*a-file est inutilisable : un fichier porte le nom/),
    })
    const made = await french('certificate', '--data', data, '--name', 'localhost')
    expect(made.stdout).toMatch(/\nEmpreinte SHA-256 : [0-9a-f]{64}\n$/)
    const other = createServer().listen(await freePort(), '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const started = await french('--data', data, '--database', database, '--host', '127.0.0.1', '--port', port)
    other.close()
    expect(started).toMatchObject({
      code: 1,
      stderr: `Le serveur ne peut pas écouter à 127.0.0.1:${port} (EADDRINUSE). Changez --host ou --port.\n`,
    })
  })

  test('reports its tables, a fact that is not quarantined, and a lane that the store does not wait for', async ({
    skip,
  }) => {
    const database = ['--database', await cluster.database(skip)]
    expect(await french('migrate', ...database)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Les tables à .* sont à jour pour ce programme\.\n$/),
    })
    const fact = `${'a'.repeat(32)}/7`
    expect(await french('aside', 'settle', fact, ...BY_OWNER, ...database)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${fact} n’est pas mis de côté, ou est déjà réglé. Voyez : npm run milepost -- store aside\n`,
    })
    expect(await french('vouchers', 'without', '1001/02', ...BY_OWNER, ...database)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'La caisse 1001/02 n’est pas attendue. Voyez : npm run milepost -- store vouchers\n',
    })
    expect(await french('rebuild', ...database)).toMatchObject({
      code: 0,
      stdout: '0 fait relu. Illisibles : 0; avant : 0.\n',
    })
  })

  test('reports a missing store key', async ({ skip }) => {
    const url = await cluster.database(skip)
    const there = path.join(data, 'of-another-server')
    mkdirSync(there)
    const postgres = await openDatabase(url, { log: createLog('silent') })
    await readSealKey(there, postgres)
    await postgres.close()
    const { certificate, key } = await makeSelfSigned(['localhost'], new Date(), 1)
    const files = ownCertificate(data)
    writeFileSync(files.certificate, certificate)
    writeFileSync(files.key, key, { mode: 0o600 })
    expect(await french('--data', data, '--host', '127.0.0.1', '--port', '0', '--database', url)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `Il manque ${path.join(data, 'store.key')}, la clé que partagent les caisses de ce magasin. Copiez-la à ` +
        'partir du serveur qui l’a.\n',
    })
  })
})
