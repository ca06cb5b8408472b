import { lookup } from 'node:dns/promises'
import { type Socket, connect, isIP } from 'node:net'
import { type TLSSocket, connect as connectTls } from 'node:tls'
import type { ConnectionCause, ConnectionService } from '../../../contracts/operations/connection.ts'
import { TunnelError, connectThrough, proxyFor } from '../../../packages/delivery/outgoing.ts'
import { FIRST_HEARTBEAT, beaten, isLeftOut, leftOut } from '../../core/central/heartbeat.ts'
import { NOT_NOW, spread } from '../../core/central/waits.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { centralOf } from '../../core/central/services.ts'
import { laneTimeOf } from '../../core/lane-time.ts'
import { diagnosticsOf } from '../diagnostics/diagnostics.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { onStart, runLater } from '../../core/lifecycle.ts'
import { settingsOf } from '../../staff/settings/settings.ts'

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

/**
 * Asks from time to time whether the services answer, less often while they are slow, and looks at the clock with it.
 */
export const listeningOf = perLane((ctx: Ctx) => {
  const { rng, log } = ctx
  const intervalMs = () => ctx.profile.limits.echoIntervalMs
  const admits = () => centralOf(ctx).load.admits('cash', 'background')
  const runEcho = diagnosticsOf(ctx).runEcho
  const lookAtClock = laneTimeOf(ctx).look
  let heartbeat = FIRST_HEARTBEAT
  async function ask(): Promise<void> {
    const { httpStatus, latencyMs } = await runEcho()
    if (httpStatus === null || latencyMs === null) return
    heartbeat = beaten(heartbeat, { isTurnedAway: NOT_NOW.has(httpStatus), latencyMs }, rng.fraction())
  }
  const look = (): void => {
    lookAtClock()
    if (isLeftOut(heartbeat)) {
      heartbeat = leftOut(heartbeat)
      return
    }
    if (!admits()) return
    ask().catch((error: unknown) => {
      log.error({ err: error }, 'the echo could not be recorded')
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

/** One address of the profile, by its host and port, with the services that are there. */
export interface Place {
  readonly hostname: string
  readonly port: number
  readonly encrypted: boolean
  readonly services: readonly ConnectionService[]
  /** What calls to it go through; null: nothing. */
  readonly proxy: URL | null
}

/** `name:port`, as people read it. */
export const hostOf = ({ hostname, port }: Pick<Place, 'hostname' | 'port'>): string => `${hostname}:${port}`

/** Brackets belong to the address of IPv6 in a URL, and not to the address. */
export const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Where the profile's services are, each place once, in the order in which the check needs them. */
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
