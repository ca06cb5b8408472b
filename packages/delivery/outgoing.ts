import { request, setGlobalProxyFromEnv } from 'node:http'
import { Agent, type AgentOptions } from 'node:https'
import { isIP, Socket } from 'node:net'

/*
 * The proxy setting of every HTTP call of a lane: the profile's proxy, or none. `fetch` and undici's `request` use it
 * through the global dispatcher, calls by `node:https` through `outgoingAgent`. Proxies in the environment (HTTP_PROXY,
 * NODE_USE_ENV_PROXY and others) are ignored.
 */

export interface ProxySetting {
  readonly proxy?: string | undefined
  /** Hosts that are called without the proxy; a leading dot matches all names below it. */
  readonly noProxy?: readonly string[] | undefined
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** Returns the proxy for calls to this host (in brackets if it is an IPv6 address); null if it is called directly. */
export function proxyFor(hostname: string, { proxy, noProxy = [] }: ProxySetting): URL | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const isListed = noProxy.some((one) => {
    const listed = one.toLowerCase()
    return listed === host || (listed.startsWith('.') && host.endsWith(listed))
  })
  return proxy === undefined || LOOPBACK.test(host) || isListed ? null : new URL(proxy)
}

let setting: ProxySetting = {}

/** Sets the proxy of this process. Must run before the first HTTP call; may run again later. */
export async function setProxy(next: ProxySetting): Promise<void> {
  setting = next
  pauses.clear()
  // Removes the environment's proxy settings from `fetch` and from the global agents.
  setGlobalProxyFromEnv({ http_proxy: UNUSED, https_proxy: UNUSED, no_proxy: '*' })
  if (next.proxy === undefined) return
  const { Agent: Dispatcher, buildConnector, setGlobalDispatcher } = await import('undici')
  const connect = buildConnector({})
  setGlobalDispatcher(
    new Dispatcher({
      connect(options, opened) {
        const { hostname, protocol } = options
        const port = Number(options.port || (protocol === 'https:' ? 443 : 80))
        const proxy = proxyFor(hostname, setting)
        if (proxy === null) {
          connect(options, opened)
          return
        }
        openTunnel(proxy, { hostname, port }).then(
          (socket) => {
            if (protocol === 'https:') connect({ ...options, httpSocket: socket }, opened)
            else opened(null, socket)
          },
          (error: Error) => opened(error, null),
        )
      },
    }),
  )
}

/** Proxy that is never used: Node accepts exceptions only together with a proxy. */
const UNUSED = 'http://127.0.0.1:9'

/** Creates an agent for calls by `node:https` with the current proxy. `options`: TLS trust and connection limits. */
export const outgoingAgent = (options: AgentOptions = {}): Agent => new OutgoingAgent(options)

class OutgoingAgent extends Agent {
  override createConnection(...[options, opened]: Parameters<Agent['createConnection']>) {
    const hostname = options.host ?? ''
    const proxy = proxyFor(hostname, setting)
    if (proxy === null) return super.createConnection(options, opened)
    openTunnel(proxy, { hostname, port: Number(options.port ?? 443) }).then(
      (socket) => {
        const secured = super.createConnection(Object.assign(options, { socket }))
        opened?.(null, secured ?? socket)
      },
      (error: Error) => opened?.(error, new Socket()),
    )
    return undefined
  }
}

export interface Target {
  readonly hostname: string
  readonly port: number
}

/** Error: the proxy rejected or closed the tunnel, so nothing reached the target. */
export class TunnelError extends Error {
  override name = 'TunnelError'
  readonly code = 'ERR_PROXY_TUNNEL'
  readonly status: number | null
  constructor(proxy: URL, status: number | null) {
    super(`the proxy ${proxy.host} ${status === null ? 'closed the connection' : `answered ${status}`}`)
    this.status = status
  }
}

/** Timeout of opening a tunnel: a silent proxy must not block a start or a sale. */
const TUNNEL_MS = 10_000
/**
 * Delays after consecutive failures. The first is zero, because the failure may be transient and its caller retries.
 */
const PAUSES_MS = [0, 1_000, 2_000, 5_000]

interface Pause {
  readonly failures: number
  readonly until: number
  readonly error: Error
}
/** Delays by target: a proxy answers 502 for one unavailable service and still serves the others. */
const pauses = new Map<string, Pause>()

/**
 * Opens a connection to the target through the proxy (CONNECT, RFC 9110 §9.3.6). During the delay after a failure,
 * callers get the last error immediately.
 */
async function openTunnel(proxy: URL, target: Target): Promise<Socket> {
  const key = authorityOf(target)
  const last = pauses.get(key)
  if (last && performance.now() < last.until) throw last.error
  try {
    const socket = await connectThrough(proxy, target, AbortSignal.timeout(TUNNEL_MS))
    pauses.delete(key)
    return socket
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error))
    const failures = (last?.failures ?? 0) + 1
    const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0
    pauses.set(key, { failures, until: performance.now() + pauseMs, error: failure })
    throw failure
  }
}

/**
 * Opens a tunnel through the current proxy for protocols other than HTTP; null if the target is to be called directly.
 */
export function tunnelTo(target: Target): Promise<Socket> | null {
  const proxy = proxyFor(target.hostname, setting)
  return proxy === null ? null : openTunnel(proxy, target)
}

const authorityOf = ({ hostname, port }: Target): string =>
  `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`

export function connectThrough(proxy: URL, target: Target, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const authority = authorityOf(target)
    const connectRequest = request({
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port || 80,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority },
      agent: false,
      signal,
    })
    connectRequest.once('connect', (response, socket) => {
      const status = response.statusCode ?? 0
      if (status >= 200 && status < 300) {
        resolve(socket as Socket)
        return
      }
      socket.destroy()
      reject(new TunnelError(proxy, status))
    })
    connectRequest.once('response', (response) => {
      response.destroy()
      reject(new TunnelError(proxy, response.statusCode ?? null))
    })
    connectRequest.once('error', (error) => {
      reject(isHangUp(error) ? new TunnelError(proxy, null) : error)
    })
    connectRequest.end()
  })
}

const isHangUp = (error: Error): boolean => 'code' in error && error.code === 'ECONNRESET'
