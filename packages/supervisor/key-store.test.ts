import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storeSealed } from '../delivery/enrolment/proof.ts'
import { keyIsInKeyStore, keyStoreProblem, readSecrets, storeClientSecret } from './key-store.ts'
import { keyStoreOf } from './testing/key-store-stand-in.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-keys-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('the secrets of a production lane', () => {
  it('are stored once and passed to the backend unchanged at every start', async () => {
    const store = keyStoreOf('lane')
    await storeClientSecret(store, folder, 'top-secret-7\n')
    const first = await readSecrets(store, folder)
    expect(first['MILEPOST_CLIENT_SECRET']).toBe('top-secret-7')
    expect(Buffer.from(first['MILEPOST_SEAL_KEY'] ?? '', 'base64')).toHaveLength(32)
    expect(await readSecrets(store, folder)).toEqual(first)
    for (const file of readdirSync(folder))
      expect(readFileSync(path.join(folder, file), 'utf8')).not.toContain('top-secret')
  })

  it('include the sealed client secret of an enrolment, which replaces an older secret', async () => {
    const store = keyStoreOf('lane')
    await storeClientSecret(store, folder, 'of-last-year')
    const laneKey = Buffer.from((await readSecrets(store, folder))['MILEPOST_SEAL_KEY'] ?? '', 'base64')
    storeSealed(folder, laneKey, 'client-secret.enrolled', 'enrolled-9')
    expect((await readSecrets(store, folder))['MILEPOST_CLIENT_SECRET']).toBe('enrolled-9')
    expect(readdirSync(folder)).not.toContain('client-secret.enrolled')
    expect((await readSecrets(store, folder))['MILEPOST_CLIENT_SECRET']).toBe('enrolled-9')
    storeSealed(folder, laneKey, 'client-secret.enrolled', 'enrolled-9')
    await storeClientSecret(store, folder, 'set-since')
    expect((await readSecrets(store, folder))['MILEPOST_CLIENT_SECRET']).toBe('set-since')
  })

  it('stay in a clear-text file if the same secret is stored again; another secret deletes that file', async () => {
    const clear = path.join(folder, 'client.secret')
    writeFileSync(clear, 'set-since\n')
    await storeClientSecret(keyStoreOf('lane'), folder, 'set-since')
    expect(readFileSync(clear, 'utf8')).toBe('set-since\n')
    await storeClientSecret(keyStoreOf('lane'), folder, 'newer')
    expect(readdirSync(folder)).not.toContain('client.secret')
  })

  it('are not replaced when another user of the computer opens the terminal', async () => {
    const mine = await readSecrets(keyStoreOf('lane'), folder)
    await expect(readSecrets(keyStoreOf('stranger'), folder)).rejects.toThrow('cannot open')
    expect(await readSecrets(keyStoreOf('lane'), folder)).toEqual(mine)
  })

  it('are not stored in a key store that writes plain text', async () => {
    const PLAIN = [['plainKeyStore'], ['plainKeyStoreDo']]
    expect(await keyStoreProblem(keyStoreOf('lane', 'basic_text'), 'linux')).toEqual(PLAIN)
    expect(await keyStoreProblem(keyStoreOf('lane', 'unknown'), 'linux')).toEqual(PLAIN)
    expect(
      await keyStoreProblem(
        { ...keyStoreOf('lane'), isAsyncEncryptionAvailable: () => Promise.resolve(false) },
        'win32',
      ),
    ).toEqual([['noKeyStore'], ['noKeyStoreDo']])
    expect(await keyStoreProblem(keyStoreOf('lane'), 'linux')).toBeNull()
    expect(await keyStoreProblem(keyStoreOf('lane'), 'darwin')).toBeNull()
  })

  it('include the seal key of a lane that ran in a browser, and this key is copied to the key store', async () => {
    const key = randomBytes(32).toString('base64')
    writeFileSync(path.join(folder, 'seal.key'), `${key}\n`, { mode: 0o600 })
    const store = keyStoreOf('lane')
    expect((await readSecrets(store, folder))['MILEPOST_SEAL_KEY']).toBe(key)
    expect(keyIsInKeyStore(folder)).toBe(false)
    // A restored backup has another key in its file: the key store’s copy must then be updated.
    const restored = randomBytes(32).toString('base64')
    writeFileSync(path.join(folder, 'seal.key'), `${restored}\n`, { mode: 0o600 })
    expect((await readSecrets(store, folder))['MILEPOST_SEAL_KEY']).toBe(restored)
    // When the installer removes the key file, only the key store has the key.
    rmSync(path.join(folder, 'seal.key'))
    expect((await readSecrets(store, folder))['MILEPOST_SEAL_KEY']).toBe(restored)
    expect(keyIsInKeyStore(folder)).toBe(true)
  })

  it('are not replaced if the key file is broken, and the start is refused', async () => {
    writeFileSync(path.join(folder, 'seal.key'), 'half a k', { mode: 0o600 })
    await expect(readSecrets(keyStoreOf('lane'), folder)).rejects.toThrow('does not contain 32 bytes')
    expect(readdirSync(folder)).toEqual(['seal.key'])
  })

  it('are encrypted again when the operating system reports a new key of its key store', async () => {
    const old = keyStoreOf('lane')
    const first = await readSecrets(old, folder)
    let resealed = 0
    const rotated = {
      ...old,
      decryptStringAsync: async (sealed: Buffer) => ({
        ...(await old.decryptStringAsync(sealed)),
        shouldReEncrypt: true,
      }),
      encryptStringAsync: (text: string) => {
        resealed++
        return old.encryptStringAsync(text)
      },
    }
    expect(await readSecrets(rotated, folder)).toEqual(first)
    expect(resealed).toBe(1)
    expect(await readSecrets(old, folder)).toEqual(first)
  })
})
