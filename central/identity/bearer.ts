import type { FastifyRequest } from 'fastify'
import type { Artifacts } from './artifacts.ts'

/** The body of a call without a valid token: a message and no response code (specification 3 §5, §7.2 last row). */
export const NO_TOKEN_BODY = { message: 'Missing or invalid bearer token: generate a valid token and resubmit' } as const

/** The partner whose token the call carries; undefined when the token is missing, malformed, expired or revoked. */
export function bearerOf(request: FastifyRequest, artifacts: Artifacts): { readonly clientId: string } | undefined {
  const match = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(request.headers.authorization ?? '')
  return match?.[1] === undefined ? undefined : artifacts.findPartnerToken(match[1])
}
