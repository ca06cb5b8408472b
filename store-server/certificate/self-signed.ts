import { isIP } from 'node:net'
import { generate } from 'selfsigned'
import type { Certificate } from './files.ts'

const DAY_MS = 24 * 3_600_000

/**
 * A certificate that vouches for itself, of these names and addresses, with a key of its own (EC P-256). Lanes believe
 * it by its fingerprint alone.
 */
export async function makeSelfSigned(names: readonly string[], from: Date, years: number): Promise<Certificate> {
  const until = new Date(from)
  until.setUTCFullYear(until.getUTCFullYear() + years)
  const made = await generate([{ name: 'commonName', value: names[0] }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // A lane whose clock is behind believes it too.
    notBeforeDate: new Date(from.getTime() - DAY_MS),
    notAfterDate: until,
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
      },
    ],
  })
  return { certificate: `${made.cert.trim()}\n`, key: made.private }
}
