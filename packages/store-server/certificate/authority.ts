import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from '../../delivery/whole-file.ts'
import { refused } from '../log.ts'
import {
  endOf,
  ownCertificate,
  readPair,
  isSelfSigned,
  writeCertificate,
  type Certificate,
  type CertificateFiles,
} from './files.ts'
import { makeAuthority, signServer, type KeyPair } from './self-signed.ts'

const DAY_MS = 24 * 3_600_000
/** Validity of a server certificate that the authority signs. It is renewed `RENEW_BEFORE_MS` before its expiry. */
const SERVER_MS = 365 * DAY_MS
const RENEW_BEFORE_MS = 60 * DAY_MS
/**
 * Minimum time before a self-signed certificate is replaced, in which the lanes that pin it can receive the authority;
 * less if the certificate expires earlier.
 */
const HANDOVER_MS = 30 * DAY_MS
/** Validity of the authority that is added to a store whose lanes pinned a self-signed certificate. */
const AUTHORITY_YEARS = 20

export const authorityFiles = (folder: string): CertificateFiles => ({
  certificate: path.join(folder, 'authority.crt'),
  key: path.join(folder, 'authority.key'),
})

/** Reads the store's own authority; null if the store uses a certificate of another authority. */
export function readAuthority(folder: string): Certificate | null {
  const files = authorityFiles(folder)
  return existsSync(files.certificate) ? readPair(files) : null
}

/**
 * Creates an authority and a server certificate signed by it. Never replaces a file, because enrolment sheets and lanes
 * may refer to its certificate.
 */
export async function createAuthority(
  folder: string,
  names: readonly string[],
  now: Date,
  years: number,
): Promise<Certificate> {
  const [own, files] = [ownCertificate(folder), authorityFiles(folder)]
  for (const { certificate, key } of [own, files]) {
    if (existsSync(certificate)) throw refused('certificateThere', { file: certificate })
    // A private key without a certificate is not replaced: a self-signed certificate may use it.
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
 * Adds an authority to a store with a self-signed server certificate. That certificate stays in use until shortly
 * before its expiry, so that lanes can receive the authority first.
 */
export async function addAuthority(folder: string, now: Date): Promise<void> {
  const files = authorityFiles(folder)
  if (existsSync(files.certificate) || !existsSync(ownCertificate(folder).certificate)) return
  if (!isSelfSigned(readPair(ownCertificate(folder)).certificate)) return
  writeCertificate(files, await makeAuthority(now, AUTHORITY_YEARS))
}

/**
 * Renews the server certificate shortly before its expiry, or when it is not valid yet because it was signed under a
 * fast clock. Keeps the private key, so that a crash leaves a matching pair. Returns whether it renewed.
 */
export async function renewIfDue(folder: string, now: Date): Promise<boolean> {
  const authority = readAuthority(folder)
  if (authority === null) return false
  const current = readPair(ownCertificate(folder))
  if (!isRenewed(current.certificate, authority)) return false
  // Whether a new certificate would not last longer, because no certificate outlives its authority.
  const isLast = endOf(current.certificate) >= endOf(authority.certificate)
  if (!isEarly(current, authority, now) && (now < dueAt(current, authority) || isLast)) return false
  await replace(folder, authority, current, namesOf(current.certificate), now)
  return true
}

/** Renews the server certificate now. `names`: new host names and addresses; an empty list keeps the current ones. */
export async function renewNow(folder: string, names: readonly string[], now: Date): Promise<Date> {
  const authority = readAuthority(folder)
  if (authority === null) throw refused(['noAuthority', 'noAuthorityDo'], { file: authorityFiles(folder).certificate })
  const file = ownCertificate(folder).certificate
  const current = readPair(ownCertificate(folder))
  if (isSelfSigned(current.certificate))
    throw refused(['lanesPinThis', 'lanesPinThisDo'], { file, until: dayOf(dueAt(current, authority)) })
  return await replace(folder, authority, current, names.length > 0 ? names : namesOf(current.certificate), now)
}

/** Returns whether the certificate is not valid yet; false for a self-signed one, and before the authority's start. */
function isEarly({ certificate }: Certificate, authority: Certificate, now: Date): boolean {
  return !isSelfSigned(certificate) && startOf(authority.certificate) <= now && now < startOf(certificate)
}

const startOf = (pem: string): Date => new Date(new X509Certificate(pem).validFrom)

function dueAt(current: Certificate, authority: Certificate): Date {
  const end = endOf(current.certificate).getTime()
  const early = end - RENEW_BEFORE_MS
  if (!isSelfSigned(current.certificate)) return new Date(early)
  const made = startOf(authority.certificate).getTime()
  return new Date(Math.min(Math.max(early, made + HANDOVER_MS), end - DAY_MS))
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/**
 * Returns whether the authority renews this certificate; false for one of another authority, which an administrator
 * installed.
 */
function isRenewed(pem: string, authority: Certificate): boolean {
  const certificate = new X509Certificate(pem)
  return isSelfSigned(pem) || certificate.verify(new X509Certificate(authority.certificate).publicKey)
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

const namesOf = (pem: string): string[] =>
  (new X509Certificate(pem).subjectAltName ?? '').split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''))
