import type { Received } from '../http.ts'
import type { Spoiled } from './spoiled.ts'

const STACK = /\n\s+at |node_modules|\.ts:\d|node:internal|SQLITE|better-sqlite/i
const CHECKOUT = /^\/checkout\/(loyaltycash|issuance)\//

/** What is wrong with the answer to a bad request; undefined when it is as documented. */
export function wrongWith({ path, asked }: Spoiled, received: Received): string | undefined {
  if (STACK.test(received.text)) return 'the answer shows the inside of the program'
  if (received.status >= 500) return `status ${received.status}: a bad request is the caller's mistake`
  if (received.status < 200) return `status ${received.status}`
  // Spoiled into something that is a request after all.
  if (received.status < 300 || asked.method === 'HEAD') return undefined
  // The identity provider has its own errors (RFC 6749 §5.2) and pages.
  if (path.startsWith('/oidc/')) return undefined
  if (!/^application\/json\b/i.test(received.headers['content-type'] ?? ''))
    return `content type ${received.headers['content-type']}`
  if (typeof received.body.message !== 'string') return 'no message'
  const known = CHECKOUT.test(path) && asked.method === 'POST'
  const mayLackCode = received.status === 401 || received.status === 404
  // "A response in an error condition carries responseCode" (specification 3 §1), save without a token (§5).
  if (known && !mayLackCode && typeof received.body.responseCode !== 'string') return 'no responseCode'
  return undefined
}
