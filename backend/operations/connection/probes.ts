import { lookup } from 'node:dns/promises'
import { type Socket, connect, isIP } from 'node:net'
import { type TLSSocket, connect as connectTls } from 'node:tls'
import type { ConnectionCause, ConnectionService } from '../../../contracts/operations/connection.ts'
import { TunnelError, connectThrough, proxyFor } from '../../../packages/delivery/outgoing.ts'
import { FIRST_HEARTBEAT, afterAnswer, isSkipped, skipBeat } from '../../core/central/heartbeat.ts'
import { NOT_NOW, spread } from '../../core/central/waits.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { centralOf } from '../../core/central/services.ts'
import { laneTimeOf } from '../../core/lane-time.ts'
import { diagnosticsOf } from '../diagnostics/diagnostics.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { onStart, runLater } from '../../core/lifecycle.ts'
import { settingsOf } from '../../staff/settings/settings.ts'

/**
 * Result for one host of a test below HTTP, over a new socket that carries no data of the lane: no token, secret or
 * collector number.
 */
export interface Probed {
  readonly cause: ConnectionCause | null
  readonly code: string | null
}
export interface ProbedTls extends Probed {
  readonly validTo: string | null
}

const WELL: Probed = { cause: null, code: null }
const DAY_MS = 86_400_000

/** Looks up the host's name. With a proxy only the proxy's name is looked up, because the proxy looks up the host. */
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

export async function probeConnection(place: Place, signal: AbortSignal): Promise<Probed> {
  const opened = await openSocket(place, signal)
  if ('cause' in opened) return opened
  opened.destroy()
  return WELL
}

/**
 * Makes the TLS handshake and reads the certificate. An invalid certificate does not end the handshake, so that its
 * expiry can be read; the result names the flaw. No data is sent.
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

/** Returns the meaning of an error code of the system or OpenSSL; unknown codes mean no connection. */
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

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : null
}

/**
 * At each interval, updates the state of the lane's clock and sends ECHO; skips ECHO at some intervals while the
 * service is slow or throttles.
 */
export const listeningOf = perLane((ctx: Ctx) => {
  const { rng, log } = ctx
  const intervalMs = () => ctx.profile.limits.echoIntervalMs
  const admits = () => centralOf(ctx).load.admits('cash', 'background')
  const runEcho = diagnosticsOf(ctx).runEcho
  const lookAtClock = laneTimeOf(ctx).updateHealth
  let heartbeat = FIRST_HEARTBEAT
  async function ask(): Promise<void> {
    const { httpStatus, latencyMs } = await runEcho()
    if (httpStatus === null || latencyMs === null) return
    heartbeat = afterAnswer(heartbeat, { isThrottled: NOT_NOW.has(httpStatus), latencyMs }, rng.fraction())
  }
  const look = (): void => {
    lookAtClock()
    if (isSkipped(heartbeat)) {
      heartbeat = skipBeat(heartbeat)
      return
    }
    if (!admits()) return
    ask().catch((error: unknown) => {
      log.error({ err: error }, 'the result of an ECHO could not be recorded')
    })
  }
  let echoMs = intervalMs()
  const again = (): (() => void) =>
    runLater(ctx, spread(echoMs, rng.fraction()), () => {
      callOff = again()
      look()
    })
  let callOff = again()
  onStart(ctx, look)
  settingsOf(ctx).onChange(() => {
    if (intervalMs() === echoMs) return
    echoMs = intervalMs()
    callOff()
    callOff = again()
  })
})

type Endpoints = NonNullable<Profile['endpoints']>

export interface Place {
  readonly hostname: string
  readonly port: number
  readonly encrypted: boolean
  readonly services: readonly ConnectionService[]
  readonly proxy: URL | null
}

export const hostOf = ({ hostname, port }: Pick<Place, 'hostname' | 'port'>): string => `${hostname}:${port}`

export const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Returns the hosts of the profile's services, each once, in the order of the check. */
export function placesOf({ token, cash, issuance, offers, offerState, history, ...setting }: Endpoints): Place[] {
  const addresses: readonly (readonly [ConnectionService, string | undefined])[] = [
    ['token', token.url],
    ['cash', cash],
    ['issuance', issuance],
    ['offers', offers],
    ['offer-state', offerState],
    ['history', history],
  ]
  const places = new Map<string, Place & { readonly services: ConnectionService[] }>()
  for (const [service, address] of addresses) {
    if (address === undefined) continue
    const url = new URL(address)
    const known = places.get(url.origin)
    const proxy = proxyFor(url.hostname, setting)
    if (known) known.services.push(service)
    else
      places.set(url.origin, {
        hostname: bare(url.hostname),
        port: portOf(url),
        encrypted: url.protocol === 'https:',
        services: [service],
        proxy,
      })
  }
  return [...places.values()]
}

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))
