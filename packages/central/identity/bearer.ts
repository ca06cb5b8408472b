import type { FastifyRequest } from 'fastify'
import type { Artifacts, Bearer } from './artifacts.ts'

/** The body of a call without a valid token: a message and no response code (specification 3 §5, §7.2 last row). */
export const NO_TOKEN_BODY = {
  message: 'Missing or invalid bearer token: generate a valid token and resubmit',
} as const

/** The token that a call carries, as it was sent; undefined when the header is missing or malformed. */
export const tokenOf = (request: FastifyRequest): string | undefined =>
  /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(request.headers.authorization ?? '')?.[1]

/** For whom the call speaks; undefined when the token is missing, malformed, expired or revoked. */
export function bearerOf(request: FastifyRequest, artifacts: Artifacts): Bearer | undefined {
  const token = tokenOf(request)
  return token === undefined ? undefined : artifacts.findToken(token)
}

/** Where the identity provider is mounted. */
export const IDENTITY_PATH = '/oidc'
export const TOKEN_PATH = `${IDENTITY_PATH}/token`
/** Where a token is ended (RFC 7009). */
export const REVOCATION_PATH = `${TOKEN_PATH}/revocation`
/**
 * Where a partner's screen asks for a device code (RFC 8628 §3.1), and the page where the member enters the user code.
 */
export const DEVICE_AUTHORIZATION_PATH = `${IDENTITY_PATH}/device/auth`
export const MEMBER_PAGE_PATH = `${IDENTITY_PATH}/device`
