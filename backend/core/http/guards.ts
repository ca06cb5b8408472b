import type { FastifyRequest } from 'fastify'
import type { Access } from '../../../contracts/core/route.ts'
import type { App } from './app.ts'
import { ProblemError } from '../problem.ts'
import type { CommandChannel } from '../command-channel.ts'
import { isCommand, keyOf } from './commands.ts'
import { WINDOW_HEADER } from '../../../contracts/core/window.ts'
import type { Sessions, WindowSession } from './sessions.ts'

export interface GuardOptions {
  /**
   * Accepted values of the Host header, e.g. "127.0.0.1:49152". A function, because the port may be known only after
   * listening.
   */
  readonly allowedHosts: () => readonly string[]
  /** Accepted values of the Origin header. Default: `http://` before each allowed host. */
  readonly allowedOrigins?: () => readonly string[]
}

/**
 * Refuses every call that does not come from the terminal's own page. The check of the Host header stops a foreign name
 * that resolves to the loopback address (DNS rebinding); Origin and Sec-Fetch-Site stop calls from a page of another
 * site or port.
 */
export function addGuards(
  app: App,
  guards: GuardOptions,
  sessions: Sessions,
  channel: Pick<CommandChannel, 'isRepeated'>,
): void {
  const hosts = (): readonly string[] => guards.allowedHosts()
  const origins = (): readonly string[] => guards.allowedOrigins?.() ?? hosts().map((host) => `http://${host}`)

  app.addHook('onRequest', async (request) => {
    if (!hosts().includes((request.headers.host ?? '').toLowerCase())) throw new ProblemError('host-refused')
    if (!isOwnOrigin(request, origins())) throw new ProblemError('origin-refused')
  })

  /**
   * Whether the call repeats a command of its window while no one is signed in, as after a sign-out. The window then
   * gets only the stored answer.
   */
  function isRepeatedCommand(request: FastifyRequest): boolean {
    const { method, url, config } = request.routeOptions
    const key = isCommand({ method: method ?? request.method, url: url ?? '', config }) ? keyOf(request) : null
    if (key === null || request.windowSession === null) return false
    request.isRepeated = request.staff === null && channel.isRepeated(key, request.client)
    return request.isRepeated
  }

  app.addHook('onRequest', async (request) => {
    const session = sessionOf(request, sessions)
    request.windowSession = session?.window ?? null
    request.staff = session?.staff ?? null
    const access = accessOf(request)
    const forStaff = access === 'staff' || access === 'manager'
    request.client = { window: session?.window ?? null, staffId: forStaff ? (session?.staff?.id ?? null) : null }
    if (session?.isDisplay && !isRead(request) && request.routeOptions.config.command !== 'reading')
      throw new ProblemError('not-permitted')
    // Access is checked before the body is read: from a caller without a session, only a launch token is parsed.
    if (!request.is404 && !isRepeatedCommand(request)) checkAccess(request, access)
    // Reads do not count as activity of a person, because screens read by themselves.
    if (
      request.staff !== null &&
      request.windowSession !== null &&
      !isRead(request) &&
      request.routeOptions.config.byItself !== true
    )
      sessions.active(request.windowSession)
  })
}

function sessionOf({ headers }: FastifyRequest, sessions: Pick<Sessions, 'find'>): WindowSession | null {
  const header = headers[WINDOW_HEADER]
  return typeof header === 'string' ? sessions.find(header) : null
}

function isOwnOrigin(request: FastifyRequest, origins: readonly string[]): boolean {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const reads = isRead(request)
  if (origin !== undefined && !origins.includes(origin)) return false
  // Sec-Fetch-Site "none" is an address that a person typed; "same-site" would be another port of this machine.
  if (site !== undefined && site !== 'same-origin' && !(reads && (site === 'none' || opensPage(request)))) return false
  // A change needs proof of its origin: browsers send Origin or Sec-Fetch-Site with every change.
  return reads || origin !== undefined || site === 'same-origin'
}

/**
 * A navigation may come from another page, such as the file with the launch link. The page itself is public, refuses
 * framing, and needs a session of its own for anything else.
 */
function opensPage({ headers, url }: FastifyRequest): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document' && !url.startsWith('/api')
}

const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

function accessOf(request: FastifyRequest): Access {
  const { config, url } = request.routeOptions
  return config.access ?? (url?.startsWith('/api') ? 'staff' : 'public')
}

function checkAccess(request: FastifyRequest, access: Access): void {
  if (access === 'public') return
  if (request.windowSession === null) throw new ProblemError('session-required')
  if (access === 'window') return
  if (request.staff === null) throw new ProblemError('sign-in-required')
  if (access === 'manager' && request.staff.role !== 'manager') throw new ProblemError('manager-required')
}

/**
 * Checks after asynchronous work, such as a PIN check, that the person of the request is still signed in with the same
 * role. Throws ProblemError `sign-in-required`.
 */
export function checkSignedIn(request: FastifyRequest, sessions: Pick<Sessions, 'find'>): void {
  if (request.staff === null) return
  const now = sessionOf(request, sessions)?.staff
  if (now?.id !== request.staff.id || now.role !== request.staff.role) throw new ProblemError('sign-in-required')
}

/**
 * Returns the signed-in person, on a route of access `staff` or `manager`, where the guard has verified that there is
 * one.
 */
export function signedIn(request: FastifyRequest): NonNullable<FastifyRequest['staff']> {
  if (request.staff === null) throw new ProblemError('sign-in-required')
  return request.staff
}

export function windowOf(request: FastifyRequest): string {
  if (request.windowSession === null) throw new ProblemError('session-required')
  return request.windowSession
}
