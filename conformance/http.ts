import http from 'node:http'
import https from 'node:https'

/** An answer: exact text, and the text as JSON where it is an object (else an empty one). */
export interface Received {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  readonly json: unknown
  readonly body: Readonly<Record<string, unknown>>
}

export interface Asked {
  readonly method: string
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: string | Buffer
  readonly timeoutMs?: number
}

/**
 * Says exactly these headers and bytes, nothing of a client's own beside Host and Content-Length. Rejects when no whole
 * answer came.
 */
export interface Caller {
  ask(url: string, asked: Asked): Promise<Received>
  close(): void
}

export function createCaller(sockets = 16): Caller {
  const plain = new http.Agent({ keepAlive: true, maxSockets: sockets })
  const secure = new https.Agent({ keepAlive: true, maxSockets: sockets })
  return {
    ask: (url, { method, headers = {}, body, timeoutMs = 20_000 }) =>
      new Promise<Received>((resolve, reject) => {
        const tls = url.startsWith('https:')
        const request = (tls ? https : http).request(url, { method, agent: tls ? secure : plain })
        for (const [name, value] of Object.entries(headers)) if (value !== undefined) request.setHeader(name, value)
        if (body !== undefined) request.setHeader('content-length', Buffer.byteLength(body))
        request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)))
        request.on('error', reject)
        request.on('response', (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.on('error', reject)
          response.on('end', () => {
            if (!response.complete) return reject(new Error('the answer broke off'))
            const text = Buffer.concat(parts).toString('utf8')
            const json = parse(text)
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              json,
              body:
                typeof json === 'object' && json !== null && !Array.isArray(json)
                  ? (json as Record<string, unknown>)
                  : {},
            })
          })
        })
        request.end(body)
      }),
    close() {
      plain.destroy()
      secure.destroy()
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
