import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from '../../delivery/whole-file.ts'
import { refused } from '../log.ts'
import {
  endOf,
  ownCertificate,
  readPair,
  vouchesForItself,
  writeCertificate,
  type Certificate,
  type CertificateFiles,
} from './files.ts'
import { makeAuthority, signServer, type KeyPair } from './self-signed.ts'

const DAY_MS = 24 * 3_600_000
/** The authority signs server certificates of this length, and replaces each so long before its end. */
const SERVER_MS = 365 * DAY_MS
const RENEW_BEFORE_MS = 60 * DAY_MS
/** Lanes that pin a self-signed certificate have so long to receive the authority, at least, where it lasts so long. */
const HANDOVER_MS = 30 * DAY_MS
/** Of the authority of a store whose lanes were enrolled with a self-signed certificate. */
const AUTHORITY_YEARS = 20

/** The store's own authority, which lanes pin, in the folder of the server. */
export const authorityFiles = (folder: string): CertificateFiles => ({
  certificate: path.join(folder, 'authority.crt'),
  key: path.join(folder, 'authority.key'),
})

/** Null where the store has none: it was given a certificate of another authority. */
export function readAuthority(folder: string): Certificate | null {
  const files = authorityFiles(folder)
  return existsSync(files.certificate) ? readPair(files) : null
}

/** Makes an authority and a server certificate signed by it. It replaces no file: sheets and lanes may know it. */
export async function createAuthority(
  folder: string,
  names: readonly string[],
  now: Date,
  years: number,
): Promise<Certificate> {
  const [own, files] = [ownCertificate(folder), authorityFiles(folder)]
  for (const { certificate, key } of [own, files]) {
    if (existsSync(certificate)) throw refused('certificateThere', { file: certificate })
    // An authority may be making the certificate of it.
    if (existsSync(key)) throw refused('keyThere', { file: key })
  }
  const authority = await makeAuthority(now, years)
  const server = await sign(authority, names, now, null)
  writeCertificate(files, authority)
  try {
    writeCertificate(own, server)
  } catch (error) {
    for (const file of [files.certificate, files.key]) rmSync(file, { force: true })
    throw error
  }
  return authority
}

/**
 * Gives a store with a self-signed server certificate an authority beside it. The certificate stays until lanes had
 * time to receive the authority: it is replaced like any other, shortly before its end.
 */
export async function addAuthority(folder: string, now: Date): Promise<void> {
  const files = authorityFiles(folder)
  if (existsSync(files.certificate) || !existsSync(ownCertificate(folder).certificate)) return
  if (!vouchesForItself(readPair(ownCertificate(folder)).certificate)) return
  writeCertificate(files, await makeAuthority(now, AUTHORITY_YEARS))
}

/**
 * Signs the server certificate again shortly before its end, or before its beginning: it was signed while the clock of
 * the server was ahead, and no lane believes it. The key stays, so that one file is replaced and no crash
 * leaves a pair that does not match. Answers whether it did.
 */
export async function renewIfDue(folder: string, now: Date): Promise<boolean> {
  const authority = readAuthority(folder)
  if (authority === null) return false
  const current = readPair(ownCertificate(folder))
  if (!isRenewed(current.certificate, authority)) return false
  // The last certificate ends with the authority: another one would end at the same moment.
  const isLast = endOf(current.certificate) >= endOf(authority.certificate)
  if (!isEarly(current, authority, now) && (now < dueAt(current, authority) || isLast)) return false
  await replace(folder, authority, current, namesOf(current.certificate), now)
  return true
}

/** Signs the server certificate again at once. `names`: other names and addresses of the server; empty keeps them. */
export async function renewNow(folder: string, names: readonly string[], now: Date): Promise<Date> {
  const authority = readAuthority(folder)
  if (authority === null) throw refused(['noAuthority', 'noAuthorityDo'], { file: authorityFiles(folder).certificate })
  const file = ownCertificate(folder).certificate
  const current = readPair(ownCertificate(folder))
  if (vouchesForItself(current.certificate))
    throw refused(['lanesPinThis', 'lanesPinThisDo'], { file, until: dayOf(dueAt(current, authority)) })
  return await replace(folder, authority, current, names.length > 0 ? names : namesOf(current.certificate), now)
}

/** Whether the certificate is not valid yet; false when the clock is before the authority's own start. */
function isEarly({ certificate }: Certificate, authority: Certificate, now: Date): boolean {
  return !vouchesForItself(certificate) && startOf(authority.certificate) <= now && now < startOf(certificate)
}

const startOf = (pem: string): Date => new Date(new X509Certificate(pem).validFrom)

/** When the certificate of the server is replaced. */
function dueAt(current: Certificate, authority: Certificate): Date {
  const end = endOf(current.certificate).getTime()
  const early = end - RENEW_BEFORE_MS
  if (!vouchesForItself(current.certificate)) return new Date(early)
  const made = startOf(authority.certificate).getTime()
  return new Date(Math.min(Math.max(early, made + HANDOVER_MS), end - DAY_MS))
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** A certificate of another authority, put there by hand, is not replaced. */
function isRenewed(pem: string, authority: Certificate): boolean {
  const certificate = new X509Certificate(pem)
  return vouchesForItself(pem) || certificate.verify(new X509Certificate(authority.certificate).publicKey)
}

async function replace(
  folder: string,
  authority: Certificate,
  { key }: Certificate,
  names: readonly string[],
  now: Date,
): Promise<Date> {
  const privateKey = createPrivateKey(key)
  const signed = await sign(authority, names, now, { privateKey, publicKey: createPublicKey(privateKey) })
  writeWhole(ownCertificate(folder).certificate, signed.certificate, 0o644)
  return endOf(signed.certificate)
}

async function sign(authority: Certificate, names: readonly string[], from: Date, key: KeyPair | null) {
  const until = new Date(Math.min(from.getTime() + SERVER_MS, endOf(authority.certificate).getTime()))
  return await signServer(authority, { names, from, until, key })
}

/** The names and addresses for which a certificate is good. */
const namesOf = (pem: string): string[] =>
  (new X509Certificate(pem).subjectAltName ?? '').split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''))
