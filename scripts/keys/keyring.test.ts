import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { packBundle, readBundle } from '../../delivery/bundle.ts'
import { parts } from '../../delivery/testing/parts.ts'
import { newestTrust, ownTrust, trustedIn } from '../../delivery/trust.ts'
import { KeyringError, openKeyring, passphraseGiven, type Keyring } from './keyring.ts'

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

/** What a program that was built with the first list comes to believe by the others. */
function believed(bundle: Buffer): object {
  const [first, ...others] = keyring().lists
  const own = first && ownTrust(first)
  if (!own) throw new Error('no first list')
  const read = readBundle(bundle, trustedIn(newestTrust(own, others)))
  return 'bundle' in read ? { by: read.bundle.keyId } : read
}

test('the first key trusts itself; a second is vouched for by the first, and signs from then on', () => {
  const first = keyring().add('head office')
  expect(believed(packBundle(parts(), keyring().signer()))).toEqual({ by: first })
  const second = keyring().add('head office, new')
  expect(keyring().trust).toMatchObject({ version: 2, keys: [{ id: first }, { id: second }] })
  expect(believed(packBundle(parts(), keyring().signer()))).toEqual({ by: second })
})

test('a revoked key signs nothing that is believed; the last one stays', () => {
  const first = keyring().add('one')
  const stolen = packBundle(parts(), keyring().signer())
  expect(() => keyring().revoke(first, 'lost')).toThrow('only trusted key')
  keyring().add('two')
  expect(keyring().revoke(first.slice(0, 8), 'lost')).toBe(first)
  expect(believed(stolen)).toEqual({ refusal: 'key-revoked' })
  expect(() => keyring().revoke('zz', 'lost')).toThrow('No trusted key begins with zz')
  expect(() => keyring().revoke(first, 'again')).toThrow('No trusted key')
})

test('private keys are their owner’s alone, closed where there is a passphrase, and in no checkout', () => {
  const id = keyring('horse').add('one')
  const file = path.join(folder, `${id}.private.pem`)
  expect(readFileSync(file, 'utf8')).toContain('BEGIN ENCRYPTED PRIVATE KEY')
  // Windows has no such bits: there it is the folder of the person's own.
  expect(statSync(file).mode & (process.platform === 'win32' ? 0 : 0o077)).toBe(0)
  expect(() => keyring('donkey').signer()).toThrow('MILEPOST_KEY_PASSPHRASE')
  expect(() => keyring().signer()).toThrow('MILEPOST_KEY_PASSPHRASE')
  symlinkSync(checkout, path.join(top, 'link'))
  for (const inside of [checkout, path.join(checkout, 'keys'), path.join(top, 'link', 'keys')])
    expect(() => openKeyring(inside, checkout, null), inside).toThrow('inside the checkout')
  expect(readdirSync(checkout)).toEqual([])
})

test('without a private key of a trusted one nothing is signed', () => {
  expect(() => keyring().signer()).toThrow('npm run keys -- new')
  const id = keyring().add('one')
  rmSync(path.join(folder, `${id}.private.pem`))
  expect(() => keyring().signer()).toThrow('No private key of a trusted one')
})

test('a name or a reason that no list takes is told in words, and leaves nothing behind', () => {
  const tooLong = 'x'.repeat(300)
  expect(() => keyring().add(tooLong)).toThrow('up to 80 characters')
  expect(readdirSync(top)).toEqual(['checkout'])
  const first = keyring().add('one')
  keyring().add('two')
  const before = readdirSync(folder, { recursive: true })
  expect(() => keyring().revoke(first, tooLong)).toThrow('a reason up to 200')
  expect(() => keyring().add(tooLong)).toThrow(KeyringError)
  expect(readdirSync(folder, { recursive: true })).toEqual(before)
})

test('an empty passphrase is none', () => {
  vi.stubEnv('MILEPOST_KEY_PASSPHRASE', '')
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  expect(passphraseGiven()).toBeNull()
})
