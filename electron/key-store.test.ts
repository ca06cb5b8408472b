import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyStoreProblem, readSecrets, storeClientSecret } from './key-store.ts'
import { keyStoreOf } from './testing/key-store-stand-in.ts'

let folder: string
beforeEach(() => { folder = mkdtempSync(path.join(tmpdir(), 'milepost-keys-')) })
afterEach(() => { rmSync(folder, { recursive: true, force: true }) })

describe('the secrets of a real lane', () => {
  it('are provisioned once and given to the backend at every start, the same each time', () => {
    const store = keyStoreOf('lane')
    storeClientSecret(store, folder, 'top-secret-7\n')
    const first = readSecrets(store, folder)
    expect(first['MILEPOST_CLIENT_SECRET']).toBe('top-secret-7')
    expect(Buffer.from(first['MILEPOST_SEAL_KEY'] ?? '', 'base64')).toHaveLength(32)
    expect(readSecrets(store, folder)).toEqual(first)
    for (const file of readdirSync(folder)) expect(readFileSync(path.join(folder, file), 'utf8')).not.toContain('top-secret')
  })

  it('are not replaced by new ones when somebody else opens the terminal', () => {
    const mine = readSecrets(keyStoreOf('lane'), folder)
    expect(() => readSecrets(keyStoreOf('stranger'), folder)).toThrow('cannot open')
    expect(readSecrets(keyStoreOf('lane'), folder)).toEqual(mine)
  })

  it('are not entrusted to a key store that writes plain text', () => {
    expect(keyStoreProblem(keyStoreOf('lane', 'basic_text'), 'linux')).toContain('plain text')
    expect(keyStoreProblem(keyStoreOf('lane', 'unknown'), 'linux')).toContain('plain text')
    expect(keyStoreProblem({ ...keyStoreOf('lane'), isEncryptionAvailable: () => false }, 'win32')).toContain('not available')
    expect(keyStoreProblem(keyStoreOf('lane'), 'linux')).toBeNull()
    expect(keyStoreProblem(keyStoreOf('lane'), 'darwin')).toBeNull()
  })
})
