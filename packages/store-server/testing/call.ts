import { request } from 'node:https'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

export const callOver = (
  ca: string,
  address: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
  localAddress?: string,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    request(
      address,
      {
        method: body === undefined ? 'GET' : 'POST',
        ca,
        agent: false,
        headers: { ...type, ...headers },
        ...(localAddress === undefined ? {} : { localAddress }),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
        })
      },
    )
      .on('error', reject)
      .end(body)
  })
