import { type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import {
  type AskLane,
  KEY_HEADER,
  WINDOW_HEADER,
  type WindowKey,
  openWindowKey,
  verifyLane,
} from '../../../contracts/core/window.ts'
import { randomUUID } from 'node:crypto'
import { TerminalRefused } from '../refused.ts'

/**
 * The calls of a page that are not answered yet. Electron never aborts the Request of `protocol.handle`: whoever sees
 * the page go cancels them here.
 */
export interface OpenCalls {
  readonly signals: Set<AbortController>
  cancel(): void
}
export function createOpenCalls(): OpenCalls {
  const signals = new Set<AbortController>()
  return {
    signals,
    cancel: () => {
      for (const controller of signals) controller.abort()
    },
  }
}

/** For the calls that open the session. */
export const NO_SESSION: Pick<ShellSession, 'header' | 'doubt'> = {
  header: () => Promise.resolve(null),
  doubt: () => undefined,
}

export type ForwardTarget = { readonly socketPath: string } | { readonly url: string }

/** They belong to one connection (RFC 9110 §7.6.1), or are set below. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'accept-encoding',
])
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

/**
 * For a document that came without a policy of its own. The backend's pages bring theirs, with the nonce that they were
 * made for.
 */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src " +
  "'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Answers a page's request on the application's own scheme from the backend's socket. Bodies flow in both directions as
 * they come, so that server-sent events arrive one by one; a page that goes away closes its request at the backend.
 * The backend not being there is a network error for the page, exactly as it is in a browser.
 */
export async function forward(
  request: Request,
  target: ForwardTarget,
  session: Pick<ShellSession, 'header' | 'doubt'>,
  calls: OpenCalls = createOpenCalls(),
): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  if (!isOwnAddress(request.url)) return new Response(null, { status: 404 })
  const where =
    'socketPath' in target
      ? { socketPath: target.socketPath }
      : { hostname: new URL(target.url).hostname, port: new URL(target.url).port }
  const controller = new AbortController()
  calls.signals.add(controller)
  const signal = AbortSignal.any([request.signal, controller.signal])
  const shown = await session.header().catch(() => undefined)
  if (shown === undefined) return Response.error()
  const answer = new Promise<Response>((resolve) => {
    const headers = requestHeaders(request, shown)
    const outgoing = httpRequest({ ...where, method: request.method, path: pathname + search, headers, signal })
    outgoing.once('error', () => {
      session.doubt()
      resolve(Response.error())
    })
    outgoing.once('response', (incoming) => {
      if (incoming.statusCode === 401) session.doubt()
      // The stream of events ends with the backend.
      if (incoming.headers['content-type']?.startsWith('text/event-stream'))
        incoming.once('close', () => {
          session.doubt()
        })
      resolve(toResponse(incoming))
    })
    if (request.body === null) {
      outgoing.end()
      return
    }
    const body = Readable.fromWeb(request.body as NodeReadableStream)
    body.once('error', (error) => outgoing.destroy(error))
    body.pipe(outgoing)
  })
  // An answer that has begun ends with its own body, which Electron does cancel.
  return answer.finally(() => calls.signals.delete(controller))
}

function requestHeaders(request: Request, session: string | null): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of request.headers) {
    if (!NOT_PASSED_ON.has(name)) headers[name] = value
  }
  headers['host'] = SHELL_HOST
  // Chromium names no origin on a same-origin request to a scheme of our own. One that it does name stays: the backend
  // refuses a stranger's.
  headers['origin'] ??= SHELL_ORIGIN
  if (session !== null) headers[WINDOW_HEADER] = session
  return headers
}

function toResponse(incoming: IncomingMessage): Response {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    if (!NOT_PASSED_ON.has(name)) for (const value of values ?? []) headers.append(name, value)
  }
  if (headers.get('content-type')?.startsWith('text/html') && !headers.has('content-security-policy'))
    headers.set('content-security-policy', CONTENT_SECURITY_POLICY)
  const status = incoming.statusCode ?? 502
  if (WITHOUT_BODY.has(status)) {
    incoming.resume()
    return new Response(null, { status, headers })
  }
  // A backend that dies mid-answer ends the page's stream with an error; nobody else listens for it.
  incoming.on('error', () => {})
  return new Response(Readable.toWeb(incoming) as ReadableStream, { status, headers })
}

/** The one session that all windows of this shell share. The shell shows it for them: the pages never see its key. */
export interface ShellSession {
  /** The header for the lane's present run; null before the session is open. Throws where the lane does not answer. */
  header(): Promise<string | null>
  /** The backend ended, or refused the header: the next call asks it for a proof again. */
  doubt(): void
  /** Spends the launch token. Throws TerminalRefused. */
  open(launchToken: string): Promise<void>
}

/** `ask`: to the backend, without this session. */
export function createShellSession(ask: (request: Request) => Promise<Response>): ShellSession {
  let own: WindowKey | null = null
  let verified: Promise<string> | null = null

  const askLane: AskLane = async (method, path, body) => {
    const answer = await ask(
      new Request(SHELL_ORIGIN + path, {
        method,
        headers: { 'content-type': 'application/json', [KEY_HEADER]: randomUUID() },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    if (!answer.ok) throw new TerminalRefused([['noSession', { status: answer.status }], ['nothingLost']], 1)
    return answer.json()
  }

  return {
    async header() {
      if (own === null) return null
      const header = (verified ??= verifyLane(askLane, SHELL_HOST, own))
      try {
        return await header
      } catch (error) {
        if (verified === header) verified = null
        throw error
      }
    },
    doubt() {
      verified = null
    },
    async open(launchToken) {
      own = await openWindowKey(askLane, SHELL_HOST, launchToken)
    },
  }
}

/**
 * The origin of every window inside Electron. The backend allows exactly this one when it listens on a socket;
 * the scheme is registered before the application is ready and answered by `forward`.
 */
export const SHELL_SCHEME = 'app'
export const SHELL_HOST = 'milepost'
export const SHELL_ORIGIN = `${SHELL_SCHEME}://${SHELL_HOST}`

/** True for addresses of the terminal's own pages. URL.origin is "null" for schemes that are not of the web. */
export function isOwnAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host } = new URL(address)
  return protocol === `${SHELL_SCHEME}:` && host === SHELL_HOST
}

/** True for a file that one of the terminal's own pages made in memory, e.g. an exported report. */
export const isOwnFile = (address: string): boolean =>
  address.startsWith('blob:') && isOwnAddress(address.slice('blob:'.length))
