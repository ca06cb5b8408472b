import type { Heard } from '../http.ts'
import type { Spoiled } from './spoiled.ts'

const STACK = /\n\s+at |node_modules|\.ts:\d|node:internal|SQLITE|better-sqlite/i
const CHECKOUT = /^\/checkout\/(loyaltycash|issuance)\//

/** What is wrong with the answer to a bad request; undefined when it is as documented. */
export function wrongWith({ path, asked }: Spoiled, heard: Heard): string | undefined {
  if (STACK.test(heard.text)) return 'the answer shows the inside of the program'
  if (heard.status >= 500) return `status ${heard.status}: a bad request is the caller's mistake`
  if (heard.status < 200) return `status ${heard.status}`
  // Spoiled into something that is a request after all.
  if (heard.status < 300 || asked.method === 'HEAD') return undefined
  // The identity provider has its own errors (RFC 6749 §5.2) and pages.
  if (path.startsWith('/oidc/')) return undefined
  if (!/^application\/json\b/i.test(heard.headers['content-type'] ?? ''))
    return `content type ${heard.headers['content-type']}`
  if (typeof heard.body.message !== 'string') return 'no message'
  const known = CHECKOUT.test(path) && asked.method === 'POST'
  const mayLackCode = heard.status === 401 || heard.status === 404
  // "A response in an error condition carries responseCode" (specification 3 §1), save without a token (§5).
  if (known && !mayLackCode && typeof heard.body.responseCode !== 'string') return 'no responseCode'
  return undefined
}
