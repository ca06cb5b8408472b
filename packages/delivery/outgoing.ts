import { request, setGlobalProxyFromEnv } from 'node:http'
import { Agent, type AgentOptions } from 'node:https'
import { isIP, Socket } from 'node:net'

/*
 * The one setting of every HTTP call that a lane makes: the proxy that its profile names, or none. `fetch` and undici's
 * `request` follow it through the global dispatcher, calls by `node:https` take `outgoingAgent`. Proxies that the
 * environment names (HTTP_PROXY, NODE_USE_ENV_PROXY and the like) are ignored.
 */

/** As `endpoints` of the profile has it. */
export interface ProxySetting {
  readonly proxy?: string | undefined
  /** Hosts that are called directly; one that begins with a dot stands for all names below it. */
  readonly noProxy?: readonly string[] | undefined
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** The proxy for calls to this host (in brackets where it is an address of IPv6); null: it is called directly. */
export function proxyFor(hostname: string, { proxy, noProxy = [] }: ProxySetting): URL | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const isListed = noProxy.some((one) => {
    const listed = one.toLowerCase()
    return listed === host || (listed.startsWith('.') && host.endsWith(listed))
  })
  return proxy === undefined || LOOPBACK.test(host) || isListed ? null : new URL(proxy)
}

let setting: ProxySetting = {}

/** Settles the proxy of this process. Before the first call; another setting replaces it. */
export async function settleProxy(next: ProxySetting): Promise<void> {
  setting = next
  pauses.clear()
  // Removes what Node took from the environment, from `fetch` and from its global agents.
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

/** Node takes exceptions only beside a proxy; this one is never asked. */
const UNUSED = 'http://127.0.0.1:9'

/** An agent for calls by `node:https`, by the settled proxy. `options`: whom TLS believes, and how many connections. */
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

/** The proxy refused the tunnel, or broke off: nothing reached the target. */
export class TunnelError extends Error {
  override name = 'TunnelError'
  readonly code = 'ERR_PROXY_TUNNEL'
  /** The status of the proxy's answer; null: it broke off. */
  readonly status: number | null
  constructor(proxy: URL, status: number | null) {
    super(`the proxy ${proxy.host} ${status === null ? 'closed the connection' : `answered ${status}`}`)
    this.status = status
  }
}

/** A proxy that does not answer must not hold up a start or a sale. */
const TUNNEL_MS = 10_000
/** After the second failure in a row: the first may be a blip, and its caller may try again at once. */
const PAUSES_MS = [0, 1_000, 2_000, 5_000]

interface Pause {
  readonly failures: number
  readonly until: number
  readonly error: Error
}
/** By target: a proxy answers 502 for a service that is down, and serves the others. */
const pauses = new Map<string, Pause>()

/**
 * A connection to the target through the proxy (CONNECT, RFC 9110 §9.3.6). A target that failed is not asked for again
 * before its pause has ended: until then callers get the last error at once.
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

/** A tunnel by the settled proxy, for what is no HTTP; null: the target is called directly. */
export function tunnelTo(target: Target): Promise<Socket> | null {
  const proxy = proxyFor(target.hostname, setting)
  return proxy === null ? null : openTunnel(proxy, target)
}

const authorityOf = ({ hostname, port }: Target): string =>
  `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`

/** One CONNECT, without a pause. Rejects with TunnelError, or with the error of the socket. */
export function connectThrough(proxy: URL, target: Target, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const authority = authorityOf(target)
    const asked = request({
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port || 80,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority },
      agent: false,
      signal,
    })
    asked.once('connect', (response, socket) => {
      const status = response.statusCode ?? 0
      if (status >= 200 && status < 300) {
        resolve(socket as Socket)
        return
      }
      socket.destroy()
      reject(new TunnelError(proxy, status))
    })
    asked.once('response', (response) => {
      response.destroy()
      reject(new TunnelError(proxy, response.statusCode ?? null))
    })
    asked.once('error', (error) => {
      reject(isHangUp(error) ? new TunnelError(proxy, null) : error)
    })
    asked.end()
  })
}

const isHangUp = (error: Error): boolean => 'code' in error && error.code === 'ECONNRESET'
