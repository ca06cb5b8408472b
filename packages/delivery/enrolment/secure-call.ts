import type { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { connect, getCACertificates, type ConnectionOptions } from 'node:tls'
import { outgoingAgent, tunnelTo } from '../outgoing.ts'
import { isExpected, type ExpectedCertificate } from '../../../contracts/operations/enrolment-code.ts'

/**
 * Why nobody was asked: no way to the service, a certificate that is not the expected one, or one that is not good at
 * the time of this machine's clock.
 */
export type Unreached = 'no-network' | 'certificate' | 'certificate-time'

/** Thrown for what never reached the service, or brought no answer. */
export class UnreachedError extends Error {
  override name = 'UnreachedError'
  readonly why: Unreached
  constructor(why: Unreached, cause: unknown) {
    super(`the service was not reached: ${why}`, { cause })
    this.why = why
  }
}

export interface Answer {
  readonly status: number
  /** Null where the body is no JSON. */
  readonly body: unknown
}

const DEADLINE_MS = 10_000
/** An answer has a client secret and a PIN for each person; more than this is none. */
const MOST_BYTES = 256 * 1024
/** A self-signed certificate may be its own issuer. */
const MOST_CHAIN = 8
const TIME = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])
const CERTIFICATE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_)/

function unreached(error: unknown): UnreachedError {
  if (error instanceof UnreachedError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new UnreachedError(
    TIME.has(code) ? 'certificate-time' : CERTIFICATE.test(code) ? 'certificate' : 'no-network',
    error,
  )
}

/** The certificate that a server shows, whoever it is. Nothing is said to it. */
async function shownCertificate(service: URL): Promise<X509Certificate> {
  const host = service.hostname.replace(/^\[|\]$/g, '')
  const port = Number(service.port || 443)
  const tunnel = await tunnelTo({ hostname: host, port })
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...(tunnel === null ? { host, port } : { socket: tunnel }),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // Whom to believe is decided by the fingerprint, before anything is sent.
      rejectUnauthorized: false,
      timeout: DEADLINE_MS,
    })
    const fail = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    socket.once('error', fail)
    socket.once('timeout', () => fail(new Error('no answer in time')))
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate) resolve(certificate)
      else reject(new Error('the server showed no certificate'))
    })
  })
}

/** Whom a connection believes: the one certificate of the sheet, or the authorities of this system. */
export async function trustFor(service: URL, expected: ExpectedCertificate | null): Promise<ConnectionOptions> {
  if (expected === null) return { ca: [...getCACertificates('default'), ...getCACertificates('system')] }
  const shown = await shownCertificate(service)
  if (!isShown(expected, shown)) {
    const authority = authorityAbove(shown, expected)
    if (authority === null) throw new UnreachedError('certificate', null)
    return { ca: [authority.toString()] }
  }
  // It is this certificate itself that is believed, by whatever name the server was reached.
  return { ca: [shown.toString()], allowPartialTrustChain: true, checkServerIdentity: () => undefined }
}

const isShown = (expected: ExpectedCertificate, { fingerprint256 }: X509Certificate): boolean =>
  isExpected(expected, fingerprint256.replaceAll(':', '').toLowerCase())

/** The authority with the expected fingerprint that the server sent behind its certificate; TLS checks the chain. */
function authorityAbove(shown: X509Certificate, expected: ExpectedCertificate): X509Certificate | null {
  let above = shown.issuerCertificate
  for (let depth = 0; above !== undefined && depth < MOST_CHAIN; depth += 1) {
    if (above.ca && isShown(expected, above)) return above
    above = above.issuerCertificate
  }
  return null
}

export interface SecureCall {
  /** Origin of the service, https. */
  readonly service: string
  readonly path: string
  readonly body: unknown
  readonly expected: ExpectedCertificate | null
  readonly headers?: Readonly<Record<string, string>>
}

/** One POST of JSON, by the lane's proxy setting. Throws UnreachedError. */
export async function callSecurely({ service, path, body, expected, headers }: SecureCall): Promise<Answer> {
  const url = new URL(path, service)
  try {
    return await post(url, JSON.stringify(body), headers ?? {}, await trustFor(url, expected))
  } catch (error) {
    throw unreached(error)
  }
}

function post(
  url: URL,
  body: string,
  headers: Readonly<Record<string, string>>,
  trust: ConnectionOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        ...trust,
        // Whatever the environment says of it.
        rejectUnauthorized: true,
        method: 'POST',
        agent: outgoingAgent(trust),
        signal: AbortSignal.timeout(DEADLINE_MS),
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        const parts: Buffer[] = []
        let length = 0
        response.on('data', (part: Buffer) => {
          length += part.byteLength
          if (length > MOST_BYTES) call.destroy(new Error('the answer is too large'))
          else parts.push(part)
        })
        response.on('error', reject)
        response.on('end', () => {
          if (response.complete) resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(parts)) })
          else reject(new Error('the answer broke off'))
        })
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}
