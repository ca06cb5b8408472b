import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './app.ts'

/** Headers of every answer: no framing, no content sniffing, no referrer, no process shared with other sites. */
export const SECURITY_HEADERS = {
  'content-security-policy': contentSecurityPolicy({}),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=(), payment=()',
} as const

interface PagePolicy {
  /**
   * For the style element that the library of accessible controls adds at run time; only an element with this nonce is
   * allowed.
   */
  readonly nonce?: string
  readonly scripts?: readonly string[]
}

function contentSecurityPolicy({ nonce, scripts = [] }: PagePolicy): string {
  return [
    "default-src 'none'",
    [
      "script-src 'self'",
      ...scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`),
    ].join(' '),
    `style-src 'self'${nonce ? ` 'nonce-${nonce}'` : ''}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Serves the built renderer: index.html for `/` and every address of a screen. */
export function addStaticFiles(app: App, root: string): void {
  void app.register(fastifyStatic, {
    root,
    index: false,
    dotfiles: 'deny',
    cacheControl: false,
    // Only `sendPage` sends index.html, because it inserts the nonce.
    allowedPath: (path) => !path.endsWith('/index.html'),
    setHeaders: (reply, path) => {
      // The build adds a content hash to the name of every file in assets/.
      void reply.header(
        'cache-control',
        path.includes('/assets/') || path.includes('\\assets\\') ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
    },
  })
  app.get('/', { schema: { hide: true }, config: { access: 'public' } }, async (_request, reply) =>
    sendPage(reply, root),
  )
}

/** Whether a request is a browser's navigation to an address, and not a page's request for a file or a call. */
export const isNavigation = (request: FastifyRequest): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  !/^\/api(\/|$)/.test(request.url) &&
  (request.headers.accept ?? '').includes('text/html')

export const hasPage = (root: string): boolean => existsSync(join(root, 'index.html'))

export function sendPage(reply: FastifyReply, root: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64')
  // The page of 2 kB is read for each request, so that a rebuilt renderer needs no restart.
  const page = readFileSync(join(root, 'index.html'), 'utf8').replace(
    '<head>',
    `<head>\n    <meta name="csp-nonce" nonce="${nonce}">`,
  )
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script]) => script ?? '')
  return reply
    .header('content-security-policy', contentSecurityPolicy({ nonce, scripts }))
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(page)
}
