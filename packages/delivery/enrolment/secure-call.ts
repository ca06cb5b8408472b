import type { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { connect, getCACertificates, type ConnectionOptions } from 'node:tls'
import { outgoingAgent, tunnelTo } from '../outgoing.ts'
import { isExpected, type ExpectedCertificate } from '../../../contracts/operations/enrolment-code.ts'

/**
 * Why there is no response: a network error or timeout, an unexpected certificate, or a certificate that is not valid
 * at this machine's time.
 */
export type Unreached = 'no-network' | 'certificate' | 'certificate-time'

export class UnreachedError extends Error {
  override name = 'UnreachedError'
  readonly why: Unreached
  constructor(why: Unreached, cause: unknown) {
    super(`the service could not be reached: ${why}`, { cause })
    this.why = why
  }
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

const DEADLINE_MS = 10_000
/** Maximum response size. A response has a client secret and a PIN for each person; larger responses are rejected. */
const MAX_BYTES = 256 * 1024
/**
 * Maximum number of issuers that are followed in a certificate chain: a self-signed certificate may be its own issuer,
 * so following issuers might not end.
 */
const MAX_CHAIN = 8
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

/** Reads the certificate of a server without verifying it and without sending a request. */
async function shownCertificate(service: URL): Promise<X509Certificate> {
  const host = service.hostname.replace(/^\[|\]$/g, '')
  const port = Number(service.port || 443)
  const tunnel = await tunnelTo({ hostname: host, port })
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...(tunnel === null ? { host, port } : { socket: tunnel }),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // TLS accepts any certificate in this call, because nothing is sent before the fingerprint is verified.
      rejectUnauthorized: false,
      timeout: DEADLINE_MS,
    })
    const fail = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    socket.once('error', fail)
    socket.once('timeout', () => fail(new Error('the service did not answer in time')))
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate) resolve(certificate)
      else reject(new Error('the server sent no certificate'))
    })
  })
}

/** Returns TLS options that trust only the certificate of the enrolment sheet, or the authorities of this system. */
export async function tlsOptionsFor(service: URL, expected: ExpectedCertificate | null): Promise<ConnectionOptions> {
  if (expected === null) return { ca: [...getCACertificates('default'), ...getCACertificates('system')] }
  const shown = await shownCertificate(service)
  if (!isShown(expected, shown)) {
    const authority = authorityAbove(shown, expected)
    if (authority === null) throw new UnreachedError('certificate', null)
    return { ca: [authority.toString()] }
  }
  // Trusts the server's pinned certificate itself, under any host name.
  return { ca: [shown.toString()], allowPartialTrustChain: true, checkServerIdentity: () => undefined }
}

const isShown = (expected: ExpectedCertificate, { fingerprint256 }: X509Certificate): boolean =>
  isExpected(expected, fingerprint256.replaceAll(':', '').toLowerCase())

function authorityAbove(shown: X509Certificate, expected: ExpectedCertificate): X509Certificate | null {
  let above = shown.issuerCertificate
  for (let depth = 0; above !== undefined && depth < MAX_CHAIN; depth += 1) {
    if (above.ca && isShown(expected, above)) return above
    above = above.issuerCertificate
  }
  return null
}

export interface SecureCall {
  readonly service: string
  readonly path: string
  readonly body: unknown
  readonly expected: ExpectedCertificate | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one JSON request (POST) with the lane's proxy setting. Throws UnreachedError. */
export async function callSecurely({ service, path, body, expected, headers }: SecureCall): Promise<Answer> {
  const url = new URL(path, service)
  try {
    return await post(url, JSON.stringify(body), headers ?? {}, await tlsOptionsFor(url, expected))
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
        // Certificate checks are switched on explicitly, because the environment can disable them.
        rejectUnauthorized: true,
        method: 'POST',
        agent: outgoingAgent(trust),
        signal: AbortSignal.timeout(DEADLINE_MS),
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = []
        let length = 0
        response.on('data', (chunk: Buffer) => {
          length += chunk.byteLength
          if (length > MAX_BYTES) call.destroy(new Error('the answer is too large'))
          else chunks.push(chunk)
        })
        response.on('error', reject)
        response.on('end', () => {
          if (response.complete) resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks)) })
          else reject(new Error('the connection was lost during the answer'))
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
