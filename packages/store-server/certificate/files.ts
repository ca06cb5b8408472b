import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { accessSync, constants, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from '../../delivery/whole-file.ts'
import { minuteOf, refused } from '../log.ts'

export interface Certificate {
  readonly certificate: string
  readonly key: string
}

export type CertificateFiles = { readonly [each in keyof Certificate]: string }

export const ownCertificate = (folder: string): CertificateFiles => ({
  certificate: path.join(folder, 'server.crt'),
  key: path.join(folder, 'server.key'),
})

/** Reads the server's certificate and key. Throws like `readPair`, and also when the certificate has expired. */
export function readCertificate(files: CertificateFiles, now: Date): Certificate {
  const pair = readPair(files)
  const until = endOf(pair.certificate)
  if (until <= now)
    throw refused(['certificateOver', 'certificateOverDo'], { file: files.certificate, until: minuteOf(until) })
  return pair
}

/**
 * Reads a certificate and its private key. Throws a LocalizedError when a file is missing, other users can read the
 * key, or the two do not match.
 */
export function readPair(files: CertificateFiles): Certificate {
  for (const file of [files.certificate, files.key]) requireReadable(file)
  if (process.platform !== 'win32' && (statSync(files.key).mode & 0o077) !== 0)
    throw refused('keyOpen', { file: files.key, command: `chmod 600 '${files.key}'` })
  const [certificate, key] = [readFileSync(files.certificate, 'utf8'), readFileSync(files.key, 'utf8')]
  const x509 = x509Of(certificate, files.certificate)
  if (!x509.checkPrivateKey(privateKeyOf(key, files.key))) throw refused('keyOfOther', files)
  return { certificate, key }
}

/**
 * Writes the certificate and its key, or neither when a write fails: a partial write would block the next attempt.
 * Throws the disk error.
 */
export function writeCertificate(files: CertificateFiles, { certificate, key }: Certificate): void {
  try {
    writeWhole(files.key, key)
    writeWhole(files.certificate, certificate, 0o644)
  } catch (error) {
    tryToRemove(files.key)
    tryToRemove(files.certificate)
    throw error
  }
}

/** Removes a file and ignores errors, so that the caller reports the first error. */
function tryToRemove(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {}
}

function requireReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code !== 'ENOENT'
    throw refused(
      isThere ? ['mayNotRead', 'mayNotReadDo'] : ['certificateMissing', 'certificateMissingDo', 'certificateCommand'],
      { file },
      { cause: error },
    )
  }
}

function x509Of(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (error) {
    throw refused('certificateNoPem', { file }, { cause: error })
  }
}

function privateKeyOf(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (error) {
    throw refused('keyNoPem', { file }, { cause: error })
  }
}

/** SHA-256 of the DER certificate as 64 hex digits. Lanes compare it with the value on their enrolment sheet. */
export const fingerprintOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()

/**
 * Returns the PEM that lanes pin: the authority at the end of the chain, or the whole file if the chain ends without
 * one.
 */
export function pinOf(pem: string): string {
  const last = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)?.at(-1)
  return last !== undefined && isSelfSigned(last) ? `${last}\n` : pem
}

export const endOf = (pem: string): Date => new Date(new X509Certificate(pem).validTo)

export function isSelfSigned(pem: string): boolean {
  const certificate = new X509Certificate(pem)
  return certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey)
}

export const makeFolder = (folder: string): void => void mkdirSync(folder, { recursive: true, mode: 0o700 })
