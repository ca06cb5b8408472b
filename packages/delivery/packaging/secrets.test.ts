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
  'verifying packages finds the installer’s private key in a package, with the passphrase %s (null: not encrypted)',
  (passphrase) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'milepost-secrets-'))
    vi.stubEnv('MILEPOST_KEY_PASSPHRASE', passphrase ?? '')
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(folder, { recursive: true, force: true })
    })
    const keys = path.join(folder, 'keys')
    openKeyring(keys, root, passphrase).add('head office')
    const look = lookForSecrets(keys)
    const pem = readFileSync(path.join(keys, readdirSync(keys).find((name) => name.endsWith('.pem')) ?? ''))
    expect(look('slots/a/shared/x.js', Buffer.from('nothing of it'))).toEqual([])
    expect(look('slots/a/shared/x.js', pem)).toEqual(['contains a secret of the installer (raw)'])
    expect(look('store/store.bundle', gzipSync(pem))).toEqual(['contains a secret of the installer (gzip raw)'])
    const findings = look('slots/a/notes.txt', Buffer.from(`the passphrase is ${passphrase}`))
    expect(findings).toHaveLength(passphrase === null ? 0 : 1)
  },
)
