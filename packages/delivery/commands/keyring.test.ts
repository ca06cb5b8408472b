import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { packBundle, readBundle } from '../bundle.ts'
import { bundleContent } from '../testing/bundle-content.ts'
import { newestTrust, firstTrust, trustedIn } from '../trust.ts'
import { KeyringError, openKeyring, passphraseFromEnvironment, type Keyring } from './keyring.ts'

let top: string
let folder: string
let checkout: string

beforeEach(() => {
  top = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  folder = path.join(top, 'keys')
  checkout = path.join(top, 'checkout')
  mkdirSync(checkout)
  onTestFinished(() => {
    rmSync(top, { recursive: true, force: true })
  })
})

const keyring = (passphrase: string | null = null): Keyring => openKeyring(folder, checkout, passphrase)

function trustAfter(bundle: Buffer): object {
  const [first, ...others] = keyring().lists
  const own = first && firstTrust(first)
  if (!own) throw new Error('no first list')
  const read = readBundle(bundle, trustedIn(newestTrust(own, others)))
  return 'bundle' in read ? { by: read.bundle.keyId } : read
}

test("an installer's first key trusts itself and signs a list with a second key, so that lanes learn that key", () => {
  const first = keyring().add('head office')
  expect(trustAfter(packBundle(bundleContent(), keyring().signer()))).toEqual({ by: first })
  const second = keyring().add('head office, new')
  expect(keyring().trust).toMatchObject({ version: 2, keys: [{ id: first }, { id: second }] })
  const [own = Buffer.of()] = keyring().lists
  const atFirst = firstTrust(own)
  const bundle = packBundle(bundleContent(), keyring().signer())
  expect(atFirst && readBundle(bundle, trustedIn(atFirst))).toMatchObject({ bundle: { keyId: first } })
  keyring().revoke(first, 'replaced')
  expect(trustAfter(packBundle(bundleContent(), keyring().signer()))).toEqual({ by: second })
})

test('after many changes of keys, a bundle includes only the key lists that some lane needs', () => {
  keyring().add('key 0')
  for (let number = 1; number <= 5; number += 1) {
    const before = keyring().trust?.keys[0]?.id ?? ''
    keyring().add(`key ${number}`)
    keyring().add(`spare ${number}`)
    keyring().revoke(before, 'replaced')
  }
  const { lists, needed, trust } = keyring()
  expect(lists).toHaveLength(16)
  expect(needed.length).toBeLessThan(8)
  const own = firstTrust(lists[0] ?? Buffer.of())
  if (!own) throw new Error('no first list')
  for (const [at] of lists.entries()) {
    const known = newestTrust(own, lists.slice(0, at + 1))
    expect(newestTrust(known, needed), `a lane that knows list ${at + 1}`).toEqual(trust)
  }
  for (const omitted of needed)
    expect(
      lists.every((_, at) => {
        const known = newestTrust(own, lists.slice(0, at + 1))
        return (
          newestTrust(
            known,
            needed.filter((one) => one !== omitted),
          ).version === trust?.version
        )
      }),
    ).toBe(false)
  const packed = packBundle({ ...bundleContent(), trust: needed }, keyring().signer())
  expect(readBundle(packed, trustedIn(newestTrust(own, lists)))).toHaveProperty('bundle')
})

test('of three keys created in parallel, each is trusted, or its CLI command reports another change', async () => {
  const make = (name: string) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      execFile(
        process.execPath,
        [path.join(import.meta.dirname, 'keys.ts'), 'new', '--keys', folder, '--name', name],
        (error, output, errorOutput) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: output + errorOutput }),
      )
    })
  const ended = await Promise.all(['one', 'two', 'three'].map(make))
  for (const { code, output } of ended)
    expect(`${code} ${output}`).toMatch(/^(0 Key [0-9a-f]{64} of|2 Another CLI command changed the keys)/)
  const trusted = keyring().trust?.keys.map(({ id }) => id) ?? []
  const made = ended.flatMap(({ output }) => /^Key (\w+) of/.exec(output)?.[1] ?? [])
  expect(made.length).toBeGreaterThan(0)
  expect(trusted).toEqual(expect.arrayContaining(made))
  expect(readdirSync(folder).filter((name) => name.endsWith('.pem'))).toHaveLength(trusted.length)
})

test('lanes reject a bundle signed by a revoked key, and the last trusted key cannot be revoked', () => {
  const first = keyring().add('one')
  const stolen = packBundle(bundleContent(), keyring().signer())
  expect(() => keyring().revoke(first, 'lost')).toThrow('only trusted key')
  keyring().add('two')
  expect(keyring().revoke(first.slice(0, 8), 'lost')).toBe(first)
  expect(trustAfter(stolen)).toEqual({ refusal: 'key-revoked' })
  expect(() => keyring().revoke('zz', 'lost')).toThrow('No trusted key begins with zz')
  expect(() => keyring().revoke(first, 'again')).toThrow('No trusted key')
})

test('only its owner can read a private key; a passphrase encrypts it; a folder inside the checkout is refused', () => {
  const id = keyring('horse').add('one')
  const file = path.join(folder, `${id}.private.pem`)
  expect(readFileSync(file, 'utf8')).toContain('BEGIN ENCRYPTED PRIVATE KEY')
  // Windows has no mode bits: the user's own folder protects the file.
  expect(statSync(file).mode & (process.platform === 'win32' ? 0 : 0o077)).toBe(0)
  expect(() => keyring('donkey').signer()).toThrow('MILEPOST_KEY_PASSPHRASE')
  expect(() => keyring().signer()).toThrow('MILEPOST_KEY_PASSPHRASE')
  symlinkSync(checkout, path.join(top, 'link'))
  for (const inside of [checkout, path.join(checkout, 'keys'), path.join(top, 'link', 'keys')])
    expect(() => openKeyring(inside, checkout, null), inside).toThrow('inside the checkout')
  expect(readdirSync(checkout)).toEqual([])
})

test('nothing is signed if the private key of every trusted key is missing', () => {
  expect(() => keyring().signer()).toThrow('npm run milepost -- keys new')
  const id = keyring().add('one')
  rmSync(path.join(folder, `${id}.private.pem`))
  expect(() => keyring().signer()).toThrow('has no private key of a trusted key')
})

test('a key with a name or a reason that does not fit the key list is rejected and leaves no file', () => {
  const tooLong = 'x'.repeat(300)
  expect(() => keyring().add(tooLong)).toThrow('at most 80 characters')
  expect(readdirSync(top)).toEqual(['checkout'])
  const first = keyring().add('one')
  keyring().add('two')
  const before = readdirSync(folder, { recursive: true })
  expect(() => keyring().revoke(first, tooLong)).toThrow('a reason at most 200')
  expect(() => keyring().add(tooLong)).toThrow(KeyringError)
  expect(readdirSync(folder, { recursive: true })).toEqual(before)
})

test('an empty MILEPOST_KEY_PASSPHRASE counts as no passphrase', () => {
  vi.stubEnv('MILEPOST_KEY_PASSPHRASE', '')
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  expect(passphraseFromEnvironment()).toBeNull()
})
