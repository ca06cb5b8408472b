import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storeSealed } from '../../../packages/delivery/enrolment/proof.ts'
import { readClientSecret, writeClientSecret } from './client-secret.ts'
import { temporaryFolder } from '../http/testing.ts'

test('a secret that an installer sets after the enrolment replaces the enrolment’s secret', () => {
  const folder = temporaryFolder()
  const key = Buffer.alloc(32, 7)
  storeSealed(folder, key, 'client-secret.enrolled', 'of the sheet')
  const environment = { MILEPOST_SEAL_KEY: key.toString('base64') }
  expect(readClientSecret(folder, environment)).toBe('of the sheet')
  writeClientSecret(folder, 'set since')
  expect(readClientSecret(folder, environment)).toBe('set since')
  expect(existsSync(join(folder, 'client-secret.enrolled'))).toBe(false)
})

test('setting a secret in a file removes the sealed one, which the Electron shell would otherwise pass on', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'client-secret.sealed'), 'what the key store opens')
  writeClientSecret(folder, 'set since')
  expect(existsSync(join(folder, 'client-secret.sealed'))).toBe(false)
})

test('a new secret replaces the old one atomically, in a file that only its owner can read', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'client.secret')
  writeFileSync(file, 'before\n', { mode: 0o644 })
  const before = openSync(file, 'r')
  try {
    writeClientSecret(folder, 'after')
    // The old file stays intact until the new one is complete, because a full disk could otherwise destroy it.
    expect(readFileSync(before, 'utf8')).toBe('before\n')
  } finally {
    closeSync(before)
  }
  expect(readFileSync(file, 'utf8')).toBe('after\n')
  expect(statSync(file).mode & 0o077).toBe(0)
})
