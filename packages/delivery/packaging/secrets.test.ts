import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openKeyring } from '../commands/keyring.ts'
import { lookForSecrets } from './verify.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

test.each([[null], ['correct horse battery']])(
  'a private key is found in a package, with the passphrase %s',
  (word) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'milepost-secrets-'))
    vi.stubEnv('MILEPOST_KEY_PASSPHRASE', word ?? '')
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(folder, { recursive: true, force: true })
    })
    const keys = path.join(folder, 'keys')
    openKeyring(keys, root, word).add('head office')
    const look = lookForSecrets(keys)
    const pem = readFileSync(path.join(keys, readdirSync(keys).find((name) => name.endsWith('.pem')) ?? ''))
    expect(look('slots/a/shared/x.js', Buffer.from('nothing of it'))).toEqual([])
    expect(look('slots/a/shared/x.js', pem)).toEqual(['holds a secret of the installer’s (raw)'])
    expect(look('store/store.bundle', gzipSync(pem))).toEqual(['holds a secret of the installer’s (gzip raw)'])
    const said = look('slots/a/notes.txt', Buffer.from(`the passphrase is ${word}`))
    expect(said).toHaveLength(word === null ? 0 : 1)
  },
)
