import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { ConnectionCause } from '../../../contracts/api/connection.ts'
import { connectThrough, TunnelError } from '../../../delivery/outgoing.ts'
import { bare, type Place } from './places.ts'

/**
 * Looks at one place below HTTP, each time with a socket of its own that carries nothing of the lane's: no token, no
 * secret, no collector.
 */
export interface Probed {
  readonly cause: ConnectionCause | null
  /** The system's own name of the cause. */
  readonly code: string | null
}
export interface ProbedTls extends Probed {
  /** The last moment of the certificate, ISO 8601; null where none was shown. */
  readonly validTo: string | null
}

const WELL: Probed = { cause: null, code: null }
const DAY_MS = 86_400_000

/** The name that this machine must know: the proxy's, which then asks for the other itself. */
export async function probeName({ proxy, hostname }: Place): Promise<Probed> {
  const name = proxy === null ? hostname : bare(proxy.hostname)
  if (isIP(name) > 0) return WELL
  try {
    await lookup(name)
    return WELL
  } catch (error) {
    const code = codeOf(error)
    return { cause: code === 'ENOTFOUND' ? 'name-unknown' : 'dns-no-answer', code }
  }
}

/** Whether the place takes a connection, through the proxy where there is one. */
export async function probeConnection(place: Place, signal: AbortSignal): Promise<Probed> {
  const opened = await openSocket(place, signal)
  if ('cause' in opened) return opened
  opened.destroy()
  return WELL
}

/**
 * The handshake, and the certificate that is shown. It is looked at whatever is wrong with it, so that its last day can
 * be told; nothing is sent over it. Calls go by the platform's own rules, which refuse it.
 */
export async function probeTls(
  place: Place,
  { signal, warnDays, nowMs }: { signal: AbortSignal; warnDays: number; nowMs: number },
): Promise<ProbedTls> {
  const opened = await openSocket(place, signal)
  if ('cause' in opened) return { ...opened, validTo: null }
  const secured = await handshake(opened, place.hostname, signal)
  if ('cause' in secured) return { ...secured, validTo: null }
  const until = Date.parse(secured.getPeerCertificate().valid_to ?? '')
  const error = secured.authorizationError as unknown
  secured.destroy()
  const validTo = Number.isNaN(until) ? null : new Date(until).toISOString()
  if (error) {
    const code = error instanceof Error ? codeOf(error) : typeof error === 'string' ? error : null
    const cause = causeOfCode(code)
    return { cause: cause.startsWith('certificate') ? cause : 'certificate-untrusted', code, validTo }
  }
  if (until < nowMs + warnDays * DAY_MS) return { cause: 'certificate-ends-soon', code: null, validTo }
  return { ...WELL, validTo }
}

async function openSocket(place: Place, signal: AbortSignal): Promise<Socket | Probed> {
  const { proxy } = place
  if (proxy && place.encrypted)
    return connectThrough(proxy, place, signal).catch((error: unknown) =>
      error instanceof TunnelError && error.status !== null
        ? { cause: 'proxy-refused', code: `HTTP ${error.status}` }
        : failureOf(error, signal),
    )
  return new Promise((resolve) => {
    const [host, port] = proxy ? [bare(proxy.hostname), Number(proxy.port || 80)] : [place.hostname, place.port]
    const socket = connect({ host, port, signal })
    socket.once('connect', () => {
      resolve(socket)
    })
    socket.once('error', (error) => {
      resolve(failureOf(error, signal))
    })
  })
}

function handshake(socket: Socket, hostname: string, signal: AbortSignal): Promise<TLSSocket | Probed> {
  return new Promise((resolve) => {
    const secured = connectTls({
      socket,
      host: hostname,
      ...(isIP(hostname) > 0 ? {} : { servername: hostname }),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: false,
    })
    const end = (): void => {
      secured.destroy()
      resolve({ cause: 'no-answer', code: null })
    }
    signal.addEventListener('abort', end, { once: true })
    secured.once('secureConnect', () => {
      signal.removeEventListener('abort', end)
      resolve(secured)
    })
    secured.once('error', (error) => {
      signal.removeEventListener('abort', end)
      secured.destroy()
      const code = codeOf(error)
      resolve({ cause: code === 'ECONNRESET' ? 'closed' : 'tls-failed', code })
    })
  })
}

function failureOf(error: unknown, signal: AbortSignal): Probed {
  if (signal.aborted) return { cause: 'no-answer', code: null }
  const code = codeOf(error)
  return { cause: causeOfCode(code), code }
}

/** What a system's or OpenSSL's name of a failure means; what is not known here is no connection. */
export const causeOfCode = (code: string | null): ConnectionCause => CAUSES.get(code ?? '') ?? 'unreachable'

const CAUSES: ReadonlyMap<string, ConnectionCause> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['ETIMEDOUT', 'no-answer'],
  ['ECONNRESET', 'closed'],
  ['ERR_PROXY_TUNNEL', 'closed'],
  ['EPIPE', 'closed'],
  ['ENOTFOUND', 'name-unknown'],
  ['EAI_AGAIN', 'dns-no-answer'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no-answer'],
  ['CERT_HAS_EXPIRED', 'certificate-expired'],
  ['CERT_NOT_YET_VALID', 'certificate-not-yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate-name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate-untrusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate-untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate-untrusted'],
])

/** The code of an error, or of the first of those that it is made of: one for each address of a name. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : null
}
