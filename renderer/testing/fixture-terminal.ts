import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { KEY_HEADER } from '../../contracts/core/window.ts'
import type { Region } from '../../contracts/core/regions.ts'
import type { PaymentKind } from '../../contracts/payments/tenders/registry.ts'
import type { Sale } from '../../contracts/sales/sales.ts'
import type { StopReason } from '../../contracts/staff/session.ts'
import { answerTo } from './answers.ts'
import { FOR_ACTING_WINDOW, type TerminalEvent } from '../../contracts/core/events.ts'

/** Returns the content security policy of the backend, so that violations fail in these tests too. */
function policyFor(page: string): string {
  const hashes = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export const USUAL_PAYMENTS: readonly PaymentKind[] = ['cash', 'card', 'voucher']
export const FIRST_START = { at: '2026-11-21T12:55:00.000Z', foundOpen: null } as const

export interface FixtureState {
  signedIn: object | null
  mode: 'production' | 'training'
  stopped: StopReason | null
  defaultLocale: 'en-CA' | 'fr-CA'
  sale: Sale | null
  payments: readonly PaymentKind[]
  /** Region of the store; left out: ON. */
  region?: Region
  central: 'online' | 'offline' | 'outage' | 'secret-refused' | 'unknown'
  attention: number
  notOnPaper: number
  /** Time of this start of the terminal, and the sale that it found open. */
  start: { at: string; foundOpen: string | null }
  toEnrol: boolean
  /** Answers of the stand-in by "METHOD path", which take precedence over the built-in ones. */
  answers: Record<string, { status: number; body: unknown }>
}

/**
 * Holds back the answer to the next request for an address with this ending, until it is released. The answer has the
 * content from the time of the request.
 */
export interface HeldAnswer {
  readonly ending: string
  readonly asked: () => void
  readonly released: Promise<void>
}

export interface FixtureTerminal {
  readonly url: string
  readonly state: FixtureState
  readonly calls: { method: string; path: string; body: unknown }[]
  readonly held: Set<HeldAnswer>
  readonly scripts: Map<string, string>
  push(event: TerminalEvent): void
  readonly streams: number
  /** Ends the event streams; the window opens them again after a while. */
  hangUp(): void
  close(): Promise<void>
}

/**
 * A stand-in for the backend, which serves the built screens on one origin with answers set by a test or picture. Never
 * part of the product.
 */
export async function startFixtureTerminal(
  root: string,
  facts: Record<string, (state: FixtureState, sent: unknown) => unknown>,
): Promise<FixtureTerminal> {
  const state: FixtureState = {
    signedIn: null,
    mode: 'training',
    stopped: null,
    defaultLocale: 'en-CA',
    sale: null,
    payments: USUAL_PAYMENTS,
    central: 'online',
    attention: 0,
    notOnPaper: 0,
    start: { ...FIRST_START },
    toEnrol: false,
    answers: {},
  }
  const calls: FixtureTerminal['calls'] = []
  const listeners = new Map<ServerResponse, string | null>()
  let acting: string | null = null
  /** Answers by idempotency key: a repeated command is executed once, as by the backend. */
  const answered = new Map<string, { status: number; headers: Record<string, string>; text: string }>()
  const held: FixtureTerminal['held'] = new Set()
  const scripts: FixtureTerminal['scripts'] = new Map()
  let sequence = 0

  function write(listener: ServerResponse, event: TerminalEvent): void {
    sequence += 1
    listener.write(`id: fixture-${sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fixture')
    const method = request.method ?? 'GET'
    if (pathname === '/api/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).write(': open\n\n')
      listeners.set(response, searchParams.get('as'))
      response.on('close', () => listeners.delete(response))
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      if (pathname.startsWith('/api/')) {
        const key = String(request.headers[KEY_HEADER] ?? '')
        if (pathname === '/api/input/acting') acting = (JSON.parse(text) as { stream: string }).stream
        if (pathname.startsWith('/api/input/')) {
          calls.push({ method, path: pathname, body: JSON.parse(text) })
          if (pathname === '/api/input/acting')
            for (const [listener, name] of listeners)
              write(listener, { type: 'window-acting', acting: name === acting })
          return void response.writeHead(204).end()
        }
        const before = answered.get(key)
        if (before) return void response.writeHead(before.status, before.headers).end(before.text)
        const sent: unknown = text === '' ? null : JSON.parse(text)
        if (method !== 'GET') calls.push({ method, path: pathname, body: sent })
        const set = state.answers[`${method} ${pathname}`]
        const named = set ? set.body : facts[`${method} ${pathname}`]?.(state, sent)
        const status = set?.status ?? (named === undefined ? 404 : 200)
        const body = status < 400 ? answerTo(`${method} ${pathname}`, named) : named
        const headers = { 'content-type': status >= 400 ? 'application/problem+json' : 'application/json' }
        const answer = { status, headers, text: JSON.stringify(body ?? { code: 'not-found' }) }
        if (key !== '') answered.set(key, answer)
        const send = (): void => void response.writeHead(status, headers).end(answer.text)
        const hold = [...held].find(({ ending }) => request.url?.endsWith(ending))
        if (!hold) return send()
        held.delete(hold)
        hold.asked()
        return void hold.released.then(send)
      }
      const script = scripts.get(pathname)
      if (script === undefined) return void sendFile(root, pathname, response)
      response.writeHead(200, { 'content-type': TYPES['.js'] }).end(script)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    calls,
    held,
    scripts,
    push: (event) => {
      const actor = FOR_ACTING_WINDOW.has(event.type) && [...listeners.values()].includes(acting) ? acting : null
      for (const [listener, name] of listeners) if (actor === null || name === actor) write(listener, event)
    },
    get streams() {
      return listeners.size
    },
    hangUp: () => {
      for (const listener of listeners.keys()) listener.end()
    },
    close: () =>
      new Promise((resolve) => {
        for (const listener of listeners.keys()) listener.end()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function sendFile(root: string, pathname: string, response: ServerResponse): Promise<void> {
  const name = extname(pathname) === '' ? '/index.html' : normalize(pathname)
  try {
    const bytes = await readFile(join(root, name))
    response
      .writeHead(200, {
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
        'content-security-policy': policyFor(name === '/index.html' ? bytes.toString() : ''),
      })
      .end(bytes)
  } catch {
    response.writeHead(404).end()
  }
}
