import * as oidc from 'openid-client'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import { IN_A_HEADER, providerOf } from '../../core/central/token.ts'

export interface MemberAccess {
  readonly memberToken: string
  readonly signal: AbortSignal
}

export interface MemberSignInOptions {
  /** The provider's device authorization endpoint (RFC 8628 §3.1). */
  readonly url: string
  readonly issuer: string
  readonly scope: string
  readonly tokenUrl: string
  /** The provider's revocation endpoint (RFC 7009); without it, a token expires by itself. */
  readonly revocationUrl?: string | undefined
  readonly clientId: string
  readonly clientSecret: string
  readonly timeoutMs: number
  /**
   * Names of store and lane for the page on the phone. That the provider uses them is an assumption, like the whole
   * flow (specification 1 §5).
   */
  readonly store: string
  readonly lane: string
}

/** Code that the member types on the phone (RFC 8628 §3.2), and code with which the lane polls. */
export interface SignInCode {
  readonly deviceCode: string
  readonly userCode: string
  /** The page to open on the phone. `pageWithCode` has the code in its address; null if the provider gives none. */
  readonly page: string
  readonly pageWithCode: string | null
  readonly expiresInMs: number
  readonly intervalMs: number
}

/**
 * The result of a poll (RFC 8628 §3.5). `member`: token and collector. `gone`: the code is no longer valid. `failed`:
 * temporary failure, so poll again.
 */
export type Polled =
  | { readonly kind: 'pending' }
  | { readonly kind: 'slow-down' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'expired' }
  | {
      readonly kind: 'member'
      readonly token: string
      readonly collectorNumber: CollectorNumber
      readonly endsInMs: number
    }
  | { readonly kind: 'gone'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

export interface MemberSignIn {
  /** Requests a code for the member. Throws when that fails. `signal` aborts the request. */
  begin(signal: AbortSignal): Promise<SignInCode>
  poll(deviceCode: string, signal: AbortSignal): Promise<Polled>
  /**
   * Revokes a token at the provider, with a timeout of less than a second, because the token is in memory until then.
   * Returns the reason of a failure; null for success, or without a revocation endpoint. Never throws.
   */
  revoke(token: string): Promise<string | null>
}

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
/**
 * Accepted signature algorithms of an ID token. The token comes directly from the provider over TLS, so its signature
 * need not be verified (OpenID Connect Core §3.1.3.7 rule 6); issuer, audience and time are checked.
 */
const ID_TOKEN_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA']
/** Default polling interval (RFC 8628 §3.2). */
const INTERVAL_SECONDS = 5
/** Timeout of a revocation: the token is discarded within a second of the sale's end, with or without an answer. */
const REVOKED_WITHIN_MS = 900
const DEFAULT_LIFETIME_SECONDS = 60

/**
 * Client of the device authorization grant (RFC 8628): a member signs in on their own phone, at the page of the
 * provider.
 */
export function createMemberSignIn(options: MemberSignInOptions): MemberSignIn {
  const { url, issuer, tokenUrl, revocationUrl, scope, store, lane } = options
  const server = {
    issuer,
    token_endpoint: tokenUrl,
    device_authorization_endpoint: url,
    ...(revocationUrl === undefined ? {} : { revocation_endpoint: revocationUrl }),
    id_token_signing_alg_values_supported: ID_TOKEN_ALGORITHMS,
  }
  return {
    async begin(signal) {
      const provider = providerOf(server, options, signal)
      const given = await oidc.initiateDeviceAuthorization(provider, { scope, store_name: store, lane_id: lane })
      const { user_code: userCode, verification_uri: page, verification_uri_complete: complete } = given
      if (!USER_CODE.test(userCode) || !isPage(page)) throw new Error('the code or its page cannot be shown')
      return {
        deviceCode: given.device_code,
        userCode,
        page,
        pageWithCode: complete !== undefined && isPage(complete) ? complete : null,
        expiresInMs: given.expires_in * 1_000,
        intervalMs: (given.interval ?? INTERVAL_SECONDS) * 1_000,
      }
    },
    async poll(deviceCode, signal) {
      try {
        const provider = providerOf(server, options, signal)
        return memberOf(await oidc.genericGrantRequest(provider, DEVICE_CODE, { device_code: deviceCode }))
      } catch (error) {
        return meaningOf(error)
      }
    },
    async revoke(token) {
      if (revocationUrl === undefined) return null
      try {
        const provider = providerOf(server, options, AbortSignal.timeout(REVOKED_WITHIN_MS))
        await oidc.tokenRevocation(provider, token, { token_type_hint: 'access_token' })
        return null
      } catch (error) {
        return error instanceof oidc.ResponseBodyError ? error.error : codeOf(error)
      }
    },
  }
}

/** Form of the code, which a person types (RFC 8628 §6.1). */
const USER_CODE = /^[\x20-\x7e]{1,40}$/
const MAX_ADDRESS_LENGTH = 500
/** Accepts only web pages: other schemes (sms:, tel:) would trigger actions on the phone. */
const isPage = (address: string): boolean =>
  address.length <= MAX_ADDRESS_LENGTH && URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)

/** Reads the collector number from `sub` of the ID token, which is an assumption (specification 1 §5). */
function memberOf(given: Awaited<ReturnType<typeof oidc.genericGrantRequest>>): Polled {
  if (!IN_A_HEADER.test(given.access_token))
    return { kind: 'gone', reason: 'the token has characters that no header allows' }
  const number = CollectorNumber.safeParse(given.claims()?.sub)
  if (!number.success) return { kind: 'gone', reason: 'the ID token contains no collector number' }
  const endsInMs = (given.expires_in ?? DEFAULT_LIFETIME_SECONDS) * 1_000
  return { kind: 'member', token: given.access_token, collectorNumber: number.data, endsInMs }
}

const BY_CODE: Readonly<Record<string, Polled>> = {
  authorization_pending: { kind: 'pending' },
  slow_down: { kind: 'slow-down' },
  access_denied: { kind: 'denied' },
  expired_token: { kind: 'expired' },
}

function meaningOf(error: unknown): Polled {
  if (error instanceof oidc.ResponseBodyError)
    return (
      BY_CODE[error.error] ??
      (error.status >= 500 || error.status === 408 || error.status === 429
        ? { kind: 'failed', reason: error.error }
        : { kind: 'gone', reason: error.error })
    )
  const code = codeOf(error)
  return code === 'OAUTH_INVALID_RESPONSE' || code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'
    ? { kind: 'gone', reason: code }
    : { kind: 'failed', reason: code }
}

/** Returns the code of an error, not its message, which could contain data of the request. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unreachable'
