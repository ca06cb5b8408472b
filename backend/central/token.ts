import * as oidc from 'openid-client'
import type { Logger } from '../log.ts'

export type Token = { readonly kind: 'token'; readonly value: string } | { readonly kind: 'failed'; readonly reason: string }

export interface TokenSource {
  /** A token that is believed to be valid; asks for one when there is none or it is about to expire. */
  current(): Promise<Token>
  /** A token other than the one that a service has just refused. */
  renew(refused: string): Promise<Token>
}

export interface TokenOptions {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string | undefined
  readonly timeoutMs: number
  readonly log: Logger
}

/** A token is renewed this long before it expires, so that it does not expire on the way. */
const EARLY_MS = 5_000

/**
 * OAuth 2.0 client credentials (an assumption: specification 3 §5 shows no flow). One request at a time:
 * callers that arrive while a token is being asked for share its answer. Tokens live in memory only.
 */
export function createTokenSource(options: TokenOptions): TokenSource {
  const { tokenUrl, clientId, clientSecret, scope, timeoutMs, log } = options
  const server: oidc.ServerMetadata = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl }
  const configuration = new oidc.Configuration(server, clientId, {}, oidc.ClientSecretBasic(clientSecret))
  configuration.timeout = Math.ceil(timeoutMs / 1000)
  if (tokenUrl.startsWith('http:')) oidc.allowInsecureRequests(configuration)

  let held: { value: string; expiresAt: number } | null = null
  let asking: Promise<Token> | null = null

  async function ask(): Promise<Token> {
    try {
      const grant = await oidc.clientCredentialsGrant(configuration, scope ? { scope } : {})
      // Monotonic time: a clock that is set while the terminal runs must not keep a dead token alive.
      held = { value: grant.access_token, expiresAt: performance.now() + (grant.expires_in ?? 60) * 1000 - EARLY_MS }
      return { kind: 'token', value: grant.access_token }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason }, 'no token from the identity provider')
      return { kind: 'failed', reason }
    }
  }

  function askOnce(): Promise<Token> {
    asking ??= ask().finally(() => { asking = null })
    return asking
  }

  return {
    async current() {
      if (held && performance.now() < held.expiresAt) return { kind: 'token', value: held.value }
      return askOnce()
    },
    async renew(refused) {
      if (held?.value === refused) held = null
      return this.current()
    },
  }
}
