import type { FastifyInstance } from 'fastify'

/** Where a listening server can be reached, e.g. http://127.0.0.1:8080. Throws before it listens. */
export function addressOf(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
