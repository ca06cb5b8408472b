import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownCertificate, writeCertificate } from './files.ts'

const MADE = { certificate: 'a certificate', key: 'its key' }

test('a new private key file is removed when its certificate cannot be written, and the disk error is reported', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files = ownCertificate(folder)
  mkdirSync(`${files.certificate}.${process.pid}.new`)
  expect(() => writeCertificate(files, MADE)).toThrow('EISDIR')
  expect(existsSync(files.key)).toBe(false)
  writeCertificate(files, MADE)
  expect(readFileSync(files.certificate, 'utf8')).toBe(MADE.certificate)
  expect(readFileSync(files.key, 'utf8')).toBe(MADE.key)
  expect(statSync(files.key).mode & 0o077).toBe(0)
})
