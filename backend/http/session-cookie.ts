import type { FastifyReply } from 'fastify'

export const SESSION_COOKIE = 'milepost'

export const setSessionCookie = (reply: FastifyReply, secret: string): FastifyReply =>
  reply.setCookie(SESSION_COOKIE, secret, { httpOnly: true, sameSite: 'strict', path: '/' })
