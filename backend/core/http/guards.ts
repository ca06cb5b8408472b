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
   * Exact values of the Host header that are ours, e.g. "127.0.0.1:49152". A function, because a port may be known only
   * after listening.
   */
  readonly allowedHosts: () => readonly string[]
  /** Exact values of the Origin header that are ours. Left out: `http://` before each allowed host. */
  readonly allowedOrigins?: () => readonly string[]
}

/**
 * Turns away every call that does not come from the terminal's own page.
 * The Host check stops a foreign name that was pointed at the loopback address (DNS rebinding);
 * Origin and Sec-Fetch-Site stop calls that a page of another site, or of another port, makes.
 */
export function addGuards(
  app: App,
  guards: GuardOptions,
  sessions: Sessions,
  channel: Pick<CommandChannel, 'asksAgain'>,
): void {
  const hosts = (): readonly string[] => guards.allowedHosts()
  const origins = (): readonly string[] => guards.allowedOrigins?.() ?? hosts().map((host) => `http://${host}`)

  app.addHook('onRequest', async (request) => {
    if (!hosts().includes((request.headers.host ?? '').toLowerCase())) throw new ProblemError('host-refused')
    if (!comesFromOwnPage(request, origins())) throw new ProblemError('origin-refused')
  })

  /** A command whose answer was lost is asked for again, perhaps after a sign-out: its window is told, and no more. */
  function asksForItsAnswer(request: FastifyRequest): boolean {
    const { method, url, config } = request.routeOptions
    const key = isCommand({ method: method ?? request.method, url: url ?? '', config }) ? keyOf(request) : null
    if (key === null || request.windowSession === null) return false
    request.asksAgain = request.staff === null && channel.asksAgain(key, request.asker)
    return request.asksAgain
  }

  app.addHook('onRequest', async (request) => {
    const session = sessionOf(request, sessions)
    request.windowSession = session?.window ?? null
    request.staff = session?.staff ?? null
    const access = accessOf(request)
    const forStaff = access === 'staff' || access === 'manager'
    request.asker = { window: session?.window ?? null, staffId: forStaff ? (session?.staff?.id ?? null) : null }
    if (session?.isDisplay && !isRead(request) && request.routeOptions.config.command !== 'reading')
      throw new ProblemError('not-permitted')
    // Bodies are read after this: nobody without a session makes the terminal parse anything but a launch token.
    if (!request.is404 && !asksForItsAnswer(request)) admit(request, access)
    // Looking on is nothing that anybody does: screens read by themselves.
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

function comesFromOwnPage(request: FastifyRequest, origins: readonly string[]): boolean {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const reads = isRead(request)
  if (origin !== undefined && !origins.includes(origin)) return false
  // "none" is a person typing the address; "same-site" would be another port of this machine.
  if (site !== undefined && site !== 'same-origin' && !(reads && (site === 'none' || opensPage(request)))) return false
  // A change needs proof that it is ours: browsers always send one of the two with it.
  return reads || origin !== undefined || site === 'same-origin'
}

/**
 * A window that is sent to the terminal from a page elsewhere, as by the file that holds the launch link: the document
 * itself says nothing that is not public, refuses to be framed, and gets no further without a session of its own.
 */
function opensPage({ headers, url }: FastifyRequest): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document' && !url.startsWith('/api')
}

const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

/** The page's own files are public; a route of the API that forgot to say is for staff. */
function accessOf(request: FastifyRequest): Access {
  const { config, url } = request.routeOptions
  return config.access ?? (url?.startsWith('/api') ? 'staff' : 'public')
}

function admit(request: FastifyRequest, access: Access): void {
  if (access === 'public') return
  if (request.windowSession === null) throw new ProblemError('session-required')
  if (access === 'window') return
  if (request.staff === null) throw new ProblemError('sign-in-required')
  if (access === 'manager' && request.staff.role !== 'manager') throw new ProblemError('manager-required')
}

/**
 * Whoever asked may have signed out, or been given another role, while the PIN of an approval was checked. Throws
 * ProblemError `sign-in-required`.
 */
export function admitStill(request: FastifyRequest, sessions: Pick<Sessions, 'find'>): void {
  if (request.staff === null) return
  const now = sessionOf(request, sessions)?.staff
  if (now?.id !== request.staff.id || now.role !== request.staff.role) throw new ProblemError('sign-in-required')
}

/** The person who calls a route of access `staff` or `manager`, where the guard has made sure that there is one. */
export function signedIn(request: FastifyRequest): NonNullable<FastifyRequest['staff']> {
  if (request.staff === null) throw new ProblemError('sign-in-required')
  return request.staff
}

/** Names the calling window on a route of access `window` or above. */
export function windowOf(request: FastifyRequest): string {
  if (request.windowSession === null) throw new ProblemError('session-required')
  return request.windowSession
}
