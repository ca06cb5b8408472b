import { type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import {
  type CallLane,
  KEY_HEADER,
  WINDOW_HEADER,
  type WindowKey,
  openWindowKey,
  verifyLane,
} from '../../../contracts/core/window.ts'
import { randomUUID } from 'node:crypto'
import { TerminalRefused } from '../terminal-refused.ts'

/**
 * Unanswered requests of a page. Electron never aborts the Request of `protocol.handle`, so the shell cancels them here
 * when the page closes.
 * See docs/decisions/0001-one-local-api-over-two-listeners.md.
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

export const NO_SESSION: Pick<ShellSession, 'header' | 'invalidate'> = {
  header: () => Promise.resolve(null),
  invalidate: () => undefined,
}

export type ForwardTarget = { readonly socketPath: string } | { readonly url: string }

/** Headers that are not passed on: hop-by-hop headers (RFC 9110 §7.6.1), and headers that are set below. */
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

/** Content security policy of a document without its own. The backend’s pages have a policy with their nonce. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src " +
  "'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Answers a page's request on the application's own scheme from the backend's socket. Streams bodies in both
 * directions, so that server-sent events arrive one by one; closing the page closes its request at the backend. An
 * unreachable backend is a network error, as in a browser.
 */
export async function forward(
  request: Request,
  target: ForwardTarget,
  session: Pick<ShellSession, 'header' | 'invalidate'>,
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
      session.invalidate()
      resolve(Response.error())
    })
    outgoing.once('response', (incoming) => {
      if (incoming.statusCode === 401) session.invalidate()
      // The event stream closes when the backend ends: verify the session again before the next request.
      if (incoming.headers['content-type']?.startsWith('text/event-stream'))
        incoming.once('close', () => {
          session.invalidate()
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
  // From here on Electron itself cancels the response body when the page closes.
  return answer.finally(() => calls.signals.delete(controller))
}

function requestHeaders(request: Request, session: string | null): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of request.headers) {
    if (!NOT_PASSED_ON.has(name)) headers[name] = value
  }
  headers['host'] = SHELL_HOST
  // The Origin header is added if it is missing, because Chromium sends no Origin with a same-origin request to a
  // custom scheme. An existing Origin is not replaced: the backend rejects a foreign one.
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
  // A backend that ends during a response ends the page’s stream with an error; this listener prevents that the error
  // is uncaught.
  incoming.on('error', () => {})
  return new Response(Readable.toWeb(incoming) as ReadableStream, { status, headers })
}

/**
 * The session that all windows of this shell share. The shell adds its key to their requests, so that pages never see
 * the key.
 */
export interface ShellSession {
  /** Returns the request header of the session; null before the session is open. Throws if the lane does not answer. */
  header(): Promise<string | null>
  /** Makes the next call of `header` verify the lane again. */
  invalidate(): void
  /** Throws TerminalRefused. */
  open(launchToken: string): Promise<void>
}

export function createShellSession(ask: (request: Request) => Promise<Response>): ShellSession {
  let own: WindowKey | null = null
  let verified: Promise<string> | null = null

  const askLane: CallLane = async (method, path, body) => {
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
    invalidate() {
      verified = null
    },
    async open(launchToken) {
      own = await openWindowKey(askLane, SHELL_HOST, launchToken)
    },
  }
}

/**
 * The origin of every window inside Electron. A backend that listens on a socket allows only this origin; the scheme is
 * registered before the application is ready and answered by `forward`.
 */
export const SHELL_SCHEME = 'app'
export const SHELL_HOST = 'milepost'
export const SHELL_ORIGIN = `${SHELL_SCHEME}://${SHELL_HOST}`

/** Whether the address is one of the terminal's own pages. URL.origin is "null" for non-web schemes. */
export function isOwnAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host } = new URL(address)
  return protocol === `${SHELL_SCHEME}:` && host === SHELL_HOST
}

/** Whether the address is a file that a page of the terminal created in memory, such as an exported report. */
export const isOwnFile = (address: string): boolean =>
  address.startsWith('blob:') && isOwnAddress(address.slice('blob:'.length))
