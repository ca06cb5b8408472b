import type { FastifyReply, FastifyRequest } from 'fastify'

export const SESSION_COOKIE = 'milepost'

/**
 * The name of the cookie at this lane. Browsers keep cookies by name and host, whatever the port: lanes of one machine
 * that are open in one browser each have their own.
 */
export const sessionCookieOf = (store: string, lane: string): string =>
  [SESSION_COOKIE, store, lane].map((part) => part.replaceAll(/[^A-Za-z0-9]/g, '_')).join('-')

/** The secret of the session that a request shows. */
export const sessionSecretOf = ({ cookies, server }: FastifyRequest): string | undefined =>
  cookies[server.sessionCookie]

export const setSessionCookie = (reply: FastifyReply, secret: string): FastifyReply =>
  reply.setCookie(reply.server.sessionCookie, secret, { httpOnly: true, sameSite: 'strict', path: '/' })
