import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A replacement for the service’s response. Without a status, the service’s status is unchanged. */
export interface Rewritten {
  readonly status?: number
  readonly body: Record<string, unknown>
}
/**
 * Called with each response and the number of its call among those with the same path, from 1. Null leaves the response
 * unchanged.
 */
export type Rewrite = (answer: {
  readonly path: string
  readonly number: number
  readonly body: Record<string, unknown>
}) => Rewritten | null

/**
 * A proxy to the services at `url` that may change their responses. `route` maps the path of a call to the path of the
 * services; default: the same path.
 */
export async function openRewritingProxy(
  url: string,
  rewrite: Rewrite,
  route: (path: string) => string = (path) => path,
): Promise<{ readonly url: string }> {
  const seen = new Map<string, number>()
  const forward: RequestListener = (request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const path = request.url ?? '/'
      const answer = await fetch(url + route(path), {
        method: request.method ?? 'POST',
        headers: headersOf(request.headers),
        body: Buffer.concat(chunks),
      })
      const text = await answer.text()
      const number = (seen.get(path) ?? 0) + 1
      seen.set(path, number)
      const rewritten = rewrite({ path, number, body: JSON.parse(text) as Record<string, unknown> })
      response
        .writeHead(rewritten?.status ?? answer.status, { 'content-type': 'application/json' })
        .end(rewritten ? JSON.stringify(rewritten.body) : text)
    })().catch(() => {
      request.socket.destroy()
    })
  }
  const server = createServer(forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const headersOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    ['authorization', 'content-type', 'idempotency-key'].flatMap((name) =>
      typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
    ),
  )
