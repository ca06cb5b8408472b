import type { FastifyInstance } from 'fastify'

/** Where a listening server can be reached, e.g. https://127.0.0.1:8443. Throws before it listens. */
export function addressOf(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  const scheme = app.initialConfig.https === undefined ? 'http' : 'https'
  return `${scheme}://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
