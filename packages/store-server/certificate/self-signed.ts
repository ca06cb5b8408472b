import { randomBytes, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { generate } from 'selfsigned'
import type { Certificate } from './files.ts'

const DAY_MS = 24 * 3_600_000

type Extensions = NonNullable<Parameters<typeof generate>[1]>['extensions']

export async function makeSelfSigned(names: readonly string[], from: Date, years: number): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: names[0] }], {
    ...CURVE,
    ...validity(from, yearsAfter(from, years)),
    extensions: ofServer(names),
  })
  return { certificate: pemOf(made.cert), key: made.private }
}

/** Creates an authority (EC P-256) that may sign server certificates but no other authority. */
export async function makeAuthority(from: Date, years: number): Promise<Certificate> {
  // TLS finds an issuer by its subject, so two authorities must not share one.
  const subject = `Milepost store authority ${randomBytes(4).toString('hex')}`
  const made = await generate([{ name: 'commonName', value: subject }], {
    ...CURVE,
    ...validity(from, yearsAfter(from, years)),
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return { certificate: pemOf(made.cert), key: made.private }
}

/**
 * Signs a server certificate and appends the authority's certificate, in the order that TLS requires. `key`: private
 * key to reuse; null creates one (EC P-256).
 */
export async function signServer(
  authority: Certificate,
  { names, from, until, key }: { names: readonly string[]; from: Date; until: Date; key: KeyPair | null },
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: names[0] }], {
    ...CURVE,
    ...validity(from, until),
    ca: { cert: authority.certificate, key: authority.key },
    ...(key && {
      keyPair: {
        privateKey: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        publicKey: key.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      },
    }),
    extensions: ofServer(names),
  })
  return { certificate: pemOf(made.cert) + authority.certificate, key: made.private }
}

export interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const CURVE = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const

// The validity starts a day early, for lanes whose clock is behind.
const validity = (from: Date, until: Date) => ({
  notBeforeDate: new Date(from.getTime() - DAY_MS),
  notAfterDate: until,
})

function yearsAfter(from: Date, years: number): Date {
  const until = new Date(from)
  until.setUTCFullYear(until.getUTCFullYear() + years)
  return until
}

const ofServer = (names: readonly string[]): Extensions => [
  { name: 'basicConstraints', cA: false, critical: true },
  { name: 'keyUsage', digitalSignature: true, critical: true },
  { name: 'extKeyUsage', serverAuth: true },
  {
    name: 'subjectAltName',
    altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
  },
]

const pemOf = (pem: string): string => `${pem.trim()}\n`
