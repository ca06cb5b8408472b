import * as oidc from 'openid-client'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import { IN_A_HEADER, providerOf } from '../../core/central/token.ts'

/** The token of a call for a signed-in member; `signal` aborts the call when the sign-in ends. */
export interface MemberAccess {
  readonly memberToken: string
  readonly signal: AbortSignal
}

export interface MemberSignInOptions {
  /** The device authorization endpoint (RFC 8628 §3.1). */
  readonly url: string
  readonly issuer: string
  readonly scope: string
  readonly tokenUrl: string
  /** The revocation endpoint (RFC 7009); left out: a token ends with its time. */
  readonly revocationUrl?: string | undefined
  readonly clientId: string
  readonly clientSecret: string
  readonly timeoutMs: number
  /** What the page on the phone names; that it reads them is an assumption, as is the whole flow (1 §5). */
  readonly store: string
  readonly lane: string
}

/** What the member is shown (RFC 8628 §3.2), and what the lane polls with. */
export interface SignInCode {
  readonly deviceCode: string
  readonly userCode: string
  /** The page to open on the phone; with the code in it, where the provider gives one. */
  readonly page: string
  readonly pageWithCode: string | null
  readonly expiresInMs: number
  readonly intervalMs: number
}

/**
 * What a poll brings (RFC 8628 §3.5). `member`: the token, and whom it speaks for. `gone`: the provider has no use for
 * this code any more; `failed`: nothing is known of it, and the next poll may tell.
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
  /** Asks for a code. Throws when there is none to be had. `signal` ends the call, and what it held is let go. */
  begin(signal: AbortSignal): Promise<SignInCode>
  /** Asks once whether the member has decided. Never throws. `signal` as in `begin`. */
  poll(deviceCode: string, signal: AbortSignal): Promise<Polled>
  /**
   * Ends a token at the provider, so that no copy of it is worth anything; tries for less than a second, since it is
   * held that long. Answers why it could not; null: ended, or there is nowhere to ask. Never throws.
   */
  revoke(token: string): Promise<string | null>
}

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
/**
 * The ID token comes from the provider itself over its own connection, so its signature adds nothing (OpenID Connect
 * Core §3.1.3.7 rule 6); issuer, audience and time are checked.
 */
const ID_TOKEN_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA']
/** RFC 8628 §3.2: where the provider names no interval. */
const INTERVAL_SECONDS = 5
/** The token is gone within a second of the sale's end, answered or not. */
const REVOKED_WITHIN_MS = 900
/** How long a member's token is trusted whose answer does not say. */
const UNSAID_SECONDS = 60

/** The device authorization grant (RFC 8628): a member signs in with their own phone, at the provider's own page. */
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

/** RFC 8628 §6.1: a person types it. */
const USER_CODE = /^[\x20-\x7e]{1,40}$/
const MOST_ADDRESS = 500
/** What a phone opens as a page: whatever else an address does there, the lane's screen does not ask for it. */
const isPage = (address: string): boolean =>
  address.length <= MOST_ADDRESS && URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)

/** The ID token names the collector: that `sub` is the collector number is an assumption (1 §5). */
function memberOf(given: Awaited<ReturnType<typeof oidc.genericGrantRequest>>): Polled {
  if (!IN_A_HEADER.test(given.access_token)) return { kind: 'gone', reason: 'the token cannot be sent' }
  const number = CollectorNumber.safeParse(given.claims()?.sub)
  if (!number.success) return { kind: 'gone', reason: 'the sign-in does not say who has signed in' }
  const endsInMs = (given.expires_in ?? UNSAID_SECONDS) * 1_000
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

/** The library names what it refuses of an answer; a text of its own could hold what was sent. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unreachable'
